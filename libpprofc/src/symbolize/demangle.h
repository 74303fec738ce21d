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

/* True if the name makes libiberty call itself as deep as the name is long. */
bool demangle_is_deep(pprofc_str name);

/* Calls fn(context) on a thread with stack enough for names that are deep. False when the thread
 * cannot be started: then fn was not called. */
bool demangle_run(void (*fn)(void *context), void *context);

/* Puts the readable form of a linker name into `out` (cleared first). False when it is not mangled,
 * when it expands beyond a megabyte, or when this build has no libiberty. Call it from
 * demangle_run when a name is deep. */
bool demangle(pprofc_str mangled, enum demangle_mode mode, struct buffer *out);

/* Puts the name that pprof shows for a system name into `out`: the demangled name, or the name
 * without the parts that look like parameters and template arguments. */
void demangle_for_display(pprofc_str system_name, enum demangle_mode mode, struct buffer *out);

#endif
