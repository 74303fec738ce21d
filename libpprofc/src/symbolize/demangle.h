/* From linker names to names people read: C++ (Itanium) and Rust, in pprof's four modes (8.4). */
#ifndef PPROFC_SYMBOLIZE_DEMANGLE_H
#define PPROFC_SYMBOLIZE_DEMANGLE_H

#include "core/buffer.h"

enum demangle_mode {
  DEMANGLE_DEFAULT,   /* no parameters, no template arguments */
  DEMANGLE_TEMPLATES, /* no parameters */
  DEMANGLE_FULL,
  DEMANGLE_NONE
};

/* Puts the readable form of a linker name into `out` (cleared first). False when it is not mangled,
 * when it expands beyond a megabyte, or when this build has no libiberty. */
bool demangle(pprofc_str mangled, enum demangle_mode mode, struct buffer *out);

/* What pprof shows for a function of that system name: the demangled name, or the name with what
 * looks like parameters and template arguments taken off. The result is in `out`. */
void demangle_for_display(pprofc_str system_name, enum demangle_mode mode, struct buffer *out);

#endif
