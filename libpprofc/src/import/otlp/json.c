/* Reads OTLP in JSON: rewrites a document as a binary message, which the other files read. Names
 * may be spelled timeUnixNano or time_unix_nano. Integers may be numbers or strings, ids may be
 * hexadecimal or base64. The reader ignores members for which it has no rule. */
#include "core/json_tree.h"
#include "import/otlp/otlp.h"

/* Maximum nesting of objects and arrays. Deeper values of attributes are dropped. */
#define JSON_LEVELS 96u

/* Length in bytes of the varint with the size of a message. The length is fixed, because the size
 * is known only after the message has been written. */
#define JSON_SIZE_BYTES VARINT32_BYTES_MAX

enum json_kind {
  JSON_MESSAGE,
  JSON_TEXT,
  JSON_ID,    /* bytes in hexadecimal or base64 */
  JSON_BYTES, /* bytes in base64 */
  JSON_INT,
  JSON_INTS, /* packed list of integers */
  JSON_TIME, /* time as a number of 8 bytes */
  JSON_DOUBLE,
  JSON_BOOL,
  JSON_OLDER /* member of version 1.7 or older; the reader refuses such files */
};

/* Rule that describes how to write a member: its name in lower case without '_', the number of its
 * field, its kind, and the rules of the members of a message. */
struct json_rule {
  const char *name;
  uint8_t number;
  enum json_kind kind;
  const struct json_rule *inner;
};

static const struct json_rule json_values[2], json_pairs[2];

static const struct json_rule json_any[] = {{"stringvalue", 1, JSON_TEXT, NULL},
                                            {"boolvalue", 2, JSON_BOOL, NULL},
                                            {"intvalue", 3, JSON_INT, NULL},
                                            {"doublevalue", 4, JSON_DOUBLE, NULL},
                                            {"arrayvalue", 5, JSON_MESSAGE, json_values},
                                            {"kvlistvalue", 6, JSON_MESSAGE, json_pairs},
                                            {"bytesvalue", 7, JSON_BYTES, NULL},
                                            {"stringvaluestrindex", 8, JSON_INT, NULL},
                                            {0}};

static const struct json_rule json_values[2] = {{"values", 1, JSON_MESSAGE, json_any}, {0}};

static const struct json_rule json_pair[] = {{"key", 1, JSON_TEXT, NULL},
                                             {"value", 2, JSON_MESSAGE, json_any},
                                             {"keystrindex", 3, JSON_INT, NULL},
                                             {0}};

static const struct json_rule json_pairs[2] = {{"values", 1, JSON_MESSAGE, json_pair}, {0}};

static const struct json_rule json_unit[] = {{"keystrindex", 1, JSON_INT, NULL},
                                             {"value", 2, JSON_MESSAGE, json_any},
                                             {"unitstrindex", 3, JSON_INT, NULL},
                                             {0}};

static const struct json_rule json_type[] = {
    {"typestrindex", 1, JSON_INT, NULL}, {"unitstrindex", 2, JSON_INT, NULL}, {0}};

static const struct json_rule json_sample[] = {{"stackindex", 1, JSON_INT, NULL},
                                               {"attributeindices", 2, JSON_INTS, NULL},
                                               {"linkindex", 3, JSON_INT, NULL},
                                               {"values", 4, JSON_INTS, NULL},
                                               {"timestampsunixnano", 5, JSON_TIME, NULL},
                                               {"locationslength", 0, JSON_OLDER, NULL},
                                               {0}};

static const struct json_rule json_profile[] = {{"sampletype", 1, JSON_MESSAGE, json_type},
                                                {"samples", 2, JSON_MESSAGE, json_sample},
                                                {"sample", 2, JSON_MESSAGE, json_sample},
                                                {"timeunixnano", 3, JSON_TIME, NULL},
                                                {"durationnano", 4, JSON_INT, NULL},
                                                {"periodtype", 5, JSON_MESSAGE, json_type},
                                                {"period", 6, JSON_INT, NULL},
                                                {"profileid", 7, JSON_ID, NULL},
                                                {"attributeindices", 11, JSON_INTS, NULL},
                                                {"locationindices", 0, JSON_OLDER, NULL},
                                                {0}};

