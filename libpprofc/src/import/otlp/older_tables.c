/* Rewrites the tables of OTLP's versions 1.6 and 1.7, and the messages in these tables. A list of
 * rules describes each kind of message. */
#include "import/otlp/otlp.h"

/* Keys of the attributes that replace flags of the old schema. These attributes follow the zero
 * value (entry 0) of the new table. */
static const char *const older_flags[] = {
    "pprof.location.is_folded",        "pprof.mapping.has_functions",
    "pprof.mapping.has_filenames",     "pprof.mapping.has_line_numbers",
    "pprof.mapping.has_inline_frames",
};

/* ---- writing ----------------------------------------- */

void older_put_message(struct buffer *out, unsigned field, struct buffer *message) {
  otlp_put_bytes(out, field, message->data, message->size);
  out->failed |= message->failed;
  buffer_free(message);
}

bool older_add_numbers(struct buffer *out, const struct wire_field *f, uint64_t shift) {
  if (f->type == WIRE_VARINT) otlp_put_varint(out, f->value + shift);
  struct wire w = wire_inside(f);
  uint64_t value;
  while (w.at < w.end) {
    if (!wire_varint(&w, &value)) return false;
    otlp_put_varint(out, value + shift);
  }
  return f->type == WIRE_VARINT || f->type == WIRE_BYTES;
}

void older_put_numbers(struct buffer *out, unsigned field, struct buffer *numbers) {
  if (numbers->size || numbers->failed)
    older_put_message(out, field, numbers);
  else
    buffer_free(numbers);
}

/* ---- messages ---------------------------------------- */

static const struct older_rule older_type[] = {{1, 1, OLDER_INDEX, 0}, {2, 2, OLDER_INDEX, 0}, {0}};

static const struct older_rule older_line[] = {
    {1, 1, OLDER_INDEX, 0}, {2, 2, OLDER_COPY, 0}, {3, 3, OLDER_COPY, 0}, {0}};

static const struct older_rule older_function[] = {{1, 1, OLDER_INDEX, 0},
                                                   {2, 2, OLDER_INDEX, 0},
                                                   {3, 3, OLDER_INDEX, 0},
                                                   {4, 4, OLDER_COPY, 0},
                                                   {0}};

static const struct older_rule older_location[] = {
    {1, 1, OLDER_INDEX, 0}, {2, 2, OLDER_COPY, 0},       {3, 3, OLDER_LINES, 0},
    {4, 4, OLDER_FLAG, 0},  {5, 4, OLDER_ATTRIBUTES, 0}, {0}};

static const struct older_rule older_mapping[] = {
    {1, 1, OLDER_COPY, 0},       {2, 2, OLDER_COPY, 0},
    {3, 3, OLDER_COPY, 0},       {4, 4, OLDER_INDEX, 0},
    {6, 5, OLDER_FLAG, 1},       {7, 5, OLDER_FLAG, 2},
    {8, 5, OLDER_FLAG, 3},       {9, 5, OLDER_FLAG, 4},
    {5, 5, OLDER_ATTRIBUTES, 0}, {0}};

static const struct older_rule older_link[] = {{1, 1, OLDER_COPY, 0}, {2, 2, OLDER_COPY, 0}, {0}};

const struct older_rule *older_rule_of(const struct older_rule *rules, uint64_t number) {
  for (; rules->from; rules++)
    if (rules->from == number) return rules;
  return NULL;
}

void older_put_copy(struct buffer *out, unsigned field, const struct wire_field *f) {
  if (f->type == WIRE_VARINT) otlp_put_integer(out, field, f->value);
  if (f->type == WIRE_BYTES) otlp_put_bytes(out, field, f->data, f->size);
}

static bool older_rewrite(struct older *c, struct buffer *out, const struct older_rule *rules,
                          const struct wire_field *f);

/* Rewrites a nested message as a field. A line without a function gets the first function, because
 * in old versions a missing index means index 0. */
