/* Writes JSON as JavaScript's JSON.stringify does. */
#include "import/json/json.h"

#define STRINGIFY_DEPTH 2048u /* maximum nesting, equal to the limit of core/json_tree.c */

static void stringify_text(struct buffer *out, pprofc_str s) {
  static const char plain[] = "\"\"\\\\b\bf\fn\nr\rt\t"; /* pairs: letter of an escape sequence, and
                                                            the character that it escapes */
  buffer_add_char(out, '"');
  for (size_t i = 0; i < s.size; i++) {
    unsigned char c = (unsigned char)s.data[i];
    size_t k = 0;
    while (k < sizeof plain - 1 && (unsigned char)plain[k + 1] != c) k += 2;
    if (k < sizeof plain - 1) {
      buffer_add_char(out, '\\');
      buffer_add_char(out, plain[k]);
    } else if (c < 0x20) {
      buffer_printf(out, "\\u%04x", c);
    } else {
      buffer_add_char(out, (char)c);
    }
  }
  buffer_add_char(out, '"');
}

/* True if JavaScript writes the number with the same text: an integer of at most 15 digits. */
static bool stringify_is_plain(pprofc_str s) {
  size_t sign = s.size && s.data[0] == '-';
  if (s.size - sign == 0 || s.size - sign > 15) return false;
  if (s.data[sign] == '0' && (sign || s.size > 1)) return false;
  for (size_t i = sign; i < s.size; i++)
    if (s.data[i] < '0' || s.data[i] > '9') return false;
  return true;
}

/* Finds the shortest decimal digits that a parser converts back to the same value. Returns the
 * number of digits, and sets the decimal exponent. */
static size_t stringify_digits(double value, char digits[32], int *exponent) {
  char text[40];
  for (int precision = 0; precision <= 16; precision++) {
    snprintf(text, sizeof text, "%.*e", precision, value);
    double back;
    if (str_parse_float(str_of(text), &back) && back == value) break;
  }
  size_t count = 0;
  const char *p = text;
  for (; *p && *p != 'e'; p++)
    if (*p >= '0' && *p <= '9') digits[count++] = *p;
  int64_t number = 0;
  if (*p) str_parse_int(str_of(p + 1 + (p[1] == '+')), 10, &number);
  *exponent = (int)number;
  while (count > 1 && digits[count - 1] == '0') count--;
  return count;
}

static void stringify_double(struct buffer *out, double value) {
  char digits[32];
  int exponent;
  if (value < 0) buffer_add_char(out, '-');
  size_t count = stringify_digits(fabs(value), digits, &exponent);
  int whole = exponent + 1; /* number of digits before the decimal point */
  if (whole > 21 || whole < -5) {
    buffer_add(out, digits, 1);
    if (count > 1) buffer_add_char(out, '.');
    buffer_add(out, digits + 1, count - 1);
    buffer_printf(out, "e%+d", exponent);
    return;
  }
  if (whole <= 0) {
    buffer_add_text(out, "0.");
    buffer_add_fill(out, '0', (size_t)-whole);
    buffer_add(out, digits, count);
    return;
  }
  size_t before = (size_t)whole < count ? (size_t)whole : count;
  buffer_add(out, digits, before);
  buffer_add_fill(out, '0', (size_t)whole - before);
  if (count > before) buffer_add_char(out, '.');
  buffer_add(out, digits + before, count - before);
}

static void stringify_number(struct buffer *out, pprofc_str text) {
  double value;
  if (stringify_is_plain(text))
    buffer_add_str(out, text);
  else if (!str_parse_float(text, &value) || !isfinite(value))
    buffer_add_text(out, "null");
  else
    stringify_double(out, value);
}

static void stringify_scalar(struct buffer *out, const struct node *node) {
  static const char *const literals[] = {
      [NODE_NULL] = "null", [NODE_FALSE] = "false", [NODE_TRUE] = "true"};
  if (node->kind == NODE_STRING)
    stringify_text(out, node->text);
  else if (node->kind == NODE_NUMBER)
    stringify_number(out, node->text);
  else
    buffer_add_text(out, literals[node->kind]);
}

/* Writes a packed array, whose items are still text (core/json_tree.h). */
static void stringify_packed(struct buffer *out, const struct node *array) {
  buffer_add_char(out, '[');
  for (size_t i = 0; i < node_size(array); i++) {
    const struct node *item = node_at(array, i);
    bool row = node_is(item, NODE_ARRAY);
    size_t count = row ? node_size(item) : 1;
    if (i) buffer_add_char(out, ',');
    if (row) buffer_add_char(out, '[');
    for (size_t k = 0; k < count; k++) {
      if (k) buffer_add_char(out, ',');
      stringify_scalar(out, row ? node_at(item, k) : item);
    }
    if (row) buffer_add_char(out, ']');
  }
  buffer_add_char(out, ']');
}

/* Stack of open arrays and objects. */
struct stringify_levels {
  const struct node *open[STRINGIFY_DEPTH];
  size_t depth;
};

/* Writes a value. For an array or object with items, writes only its start and returns the first
 * item. Returns NULL for any other value. */
static const struct node *stringify_begin(struct buffer *out, struct stringify_levels *levels,
                                          const struct node *node) {
  if (levels->depth && levels->open[levels->depth - 1]->kind == NODE_OBJECT) {
    stringify_text(out, node->key);
    buffer_add_char(out, ':');
  }
  if (node->kind < NODE_ARRAY) {
    stringify_scalar(out, node);
    return NULL;
  }
  if (node_size(node) && !node->first) {
    stringify_packed(out, node);
    return NULL;
  }
  buffer_add_char(out, node->kind == NODE_ARRAY ? '[' : '{');
  if (node->first && levels->depth < STRINGIFY_DEPTH) {
    levels->open[levels->depth++] = node;
    return node->first;
  }
  buffer_add_char(out, node->kind == NODE_ARRAY ? ']' : '}');
  return NULL;
}

/* Closes the arrays and objects that end after a value. Returns the next value, or NULL at the
 * end. */
static const struct node *stringify_next(struct buffer *out, struct stringify_levels *levels,
                                         const struct node *node) {
  while (levels->depth && !node->next) {
    node = levels->open[--levels->depth];
    buffer_add_char(out, node->kind == NODE_ARRAY ? ']' : '}');
  }
  if (!levels->depth) return NULL;
  buffer_add_char(out, ',');
  return node->next;
}

void json_stringify(struct buffer *out, const struct node *value) {
  struct stringify_levels levels;
  levels.depth = 0;
  for (const struct node *node = value; node && !out->failed;) {
    const struct node *inside = stringify_begin(out, &levels, node);
    node = inside ? inside : stringify_next(out, &levels, node);
  }
}
