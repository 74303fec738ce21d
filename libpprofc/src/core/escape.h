/* Escapes untrusted text for a terminal, JSON, XML, HTML, CSV, URLs, regular expressions and
 * shells. Checks and decodes UTF-8. */
#ifndef PPROFC_CORE_ESCAPE_H
#define PPROFC_CORE_ESCAPE_H

#include "core/buffer.h"

/* Decodes the code point of s at *position, and advances *position. An invalid byte gives -1 and
 * advances by one, as in a Go loop over a string. */
int32_t utf8_next(pprofc_str s, size_t *position);

/* utf8_length returns the number of code points; an invalid byte counts as a code point. utf8_valid
 * is true if all bytes are valid UTF-8. */
size_t utf8_length(pprofc_str s);
bool utf8_valid(pprofc_str s);

/* Returns the longest prefix of at most `most` bytes that ends at a character boundary. */
pprofc_str utf8_prefix(pprofc_str s, size_t most);

/* Encodes a code point in out[4]. Returns the number of bytes. */
size_t utf8_encode(uint32_t code_point, char *out);

/* True if escape_terminal would not change s. This check is fast. */
bool escape_terminal_clean(pprofc_str s);

/* Appends s, and escapes characters that could control a terminal. Control characters (C0, C1 and
 * DEL) and invalid bytes become \xNN. Direction marks, tag characters and line separators of
 * Unicode become \u{NNNN}. If `layout` is true, newlines and tabs stay. */
void escape_terminal(struct buffer *out, pprofc_str s, bool layout);

/* Appends s as the text between the quotes of a JSON string. Invalid UTF-8 becomes U+FFFD, and a
 * control character becomes \u00XX. Characters that are special in HTML (<, >, &), line separators
 * and direction marks become \uXXXX. The string is then safe in a script element, and has no
 * invisible marks. Also escapes the first # of "##", because "##[" is a command in CI logs. */
void escape_json(struct buffer *out, pprofc_str s);

/* Appends s as text or as an attribute value of XML or HTML. Writes & < > " ' and the first # of
 * "##" as entities. Characters that XML forbids become U+FFFD, and direction marks become
 * \u{NNNN}. */
void escape_xml(struct buffer *out, pprofc_str s);

/* True for a byte that escape_xml never changes. Quick, and false for some bytes that escape_xml
 * keeps. */
static inline bool xml_is_plain(char c) {
  return (c >= '(' && c <= '~' && c != '<' && c != '>') || c == ' ';
}

/* Appends text for a cell of CSV. If `quotes` is true, puts the text in quotes. Puts an apostrophe
 * before a text that a spreadsheet would run as a formula. */
void escape_csv(struct buffer *out, pprofc_str text, bool quotes);

/* Appends text for a URL. Percent-encodes all bytes except letters, digits, -_.~ and the bytes in
 * `also`. */
void escape_url(struct buffer *out, pprofc_str text, const char *also);

/* Appends a regular expression that matches exactly this text. */
void escape_regexp(struct buffer *out, pprofc_str text);

/* Appends text quoted as one word for a shell. */
void escape_shell(struct buffer *out, pprofc_str text);

/* ---- base64 (RFC 4648, with padding) ---------------- */

void base64_put(struct buffer *out, const uint8_t *data, size_t size);

/* Appends "sha256-" and a script's hash in base64. `sha256` is the same hash in hexadecimal, which
 * CMake computed. */
void base64_put_hash(struct buffer *out, const char *sha256);

/* ---- GitHub-flavoured Markdown ---------------------- */

/* True if the text contains a mention, a reference to an issue, an address or an emoji. GitHub acts
 * on these texts even if they are escaped. */
bool markdown_acts(pprofc_str text);

/* Writes the text as a code span and returns true if markdown_acts is true for the text. Otherwise
 * writes nothing and returns false. `cell` is true in a table, where '|' ends a cell even inside
 * code. */
bool markdown_put_code(struct buffer *out, pprofc_str text, bool cell);

#endif