static bool older_put_inner(struct older *c, struct buffer *out, const struct older_rule *rule,
                            const struct wire_field *f) {
  bool is_line = rule->action == OLDER_LINES;
  struct buffer inner = buffer_make(c->otlp->mem, SIZE_MAX);
  if (is_line) otlp_put_integer(&inner, 1, OLDER_SHIFT);
  bool ok = f->type == WIRE_BYTES && older_rewrite(c, &inner, is_line ? older_line : older_type, f);
  older_put_message(out, rule->to, &inner);
  return ok;
}

static bool older_put_attributes(struct older *c, struct buffer *out, unsigned field,
                                 const struct wire_field *f) {
  struct buffer list = buffer_make(c->otlp->mem, SIZE_MAX);
  bool ok = older_add_numbers(&list, f, OLDER_ATTRIBUTE_SHIFT);
  older_put_numbers(out, field, &list);
  return ok;
}

bool older_put_field(struct older *c, struct buffer *out, const struct older_rule *rule,
                     const struct wire_field *f) {
  switch (rule->action) {
  case OLDER_COPY:
    older_put_copy(out, rule->to, f);
    return true;
  case OLDER_INDEX:
    otlp_put_integer(out, rule->to, f->value + OLDER_SHIFT);
    return f->type == WIRE_VARINT;
  case OLDER_TIME:
    otlp_put_fixed(out, rule->to, f->value);
    return f->type == WIRE_VARINT;
  case OLDER_FLAG:
    if (f->value) otlp_put_integer(out, rule->to, OLDER_SHIFT + rule->flag);
    return f->type == WIRE_VARINT;
  case OLDER_ATTRIBUTES:
    return older_put_attributes(c, out, rule->to, f);
  default:
    return older_put_inner(c, out, rule, f);
  }
}

/* Rewrites the fields that have a rule in `rules`, and drops all other fields. Returns false if the
 * message is invalid. Recursion ends after two levels. */
static bool older_rewrite(struct older *c, struct buffer *out, const struct older_rule *rules,
                          const struct wire_field *f) {
  struct wire w = wire_inside(f);
  struct wire_field field;
  while (wire_each(&w, &field)) {
    const struct older_rule *rule = older_rule_of(rules, field.number);
    if (rule && !older_put_field(c, out, rule, &field)) return false;
  }
  return !w.fault;
}

/* ---- dictionary -------------------------------------- */

/* Appends a string to the new table and returns its index. */
static uint64_t older_new_string(struct older *c, pprofc_str text) {
  otlp_put_bytes(&c->dictionary, OLDER_STRING, text.data, text.size);
  return c->new_strings++;
}

void older_new_attribute(struct older *c, pprofc_str key, const void *value, size_t size,
                         uint64_t unit) {
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  otlp_put_integer(&out, 1, older_new_string(c, key));
  otlp_put_bytes(&out, 2, value, size);
  if (unit) otlp_put_integer(&out, 3, unit);
  older_put_message(&c->dictionary, OLDER_ATTRIBUTE, &out);
  c->attribute_count++;
}

/* Copies an attribute (a key and a value) to the new table, together with its unit. In the old
 * tables, each key has a unit; in the new table, each attribute has one. */
static bool older_attribute(struct older *c, const struct wire_field *f) {
  struct wire w = wire_inside(f);
  struct wire_field field, key = {0}, value = {0};
  while (wire_each(&w, &field)) {
    if (field.number == 1) key = field;
    if (field.number == 2) value = field;
  }
  if (w.fault) return false;
  pprofc_str name = {(const char *)key.data, key.size};
  uint32_t unit = interner_find(&c->unit_keys, name);
  older_new_attribute(c, name, value.data, value.size, unit == MAP_NONE ? 0 : c->units[unit]);
  return true;
}

/* Stores a string of the old table, and copies it to the new table. */
static bool older_string(struct older *c, const struct wire_field *f) {
  pprofc_str text = {(const char *)f->data, f->size};
  older_new_string(c, text);
  return import_need(c->otlp->builder, ARRAY_PUSH(c->otlp->mem, c->strings, c->string_count,
                                                  c->string_capacity, text));
}

