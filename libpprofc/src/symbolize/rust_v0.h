/* Demangles Rust's linker names of version 0 (RFC 2603). */
#ifndef PPROFC_SYMBOLIZE_RUST_V0_H
#define PPROFC_SYMBOLIZE_RUST_V0_H

#include "core/buffer.h"

/* Appends the path that a name "_R..." encodes to `out`. Without `arguments`, generic arguments
 * become an empty pair of brackets. False if the name has another form or expands beyond `most`
 * bytes; `out` then holds a part. */
bool rust_v0_demangle(pprofc_str name, bool arguments, size_t most, struct buffer *out);

#endif
