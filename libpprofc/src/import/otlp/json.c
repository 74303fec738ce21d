/* Reads OTLP in JSON: rewrites a document as a binary message for the reader of binary OTLP. Names
 * may be spelled timeUnixNano or time_unix_nano. Integers may be numbers or strings, ids may be
 * hexadecimal or base64. The reader ignores members for which it has no rule. */
#include "core/json_tree.h"
#include "import/otlp/otlp.h"

/* Maximum nesting of objects and arrays. Deeper values of attributes are dropped. */
#define JSON_LEVELS 96u

/* Number of bytes of the varint with the size of a message. The number is fixed, because the varint
 * precedes the message but is written after it. */
#define JSON_SIZE_BYTES VARINT32_BYTES_MAX

enum json_kind {
  JSON_MESSAGE,
  JSON_TEXT,
  JSON_ID,    /* bytes in hexadecimal or base64 */
  JSON_BYTES, /* bytes in base64 */
  JSON_INT,
  JSON_INTS, /* packed list of integers */
  JSON_TIME, /* time as an integer of 8 bytes */
  JSON_DOUBLE,
  JSON_BOOL,
  JSON_OLDER /* member that only OTLP 1.7 or older has; the reader refuses the file */
};

/* Describes how to write a JSON member: its field number, its kind, and the message type of its
 * value (`inner`). The rule comes from the schema. */
struct json_rule {
  uint32_t number;
  enum json_kind kind;
  const ProtobufCMessageDescriptor *inner;
};

/* Members whose rule does not follow from the type in the schema. A member of the type "bytes" that
 * is not in this table contains text. */
static const struct {
  const char *name;
  enum json_kind kind;
  const ProtobufCMessageDescriptor *inner;
} json_special[] = {{"array_value", JSON_MESSAGE, &otlp__values__descriptor},
                    {"kvlist_value", JSON_MESSAGE, &otlp__key_values__descriptor},
                    {"samples", JSON_MESSAGE, &otlp__sample__descriptor},
                    {"bytes_value", JSON_BYTES, NULL},
                    {"profile_id", JSON_ID, NULL},
                    {"trace_id", JSON_ID, NULL},
                    {"span_id", JSON_ID, NULL}};

/* Former and current names of members. If the current name is NULL, only files of OTLP 1.7 or older
 * have the member. */
static const struct {
  const char *name, *now;
} json_former[] = {
    {"sample", "samples"}, {"line", "lines"}, {"locationslength", NULL}, {"locationindices", NULL}};

/* True if a member has the name of a field. Ignores case and underscores. */
static bool json_is_name(pprofc_str key, const char *name) {
  for (size_t i = 0; i < key.size; i++) {
    if (key.data[i] == '_') continue;
    while (*name == '_') name++;
    if (!*name || *name++ != char_lower(key.data[i])) return false;
  }
  return !*name;
}

static enum json_kind json_kind_of(const ProtobufCFieldDescriptor *field) {
  switch (field->type) {
  case PROTOBUF_C_TYPE_MESSAGE:
    return JSON_MESSAGE;
  case PROTOBUF_C_TYPE_BYTES:
    return JSON_TEXT;
  case PROTOBUF_C_TYPE_FIXED64:
    return JSON_TIME;
  case PROTOBUF_C_TYPE_DOUBLE:
    return JSON_DOUBLE;
  case PROTOBUF_C_TYPE_BOOL:
    return JSON_BOOL;
  default:
    return field->label == PROTOBUF_C_LABEL_REPEATED ? JSON_INTS : JSON_INT;
  }
}

/* Finds the rule of a member of a message. Returns false if there is no such field. */
static bool json_find_rule(const ProtobufCMessageDescriptor *message, pprofc_str key,
                           struct json_rule *rule) {
  const ProtobufCFieldDescriptor *field = message->fields, *end = field + message->n_fields;
  while (field < end && !json_is_name(key, field->name)) field++;
  if (field == end) return false;
  *rule = (struct json_rule){field->id, json_kind_of(field), field->descriptor};
  for (size_t i = 0; i < sizeof json_special / sizeof *json_special; i++)
    if (strcmp(field->name, json_special[i].name) == 0) {
      rule->kind = json_special[i].kind;
      rule->inner = json_special[i].inner;
    }
  return true;
}

