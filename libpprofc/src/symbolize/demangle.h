/* Demangles names of C++ (Itanium) and Rust, in pprof's four modes (docs/spec/pprof.md, 8.4). */
#ifndef PPROFC_SYMBOLIZE_DEMANGLE_H
#define PPROFC_SYMBOLIZE_DEMANGLE_H

#include "core/buffer.h"

enum demangle_mode {
  DEMANGLE_DEFAULT,   /* names without parameters and template arguments */
  DEMANGLE_TEMPLATES, /* names without parameters */
  DEMANGLE_FULL,
  DEMANGLE_NONE
};

/* True if libiberty would recurse as deep as the name is long. */
bool demangle_is_deep(pprofc_str name);

/* Calls fn(context) on a thread with enough stack for deep names. Returns false without calling
 * fn if the thread cannot be started. */
bool demangle_run(void (*fn)(void *context), void *context);

/* Replaces `out` by the demangled name. False if the name is not mangled, if it expands beyond a
 * megabyte, or if this build has no libiberty. Call it from demangle_run for a deep name. */
bool demangle(pprofc_str mangled, enum demangle_mode mode, struct buffer *out);

/* Writes the name that pprof shows for a system name into `out`: the demangled name, or the name
 * without the parts that look like parameters and template arguments. */
void demangle_for_display(pprofc_str system_name, enum demangle_mode mode, struct buffer *out);

#endif
