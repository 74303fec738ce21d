/* Demangles Rust's mangled names of version 0 (RFC 2603). */
#ifndef PPROFC_SYMBOLIZE_RUST_V0_H
#define PPROFC_SYMBOLIZE_RUST_V0_H

#include "core/buffer.h"

/* Appends the demangled form of a name that begins with "_R" to `out`. Without `arguments`, writes
 * "<>" for generic arguments. Returns false if the name is not valid or expands beyond `most`
 * bytes; `out` then contains the start of the result. */
bool rust_v0_demangle(pprofc_str name, bool arguments, size_t most, struct buffer *out);

#endif
