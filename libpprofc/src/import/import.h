/* Readers of foreign and legacy formats, in one table. A new format needs one file, a
 * declaration in formats.h and a row in formats.c. */
#ifndef PPROFC_IMPORT_IMPORT_H
#define PPROFC_IMPORT_IMPORT_H

#include "core/error.h"
#include "core/str.h"
#include "profile/profile.h"

/* Tries to read `data`, which is not compressed. Returns PPROFC_OK with a profile, or
 * PPROFC_E_NO_MATCH if the data has another format, so that the next reader is tried. Any
 * other status is final. `options` and its limits are never NULL. */
typedef pprofc_status (*import_fn)(pprofc_str data, const pprofc_allocator *mem,
                                   const pprofc_read_options *options, pprofc_profile **profile,
                                   pprofc_error *error);

struct import_format {
  const char *name; /* name for messages: "gperftools CPU profile" */
  import_fn read;
  bool wraps; /* true if totals beyond 63 bits wrap around, as in pprof; false to reject such
                 files */
};

/* Formats in the order in which they are tried; a row without a name ends the table. */
extern const struct import_format import_formats[];

#endif
