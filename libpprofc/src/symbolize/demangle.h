/* Demangles names of C++ (Itanium) and Rust, in pprof's four modes (docs/spec/pprof.md, 8.4). */
#ifndef PPROFC_SYMBOLIZE_DEMANGLE_H
#define PPROFC_SYMBOLIZE_DEMANGLE_H

#include "core/buffer.h"

enum demangle_mode {
  DEMANGLE_DEFAULT,   /* remove parameters of functions and template arguments */
  DEMANGLE_TEMPLATES, /* keep template arguments; remove parameters of functions */
  DEMANGLE_FULL,
  DEMANGLE_NONE
};

/* True if the name may be mangled. The recursion of libiberty may then be too deep for the default
 * stack of a thread. */
bool demangle_is_deep(pprofc_str name);

/* Calls fn(context) on a thread with a stack that is large enough for libiberty. Returns false
 * without a call if the thread does not start. */
bool demangle_run(void (*fn)(void *context), void *context);

/* Replaces `out` by the demangled name. Returns false if the name is not mangled, if it expands
 * beyond a megabyte, or if the library was built without libiberty. If demangle_is_deep is true for
 * the name, the call must run inside demangle_run. */
bool demangle(pprofc_str mangled, enum demangle_mode mode, struct buffer *out);

/* Appends the demangled form of a Rust name of version 0 (RFC 2603), which begins with "_R".
 * Without `arguments`, writes "<>" for generic arguments. Returns false if the name is not valid or
 * expands beyond `most` bytes; `out` then contains the start of the result. */
bool rust_v0_demangle(pprofc_str name, bool arguments, size_t most, struct buffer *out);

/* Writes the name that pprof shows for a system name to `out`. For a mangled name, this is the
 * demangled name. For any other name, it is the name without parts that look like parameters and
 * template arguments. */
void demangle_for_display(pprofc_str system_name, enum demangle_mode mode, struct buffer *out);

#endif
