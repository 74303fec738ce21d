/* Parses JSON of profilers and benchmark tools into a tree that keeps every number as spelled. */
#include "core/json_tree.h"
#include "core/base.h"
#include "core/file.h"

#define DEEPEST 2048

/* An open array or object, and its last item so far. */
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
  struct json_tree_level *levels; /* open arrays and objects, as a stack */
  size_t depth, room;
  bool pack; /* true: keep arrays of numbers as text (packed arrays) */
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

/* Returns the next byte, or NUL at the end. */
static char json_tree_peek(const struct json_tree_parser *s) {
  return s->p < s->end ? *s->p : '\0';
}

/* ---- strings ----------------------------------------- */

/* Returns the value of four hexadecimal digits, or -1. */
static int64_t json_tree_read_hex4(const char *p) {
  uint64_t value;
  return str_parse_uint((pprofc_str){p, 4}, 16, &value) ? (int64_t)value : -1;
}

/* Decodes the digits of "\uXXXX", and the next escape if both are a surrogate pair. A surrogate
 * without its partner becomes U+FFFD. */
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

/* Copies the text [s->p, end) of a string. Resolves its escapes. */
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

/* Adds the number of line breaks inside a string to the line number. */
static void json_tree_count_lines(struct json_tree_parser *s, const char *begin, const char *end) {
  for (const char *c = begin; c < end; c++) {
    if (*c != '\n') continue;
    s->line++;
    s->line_start = c + 1;
  }
}

/* Parses a string. The parser is at the opening quote. The string may contain any bytes. */
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
  return char_is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Skips the next text and returns true if it is a word such as true, null or NaN. Otherwise returns
 * false. */
static bool json_tree_take_word(struct json_tree_parser *s, struct node *node) {
  pprofc_str rest = {s->p, (size_t)(s->end - s->p)};
  for (size_t i = 0; i < COUNT(words); i++) {
    if (!str_starts(rest, words[i].text)) continue;
    node->kind = words[i].kind;
    node->text = str_slice(rest, 0, words[i].text.size);
    s->p += words[i].text.size;
    return true;
  }
  return false;
}

/* Skips the next value and returns true if it consists only of digits. Otherwise returns false. */
static bool json_tree_take_digits(struct json_tree_parser *s, struct node *node) {
  const char *end = s->p;
  while (end < s->end && char_is_digit(*end)) end++;
  if (end == s->p || end == s->end || (*end != ',' && *end != ']' && *end != '}')) return false;
  node->kind = NODE_NUMBER;
  node->text = (pprofc_str){s->p, (size_t)(end - s->p)};
  s->p = end;
  return true;
}

static void parse_scalar(struct json_tree_parser *s, struct node *node) {
  if (json_tree_take_digits(s, node)) return;
  if (!char_is_digit(json_tree_peek(s)) && json_tree_take_word(s, node)) return;
  const char *begin = s->p;
  while (s->p < s->end && is_number_byte(*s->p)) s->p++;
  node->kind = NODE_NUMBER;
  node->text = (pprofc_str){begin, (size_t)(s->p - begin)};
  if (json_is_number(node->text)) return;
  s->p = begin;
  json_tree_fail(s, begin == s->end ? "unexpected end" : "unexpected character");
}

/* Skips a comma. Returns false after an error. */
static bool json_tree_take_comma(struct json_tree_parser *s) {
  if (s->p < s->end && *s->p == ',') {
    s->p++;
    return true;
  }
  json_tree_fail(s, s->p == s->end ? "unexpected end" : "expected a comma");
  return false;
}

/* ---- arrays of numbers ------------------------------- */

/* Minimum number of items of a packed array, which is kept as text. The items of smaller arrays
 * become nodes. */
#define PACK_LEAST 16u
/* Maximum number of bytes between two marks of an array whose items are not arrays. A mark is the
 * stored position of an item. node_at begins to read at the mark before the item. */
#define PACK_STRIDE 4096

/* State while an array is packed (struct node_packed). Items that are arrays are called rows. */
struct json_tree_pack {
  struct node_packed *packed;
  const char *text; /* text of the array, after the opening bracket */
  size_t marks, room;
  bool rows, inside; /* rows: true if the items are rows; inside: true inside a row */
  bool first;        /* true until the first item of the array or of the current row was read */
};

enum pack_step { PACK_MORE, PACK_END, PACK_IMPOSSIBLE };

/* Counts an item of a packed array, and stores a mark (the position of the item in the text). If
 * the items are not rows (arrays), stores a mark only for every NODE_PACKED_EVERYth item. Returns
 * PACK_IMPOSSIBLE if two marks would be more than PACK_STRIDE bytes apart. */
