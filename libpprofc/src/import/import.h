/* Foreign and legacy input formats, behind one table. A new format is one file, one
 * declaration in formats.h and one row in formats.c. */
#ifndef PPROFC_IMPORT_IMPORT_H
#define PPROFC_IMPORT_IMPORT_H

#include "core/error.h"
#include "core/str.h"
#include "profile/profile.h"

/* Tries to read `data` (inflated). Returns PPROFC_OK with a profile; PPROFC_E_NO_MATCH when the
 * bytes are not of this format (the next one is tried); any other status is final. `options` is
 * never NULL, and neither are its limits. */
typedef pprofc_status (*import_fn)(pprofc_str data, const pprofc_allocator *mem,
                                   const pprofc_read_options *options, pprofc_profile **profile,
                                   pprofc_error *error);

struct import_format {
  const char *name; /* "gperftools CPU profile" */
  import_fn read;
  bool wraps; /* a total beyond 63 bits wraps around, as in pprof; else the file is refused */
};

/* The formats in the order they are tried, ended by a row without name. */
extern const struct import_format import_formats[];

#endif
