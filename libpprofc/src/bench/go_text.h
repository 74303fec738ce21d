/* Rules of Go that the benchmark formats use: Unicode classes of characters, and quoted strings. */
#ifndef PPROFC_BENCH_GO_TEXT_H
#define PPROFC_BENCH_GO_TEXT_H

#include "core/buffer.h"

/* Go's unicode.IsSpace, IsLower, IsUpper and IsGraphic. */
bool rune_is_space(int32_t rune);
bool rune_is_lower(int32_t rune);
bool rune_is_upper(int32_t rune);
bool rune_is_graphic(int32_t rune);

/* The size of the white space character that s begins with, or 0. */
size_t space_at(pprofc_str s);

/* Appends s as Go's %q does. */
void go_quote(struct buffer *out, pprofc_str s);

/* Appends the value of a double-quoted Go string, quotes included in s; false when an escape is
 * bad. */
bool go_unquote(struct buffer *out, pprofc_str s);

#endif