static enum pack_step json_tree_mark(struct json_tree_parser *s, struct json_tree_pack *pack,
                                     bool row) {
  struct node_packed *packed = pack->packed;
  size_t i = packed->count++;
  if (!i) pack->rows = row;
  if (row && !pack->rows) return PACK_IMPOSSIBLE;
  if (!pack->rows && i % NODE_PACKED_EVERY) return PACK_MORE;
  if (!ARRAY_RESERVE_IN(s->arena, packed->marks, pack->room, pack->marks + 1) ||
      budget_poll(s->arena->mem, pack->marks)) {
    json_tree_fail_nomem(s);
    return PACK_END;
  }
  size_t at = (size_t)(s->p - pack->text);
  if (at > UINT32_MAX) return PACK_IMPOSSIBLE;
  if (!pack->rows && i && at - packed->marks[pack->marks - 1] > PACK_STRIDE) return PACK_IMPOSSIBLE;
  packed->marks[pack->marks++] = (uint32_t)at;
  return PACK_MORE;
}

/* Skips the next items while they are integers without a sign. */
static void json_tree_skip_integers(struct json_tree_parser *s, bool inside) {
  for (const char *p = s->p; inside && p < s->end && *p == ',';) {
    const char *first = ++p;
    while (p < s->end && char_is_digit(*p)) p++;
    if (p == first || p == s->end || (*p != ',' && *p != ']')) return;
    s->p = p;
  }
}

/* Reads the closing bracket of a row, or of the whole array. */
static enum pack_step json_tree_pack_end(struct json_tree_parser *s, struct json_tree_pack *pack) {
  s->p++;
  if (!pack->inside) return PACK_END;
  pack->inside = pack->first = false;
  return PACK_MORE;
}

/* Reads the next item of the array or row, or the closing bracket. */
static enum pack_step json_tree_pack_item(struct json_tree_parser *s, struct json_tree_pack *pack) {
  struct node scalar;
  json_tree_skip_blanks(s);
  if (json_tree_peek(s) == ']') return json_tree_pack_end(s, pack);
  if (!pack->first) {
    if (!json_tree_take_comma(s)) return PACK_END;
    json_tree_skip_blanks(s);
  }
  pack->first = false;
  char c = json_tree_peek(s);
  if (c == '{' || c == '"' || (c == '[' && pack->inside)) return PACK_IMPOSSIBLE;
  enum pack_step step = pack->inside ? PACK_MORE : json_tree_mark(s, pack, c == '[');
  if (step != PACK_MORE) return step;
  if (c == '[') {
    s->p++;
    pack->inside = pack->first = true;
    return PACK_MORE;
  }
  parse_scalar(s, &scalar);
  json_tree_skip_integers(s, pack->inside);
  return s->status == PPROFC_OK ? PACK_MORE : PACK_END;
}

/* True if the parser is at most PACK_STRIDE bytes after the last mark (stored position). Always
 * true for rows, because each row has its own mark. */
static bool json_tree_pack_is_dense(const struct json_tree_parser *s,
                                    const struct json_tree_pack *pack) {
  if (pack->rows) return true;
  return (size_t)(s->p - pack->text) - pack->packed->marks[pack->marks - 1] <= PACK_STRIDE;
}

/* Keeps an array as text if it has many items that are all numbers and words, or all rows (arrays
 * of numbers and words). Returns false if the array must be parsed into nodes. */
static bool json_tree_pack(struct json_tree_parser *s, struct node *node) {
  struct json_tree_parser before = *s;
  struct node_packed *packed = arena_zero_array(s->arena, 1, sizeof *packed);
  struct json_tree_pack pack = {.packed = packed, .text = s->p + 1, .first = true};
  enum pack_step step = PACK_MORE;
  if (!packed) {
    json_tree_fail_nomem(s);
    return true;
  }
  s->p++;
  while (step == PACK_MORE) step = json_tree_pack_item(s, &pack);
  if (s->status != PPROFC_OK) return true;
  if (step == PACK_IMPOSSIBLE || packed->count < PACK_LEAST || !json_tree_pack_is_dense(s, &pack)) {
    *s = before;
    return false;
  }
  if (pack.rows && !(packed->row = arena_zero_array(s->arena, 1, sizeof *packed->row))) {
    json_tree_fail_nomem(s);
    return true;
  }
  node->kind = NODE_ARRAY;
  node->text = (pprofc_str){before.p + 1, (size_t)(s->p - before.p) - 2};
  node->packed = packed;
  return true;
}

/* ---- arrays and objects ------------------------------ */

/* Appends a new node to the innermost array or object that is open. */
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
  return ARRAY_PUSH_IN(s->arena, s->levels, s->depth, s->room,
                       (struct json_tree_level){node, NULL});
}

static void open_container(struct json_tree_parser *s, struct node *node, enum node_kind kind) {
  node->kind = kind;
  if (s->depth == DEEPEST) {
    json_tree_fail(s, "nested too deeply");
    return;
  }
  node->text = (pprofc_str){s->p++, 0};
  if (!add_level(s, node)) json_tree_fail_nomem(s);
}

