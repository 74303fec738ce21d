/* Making foreign bytes safe for where they go: a terminal, JSON, XML/HTML. Also UTF-8 itself. */
#ifndef PPROFC_CORE_ESCAPE_H
#define PPROFC_CORE_ESCAPE_H

#include "core/buffer.h"

/* Decodes one code point of s at *position and moves on. Invalid bytes give -1 and move by one, as
 * Go's range over a string does. */
int32_t utf8_next(pprofc_str s, size_t *position);

/* Number of code points; an invalid byte counts as one. */
size_t utf8_length(pprofc_str s);
bool utf8_valid(pprofc_str s);

/* Encodes a code point into out[4]; returns how many bytes. */
size_t utf8_encode(uint32_t code_point, char *out);

/* True when escape_terminal would not change s; cheap, for the usual case. */
bool escape_terminal_clean(pprofc_str s);

/* Appends s with every byte that could drive a terminal made visible: C0 and C1 controls, DEL and
 * invalid UTF-8 as \xNN, direction marks and controls, tags and line separators as \u{NNNN}.
 * Newline and tab are kept only if `layout`. */
void escape_terminal(struct buffer *out, pprofc_str s, bool layout);

/* Appends s as the inside of a JSON string: valid UTF-8 (bad bytes become U+FFFD), controls as
 * \u00XX, and <, >, &, line separators and direction marks as \uXXXX, so that it can be inside a
 * script element and shows no invisible marks. The first # of two, too: "##[" is a command in logs.
 */
void escape_json(struct buffer *out, pprofc_str s);

/* Appends s as XML or HTML text or attribute value: & < > " ' as entities, what XML cannot hold as
 * U+FFFD, direction marks as \u{NNNN}, the first # of two as an entity. */
void escape_xml(struct buffer *out, pprofc_str s);

#endif
