/* Parses JSON of profilers and benchmark tools into a tree that keeps every number as spelled. */
#include "core/json_tree.h"

#include "core/array.h"
#include "core/escape.h"

#define DEEPEST 2048

/* Array or object that is being read, and its latest item. */
struct json_tree_level {
  struct node *open, *last;
};

struct json_tree_parser {
  struct arena *arena;
  const char *path, *start, *p, *end;
  const char *line_start;
  uint32_t line;
  pprofc_error *error;
  pprofc_status status;
  struct json_tree_level *levels; /* open arrays and objects */
  size_t depth, room;
};

static void json_tree_fail(struct json_tree_parser *s, const char *what) {
  uint64_t at = (uint64_t)(s->p - s->start);
  size_t column = (size_t)(s->p - s->line_start) + 1;
  if (s->status != PPROFC_OK) return;
  if (s->path)
    s->status =
        error_at(s->error, PPROFC_E_FORMAT, at, "%s:%u:%zu: %s", s->path, s->line, column, what);
  else
    s->status =
        error_set(s->error, PPROFC_E_FORMAT, "%s at line %u, column %zu", what, s->line, column);
}

static void json_tree_fail_nomem(struct json_tree_parser *s) {
  if (s->status == PPROFC_OK) s->status = error_nomem(s->error);
}

static void json_tree_skip_blanks(struct json_tree_parser *s) {
  for (; s->p < s->end; s->p++) {
    if (*s->p == '\n') {
      s->line++;
      s->line_start = s->p + 1;
    } else if (*s->p != ' ' && *s->p != '\t' && *s->p != '\r') {
      return;
    }
  }
}

static bool json_tree_is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Returns the next byte, or NUL at the end. */
static char json_tree_peek(const struct json_tree_parser *s) {
  return s->p < s->end ? *s->p : '\0';
}

/* ---- strings ----------------------------------------- */

