/* Finds the nodes of a JSON tree by name or index. Converts nodes to numbers. */
#include "core/base.h"
#include "core/json_tree.h"

const struct node *node_find(const struct node *node, pprofc_str name) {
  if (!node || node->kind != NODE_OBJECT) return NULL;
  for (const struct node *member = node->first; member; member = member->next)
    if (str_equal(member->key, name)) return member;
  return NULL;
}

const struct node *node_get(const struct node *node, const char *name) {
  return node_find(node, str_of(name));
}

const struct node *node_path(const struct node *node, const char *path) {
  pprofc_str rest = str_of(path), name;
  while (node && str_next(&rest, '.', &name)) node = node_find(node, name);
  return node;
}

pprofc_str node_text(const struct node *node, const char *name) {
  const struct node *member = node_get(node, name);
  return member && member->kind == NODE_STRING ? member->text : STR("");
}

bool node_is(const struct node *node, enum node_kind kind) {
  return node && node->kind == kind;
}

bool node_to_integer(const struct node *node, int64_t *value) {
  return node_is(node, NODE_NUMBER) && str_parse_int(node->text, 10, value);
}

int64_t node_integer(const struct node *node) {
  int64_t value = 0;
  node_to_integer(node, &value);
  return value;
}

/* ---- numbers ----------------------------------------- */

static size_t skip_digits(pprofc_str s, size_t at) {
  while (at < s.size && char_is_digit(s.data[at])) at++;
  return at;
}

/* Returns the end of the fraction that begins at `at`. Returns `at` if there is no fraction. */
static size_t json_skip_fraction(pprofc_str s, size_t at) {
  return at < s.size && s.data[at] == '.' ? skip_digits(s, at + 1) : at;
}

/* Returns the end of the exponent that begins at `at`. Returns `at` if there is no exponent, and
 * SIZE_MAX if the exponent has no digits. */
static size_t json_skip_exponent(pprofc_str s, size_t at) {
  if (at == s.size || (s.data[at] | 32) != 'e') return at;
  at++;
  if (at < s.size && (s.data[at] == '+' || s.data[at] == '-')) at++;
  size_t end = skip_digits(s, at);
  return end == at ? SIZE_MAX : end;
}

bool json_is_number(pprofc_str s) {
  if (!s.size || s.data[0] == '.') return false;
  size_t start = s.data[0] == '-';
  size_t integer = skip_digits(s, start), fraction = json_skip_fraction(s, integer);
  size_t point = fraction > integer;
  return fraction - start > point && json_skip_exponent(s, fraction) == s.size;
}

/* ---- packed arrays ----------------------------------- */

static const char *packed_skip_blanks(const char *p) {
  while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') p++;
  return p;
}

/* Returns the end of the number or word at p. The loop always stops, because a bracket follows the
 * text of a packed array (an array that is kept as text). */
static const char *packed_scalar_end(const char *p) {
  while (*p > ' ' && *p != ',' && *p != ']') p++;
  return p;
}

/* Skips the comma and the blanks after an item of a packed array. Returns the start of the next
 * item or of the closing bracket. */
static const char *packed_skip(const char *p) {
  p = packed_skip_blanks(p);
  return *p == ',' ? packed_skip_blanks(p + 1) : p;
}

static enum node_kind packed_kind(char c) {
  if (c == 'n') return NODE_NULL;
  if (c == 't') return NODE_TRUE;
  return c == 'f' ? NODE_FALSE : NODE_NUMBER;
}

/* Counts the items of a row of a packed array. The row may be empty. */
static size_t packed_count(const struct node *row) {
  const char *p = packed_skip_blanks(row->text.data);
  size_t count = *p != ']';
  for (; *p != ']'; p++) count += *p == ',';
  return count;
}

/* Reads the row that begins at packed->at into packed->item. */
static void packed_read_row(const struct node *array, struct node_packed *packed) {
  const char *begin = packed->at + 1;
  size_t left = array->text.size - (size_t)(begin - array->text.data);
  packed->item = (struct node){
      .kind = NODE_ARRAY, .line = array->line, .text = {begin, left}, .packed = packed->row};
  *packed->row = (struct node_packed){.at = packed_skip_blanks(begin)};
}

/* Reads the number or word at packed->at, and moves to the next item. */
static void packed_read_scalar(const struct node *array, struct node_packed *packed) {
  const char *end = packed_scalar_end(packed->at);
  packed->item = (struct node){.kind = packed_kind(*packed->at),
                               .line = array->line,
                               .text = {packed->at, (size_t)(end - packed->at)}};
  packed->at = packed_skip(end);
}

/* Moves to item `i` of a packed array. A row (an inner array) has no table of positions, so the
 * search in it begins at the current item or, for an earlier `i`, at the first item. */
static void packed_seek(const struct node *array, struct node_packed *packed, size_t i) {
  size_t every = packed->row ? 1 : NODE_PACKED_EVERY;
  bool near = packed->at && !packed->row && i >= packed->next && i - packed->next < every;
  if (packed->marks && !near) {
    packed->next = i / every * every;
    packed->at = array->text.data + packed->marks[i / every];
  } else if (i < packed->next) {
    packed->next = 0;
    packed->at = packed_skip_blanks(array->text.data);
  }
  for (; packed->next < i; packed->next++) packed->at = packed_skip(packed_scalar_end(packed->at));
}

static const struct node *packed_at(const struct node *array, size_t i) {
  struct node_packed *packed = array->packed;
  if (packed->next == i + 1) return &packed->item;
  packed_seek(array, packed, i);
  if (*packed->at == '[')
    packed_read_row(array, packed);
  else
    packed_read_scalar(array, packed);
  packed->next++;
  return &packed->item;
}

size_t node_size(const struct node *array) {
  if (!array || array->kind != NODE_ARRAY || !array->items) return 0;
  if (!array->text.size) return array->items->count;
  if (!array->packed->count) array->packed->count = packed_count(array);
  return array->packed->count;
}

const struct node *node_at(const struct node *array, size_t i) {
  if (i >= node_size(array)) return NULL;
  return array->text.size ? packed_at(array, i) : array->items->at[i];
}
