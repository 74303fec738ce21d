/* Rewrites a message of schema version 1.6 or 1.7 (async-profiler 4.1 and 4.2) as a message of the
 * current version.
 *
 * In old versions a profile has several sample types, and its stacks are ranges of one list of
 * locations. Index 0 of a table is an ordinary entry; in the current version index 0 means "not
 * set". Therefore each index grows by the number of entries that this file adds at the start of the
 * table. Some flags became attributes. */
#include "import/otlp/otlp.h"
#include "otlp_older.pb-c.h"

#define OLDER_MAX_TYPES 256u

/* Tables of the dictionary, by their field numbers in the current version. */
enum {
  OLDER_MAPPING = 1,
  OLDER_LOCATION,
  OLDER_FUNCTION,
  OLDER_LINK,
  OLDER_STRING,
  OLDER_ATTRIBUTE,
  OLDER_STACK
};

/* Keys of the attributes that replace flags of the old schema. These attributes follow the zero
 * value (entry 0) of the new table. */
enum { OLDER_IS_FOLDED, OLDER_HAS_FUNCTIONS, OLDER_FLAGS = 5 };
static const char *const older_flags[OLDER_FLAGS] = {
    "pprof.location.is_folded",        "pprof.mapping.has_functions",
    "pprof.mapping.has_filenames",     "pprof.mapping.has_line_numbers",
    "pprof.mapping.has_inline_frames",
};

struct older {
  struct otlp *otlp;
  struct arena arena;       /* memory for lists of attributes and locations */
  struct buffer dictionary; /* tables of the current version */
  /* Numbers of strings, attributes and stacks in the new tables so far. */
  size_t new_strings, attribute_count, stack_count;
};

/* Returns the new index of an attribute. */
static int32_t older_attribute(int32_t index) {
  return (int32_t)((uint32_t)index + 1 + OLDER_FLAGS);
}

/* Returns the new index of any other entry, or 0 if the field is missing. */
static int32_t older_index(bool given, int32_t index) {
  return given ? (int32_t)((uint32_t)index + 1) : 0;
}

/* Appends a message of the current version as a field. */
static void older_put(struct buffer *out, unsigned field, const void *message) {
  size_t size = protobuf_c_message_get_packed_size(message);
  uint8_t head[WIRE_FIELD_MAX];
  buffer_add(out, head, (size_t)(wire_put_head(head, field, size) - head));
  if (!buffer_reserve(out, size)) return;
  protobuf_c_message_pack(message, (uint8_t *)out->data + out->size);
  out->size += size;
}

/* Appends an encoded message as a field, and frees the message. */
static void older_put_message(struct buffer *out, unsigned field, struct buffer *message) {
  otlp_put_bytes(out, field, message->data, message->size);
  out->failed |= message->failed;
  buffer_free(message);
}

/* Copies a list of attributes with new indices. The copy has room for `more` attributes. Returns
 * NULL when out of memory. */
static int32_t *older_attributes(struct older *c, const int32_t *old, size_t count, size_t more) {
  int32_t *list = arena_array(&c->arena, count + more, sizeof *list);
  import_need(c->otlp->builder, list != NULL);
  for (size_t i = 0; list && i < count; i++) list[i] = older_attribute(old[i]);
  return list;
}

/* ---- dictionary -------------------------------------- */

static uint64_t older_new_string(struct older *c, pprofc_str text) {
  otlp_put_bytes(&c->dictionary, OLDER_STRING, text.data, text.size);
  return c->new_strings++;
}

/* Appends an attribute to the dictionary and returns its index. `value` is an encoded AnyValue;
 * `unit` is a string index of the new table, or 0. */
static int32_t older_new_attribute(struct older *c, pprofc_str key, pprofc_str value,
                                   int32_t unit) {
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  otlp_put_integer(&out, 1, older_new_string(c, key));
  otlp_put_bytes(&out, 2, value.data, value.size);
  otlp_put_integer(&out, 3, (uint32_t)unit);
  older_put_message(&c->dictionary, OLDER_ATTRIBUTE, &out);
  return (int32_t)c->attribute_count++;
}

