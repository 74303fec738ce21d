/* Handles strings that carry their length: comparison, search, paths, and strict parsing of
 * numbers. */
#ifndef PPROFC_CORE_STR_H
#define PPROFC_CORE_STR_H

#include "pprofc/base.h"

#include <string.h>

/* Makes a pprofc_str from a string literal. */
#define STR(literal) ((pprofc_str){(literal), sizeof(literal) - 1})

/* Arguments for printf: `printf("%.*s", STR_ARG(s))`. */
#define STR_ARG(s) (int)(s).size, (s).data

static inline pprofc_str str_of(const char *text) {
  return (pprofc_str){text, text ? strlen(text) : 0};
}

static inline bool str_equal(pprofc_str a, pprofc_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Compares the bytes. A prefix sorts before a longer string. Returns <0, 0 or >0. */
int str_compare(pprofc_str a, pprofc_str b);

/* Comparison functions for qsort. str_order compares items of type pprofc_str like str_compare.
 * text_order compares items of type const char * like strcmp. Both also compare structs whose first
 * field has this type. */
int str_order(const void *a, const void *b);
int text_order(const void *a, const void *b);

bool str_starts(pprofc_str s, pprofc_str prefix);
bool str_ends(pprofc_str s, pprofc_str suffix);
bool str_contains(pprofc_str s, pprofc_str needle);

/* True if `match`, such as str_equal, is true for s and one of the words. `words` ends with NULL.
 */
bool str_any(bool (*match)(pprofc_str s, pprofc_str word), pprofc_str s, const char *const *words);
#define STR_ANY(match, s, ...) str_any(match, s, (const char *const[]){__VA_ARGS__, NULL})

/* Returns the index of the word that equals s, or -1. `words` ends with NULL. */
int str_index(pprofc_str s, const char *const *words);

/* Returns the first row of a table that has the name, or NULL. The first field of a row is a
 * const char * with its name. */
const void *str_row(pprofc_str name, const void *table, size_t count, size_t size);
#define STR_ROW(name, table)                                                                       \
  str_row(name, table, sizeof(table) / sizeof(table)[0], sizeof(table)[0])

/* str_starts_any_case is true if s begins with `word`, and str_equal_any_case if s equals `word`.
 * Both ignore the case of s. `word` must be in lower case. */
bool str_starts_any_case(pprofc_str s, pprofc_str word);
bool str_equal_any_case(pprofc_str s, pprofc_str word);

/* str_find and str_find_char return the offset of the first occurrence. str_find_last_char returns
 * the offset of the last. All return s.size if there is no occurrence. */
size_t str_find(pprofc_str s, pprofc_str needle);
size_t str_find_char(pprofc_str s, char c);
size_t str_find_last_char(pprofc_str s, char c);

/* Returns the bytes [from, to) of s. Reduces both offsets to s.size if they are larger. */
pprofc_str str_slice(pprofc_str s, size_t from, size_t to);

/* Returns the bytes of s from an offset to its end. */
static inline pprofc_str str_from(pprofc_str s, size_t from) {
  return str_slice(s, from, s.size);
}

/* str_run returns the number of bytes at the start of s for which `is` returns true. str_last_run
 * returns the number of these bytes at the end of s. */
size_t str_run(pprofc_str s, bool (*is)(char));
size_t str_last_run(pprofc_str s, bool (*is)(char));

/* Returns the number of spaces at the start of s. */
size_t str_indent(pprofc_str s);

/* Removes the prefix from *s. Returns false, and leaves *s unchanged, if *s does not begin with the
 * prefix. */
bool str_take(pprofc_str *s, pprofc_str prefix);

/* Removes the leading bytes for which `is` returns true from *s, and sets *run to them. If there is
 * no such byte, returns false and changes nothing. `run` must not be `s`. */
bool str_take_run(pprofc_str *s, bool (*is)(char), pprofc_str *run);

/* Returns s without ASCII white space at both ends. */
pprofc_str str_trim(pprofc_str s);

/* True if the pattern matches the whole text. '*' matches any number of bytes, and '?' matches one
 * byte. */
bool str_glob(pprofc_str pattern, pprofc_str text);

/* Removes the text before the next `separator` from *rest, and sets *piece to this text. Returns
 * false at the end, when rest->data is NULL. "a,,b" gives "a", "", "b". An empty *rest gives one
 * empty piece. */
bool str_next(pprofc_str *rest, char separator, pprofc_str *piece);

/* Removes the next line from *rest, and returns it without "\n" or "\r\n". Returns false at the
 * end. */
bool str_next_line(pprofc_str *rest, pprofc_str *line);

/* str_parse_int and str_parse_uint parse an integer that is the whole string, without blanks and
 * without overflow. Otherwise they return false, and leave *out unchanged. `base` 0 accepts 0x, 0o,
 * 0b, a leading 0 for octal, and underscores between digits, as in Go's literals. */
bool str_parse_int(pprofc_str s, int base, int64_t *out);
bool str_parse_uint(pprofc_str s, int base, uint64_t *out);

/* Parses a decimal or hexadecimal float, inf, infinity or nan in any case, like Go's ParseFloat. */
bool str_parse_float(pprofc_str s, double *out);

/* Parses a decimal of up to 19 digits and an exponent of up to two digits, faster than
 * str_parse_float. Returns false for any other text, and if the number is too large or small. */
bool str_quick_float(pprofc_str s, double *out);

/* These functions return the same as Base, Dir and Clean of Go's path/filepath. str_path_clean and
 * str_path_dir may write to `out`, a buffer of at least path.size + 2 bytes. Their result can then
 * point into `out`. */
pprofc_str str_path_base(pprofc_str path);
pprofc_str str_path_dir(pprofc_str path, char *out);
pprofc_str str_path_clean(pprofc_str path, char *out);

/* ---- misspelt names --------------------------------- */

/* Returns the number of wrong letters if `name` is a misspelling of `known`, else SIZE_MAX. Up to a
 * quarter of the letters may be wrong. A prefix of a long name also counts as a misspelling. Names
 * of more than 48 bytes are not compared. */
size_t misspelling_cost(pprofc_str name, pprofc_str known);

#endif
