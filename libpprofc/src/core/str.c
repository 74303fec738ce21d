/* Strings that carry their length: comparison, search, strict number parsing, path arithmetic. */
#include "core/str.h"

#include <errno.h>
#include <stdlib.h>

int str_compare(pprofc_str a, pprofc_str b) {
  size_t n = a.size < b.size ? a.size : b.size;
  int order = n ? memcmp(a.data, b.data, n) : 0;
  if (order) return order;
  return (a.size > b.size) - (a.size < b.size);
}

bool str_starts(pprofc_str s, pprofc_str prefix) {
  return s.size >= prefix.size && (!prefix.size || memcmp(s.data, prefix.data, prefix.size) == 0);
}

bool str_ends(pprofc_str s, pprofc_str suffix) {
  return s.size >= suffix.size &&
         (!suffix.size || memcmp(s.data + s.size - suffix.size, suffix.data, suffix.size) == 0);
}

size_t str_find(pprofc_str s, pprofc_str needle) {
  if (needle.size > s.size) return s.size;
  if (!needle.size) return 0;
  const char *hit = memmem(s.data, s.size, needle.data, needle.size);
  return hit ? (size_t)(hit - s.data) : s.size;
}

size_t str_find_char(pprofc_str s, char c) {
  const char *hit = s.size ? memchr(s.data, c, s.size) : NULL;
  return hit ? (size_t)(hit - s.data) : s.size;
}

size_t str_find_last_char(pprofc_str s, char c) {
  const char *hit = s.size ? memrchr(s.data, c, s.size) : NULL;
  return hit ? (size_t)(hit - s.data) : s.size;
}