static bool older_mapping(struct older *c, const Older__Mapping *m) {
  const bool flags[] = {m->has_functions, m->has_filenames, m->has_line_numbers,
                        m->has_inline_frames};
  Otlp__Mapping made = OTLP__MAPPING__INIT;
  made.memory_start = m->memory_start;
  made.memory_limit = m->memory_limit;
  made.file_offset = m->file_offset;
  made.filename_strindex = older_index(m->has_filename_strindex, m->filename_strindex);
  made.n_attribute_indices = m->n_attribute_indices;
  made.attribute_indices =
      older_attributes(c, m->attribute_indices, m->n_attribute_indices, OLDER_FLAGS);
  if (!made.attribute_indices) return false;
  for (int32_t i = 0; i < 4; i++)
    if (flags[i]) made.attribute_indices[made.n_attribute_indices++] = 1 + OLDER_HAS_FUNCTIONS + i;
  older_put(&c->dictionary, OLDER_MAPPING, &made);
  return true;
}

/* Rewrites a location. A line without a function gets the first function, because in old versions a
 * missing index means index 0. */
static bool older_location(struct older *c, const Older__Location *l) {
  Otlp__Location made = OTLP__LOCATION__INIT;
  Otlp__Line *lines = arena_array(&c->arena, l->n_line, sizeof *lines);
  made.lines = arena_array(&c->arena, l->n_line, sizeof *made.lines);
  made.attribute_indices = older_attributes(c, l->attribute_indices, l->n_attribute_indices, 1);
  if (!import_need(c->otlp->builder, lines && made.lines && made.attribute_indices)) return false;
  made.mapping_index = older_index(l->has_mapping_index, l->mapping_index);
  made.address = l->address;
  for (; made.n_lines < l->n_line; made.n_lines++) {
    const Older__Line *line = l->line[made.n_lines];
    made.lines[made.n_lines] = &lines[made.n_lines];
    otlp__line__init(&lines[made.n_lines]);
    lines[made.n_lines].function_index = older_index(true, line->function_index);
    lines[made.n_lines].line = line->line;
    lines[made.n_lines].column = line->column;
  }
  made.n_attribute_indices = l->n_attribute_indices;
  if (l->is_folded) made.attribute_indices[made.n_attribute_indices++] = 1 + OLDER_IS_FOLDED;
  older_put(&c->dictionary, OLDER_LOCATION, &made);
  return true;
}

static void older_function(struct older *c, const Older__Function *f) {
  Otlp__Function made = OTLP__FUNCTION__INIT;
  made.name_strindex = older_index(f->has_name_strindex, f->name_strindex);
  made.system_name_strindex = older_index(f->has_system_name_strindex, f->system_name_strindex);
  made.filename_strindex = older_index(f->has_filename_strindex, f->filename_strindex);
  made.start_line = f->start_line;
  older_put(&c->dictionary, OLDER_FUNCTION, &made);
}

/* Copies the attributes to the new table, together with their units. In the old tables, each key
 * has a unit; in the new table, each attribute has one. If a key has several units, the first
 * applies. Returns false if a unit is invalid, and when out of memory. */
static bool older_attribute_table(struct older *c, const Older__Tables *t, struct interner *keys) {
  int32_t *units = arena_array(&c->arena, t->n_attribute_units, sizeof *units);
  if (!import_need(c->otlp->builder, units != NULL)) return false;
  for (size_t i = 0; i < t->n_attribute_units; i++) {
    const Older__Unit *unit = t->attribute_units[i];
    uint32_t key = (uint32_t)unit->attribute_key_strindex, text = (uint32_t)unit->unit_strindex;
    if (key >= t->n_string_table || text >= t->n_string_table) return false;
    size_t known = keys->count;
    uint32_t index = interner_add(keys, otlp_bytes(&t->string_table[key]));
    if (!import_need(c->otlp->builder, index != MAP_NONE)) return false;
    if (index == known) units[index] = (int32_t)text + 1;
  }
  for (size_t i = 0; i < t->n_attribute_table; i++) {
    const Older__Attribute *a = t->attribute_table[i];
    uint32_t key = interner_find(keys, otlp_bytes(&a->key));
    older_new_attribute(c, otlp_bytes(&a->key), otlp_bytes(&a->value),
                        key == MAP_NONE ? 0 : units[key]);
  }
  return true;
}

