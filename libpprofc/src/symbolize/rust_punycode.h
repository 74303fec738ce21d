/* Decodes Rust's variant of punycode (RFC 3492), in which '_' is the delimiter. */
#ifndef PPROFC_SYMBOLIZE_RUST_PUNYCODE_H
#define PPROFC_SYMBOLIZE_RUST_PUNYCODE_H

#include "core/buffer.h"

/* Appends the identifier in UTF-8 to `out`. False if `bytes` are not an identifier. */
bool rust_punycode(pprofc_str bytes, struct buffer *out);

#endif