static const struct json_rule json_scope[] = {{"name", 1, JSON_TEXT, NULL},
                                              {"version", 2, JSON_TEXT, NULL},
                                              {"attributes", 3, JSON_MESSAGE, json_pair},
                                              {0}};

static const struct json_rule json_scopes[] = {
    {"scope", 1, JSON_MESSAGE, json_scope}, {"profiles", 2, JSON_MESSAGE, json_profile}, {0}};

static const struct json_rule json_resource[] = {{"attributes", 1, JSON_MESSAGE, json_pair}, {0}};

static const struct json_rule json_resources[] = {{"resource", 1, JSON_MESSAGE, json_resource},
                                                  {"scopeprofiles", 2, JSON_MESSAGE, json_scopes},
                                                  {0}};

static const struct json_rule json_mapping[] = {
    {"memorystart", 1, JSON_INT, NULL},       {"memorylimit", 2, JSON_INT, NULL},
    {"fileoffset", 3, JSON_INT, NULL},        {"filenamestrindex", 4, JSON_INT, NULL},
    {"attributeindices", 5, JSON_INTS, NULL}, {0}};

static const struct json_rule json_line[] = {{"functionindex", 1, JSON_INT, NULL},
                                             {"line", 2, JSON_INT, NULL},
                                             {"column", 3, JSON_INT, NULL},
                                             {0}};

static const struct json_rule json_location[] = {
    {"mappingindex", 1, JSON_INT, NULL},      {"address", 2, JSON_INT, NULL},
    {"lines", 3, JSON_MESSAGE, json_line},    {"line", 3, JSON_MESSAGE, json_line},
    {"attributeindices", 4, JSON_INTS, NULL}, {0}};

static const struct json_rule json_function[] = {{"namestrindex", 1, JSON_INT, NULL},
                                                 {"systemnamestrindex", 2, JSON_INT, NULL},
                                                 {"filenamestrindex", 3, JSON_INT, NULL},
                                                 {"startline", 4, JSON_INT, NULL},
                                                 {0}};

static const struct json_rule json_link[] = {
    {"traceid", 1, JSON_ID, NULL}, {"spanid", 2, JSON_ID, NULL}, {0}};

static const struct json_rule json_stack[] = {{"locationindices", 1, JSON_INTS, NULL}, {0}};

static const struct json_rule json_dictionary[] = {
    {"mappingtable", 1, JSON_MESSAGE, json_mapping},
    {"locationtable", 2, JSON_MESSAGE, json_location},
    {"functiontable", 3, JSON_MESSAGE, json_function},
    {"linktable", 4, JSON_MESSAGE, json_link},
    {"stringtable", 5, JSON_TEXT, NULL},
    {"attributetable", 6, JSON_MESSAGE, json_unit},
    {"stacktable", 7, JSON_MESSAGE, json_stack},
    {0}};

static const struct json_rule json_top[] = {{"resourceprofiles", 1, JSON_MESSAGE, json_resources},
                                            {"dictionary", 2, JSON_MESSAGE, json_dictionary},
                                            {0}};

/* ---- scalars ----------------------------------------- */

static bool json_is_name(pprofc_str key, const char *name) {
  for (size_t i = 0; i < key.size; i++) {
    char c = key.data[i];
    if (c == '_') continue;
    if (c >= 'A' && c <= 'Z') c = (char)(c | 32);
    if (!*name || *name++ != c) return false;
  }
  return !*name;
}

static const struct json_rule *json_rule_of(const struct json_rule *rules, pprofc_str key) {
  for (; rules->name; rules++)
    if (json_is_name(key, rules->name)) return rules;
  return NULL;
}

static bool json_wrong(struct otlp *o, const struct node *node, const char *wanted) {
  return otlp_fail(o, PPROFC_E_FORMAT, "line %zu: %s expected", o->lines_before + node->line,
                   wanted);
}