/* Writes the zero values of all tables, the strings, and the attributes that replace flags. */
static void older_begin(struct older *c, const Older__Tables *t) {
  static const char yes[] = {2 << 3 | WIRE_VARINT, 1};
  for (unsigned table = OLDER_MAPPING; table <= OLDER_STACK; table++)
    otlp_put_bytes(&c->dictionary, table, "", 0);
  c->new_strings = c->attribute_count = c->stack_count = 1;
  for (size_t i = 0; i < t->n_string_table; i++)
    older_new_string(c, otlp_bytes(&t->string_table[i]));
  for (size_t i = 0; i < OLDER_FLAGS; i++)
    older_new_attribute(c, str_of(older_flags[i]), (pprofc_str){yes, sizeof yes}, 0);
}

static bool older_tables(struct older *c, const Older__Tables *t) {
  struct interner keys;
  bool ok = true;
  older_begin(c, t);
  for (size_t i = 0; ok && i < t->n_mapping_table; i++) ok = older_mapping(c, t->mapping_table[i]);
  for (size_t i = 0; ok && i < t->n_location_table; i++)
    ok = older_location(c, t->location_table[i]);
  for (size_t i = 0; ok && i < t->n_function_table; i++) older_function(c, t->function_table[i]);
  for (size_t i = 0; ok && i < t->n_link_table; i++)
    otlp_put_bytes(&c->dictionary, OLDER_LINK, t->link_table[i].data, t->link_table[i].len);
  interner_init(&keys, c->otlp->mem);
  ok = ok && older_attribute_table(c, t, &keys);
  interner_free(&keys);
  return ok;
}

/* Appends the tables of a message to `tables`, as an encoded Older__Tables. In version 1.6 the
 * tables are fields of the message itself. Returns false if the message is invalid. */
static bool older_find_tables(pprofc_str message, struct buffer *tables) {
  struct wire w = wire_over(message.data, message.size), all = w;
  struct wire_field field;
  bool is_flat = false;
  while (wire_each(&w, &field)) {
    if (field.type != WIRE_BYTES || !field.number || field.number > OLDER_STACK + 1) return false;
    is_flat |= field.number > 2;
  }
  while (wire_each(&all, &field)) {
    if (field.number == 1) continue;
    if (is_flat)
      otlp_put_bytes(tables, (unsigned)field.number - 1, field.data, field.size);
    else
      buffer_add(tables, field.data, field.size);
  }
  return !w.fault;
}

/* ---- profiles ---------------------------------------- */

/* Returns a new attribute whose value is the string with an index of the old table. */
static int32_t older_text_attribute(struct older *c, const char *key, int32_t string) {
  uint8_t value[WIRE_FIELD_MAX];
  size_t size = (size_t)(wire_put_integer(value, 8, (uint32_t)string + 1) - value);
  return older_new_attribute(c, str_of(key), (pprofc_str){(const char *)value, size}, 0);
}

static Otlp__ValueType older_type(const Older__ValueType *old) {
  Otlp__ValueType type = OTLP__VALUE_TYPE__INIT;
  type.type_strindex = older_index(old->has_type_strindex, old->type_strindex);
  type.unit_strindex = older_index(old->has_unit_strindex, old->unit_strindex);
  return type;
}

/* Sets the attributes of a profile. Comments and the name of the default sample type become
 * attributes. */