pprofc_str str_slice(pprofc_str s, size_t from, size_t to) {
  if (to > s.size) to = s.size;
  if (from > to) from = to;
  return (pprofc_str){s.data ? s.data + from : NULL, to - from};
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

pprofc_str str_trim(pprofc_str s) {
  while (s.size && is_space(s.data[0])) s.data++, s.size--;
  while (s.size && is_space(s.data[s.size - 1])) s.size--;
  return s;
}

/* Two positions to go back to, the last star and where it stood, do for recursion. */
bool str_glob(pprofc_str pattern, pprofc_str text) {
  size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
  while (t < text.size) {
    if (p < pattern.size && pattern.data[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
      p++;
      t++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size && pattern.data[p] == '*') p++;
  return p == pattern.size;
}

bool str_next(pprofc_str *rest, char separator, pprofc_str *piece) {
  if (!rest->data) return false;
  size_t end = str_find_char(*rest, separator);
  *piece = str_slice(*rest, 0, end);
  *rest = end < rest->size ? str_slice(*rest, end + 1, rest->size) : (pprofc_str){NULL, 0};
  return true;
}

bool str_next_line(pprofc_str *rest, pprofc_str *line) {
  if (!rest->size) return false;
  size_t end = str_find_char(*rest, '\n');
  *line = str_slice(*rest, 0, end);
  if (line->size && line->data[line->size - 1] == '\r') line->size--;
  *rest = str_slice(*rest, end < rest->size ? end + 1 : end, rest->size);
  return true;
}

/* ---- numbers ----------------------------------------- */

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/* Takes 0x, 0o, 0b or a leading 0 off *s and returns the base it stands for. */
static int literal_base(pprofc_str *s) {
  if (s->size < 2 || s->data[0] != '0') return 10;
  int base = 8;
  size_t prefix = 1;
  switch (s->data[1]) {
  case 'x':
  case 'X':
    base = 16, prefix = 2;
    break;
  case 'o':
  case 'O':
    base = 8, prefix = 2;
    break;
  case 'b':
  case 'B':
    base = 2, prefix = 2;
    break;
  default:
    break;
  }
  *s = str_slice(*s, prefix, s->size);
  return base;
}

bool str_parse_uint(pprofc_str s, int base, uint64_t *out) {
  bool underscores = base == 0, prefixed = false;
  if (base == 0) {
    size_t size = s.size;
    base = literal_base(&s);
    prefixed = s.size != size;
  }
  uint64_t value = 0;
  size_t digits = 0;
  bool after_underscore = false;
  for (size_t i = 0; i < s.size; i++) {
    if (s.data[i] == '_' && underscores && !after_underscore && (digits || prefixed)) {
      after_underscore = true;
      continue;
    }
    int digit = digit_value(s.data[i]);
    if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
        __builtin_add_overflow(value, (uint64_t)digit, &value))
      return false;
    digits++;
    after_underscore = false;
  }
  if (!digits || after_underscore) return false;
  *out = value;
  return true;
}

bool str_parse_int(pprofc_str s, int base, int64_t *out) {
  bool negative = s.size && s.data[0] == '-';
  if (negative || (s.size && s.data[0] == '+')) s = str_slice(s, 1, s.size);
  uint64_t magnitude;
  if (!str_parse_uint(s, base, &magnitude)) return false;
  if (magnitude > (uint64_t)INT64_MAX + negative) return false;
  *out = (int64_t)(negative ? 0 - magnitude : magnitude);
  return true;
}

/* Copies a float without the underscores between its digits; false when one stands elsewhere. A
 * prefix counts as a digit. Hexadecimal floats must have an exponent. */
static bool copy_float(pprofc_str s, char *out, size_t room) {
  size_t n = 0, sign = s.size && (s.data[0] == '+' || s.data[0] == '-');
  bool hex = s.size > sign + 1 && s.data[sign] == '0' && (s.data[sign + 1] | 32) == 'x';
  bool after_digit = false, after_underscore = false, exponent = false;
  for (size_t i = 0; i < s.size; i++) {
    char c = s.data[i];
    bool underscore = c == '_', digit = digit_value(c) < (hex ? 16 : 10);
    if (underscore ? !after_digit : after_underscore && !digit) return false;
    after_digit = digit || (hex && i == sign + 1);
    after_underscore = underscore;
    if (underscore) continue;
    if (c == 'p' || c == 'P') exponent = true;
    if (n + 1 >= room) return false;
    out[n++] = c;
  }
  out[n] = '\0';
  return !after_underscore && (!hex || exponent);
}

bool str_parse_float(pprofc_str s, double *out) {
  char text[512];
  if (!s.size || s.size >= sizeof text || !copy_float(s, text, sizeof text)) return false;
  const char *start = text[0] == '+' || text[0] == '-' ? text + 1 : text;
  bool word = (*start | 32) == 'i' || (*start | 32) == 'n';
  if (!word && !(*start >= '0' && *start <= '9') && *start != '.') return false;
  if ((*start | 32) == 'n' && (start != text || strlen(start) != 3)) return false;
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (*end || end == text) return false;
  if (!word && errno == ERANGE && (value > 1 || value < -1)) return false;
  *out = value;
  return true;
}

/* ---- paths ------------------------------------------- */

pprofc_str str_path_base(pprofc_str path) {
  if (!path.size) return STR(".");
  while (path.size > 1 && path.data[path.size - 1] == '/') path.size--;
  if (path.size == 1 && path.data[0] == '/') return path;
  size_t slash = str_find_last_char(path, '/');
  return slash == path.size ? path : str_slice(path, slash + 1, path.size);
}

/* Drops the last element of out[0, n), down to `floor`. */
static size_t drop_element(const char *out, size_t n, size_t floor) {
  while (n > floor && out[n - 1] != '/') n--;
  return n > floor ? n - 1 : n;
}

pprofc_str str_path_clean(pprofc_str path, char *out) {
  bool rooted = path.size && path.data[0] == '/';
  size_t n = 0, floor = rooted ? 1 : 0;
  if (rooted) out[n++] = '/';
  pprofc_str element;
  while (str_next(&path, '/', &element)) {
    if (!element.size || str_equal(element, STR("."))) continue;
    if (str_equal(element, STR(".."))) {
      if (n > floor) {
        n = drop_element(out, n, floor);
        continue;
      }
      if (rooted) continue;
      floor = n + 2 + (n > 0);
    }
    if (n > (rooted ? 1u : 0u)) out[n++] = '/';
    memcpy(out + n, element.data, element.size);
    n += element.size;
  }
  if (n == 0) out[n++] = '.';
  return (pprofc_str){out, n};
}

pprofc_str str_path_dir(pprofc_str path, char *out) {
  size_t slash = str_find_last_char(path, '/');
  return str_path_clean(slash == path.size ? STR("") : str_slice(path, 0, slash + 1), out);
}