/* Reads a signed or unsigned integer of 64 bits from a number or a string. */
static bool json_integer(struct otlp *o, const struct node *node, uint64_t *value) {
  int64_t number;
  bool has_text = node->kind == NODE_NUMBER || node->kind == NODE_STRING;
  if (has_text && str_parse_uint(node->text, 10, value)) return true;
  if (!has_text || !str_parse_int(node->text, 10, &number))
    return json_wrong(o, node, "an integer");
  *value = (uint64_t)number;
  return true;
}

void otlp_put_varint(struct buffer *out, uint64_t value) {
  uint8_t bytes[VARINT_BYTES_MAX];
  buffer_add(out, bytes, varint_put(bytes, value));
}

void otlp_put_integer(struct buffer *out, unsigned field, uint64_t value) {
  uint8_t bytes[WIRE_FIELD_MAX];
  buffer_add(out, bytes, (size_t)(wire_put_integer(bytes, field, value) - bytes));
}

void otlp_put_bytes(struct buffer *out, unsigned field, const void *data, size_t size) {
  uint8_t head[WIRE_FIELD_MAX];
  buffer_add(out, head, (size_t)(wire_put_head(head, field, size) - head));
  buffer_add(out, data, size);
}

void otlp_put_fixed(struct buffer *out, unsigned field, uint64_t value) {
  uint8_t bytes[1 + sizeof value];
  uint8_t *at = wire_put_key(bytes, field, WIRE_FIXED64);
  for (size_t i = 0; i < sizeof value; i++) at[i] = (uint8_t)(value >> 8 * i);
  buffer_add(out, bytes, sizeof bytes);
}

/* Returns the value of a digit of base64, in the standard alphabet or the alphabet for URLs; -1 for
 * any other byte. */