static bool older_header_attributes(struct older *c, const Older__Profile *p, Otlp__Profile *made) {
  size_t type = (uint32_t)p->default_sample_type_index, count = 0;
  int32_t *list =
      arena_array(&c->arena, p->n_comment_strindices + p->n_attribute_indices + 1, sizeof *list);
  if (!import_need(c->otlp->builder, list != NULL)) return false;
  for (size_t i = 0; i < p->n_comment_strindices; i++)
    list[count++] = older_text_attribute(c, "pprof.profile.comment", p->comment_strindices[i]);
  for (size_t i = 0; i < p->n_attribute_indices; i++)
    list[count++] = older_attribute(p->attribute_indices[i]);
  if (type && type < p->n_sample_type && p->sample_type[type]->has_type_strindex)
    list[count++] = older_text_attribute(c, "pprof.profile.default_sample_type",
                                         p->sample_type[type]->type_strindex);
  made->attribute_indices = list;
  made->n_attribute_indices = count;
  return true;
}

/* True if each sample's range of locations is one location too long: the ranges, each shortened by
 * one, cover the list of locations without gaps. async-profiler 4.2 writes such ranges. It counts a
 * frame for the thread, but writes the thread as an attribute. */
static bool older_counts_thread(const Older__Profile *p) {
  int64_t end = 0;
  for (size_t i = 0; i < p->n_sample; i++) {
    const Older__Sample *s = p->sample[i];
    if (s->locations_start_index != end || s->locations_length <= 0) return false;
    end += s->locations_length - 1;
  }
  return end && (uint64_t)end == p->n_location_indices;
}

/* Writes the stack of a sample to the dictionary. `excess` is the number of locations by which the
 * writer made the range too long. */
static bool older_put_stack(struct older *c, const Older__Profile *p, const Older__Sample *s,
                            int32_t excess) {
  Otlp__Stack stack = OTLP__STACK__INIT;
  uint64_t start = (uint64_t)(int64_t)s->locations_start_index;
  uint64_t length = (uint64_t)(int64_t)s->locations_length;
  if (length) length -= (uint64_t)excess;
  if (start > p->n_location_indices || length > p->n_location_indices - start)
    return import_refuse(
        c->otlp->builder, PPROFC_E_FORMAT, "locations %llu to %llu are outside the list of %zu",
        (unsigned long long)start, (unsigned long long)(start + length), p->n_location_indices);
  stack.n_location_indices = (size_t)length;
  if (length) stack.location_indices = p->location_indices + start;
  older_put(&c->dictionary, OLDER_STACK, &stack);
  c->stack_count++;
  return import_need(c->otlp->builder, !c->dictionary.failed);
}

/* Writes a sample with the value of type `index`. The times belong to the first type, or to all
 * types if the sample has no values. */
static void older_put_sample(struct older *c, const Older__Sample *s, size_t index, size_t stack,
                             struct buffer *profile) {
  Otlp__Sample made = OTLP__SAMPLE__INIT;
  made.stack_index = (int32_t)stack;
  made.link_index = older_index(s->has_link_index, s->link_index);
  made.n_attribute_indices = s->n_attribute_indices;
  made.attribute_indices = older_attributes(c, s->attribute_indices, s->n_attribute_indices, 0);
  made.n_values = index < s->n_value;
  if (made.n_values) made.values = s->value + index;
  if (!index || !s->n_value) made.n_timestamps_unix_nano = s->n_timestamps_unix_nano;
  made.timestamps_unix_nano = s->timestamps_unix_nano;
  if (made.attribute_indices) older_put(profile, 2, &made);
}

/* Writes a profile with only the sample type `index`, and the fields of `made`. For the first type,
 * also writes the stacks to the dictionary. */
static bool older_put_profile(struct older *c, const Older__Profile *p, Otlp__Profile *made,
                              size_t index, size_t first_stack, struct buffer *scope) {
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  int32_t excess = older_counts_thread(p);
  Otlp__ValueType type;
  if (index < p->n_sample_type) {
    type = older_type(p->sample_type[index]);
    made->sample_type = &type;
  }
  bool ok = buffer_reserve(&out, protobuf_c_message_get_packed_size(&made->base));
  if (ok) out.size = protobuf_c_message_pack(&made->base, (uint8_t *)out.data);
  for (size_t i = 0; ok && i < p->n_sample; i++) {
    ok = index || older_put_stack(c, p, p->sample[i], excess);
    if (ok) older_put_sample(c, p->sample[i], index, first_stack + i, &out);
  }
  older_put_message(scope, 2, &out);
  return ok;
}