/* Stores the unit of all attributes with a certain key. Key and unit are string indices of the old
 * table. */
static bool older_unit(struct older *c, const struct wire_field *f) {
  uint64_t v[3] = {0};
  bool good = wire_integers(wire_inside(f), v, 3);
  uint64_t key = v[1], unit = v[2];
  if (!good || key >= c->string_count || unit >= c->string_count) return false;
  size_t before = c->unit_keys.count;
  uint32_t index = interner_add(&c->unit_keys, c->strings[key]);
  if (!import_need(c->otlp->builder,
                   index != MAP_NONE &&
                       ARRAY_RESERVE(c->otlp->mem, c->units, c->unit_capacity, index + 1u)))
    return false;
  if (index == before) c->units[index] = unit + OLDER_SHIFT;
  return true;
}

static const struct older_rule *const older_entries[OLDER_TABLES] = {
    [1] = older_mapping, [2] = older_location, [3] = older_function, [OLDER_LINK] = older_link};

/* Rewrites an entry of a table. Skips strings and units, because older_all_tables has already read
 * them. */
static bool older_entry(struct older *c, uint64_t table, const struct wire_field *f) {
  if (table == OLDER_ATTRIBUTE) return older_attribute(c, f);
  if (!older_entries[table]) return true;
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  bool ok = older_rewrite(c, &out, older_entries[table], f);
  older_put_message(&c->dictionary, (unsigned)table, &out);
  return ok;
}

static bool older_each_string(struct older *c, uint64_t table, const struct wire_field *f) {
  return table != OLDER_STRING || older_string(c, f);
}

static bool older_each_unit(struct older *c, uint64_t table, const struct wire_field *f) {
  return table != OLDER_STACK || older_unit(c, f);
}

typedef bool older_entry_fn(struct older *c, uint64_t table, const struct wire_field *f);

static bool older_dictionary(struct older *c, const struct wire_field *f, older_entry_fn *read) {
  struct wire w = wire_inside(f);
  struct wire_field field;
  while (wire_each(&w, &field))
    if (field.type != WIRE_BYTES || !field.number || field.number >= OLDER_TABLES ||
        !read(c, field.number, &field))
      return false;
  return !w.fault;
}

/* True if the tables are fields of the message itself, as in version 1.6. */
static bool older_is_flat(pprofc_str message) {
  const uint8_t *data = (const uint8_t *)message.data;
  struct wire w = wire_over(data, message.size);
  struct wire_field field;
  while (wire_each(&w, &field))
    if (field.number > 2) return true;
  return false;
}

/* Calls `read` for each entry of all tables. Returns false if the message is invalid. */
static bool older_tables(struct older *c, pprofc_str message, older_entry_fn *read) {
  const uint8_t *data = (const uint8_t *)message.data;
  struct wire w = wire_over(data, message.size);
  struct wire_field field;
  bool flat = older_is_flat(message), ok = true;
  while (ok && wire_each(&w, &field)) {
    if (field.type != WIRE_BYTES) return false;
    if (field.number == 1) continue;
    if (!field.number || field.number > OLDER_TABLES) return false;
    ok = flat ? read(c, field.number - 1, &field) : older_dictionary(c, &field, read);
  }
  return ok && !w.fault;
}

bool older_all_tables(struct older *c, pprofc_str message) {
  static const uint8_t yes[] = {2 << 3 | WIRE_VARINT, 1};
  for (unsigned table = 1; table < OLDER_TABLES; table++)
    otlp_put_bytes(&c->dictionary, table, "", 0);
  c->new_strings = c->attribute_count = c->stack_count = 1;
  if (!older_tables(c, message, older_each_string) || !older_tables(c, message, older_each_unit))
    return false;
  for (size_t i = 0; i < OLDER_FLAGS; i++)
    older_new_attribute(c, str_of(older_flags[i]), yes, sizeof yes, 0);
  return older_tables(c, message, older_entry);
}