/* Finds the rule of a member by its name, or by its former name. Returns false if the reader
 * ignores the member. */
static bool json_rule_of(const ProtobufCMessageDescriptor *message, pprofc_str key,
                         struct json_rule *rule) {
  if (json_find_rule(message, key, rule)) return true;
  for (size_t i = 0; i < sizeof json_former / sizeof *json_former; i++) {
    if (!json_is_name(key, json_former[i].name)) continue;
    *rule = (struct json_rule){.kind = JSON_OLDER};
    return !json_former[i].now || json_find_rule(message, str_of(json_former[i].now), rule);
  }
  return false;
}

/* ---- scalars ----------------------------------------- */

static bool json_wrong(struct otlp *o, const struct node *node, const char *wanted) {
  return import_refuse(o->builder, PPROFC_E_FORMAT, "line %zu: %s expected",
                       o->lines_before + node->line, wanted);
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

static void otlp_put_varint(struct buffer *out, uint64_t value) {
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

static void otlp_put_fixed(struct buffer *out, unsigned field, uint64_t value) {
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
  const char *at = c ? strchr(digits, char_lower(c)) : NULL;
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
  bool is_hex = rule->kind == JSON_ID && (node->text.size == 16 || node->text.size == 32);
  struct buffer bytes = buffer_make(o->mem, SIZE_MAX);
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
  uint64_t value = 0;
  bool ok = node_is(node, NODE_ARRAY) || json_wrong(o, node, "an array");
  struct buffer list = buffer_make(o->mem, SIZE_MAX);
  for (size_t i = 0; ok && i < node_size(node); i++) {
    ok = json_integer(o, node_at(node, i), &value);
    otlp_put_varint(&list, value);
  }
  otlp_put_bytes(out, rule->number, list.data, list.size);
  out->failed |= list.failed;
  buffer_free(&list);
  return ok;
}

/* Writes one time, or all times if the node is an array. */
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
    return import_refuse(o->builder, PPROFC_E_FORMAT, "line %zu: JSON of version 1.7 or older",
                         o->lines_before + node->line);
  default:
    return json_put_int(o, rule, node, out);
  }
}

/* An object or array that is being read. For an object, `members` describes its message. For an
 * array, the rule `item` applies to every element. */
struct json_level {
  const struct node *next;
  const ProtobufCMessageDescriptor *members; /* NULL for an array */
  struct json_rule item;
  size_t start; /* offset in the output at which the size of the message will be written */
};

struct json_writer_state {
  struct otlp *otlp;
  struct buffer out;
  struct json_level levels[JSON_LEVELS];
  size_t depth;
};

/* Begins to write an object or array. Refuses an array of numbers. */
static bool json_enter(struct json_writer_state *j, const struct node *node,
                       const struct json_rule *rule) {
  static const char room[JSON_SIZE_BYTES];
  struct json_level level = {.next = node->first};
  if (!node->first && node_size(node))
    return json_wrong(j->otlp, node, rule->kind == JSON_TEXT ? "a string" : "an object");
  if (j->depth == JSON_LEVELS) return true;
  if (node->kind == NODE_ARRAY) {
    level.item = *rule;
  } else {
    buffer_add_char(&j->out, (char)(rule->number << 3 | WIRE_BYTES));
    level.start = j->out.size;
    level.members = rule->inner;
    buffer_add(&j->out, room, sizeof room);
  }
  j->levels[j->depth++] = level;
  return true;
}

/* Ends the innermost object or array. For a message, writes its size as a varint of JSON_SIZE_BYTES
 * bytes. */