/* Writes a profile for each sample type. */
static bool older_profile(struct older *c, const Older__Profile *p, struct buffer *scope) {
  Otlp__Profile made = OTLP__PROFILE__INIT;
  Otlp__ValueType period_type;
  size_t first_stack = c->stack_count;
  if (p->n_sample_type > OLDER_MAX_TYPES)
    return import_refuse(c->otlp->builder, PPROFC_E_LIMIT, "more than %u sample types",
                         OLDER_MAX_TYPES);
  made.time_unix_nano = (uint64_t)p->time_nanos;
  made.duration_nano = p->duration_nanos;
  made.period = p->period;
  made.profile_id = p->profile_id;
  if (p->period_type) {
    period_type = older_type(p->period_type);
    made.period_type = &period_type;
  }
  for (size_t i = 0; i < p->n_location_indices; i++)
    p->location_indices[i] = older_index(true, p->location_indices[i]);
  bool ok = older_header_attributes(c, p, &made);
  for (size_t i = 0; ok && (i < p->n_sample_type || !i); i++)
    ok = older_put_profile(c, p, &made, i, first_stack, scope);
  return ok;
}

/* ---- the message ------------------------------------- */

static bool older_scope(struct older *c, const Older__Scope *s, struct buffer *resource) {
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  bool ok = true;
  for (size_t i = 0; i < s->n_scope; i++)
    otlp_put_bytes(&out, 1, s->scope[i].data, s->scope[i].len);
  for (size_t i = 0; ok && i < s->n_profiles; i++) ok = older_profile(c, s->profiles[i], &out);
  older_put_message(resource, 2, &out);
  return ok;
}

static bool older_resource(struct older *c, const struct wire_field *f, struct buffer *message) {
  ProtobufCAllocator scratch = otlp_scratch(c->otlp);
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  const Older__Resource *r = older__resource__unpack(&scratch, f->size, f->data);
  bool ok = r != NULL;
  for (size_t i = 0; ok && i < r->n_resource; i++)
    otlp_put_bytes(&out, 1, r->resource[i].data, r->resource[i].len);
  for (size_t i = 0; ok && i < r->n_scope_profiles; i++)
    ok = older_scope(c, r->scope_profiles[i], &out);
  older_put_message(message, 1, &out);
  return ok;
}

static bool older_message(struct older *c, pprofc_str message, struct buffer *out) {
  ProtobufCAllocator scratch = otlp_scratch(c->otlp);
  struct buffer bytes = buffer_make(c->otlp->mem, SIZE_MAX);
  struct wire w = wire_over(message.data, message.size);
  struct wire_field field;
  const Older__Tables *tables = NULL;
  if (older_find_tables(message, &bytes) && !bytes.failed)
    tables = older__tables__unpack(&scratch, bytes.size, (const uint8_t *)bytes.data);
  bool ok = tables && older_tables(c, tables);
  out->failed |= bytes.failed;
  buffer_free(&bytes);
  while (ok && wire_each(&w, &field))
    if (field.number == 1) ok = older_resource(c, &field, out);
  older_put_message(out, 2, &c->dictionary);
  return ok;
}

bool otlp_from_older(struct otlp *o, pprofc_str *message) {
  struct older c = {.otlp = o};
  struct buffer out = buffer_make(o->mem, SIZE_MAX);
  o->frame_number = o->frame_count + 1;
  arena_init(&c.arena, o->mem);
  buffer_init(&c.dictionary, o->mem, SIZE_MAX);
  bool ok = older_message(&c, *message, &out);
  bool failed = out.failed;
  *message = buffer_take(&out, o->arena);
  arena_free(&c.arena);
  return import_need(o->builder, !failed && (!ok || message->data)) && (ok || otlp_fail_message(o));
}