/* Returns the value of a hexadecimal digit, or -1. */
static int json_tree_hex_value(char c) {
  if (json_tree_is_digit(c)) return c - '0';
  char lower = (char)(c | 32);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Returns the value of four hexadecimal digits, or -1. */
static int64_t json_tree_read_hex4(const char *p) {
  int64_t value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = json_tree_hex_value(p[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* Decodes "\uXXXX" after the u, or a surrogate pair. A lone surrogate becomes U+FFFD. */
static size_t unescape_unicode(struct json_tree_parser *s, const char *end, char *out) {
  int64_t code = end - s->p >= 4 ? json_tree_read_hex4(s->p) : -1;
  if (code < 0) {
    json_tree_fail(s, "invalid \\u escape");
    return 0;
  }
  s->p += 4;
  if (code >= 0xD800 && code < 0xDC00 && end - s->p >= 6 && s->p[0] == '\\' && s->p[1] == 'u') {
    int64_t low = json_tree_read_hex4(s->p + 2);
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      s->p += 6;
    }
  }
  if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;
  return utf8_encode((uint32_t)code, out);
}

/* Copies [s->p, end) and resolves its escapes. */
static pprofc_str unescape(struct json_tree_parser *s, const char *end) {
  static const char letters[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  char *copy = arena_alloc(s->arena, (size_t)(end - s->p) + 1);
  size_t size = 0;
  if (!copy) {
    json_tree_fail_nomem(s);
    return STR("");
  }
  while (s->p < end && s->status == PPROFC_OK) {
    if (*s->p != '\\') {
      copy[size++] = *s->p++;
      continue;
    }
    char letter = s->p[1];
    s->p += 2;
    if (letter == 'u') {
      size += unescape_unicode(s, end, copy + size);
      continue;
    }
    size_t i = 0;
    while (i < sizeof letters - 1 && letters[i] != letter) i += 2;
    if (i >= sizeof letters - 1) {
      json_tree_fail(s, "invalid escape");
      break;
    }
    copy[size++] = letters[i + 1];
  }
  return (pprofc_str){copy, size};
}

/* Counts the lines of a string, which may contain line breaks. */
static void json_tree_count_lines(struct json_tree_parser *s, const char *begin, const char *end) {
  for (const char *c = begin; c < end; c++) {
    if (*c != '\n') continue;
    s->line++;
    s->line_start = c + 1;
  }
}

/* Parses a string at its opening quote. It may contain any bytes. */
static pprofc_str parse_string(struct json_tree_parser *s) {
  const char *begin = ++s->p, *q = begin;
  bool escaped = false, lines = false;
  for (; q < s->end && *q != '"'; q++) {
    lines |= *q == '\n';
    if (*q != '\\') continue;
    escaped = true;
    q++;
    lines |= q < s->end && *q == '\n';
  }
  if (q >= s->end) {
    s->p = s->end;
    json_tree_fail(s, "unterminated string");
    return STR("");
  }
  pprofc_str text = escaped ? unescape(s, q) : (pprofc_str){begin, (size_t)(q - begin)};
  if (lines) json_tree_count_lines(s, begin, q);
  if (s->status == PPROFC_OK) s->p = q + 1;
  return text;
}

/* ---- values ------------------------------------------ */

struct word {
  pprofc_str text;
  enum node_kind kind;
};

static const struct word words[] = {
    {{"null", 4}, NODE_NULL},  {{"true", 4}, NODE_TRUE},       {{"false", 5}, NODE_FALSE},
    {{"NaN", 3}, NODE_NUMBER}, {{"Infinity", 8}, NODE_NUMBER}, {{"-Infinity", 9}, NODE_NUMBER},
};

static bool is_number_byte(char c) {
  return json_tree_is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static size_t skip_digits(pprofc_str s, size_t at) {
  while (at < s.size && json_tree_is_digit(s.data[at])) at++;
  return at;
}

/* Returns the end of the fraction that begins at `at`, or `at` if there is no fraction. */
static size_t json_tree_skip_fraction(pprofc_str s, size_t at) {
  return at < s.size && s.data[at] == '.' ? skip_digits(s, at + 1) : at;
}

/* Returns the end of the exponent that begins at `at`, or `at` if there is no exponent.
 * SIZE_MAX if it has no digits. */
static size_t json_tree_skip_exponent(pprofc_str s, size_t at) {
  if (at == s.size || (s.data[at] | 32) != 'e') return at;
  at++;
  if (at < s.size && (s.data[at] == '+' || s.data[at] == '-')) at++;
  size_t end = skip_digits(s, at);
  return end == at ? SIZE_MAX : end;
}

/* True for a JSON number. Leading zeros and a final point ("1.", "-.5", but not ".5") are also
 * accepted. */
static bool json_tree_is_number(pprofc_str s) {
  if (!s.size || s.data[0] == '.') return false;
  size_t start = s.data[0] == '-';
  size_t integer = skip_digits(s, start), fraction = json_tree_skip_fraction(s, integer);
  size_t point = fraction > integer;
  return fraction - start > point && json_tree_skip_exponent(s, fraction) == s.size;
}

/* Takes a word such as true, null or NaN if it comes next. */
static bool json_tree_take_word(struct json_tree_parser *s, struct node *node) {
  pprofc_str rest = {s->p, (size_t)(s->end - s->p)};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!str_starts(rest, words[i].text)) continue;
    node->kind = words[i].kind;
    node->text = str_slice(rest, 0, words[i].text.size);
    s->p += words[i].text.size;
    return true;
  }
  return false;
}

static void parse_scalar(struct json_tree_parser *s, struct node *node) {
  if (!json_tree_is_digit(json_tree_peek(s)) && json_tree_take_word(s, node)) return;
  const char *begin = s->p;
  while (s->p < s->end && is_number_byte(*s->p)) s->p++;
  node->kind = NODE_NUMBER;
  node->text = (pprofc_str){begin, (size_t)(s->p - begin)};
  if (json_tree_is_number(node->text)) return;
  s->p = begin;
  json_tree_fail(s, begin == s->end ? "unexpected end" : "unexpected character");
}

/* Appends a new node to the innermost open container. */
static struct node *json_tree_add_node(struct json_tree_parser *s, pprofc_str key) {
  struct node *node = arena_zero_array(s->arena, 1, sizeof *node);
  if (!node) {
    json_tree_fail_nomem(s);
    return NULL;
  }
  node->line = s->line;
  node->key = key;
  if (!s->depth) return node;
  struct json_tree_level *level = &s->levels[s->depth - 1];
  if (level->last)
    level->last->next = node;
  else
    level->open->first = node;
  level->last = node;
  return node;
}

static bool add_level(struct json_tree_parser *s, struct node *node) {
  if (!ARRAY_RESERVE_IN(s->arena, s->levels, s->room, s->depth + 1)) return false;
  s->levels[s->depth++] = (struct json_tree_level){node, NULL};
  return true;
}

static void open_container(struct json_tree_parser *s, struct node *node, enum node_kind kind) {
  node->kind = kind;
  if (s->depth == DEEPEST) {
    json_tree_fail(s, "nested too deeply");
    return;
  }
  s->p++;
  if (!add_level(s, node)) json_tree_fail_nomem(s);
}

/* Closes the innermost container. An array gets a table of its items for access by index. */
static void close_container(struct json_tree_parser *s) {
  struct node *node = s->levels[--s->depth].open;
  s->p++;
  if (node->kind != NODE_ARRAY || !node->first) return;
  size_t count = 0;
  for (struct node *item = node->first; item; item = item->next) count++;
  struct node_items *items = arena_alloc(
      s->arena, sizeof *items + count * sizeof(struct node *)); /* cannot overflow: nodes are
                                                                   larger than pointers */
  if (!items) {
    json_tree_fail_nomem(s);
    return;
  }
  items->count = 0;
  for (struct node *item = node->first; item; item = item->next) items->at[items->count++] = item;
  node->items = items;
}

static struct node *parse_value(struct json_tree_parser *s, pprofc_str key) {
  json_tree_skip_blanks(s);
  struct node *node = json_tree_add_node(s, key);
  if (!node) return NULL;
  char c = json_tree_peek(s);
  if (c == '{') {
    open_container(s, node, NODE_OBJECT);
  } else if (c == '[') {
    open_container(s, node, NODE_ARRAY);
  } else if (c == '"') {
    node->kind = NODE_STRING;
    node->text = parse_string(s);
  } else {
    parse_scalar(s, node);
  }
  return node;
}

/* Takes the next byte, which must be `expected`; false after an error. */
static bool json_tree_take(struct json_tree_parser *s, char expected, const char *otherwise) {
  if (s->p < s->end && *s->p == expected) {
    s->p++;
    return true;
  }
  json_tree_fail(s, s->p == s->end ? "unexpected end" : otherwise);
  return false;
}

/* Parses the name of a member and the colon after it; false after an error. */
static bool json_tree_parse_name(struct json_tree_parser *s, pprofc_str *name) {
  if (json_tree_peek(s) != '"') {
    json_tree_fail(s, s->p == s->end ? "unexpected end" : "expected a name");
    return false;
  }
  *name = parse_string(s);
  if (s->status != PPROFC_OK) return false;
  json_tree_skip_blanks(s);
  if (json_tree_peek(s) != ':') json_tree_fail(s, "expected a colon");
  if (s->status == PPROFC_OK) s->p++;
  return s->status == PPROFC_OK;
}

/* Reads one item of the innermost open container, or its end. */
static void json_tree_parse_item(struct json_tree_parser *s) {
  const struct json_tree_level *level = &s->levels[s->depth - 1];
  bool first = !level->last, object = level->open->kind == NODE_OBJECT;
  json_tree_skip_blanks(s);
  if (json_tree_peek(s) == (object ? '}' : ']')) {
    close_container(s);
    return;
  }
  if (!first) {
    if (!json_tree_take(s, ',', "expected a comma")) return;
    json_tree_skip_blanks(s);
  }
  pprofc_str key = {NULL, 0};
  if (!object || json_tree_parse_name(s, &key)) parse_value(s, key);
}

/* Removes the last item of a container that is still a list. */
static void json_tree_drop_last(struct json_tree_level *level) {
  struct node *before = NULL;
  for (struct node *item = level->open->first; item != level->last; item = item->next)
    before = item;
  if (before)
    before->next = NULL;
  else
    level->open->first = NULL;
  level->last = before;
}

/* True if the text ends where the parser stopped, or in the number or word there. */
static bool json_tree_at_end(const struct json_tree_parser *s) {
  const char *p = s->p;
  while (p < s->end && (is_number_byte(*p) || (*p >= 'a' && *p <= 'z'))) p++;
  return p == s->end;
}

/* Closes all open containers after an error at the end of the text inside the outermost array.
 * Returns false if the text did not end there. */
static bool json_tree_close_cut(struct json_tree_parser *s) {
  size_t array = s->depth && s->levels[0].open->kind == NODE_OBJECT;
  if (s->status != PPROFC_E_FORMAT || !json_tree_at_end(s) || s->depth <= array) return false;
  if (s->levels[array].open->kind != NODE_ARRAY) return false;
  struct json_tree_level *level = &s->levels[array];
  bool whole = s->depth == array + 1 && level->last && level->last->kind >= NODE_ARRAY;
  if (level->last && !whole) json_tree_drop_last(level);
  s->status = PPROFC_OK;
  for (s->depth = array + 1; s->depth;) {
    s->p = s->end - 1; /* close_container advances by one byte */
    close_container(s);
  }
  return s->status == PPROFC_OK;
}

/* Parses the text; `cut` may be NULL. */
static pprofc_status json_tree_parse_text(struct arena *arena, const char *path, pprofc_str data,
                                          bool alone, struct node **root, bool *cut,
                                          pprofc_error *error) {
  struct json_tree_parser *s = arena_zero_array(arena, 1, sizeof *s);
  if (!s) return error_nomem(error);
  *s = (struct json_tree_parser){.arena = arena,
                                 .path = path,
                                 .start = data.data,
                                 .p = data.data,
                                 .end = data.data + data.size,
                                 .line_start = data.data,
                                 .line = 1,
                                 .error = error};
  if (str_starts(data, STR("\xEF\xBB\xBF"))) s->p += 3;
  struct node *value = parse_value(s, (pprofc_str){NULL, 0});
  while (s->depth && s->status == PPROFC_OK) json_tree_parse_item(s);
  if (s->status == PPROFC_OK) json_tree_skip_blanks(s);
  if (alone && s->p < s->end) json_tree_fail(s, "unexpected text after the value");
  pprofc_status status = s->status;
  if (status != PPROFC_OK && cut) *cut = json_tree_close_cut(s);
  if (s->status == PPROFC_OK) *root = value;
  return status;
}

pprofc_status json_tree_parse(struct arena *arena, const char *path, pprofc_str data,
                              struct node **root, pprofc_error *error) {
  return json_tree_parse_text(arena, path, data, true, root, NULL, error);
}

pprofc_status json_tree_parse_cut(struct arena *arena, pprofc_str data, struct node **root,
                                  bool *cut, pprofc_error *error) {
  *cut = false;
  return json_tree_parse_text(arena, NULL, data, false, root, cut, error);
}

/* ---- looking ----------------------------------------- */

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

size_t node_size(const struct node *array) {
  return array && array->items ? array->items->count : 0;
}

const struct node *node_at(const struct node *array, size_t i) {
  return i < node_size(array) ? array->items->at[i] : NULL;
}

bool node_to_integer(const struct node *node, int64_t *value) {
  return node_is(node, NODE_NUMBER) && str_parse_int(node->text, 10, value);
}

int64_t node_integer(const struct node *node) {
  int64_t value = 0;
  node_to_integer(node, &value);
  return value;
}