/* Closes the innermost open array or object. An array gets a table of its items. */
static void close_container(struct json_tree_parser *s) {
  struct node *node = s->levels[--s->depth].open;
  s->p++;
  if (node->kind != NODE_ARRAY || !node->first) return;
  size_t count = 0;
  for (struct node *item = node->first; item; item = item->next) count++;
  /* The size cannot overflow, because every node is already in memory, and a node is larger than a
   * pointer. */
  struct node_items *items = arena_alloc(s->arena, sizeof *items + count * sizeof(struct node *));
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
    bool pack = s->pack && s->depth + 2 <= DEEPEST;
    if (!pack || !json_tree_pack(s, node)) open_container(s, node, NODE_ARRAY);
  } else if (c == '"') {
    node->kind = NODE_STRING;
    node->text = parse_string(s);
  } else {
    parse_scalar(s, node);
  }
  return node;
}

/* Parses the name of a member, and the colon after it. Returns false after an error. */
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

/* Reads an item of the innermost open array or object, or its closing bracket. */
static void json_tree_parse_item(struct json_tree_parser *s) {
  const struct json_tree_level *level = &s->levels[s->depth - 1];
  bool first = !level->last, object = level->open->kind == NODE_OBJECT;
  json_tree_skip_blanks(s);
  if (json_tree_peek(s) == (object ? '}' : ']')) {
    close_container(s);
    return;
  }
  if (!first) {
    if (!json_tree_take_comma(s)) return;
    json_tree_skip_blanks(s);
  }
  pprofc_str key = {NULL, 0};
  if (!object || json_tree_parse_name(s, &key)) parse_value(s, key);
}

/* Removes the last item of an open array or object. */
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

/* True if the text ends at the parser's position, or inside a number or word that begins there. */
static bool json_tree_at_end(const struct json_tree_parser *s) {
  const char *p = s->p;
  while (p < s->end && (is_number_byte(*p) || (*p >= 'a' && *p <= 'z'))) p++;
  return p == s->end;
}

/* Handles a text that ends too early inside the outermost array. Closes all open arrays and
 * objects. Returns false after any other error. */
static bool json_tree_close_cut(struct json_tree_parser *s) {
  size_t array = s->depth && s->levels[0].open->kind == NODE_OBJECT;
  if (s->status != PPROFC_E_FORMAT || !json_tree_at_end(s) || s->depth <= array) return false;
  if (s->levels[array].open->kind != NODE_ARRAY) return false;
  struct json_tree_level *level = &s->levels[array];
  bool whole = s->depth == array + 1 && level->last && level->last->kind >= NODE_ARRAY;
  if (level->last && !whole) json_tree_drop_last(level);
  s->status = PPROFC_OK;
  for (s->depth = array + 1; s->depth;) {
    s->p = s->end - 1; /* one byte before the end, because close_container advances by one byte */
    close_container(s);
  }
  return s->status == PPROFC_OK;
}

/* Parses the text. If `cut` is not NULL, accepts a truncated text and then sets *cut to true. */
static pprofc_status json_tree_parse_text(struct arena *arena, const char *path, pprofc_str data,
                                          struct node **root, bool *cut, pprofc_error *error) {
  struct json_tree_parser *s = arena_zero_array(arena, 1, sizeof *s);
  if (!s) return error_nomem(error);
  *s = (struct json_tree_parser){.arena = arena,
                                 .path = path,
                                 .start = data.data,
                                 .p = data.data,
                                 .end = data.data + data.size,
                                 .line_start = data.data,
                                 .line = 1,
                                 .error = error,
                                 .pack = cut != NULL};
  if (str_starts(data, STR("\xEF\xBB\xBF"))) s->p += 3;
  struct node *value = parse_value(s, (pprofc_str){NULL, 0});
  while (s->depth && s->status == PPROFC_OK) json_tree_parse_item(s);
  if (s->status == PPROFC_OK) json_tree_skip_blanks(s);
  if (!cut && s->p < s->end) json_tree_fail(s, "unexpected text after the value");
  pprofc_status status = s->status;
  if (status != PPROFC_OK && cut) *cut = json_tree_close_cut(s);
  if (s->status == PPROFC_OK) *root = value;
  return status;
}

pprofc_status json_tree_parse(struct arena *arena, const char *path, pprofc_str data,
                              struct node **root, pprofc_error *error) {
  return json_tree_parse_text(arena, path, data, root, NULL, error);
}

pprofc_status json_tree_read(struct arena *arena, const char *path, size_t most, struct node **root,
                             pprofc_error *error) {
  pprofc_str text;
  pprofc_status status = file_keep(path, most, arena, &text, error);
  return status == PPROFC_OK ? json_tree_parse(arena, path, text, root, error) : status;
}

pprofc_status json_tree_parse_cut(struct arena *arena, pprofc_str data, struct node **root,
                                  bool *cut, pprofc_error *error) {
  *cut = false;
  return json_tree_parse_text(arena, NULL, data, root, cut, error);
}