static int json_digit64(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (c == '-') c = '+';
  if (c == '_') c = '/';
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

static int json_digit16(char c) {
  static const char digits[] = "0123456789abcdef";
  if (c >= 'A' && c <= 'F') c = (char)(c | 32);
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* Decodes a text whose digits have `bits` bits each, and appends the bytes. Returns false at an
 * invalid digit. */
static bool json_decode(struct buffer *out, pprofc_str text, int (*digit)(char), unsigned bits) {
  unsigned held = 0, count = 0;
  for (size_t i = 0; i < text.size && text.data[i] != '='; i++) {
    int value = digit(text.data[i]);
    if (value < 0) return false;
    held = (held << bits | (unsigned)value) & 0xffff;
    count += bits;
    if (count < 8) continue;
    count -= 8;
    buffer_add_char(out, (char)(held >> count));
  }
  return true;
}

/* Writes bytes. The length of the text shows if an id of 8 or 16 bytes is in hexadecimal or
 * base64. */
static bool json_put_binary(struct otlp *o, const struct json_rule *rule, const struct node *node,
                            struct buffer *out) {
  struct buffer bytes;
  bool is_hex = rule->kind == JSON_ID && (node->text.size == 16 || node->text.size == 32);
  buffer_init(&bytes, o->mem, SIZE_MAX);
  bool ok = is_hex ? json_decode(&bytes, node->text, json_digit16, 4)
                   : json_decode(&bytes, node->text, json_digit64, 6);
  ok = ok && node->kind == NODE_STRING;
  otlp_put_bytes(out, rule->number, bytes.data, bytes.size);
  out->failed |= bytes.failed;
  buffer_free(&bytes);
  return ok || json_wrong(o, node, "bytes in hexadecimal or base64");
}

static bool json_put_ints(struct otlp *o, const struct json_rule *rule, const struct node *node,
                          struct buffer *out) {
  struct buffer list;
  uint64_t value = 0;
  bool ok = node_is(node, NODE_ARRAY) || json_wrong(o, node, "an array");
  buffer_init(&list, o->mem, SIZE_MAX);
  for (size_t i = 0; ok && i < node_size(node); i++) {
    ok = json_integer(o, node_at(node, i), &value);
    otlp_put_varint(&list, value);
  }
  otlp_put_bytes(out, rule->number, list.data, list.size);
  out->failed |= list.failed;
  buffer_free(&list);
  return ok;
}

/* Writes a time, or all times of an array. */
static bool json_put_times(struct otlp *o, const struct json_rule *rule, const struct node *node,
                           struct buffer *out) {
  bool is_list = node_is(node, NODE_ARRAY);
  for (size_t i = 0; i < (is_list ? node_size(node) : 1); i++) {
    uint64_t value;
    if (!json_integer(o, is_list ? node_at(node, i) : node, &value)) return false;
    otlp_put_fixed(out, rule->number, value);
  }
  return true;
}

static bool json_put_double(struct otlp *o, const struct json_rule *rule, const struct node *node,
                            struct buffer *out) {
  double value;
  uint64_t bits;
  bool has_text = node->kind == NODE_NUMBER || node->kind == NODE_STRING;
  if (!has_text || !str_parse_float(node->text, &value)) return json_wrong(o, node, "a number");
  memcpy(&bits, &value, sizeof bits);
  otlp_put_fixed(out, rule->number, bits);
  return true;
}

static bool json_put_int(struct otlp *o, const struct json_rule *rule, const struct node *node,
                         struct buffer *out) {
  uint64_t value = node->kind == NODE_TRUE;
  if (rule->kind == JSON_INT && !json_integer(o, node, &value)) return false;
  otlp_put_integer(out, rule->number, value);
  return true;
}

static bool json_put_scalar(struct otlp *o, const struct json_rule *rule, const struct node *node,
                            struct buffer *out) {
  switch (rule->kind) {
  case JSON_TEXT:
    otlp_put_bytes(out, rule->number, node->text.data,
                   node->kind == NODE_STRING ? node->text.size : 0);
    return node->kind == NODE_STRING || json_wrong(o, node, "a string");
  case JSON_ID:
  case JSON_BYTES:
    return json_put_binary(o, rule, node, out);
  case JSON_INTS:
    return json_put_ints(o, rule, node, out);
  case JSON_TIME:
    return json_put_times(o, rule, node, out);
  case JSON_DOUBLE:
    return json_put_double(o, rule, node, out);
  case JSON_OLDER:
    return otlp_fail(o, PPROFC_E_FORMAT, "line %zu: JSON of version 1.7 or older",
                     o->lines_before + node->line);
  default:
    return json_put_int(o, rule, node, out);
  }
}

/* An open object, whose members have the rules `members`, or an open array, whose items all have
 * the rule `item`. */
struct json_level {
  const struct node *next;
  const struct json_rule *members, *item;
  size_t start; /* offset in the output at which the size of the message will be written */
};

struct json_writer_state {
  struct otlp *otlp;
  struct buffer out;
  struct json_level levels[JSON_LEVELS];
  size_t depth;
};

/* Opens an object or array. Fails for an array of numbers, whose items are not nodes. */
static bool json_enter(struct json_writer_state *j, const struct node *node,
                       const struct json_rule *rule) {
  static const char room[JSON_SIZE_BYTES];
  struct json_level level = {.next = node->first};
  if (!node->first && node_size(node))
    return json_wrong(j->otlp, node, rule->kind == JSON_TEXT ? "a string" : "an object");
  if (j->depth == JSON_LEVELS) return true;
  if (node->kind == NODE_ARRAY) {
    level.item = rule;
  } else {
    buffer_add_char(&j->out, (char)(rule->number << 3 | WIRE_BYTES));
    level.start = j->out.size;
    level.members = rule->inner;
    buffer_add(&j->out, room, sizeof room);
  }
  j->levels[j->depth++] = level;
  return true;
}

/* Closes the innermost level. For a message, writes its size as a varint of JSON_SIZE_BYTES
 * bytes. */
static bool json_leave(struct json_writer_state *j) {
  const struct json_level *level = &j->levels[--j->depth];
  if (level->item || !level->start || j->out.failed) return true;
  size_t size = j->out.size - level->start - JSON_SIZE_BYTES;
  if (size > UINT32_MAX) return otlp_fail(j->otlp, PPROFC_E_LIMIT, "a message is too large");
  uint8_t *at = (uint8_t *)j->out.data + level->start;
  for (size_t i = 0; i < JSON_SIZE_BYTES; i++) {
    bool is_last = i + 1 == JSON_SIZE_BYTES;
    at[i] = (uint8_t)((size >> 7 * i & VARINT_PAYLOAD) | (is_last ? 0 : VARINT_MORE));
  }
  return true;
}

/* True if the items of an array with this rule are messages or texts. */
static bool json_is_repeated(const struct json_rule *rule) {
  return rule->kind == JSON_MESSAGE || rule->kind == JSON_TEXT;
}

static bool json_step(struct json_writer_state *j) {
  struct json_level *level = &j->levels[j->depth - 1];
  const struct node *node = level->next;
  if (!node) return json_leave(j);
  level->next = node->next;
  const struct json_rule *rule =
      level->item ? level->item : json_rule_of(level->members, node->key);
  if (!rule || (node->kind == NODE_NULL && !level->item)) return true;
  bool is_list = node->kind == NODE_ARRAY && !level->item && json_is_repeated(rule);
  if (is_list || (rule->kind == JSON_MESSAGE && node->kind == NODE_OBJECT))
    return json_enter(j, node, rule);
  if (rule->kind == JSON_MESSAGE) return json_wrong(j->otlp, node, "an object");
  return json_put_scalar(j->otlp, rule, node, &j->out);
}

static bool json_write(struct otlp *o, const struct node *root, pprofc_str *message) {
  struct json_writer_state j = {.otlp = o, .depth = 1};
  bool ok = node_is(root, NODE_OBJECT) || json_wrong(o, root, "an object");
  buffer_init(&j.out, o->mem, SIZE_MAX);
  j.levels[0] = (struct json_level){.next = root->first, .members = json_top};
  while (ok && j.depth && !j.out.failed) ok = json_step(&j);
  *message = buffer_take(&j.out, &o->arena);
  return ok && (message->data || otlp_fail_nomem(o));
}

/* ---- documents --------------------------------------- */

bool otlp_is_json(pprofc_str data) {
  static const char *const first[] = {"\"resourceProfiles\"", "\"resource_profiles\"",
                                      "\"dictionary\""};
  pprofc_str text = str_trim(data);
  if (!str_starts(text, STR("{"))) return false;
  pprofc_str member = str_trim(str_slice(text, 1, text.size));
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    if (str_starts(member, str_of(first[i])))
      return str_find(text, str_of(first[0])) < text.size ||
             str_find(text, str_of(first[1])) < text.size;
  return false;
}

static size_t json_count_lines(const char *from, const char *end) {
  size_t lines = 0;
  for (; from < end; from++) lines += *from == '\n';
  return lines;
}

bool otlp_next_json(struct otlp *o, pprofc_str *rest, pprofc_str *message) {
  struct arena arena;
  struct node *root = NULL;
  pprofc_str text = str_trim(*rest), after = text, line;
  bool cut = false;
  if (!str_next_line(&after, &line)) return false;
  o->lines_before += json_count_lines(rest->data, text.data);
  arena_init(&arena, o->mem);
  pprofc_status status = json_tree_parse_cut(&arena, line, &root, &cut, o->error);
  if (status == PPROFC_E_FORMAT) {
    arena_free(&arena);
    arena_init(&arena, o->mem);
    status = json_tree_parse_cut(&arena, text, &root, &cut, o->error);
    after = str_slice(text, text.size, text.size);
  }
  if (status != PPROFC_OK) {
    o->status = status;
    if (status == PPROFC_E_FORMAT && o->lines_before)
      error_prefix(o->error, "document of line %zu: ", o->lines_before + 1);
  }
  bool ok = status == PPROFC_OK && json_write(o, root, message);
  arena_free(&arena);
  o->lines_before += json_count_lines(text.data, after.data);
  *rest = after;
  return ok;
}