static bool json_leave(struct json_writer_state *j) {
  const struct json_level *level = &j->levels[--j->depth];
  if (!level->members || !level->start || j->out.failed) return true;
  size_t size = j->out.size - level->start - JSON_SIZE_BYTES;
  if (size > UINT32_MAX)
    return import_refuse(j->otlp->builder, PPROFC_E_LIMIT, "a message is too large");
  uint8_t *at = (uint8_t *)j->out.data + level->start;
  for (size_t i = 0; i < JSON_SIZE_BYTES; i++) {
    bool is_last = i + 1 == JSON_SIZE_BYTES;
    at[i] = (uint8_t)((size >> 7 * i & VARINT_PAYLOAD) | (is_last ? 0 : VARINT_MORE));
  }
  return true;
}

/* True if the elements of an array with this rule are messages or texts. */
static bool json_is_repeated(const struct json_rule *rule) {
  return rule->kind == JSON_MESSAGE || rule->kind == JSON_TEXT;
}

static bool json_step(struct json_writer_state *j) {
  struct json_level *level = &j->levels[j->depth - 1];
  const struct node *node = level->next;
  if (!node) return json_leave(j);
  level->next = node->next;
  struct json_rule rule = level->item;
  bool is_member = level->members != NULL;
  if (is_member && (!json_rule_of(level->members, node->key, &rule) || node->kind == NODE_NULL))
    return true;
  bool is_list = node->kind == NODE_ARRAY && is_member && json_is_repeated(&rule);
  if (is_list || (rule.kind == JSON_MESSAGE && node->kind == NODE_OBJECT))
    return json_enter(j, node, &rule);
  if (rule.kind == JSON_MESSAGE) return json_wrong(j->otlp, node, "an object");
  return json_put_scalar(j->otlp, &rule, node, &j->out);
}

static bool json_write(struct otlp *o, const struct node *root, pprofc_str *message) {
  struct json_writer_state j = {.otlp = o, .depth = 1};
  bool ok = node_is(root, NODE_OBJECT) || json_wrong(o, root, "an object");
  buffer_init(&j.out, o->mem, SIZE_MAX);
  j.levels[0] = (struct json_level){.next = root->first, .members = &otlp__profiles__descriptor};
  while (ok && j.depth && !j.out.failed) ok = json_step(&j);
  *message = buffer_take(&j.out, o->arena);
  return ok && (message->data || import_need(o->builder, false));
}

/* ---- documents --------------------------------------- */

bool otlp_is_json(pprofc_str data) {
  static const char *const first[] = {"\"resourceProfiles\"", "\"resource_profiles\"",
                                      "\"dictionary\"", NULL};
  pprofc_str text = str_trim(data);
  if (!str_take(&text, STR("{")) || !str_any(str_starts, str_trim(text), first)) return false;
  return str_contains(text, str_of(first[0])) || str_contains(text, str_of(first[1]));
}

static size_t json_count_lines(const char *from, const char *end) {
  size_t lines = 0;
  for (; from < end; from++) lines += *from == '\n';
  return lines;
}

bool otlp_next_json(struct otlp *o, pprofc_str *rest, pprofc_str *message) {
  struct node *root = NULL;
  pprofc_str text = str_trim(*rest), after = text, line;
  bool cut = false;
  pprofc_error error;
  if (!str_next_line(&after, &line)) return false;
  o->lines_before += json_count_lines(rest->data, text.data);
  struct arena arena = arena_make(o->mem);
  pprofc_status status = json_tree_parse_cut(&arena, line, &root, &cut, &error);
  if (status == PPROFC_E_FORMAT) {
    arena_free(&arena);
    arena_init(&arena, o->mem);
    status = json_tree_parse_cut(&arena, text, &root, &cut, &error);
    after = str_from(text, text.size);
  }
  if (status == PPROFC_E_FORMAT && o->lines_before)
    error_prefix(&error, "document of line %zu: ", o->lines_before + 1);
  if (status != PPROFC_OK) builder_refuse(o->builder, &error);
  bool ok = status == PPROFC_OK && json_write(o, root, message);
  arena_free(&arena);
  o->lines_before += json_count_lines(text.data, after.data);
  *rest = after;
  return ok;
}
