/* Reads the samples of OTLP. A profile of OTLP has one sample type, so the reader joins the
 * profiles of a scope into samples with several values. It joins samples whose stack, attributes,
 * link and times are equal. Equal samples usually have the same index in their profiles; a hash
 * table finds the others. */
#include "import/otlp/otlp.h"

#define MAX_TYPES 65536u

/* A row: the stack, attributes, link and times of one or more samples that are equal in these four.
 * Each row becomes a sample of the profile. */
struct otlp_row {
  int32_t stack, link;
  uint32_t first; /* index of the row's first attribute; the row's attributes end before the first
                     attribute of the next row */
  uint32_t times; /* index in otlp_rows.times plus 1; 0: no times */
};

/* Rows made from the samples of one scope (Otlp__Scope). */
struct otlp_rows {
  struct otlp_row *items;   /* array of `count` rows */
  int64_t *attributes;      /* attributes of all rows, one row after another */
  int64_t *values;          /* values of all rows: type_count values for each row */
  struct otlp_times *times; /* times of the rows that have times */
  size_t count, capacity, attribute_count, attribute_capacity, value_capacity;
  size_t time_count, time_capacity;
  struct map by_identity; /* hash table of the first `mapped` rows, keyed by stack, attributes, link
                             and times; filled at its first use */
  size_t mapped;
  const Otlp__Resource *resource; /* resource whose attributes become labels, or NULL */
};

/* ---- types ------------------------------------------- */

/* Adds a sample type. Reports identify types by name, so if another type has this name, appends the
 * unit: "samples_bytes". */
static void otlp_add_type(struct otlp *o, pprofc_str type, pprofc_str unit) {
  uint32_t before = (uint32_t)o->type_names.count;
  import_need(o->builder, interner_copy(&o->type_names, o->arena, type) != MAP_NONE);
  if (o->type_names.count > before) {
    builder_add_type(o->builder, type, unit);
    return;
  }
  struct buffer name = buffer_make(o->mem, SIZE_MAX);
  buffer_printf(&name, "%.*s_%.*s", STR_ARG(type), STR_ARG(unit));
  import_need(o->builder, !name.failed);
  builder_add_type(o->builder, buffer_str(&name), unit);
  buffer_free(&name);
}

/* Returns the index of a sample type, and adds the type if it is new. */
static size_t otlp_type(struct otlp *o, const Otlp__ValueType *t) {
  pprofc_str type = t ? otlp_string(o, t->type_strindex) : STR("");
  pprofc_str unit = t ? otlp_string(o, t->unit_strindex) : STR("");
  if (!type.size && !unit.size) type = STR("samples"), unit = STR("count");
  struct value_type wanted = {builder_string(o->builder, type), builder_string(o->builder, unit)};
  uint64_t hash = hash_mix(wanted.type, wanted.unit);
  MAP_FIND(index, &o->by_type, hash,
           o->types[index].type == wanted.type && o->types[index].unit == wanted.unit);
  if (index != MAP_NONE) return index;
  if (o->type_count == MAX_TYPES)
    return import_refuse(o->builder, PPROFC_E_LIMIT, "more than %u sample types", MAX_TYPES);
  if (!import_need(o->builder, MAP_PUSH(o->mem, &o->by_type, hash, o->types, o->type_count,
                                        o->type_capacity, wanted)))
    return false;
  otlp_add_type(o, type, unit);
  return o->type_count - 1;
}

bool otlp_read_types(struct otlp *o, const struct otlp_frame *frame) {
  o->resources += frame->resource_count;
  for (size_t i = 0; i < frame->profile_count && builder_ok(o->builder); i++)
    otlp_type(o, frame->profiles[i].header->sample_type);
  return builder_ok(o->builder);
}

/* ---- rows -------------------------------------------- */

/* Appends the numbers of a field to a list. Returns false on failure, for example if the field is
 * not a list of numbers. */
static bool otlp_take_numbers(struct otlp *o, struct otlp_numbers *list,
                              const struct wire_field *field) {
  uint64_t value = field->value;
  bool one = field->type == WIRE_VARINT;
  if (!one && field->type != WIRE_BYTES) return otlp_fail_message(o);
  if (!import_need(o->builder, ARRAY_RESERVE(o->mem, list->items, list->capacity,
                                             list->count + (one ? 1 : field->size))))
    return false;
  if (one) {
    list->items[list->count++] = (int64_t)value;
    return true;
  }
  struct wire w = wire_inside(field);
  while (w.at < w.end) {
    if (!wire_varint(&w, &value)) return otlp_fail_message(o);
    list->items[list->count++] = (int64_t)value;
  }
  return true;
}

static uint64_t otlp_fixed64(const uint8_t *bytes) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

/* Counts and hashes the timestamps of a field. Stores them in o->times if the builder keeps
 * times. */
static bool otlp_take_times(struct otlp *o, struct otlp_sample *s, const struct wire_field *field) {
  bool one = field->type == WIRE_FIXED64;
  if (!one && (field->type != WIRE_BYTES || field->size % sizeof(uint64_t)))
    return otlp_fail_message(o);
  size_t count = one ? 1 : field->size / sizeof(uint64_t);
  s->times.count += count;
  for (size_t i = 0; i < count; i++)
    s->times.hash = hash_mix(s->times.hash, otlp_fixed64(field->data + 8 * i));
  if (!builder_keeps_times(o->builder)) return true;
  struct otlp_numbers *times = &o->times;
  if (!import_need(o->builder,
                   ARRAY_RESERVE(o->mem, times->items, times->capacity, times->count + count)))
    return false;
  for (size_t i = 0; i < count; i++)
    times->items[times->count++] = (int64_t)otlp_fixed64(field->data + 8 * i);
  return true;
}

static bool otlp_take_stack(struct otlp *o, struct otlp_sample *s, const struct wire_field *field) {
  s->stack = (int32_t)field->value;
  return field->type == WIRE_VARINT || otlp_fail_message(o);
}

/* Reads a sample. The lists of the sample are valid until the next sample is read. */
static bool otlp_unpack_sample(struct otlp *o, const struct wire_field *message,
                               struct otlp_sample *s) {
  struct wire w = wire_inside(message);
  struct wire_field field;
  struct otlp_numbers *second = &o->lists[0], *third = &o->lists[1], *fourth = &o->lists[2];
  second->count = third->count = fourth->count = o->times.count = 0;
  *s = (struct otlp_sample){.times.sample = {(const char *)message->data, message->size}};
  while (wire_each(&w, &field)) {
    bool good = true;
    if (field.number == 1)
      good = otlp_take_stack(o, s, &field);
    else if (field.number >= 2 && field.number <= 4)
      good = otlp_take_numbers(o, &o->lists[field.number - 2], &field);
    else if (field.number == 5)
      good = otlp_take_times(o, s, &field);
    if (!good) return false;
  }
  if (w.fault) return otlp_fail_message(o);
  const struct otlp_numbers *values = o->values_second ? second : fourth;
  const struct otlp_numbers *attributes = o->values_second ? third : second;
  const struct otlp_numbers *link = o->values_second ? fourth : third;
  s->values = values->items;
  s->value_count = values->count;
  s->attributes = attributes->items;
  s->attribute_count = attributes->count;
  /* If the link is repeated, the last value applies. */
  if (link->count) s->link = (int32_t)link->items[link->count - 1];
  return true;
}

/* Returns the row as a sample without values. */
static struct otlp_sample otlp_sample_of(const struct otlp_rows *rows, size_t row) {
  const struct otlp_row *r = &rows->items[row];
  size_t end = row + 1 < rows->count ? r[1].first : rows->attribute_count;
  struct otlp_sample sample = {
      .stack = r->stack, .link = r->link, .attribute_count = end - r->first};
  if (sample.attribute_count) sample.attributes = rows->attributes + r->first;
  if (r->times) sample.times = rows->times[r->times - 1];
  return sample;
}

static uint64_t otlp_identity_hash(const struct otlp_sample *s) {
  uint64_t hash = hash_mix((uint64_t)(uint32_t)s->stack << 32 | (uint32_t)s->link,
                           s->attribute_count ^ s->times.hash);
  for (size_t i = 0; i < s->attribute_count; i++) hash = hash_mix(hash, (uint64_t)s->attributes[i]);
  return hash;
}

/* Finds the next timestamp of a sample. `sample` is the rest of the encoded sample. `list` is the
 * rest of the current field of timestamps. */
static bool otlp_next_time(struct wire *sample, struct wire *list, uint64_t *time) {
  struct wire_field field;
  while (list->at == list->end) {
    if (!wire_each(sample, &field)) return false;
    if (field.number != 5) continue;
    bool one = field.type == WIRE_FIXED64;
    *list = wire_over(field.data, one ? sizeof(uint64_t) : field.size);
  }
  *time = otlp_fixed64(list->at);
  list->at += sizeof(uint64_t);
  return true;
}

static bool otlp_equal_times(const struct otlp_times *a, const struct otlp_times *b) {
  struct wire one = wire_over(a->sample.data, a->sample.size);
  struct wire other = wire_over(b->sample.data, b->sample.size);
  struct wire one_list = {0}, other_list = {0};
  uint64_t time, other_time;
  while (otlp_next_time(&one, &one_list, &time))
    if (!otlp_next_time(&other, &other_list, &other_time) || time != other_time) return false;
  return true;
}

static inline bool otlp_same_times(const struct otlp_times *a, const struct otlp_times *b) {
  if (a->count != b->count || a->hash != b->hash) return false;
  return !a->count || otlp_equal_times(a, b);
}

/* True if the stacks, links and attributes of two samples are equal. */
static bool otlp_same_stack(const struct otlp_sample *a, const struct otlp_sample *b) {
  if (a->stack != b->stack || a->link != b->link || a->attribute_count != b->attribute_count)
    return false;
  for (size_t i = 0; i < a->attribute_count; i++)
    if (a->attributes[i] != b->attributes[i]) return false;
  return true;
}

static bool otlp_same_identity(const struct otlp_rows *rows, size_t row,
                               const struct otlp_sample *b) {
  struct otlp_sample a = otlp_sample_of(rows, row);
  return otlp_same_stack(&a, b) && otlp_same_times(&a.times, &b->times);
}

/* True if the sample `b` belongs to row `row`. The index of `b` in its profile is also `row`.
 * Stacks, links and attributes must be equal. Times must be equal unless the sample or the row
 * lacks times. */
static bool otlp_same_place(const struct otlp_rows *rows, size_t row, const struct otlp_sample *b) {
  struct otlp_sample a = otlp_sample_of(rows, row);
  return otlp_same_stack(&a, b) &&
         (!a.times.count || !b->times.count || otlp_same_times(&a.times, &b->times));
}

/* Stores the times of a sample in a row. */
static bool otlp_set_times(struct otlp *o, struct otlp_rows *rows, size_t row,
                           const struct otlp_times *times) {
  struct otlp_row *r = &rows->items[row];
  if (!r->times) {
    if (!import_need(o->builder,
                     ARRAY_RESERVE(o->mem, rows->times, rows->time_capacity, rows->time_count + 1)))
      return false;
    r->times = (uint32_t)++rows->time_count;
  }
  rows->times[r->times - 1] = *times;
  return true;
}

static size_t otlp_add_row(struct otlp *o, struct otlp_rows *rows,
                           const struct otlp_sample *sample) {
  size_t types = o->type_count, row = rows->count, more = sample->attribute_count;
  if (row >= UINT32_MAX - 1 || rows->attribute_count > UINT32_MAX)
    return import_refuse(o->builder, PPROFC_E_LIMIT, "too many samples");
  if (!import_need(o->builder, ARRAY_RESERVE(o->mem, rows->items, rows->capacity, row + 1) &&
                                   ARRAY_RESERVE(o->mem, rows->values, rows->value_capacity,
                                                 (row + 1) * types) &&
                                   ARRAY_RESERVE(o->mem, rows->attributes, rows->attribute_capacity,
                                                 rows->attribute_count + more)))
    return false;
  rows->items[row] =
      (struct otlp_row){sample->stack, sample->link, (uint32_t)rows->attribute_count, 0};
  if (more)
    memcpy(rows->attributes + rows->attribute_count, sample->attributes,
           more * sizeof *sample->attributes);
  rows->attribute_count += more;
  memset(rows->values + row * types, 0, types * sizeof *rows->values);
  return rows->count++;
}

/* Adds all new rows to the hash table. Of equal rows, adds only the first. */
static bool otlp_map_rows(struct otlp *o, struct otlp_rows *rows) {
  for (; rows->mapped < rows->count; rows->mapped++) {
    struct otlp_sample sample = otlp_sample_of(rows, rows->mapped);
    uint64_t hash = otlp_identity_hash(&sample);
    MAP_FIND(row, &rows->by_identity, hash, otlp_same_identity(rows, row, &sample));
    if (row == MAP_NONE && !map_insert(&rows->by_identity, hash, (uint32_t)rows->mapped))
      return import_need(o->builder, false);
  }
  return true;
}

/* Returns the row for sample `i` of a profile, and adds the row if it is new. The first `before`
 * rows come from earlier profiles. In the first profile, each sample gets its own row, even if
 * samples are equal. A sample of a later profile gets row `i` if it fits (otlp_same_place), else
 * the first equal row. */
static size_t otlp_find_row(struct otlp *o, struct otlp_rows *rows, size_t before,
                            const struct otlp_sample *sample, size_t i) {
  if (i < before && otlp_same_place(rows, i, sample)) return i;
  if (!before) return otlp_add_row(o, rows, sample);
  if (!otlp_map_rows(o, rows)) return 0;
  MAP_FIND(row, &rows->by_identity, otlp_identity_hash(sample),
           otlp_same_identity(rows, row, sample));
  if (row != MAP_NONE) return row;
  return otlp_add_row(o, rows, sample);
}

/* Returns the sum of the values, or the number of timestamps if there are no values. */
static int64_t otlp_value(const struct otlp_sample *s) {
  uint64_t sum = 0;
  if (!s->value_count) return (int64_t)s->times.count;
  for (size_t i = 0; i < s->value_count; i++) sum += (uint64_t)s->values[i];
  return (int64_t)sum;
}

/* Returns the text of an attribute of a sample, or "". */
static pprofc_str otlp_sample_text(struct otlp *o, const struct otlp_sample *s, pprofc_str key,
                                   struct buffer *scratch) {
  for (size_t i = 0; i < s->attribute_count && builder_ok(o->builder); i++) {
    const Otlp__KeyValueAndUnit *a = otlp_attribute(o, s->attributes[i]);
    if (a && str_equal(otlp_string(o, a->key_strindex), key))
      return otlp_value_text(o, a->value, scratch);
  }
  return STR("");
}

/* Records the timestamps of a sample for its row. Later otlp_number_events replaces the index of
 * the row by the index of its sample. */
static void otlp_add_events(struct otlp *o, const struct otlp_sample *s, size_t row) {
  struct buffer name, tid;
  if (!o->times.count) return;
  buffer_init(&name, o->mem, SIZE_MAX);
  buffer_init(&tid, o->mem, SIZE_MAX);
  struct time_track names = {.name = otlp_sample_text(o, s, STR("thread.name"), &name),
                             .tid = otlp_sample_text(o, s, STR("thread.id"), &tid)};
  uint32_t track = builder_track(o->builder, &names);
  for (size_t i = 0; i < o->times.count; i++)
    builder_event_of(o->builder, (uint32_t)row, track, o->times.items[i], 0);
  buffer_free(&name);
  buffer_free(&tid);
}

static bool otlp_read_sample(struct otlp *o, struct otlp_rows *rows, size_t before, size_t type,
                             const struct wire_field *field, size_t i) {
  struct otlp_sample sample;
  if (!otlp_unpack_sample(o, field, &sample)) return false;
  size_t row = otlp_find_row(o, rows, before, &sample, i);
  if (!builder_ok(o->builder)) return false;
  int64_t *value = &rows->values[row * o->type_count + type];
  *value = (int64_t)((uint64_t)*value + (uint64_t)otlp_value(&sample));
  o->timestamps += sample.times.count;
  if (!sample.times.count) return true;
  /* Do not add timestamps that a profile of another sample type already added. */
  uint32_t times = rows->items[row].times;
  if (row < before && times && otlp_same_times(&rows->times[times - 1], &sample.times)) return true;
  otlp_add_events(o, &sample, row);
  return otlp_set_times(o, rows, row, &sample.times);
}

static void otlp_read_profile(struct otlp *o, struct otlp_rows *rows,
                              const struct otlp_found *profile) {
  size_t before = rows->count, type = otlp_type(o, profile->header->sample_type);
  const uint8_t *data = (const uint8_t *)profile->message.data;
  struct wire w = wire_over(data, profile->message.size);
  struct wire_field field;
  otlp_read_header(o, profile->header);
  for (size_t i = 0; builder_ok(o->builder) && wire_each(&w, &field);)
    if (field.number == 2 && otlp_read_sample(o, rows, before, type, &field, i)) i++;
  mem_discard(data, w.end); /* release this memory, which is not read again */
}

/* ---- labels ------------------------------------------ */

static void otlp_text_label(struct otlp *o, pprofc_str key, pprofc_str text) {
  builder_add_label(o->builder, &(struct label){.key = builder_string(o->builder, key),
                                                .string = builder_string(o->builder, text)});
}

static void otlp_hex_label(struct otlp *o, const char *key, const ProtobufCBinaryData *id) {
  char text[64];
  size_t size = 0;
  for (size_t i = 0; i < id->len && size + 2 < sizeof text; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "%02x", id->data[i]);
  if (size) otlp_text_label(o, str_of(key), (pprofc_str){text, size});
}

static void otlp_add_link(struct otlp *o, int32_t index) {
  const struct otlp_tables *t = o->tables;
  if (!otlp_check_index(o, index, t->link_count, "link") || !index) return;
  otlp_hex_label(o, "trace_id", &t->links[index]->trace_id);
  otlp_hex_label(o, "span_id", &t->links[index]->span_id);
}

static void otlp_resource_labels(struct otlp *o, const Otlp__Resource *resource) {
  struct buffer scratch = buffer_make(o->mem, SIZE_MAX);
  for (size_t i = 0; i < resource->n_attributes && builder_ok(o->builder); i++)
    otlp_text_label(o, otlp_key(o, resource->attributes[i]),
                    otlp_value_text(o, resource->attributes[i]->value, &scratch));
  buffer_free(&scratch);
}

/* Stacks are scattered in memory, so the reader prefetches a stack this many samples before it
 * reads the stack. It prefetches the stack's table entry twice as early. */
#define OTLP_AHEAD 8

static void otlp_prefetch(const struct otlp *o, const struct otlp_rows *rows, size_t row) {
  if (row + 2 * OTLP_AHEAD >= rows->count) return;
  otlp_prefetch_stack(o, rows->items[row + 2 * OTLP_AHEAD].stack);
  otlp_prefetch_frames(o, rows->items[row + OTLP_AHEAD].stack);
}

static void otlp_emit(struct otlp *o, const struct otlp_rows *rows, size_t row) {
  struct otlp_sample s = otlp_sample_of(rows, row);
  otlp_prefetch(o, rows, row);
  if (!otlp_add_sample(o, s.stack, rows->values + row * o->type_count)) return;
  for (size_t i = 0; i < s.attribute_count && builder_ok(o->builder); i++) {
    struct otlp_labels labels = otlp_labels_of(o, s.attributes[i]);
    for (size_t k = 0; k < labels.count; k++) builder_add_label(o->builder, &labels.items[k]);
  }
  otlp_add_link(o, s.link);
  if (rows->resource) otlp_resource_labels(o, rows->resource);
}

/* ---- scopes and resources ---------------------------- */

/* Number of rows after which the memory of earlier rows is released. */
#define OTLP_DROP_EVERY THRESHOLD(4096u)

/* True if the memory of a stack can be released after its row is added. The stacks of the rows must
 * be in the order of the dictionary. The memory between these stacks must not contain other data,
 * and no other rows may use this memory. */
static bool otlp_rows_ascend(const struct otlp *o, const struct otlp_rows *rows) {
  if (o->frame_count > 1 || o->frames[0].scope_count > 1 || o->tables->stacks_apart) return false;
  for (size_t i = 0; i < rows->count; i++) {
    if (!otlp_has_stack(o, rows->items[i].stack)) return false;
    if (i && rows->items[i].stack < rows->items[i - 1].stack) return false;
  }
  return true;
}

/* Releases the memory of the OTLP_DROP_EVERY rows before `row`. */
static void otlp_drop(const struct otlp *o, const struct otlp_rows *rows, size_t row) {
  size_t first = row - OTLP_DROP_EVERY;
  if (rows->attributes)
    mem_discard(rows->attributes + rows->items[first].first,
                rows->attributes + rows->items[row].first);
  mem_discard(rows->items + first, rows->items + row);
  mem_discard(rows->values + first * o->type_count, rows->values + row * o->type_count);
}

/* Replaces the index i of a row by the index `sample` + i of its sample, in the recorded times from
 * index `first` on. */
static void otlp_number_events(struct otlp *o, const struct otlp_rows *rows, size_t first,
                               size_t sample) {
  if (first == builder_event_count(o->builder)) return;
  uint32_t *number = mem_array(o->mem, rows->count, sizeof *number);
  for (size_t i = 0; number && i < rows->count; i++) number[i] = (uint32_t)(sample + i);
  if (number)
    builder_event_numbers(o->builder, first, number);
  else
    import_need(o->builder, false);
  mem_free(o->mem, number, rows->count, sizeof *number);
}

static void otlp_emit_rows(struct otlp *o, const struct otlp_rows *rows) {
  bool ascend = otlp_rows_ascend(o, rows);
  const uint8_t *read = NULL; /* first stack whose memory is not yet released */
  for (size_t i = 0; i < rows->count && builder_ok(o->builder); i++) {
    otlp_emit(o, rows, i);
    if (!i) read = o->stack_field;
    if (!i || i % OTLP_DROP_EVERY) continue;
    otlp_drop(o, rows, i);
    if (ascend) mem_discard(read, o->stack_field);
    read = o->stack_field;
  }
}

static void otlp_read_scope(struct otlp *o, const struct otlp_frame *frame,
                            const struct otlp_scope *scope, const Otlp__Resource *resource) {
  struct otlp_rows rows = {.resource = o->resources > 1 ? resource : NULL};
  size_t event = builder_event_count(o->builder), first = builder_sample_count(o->builder);
  map_init(&rows.by_identity, o->mem);
  if (scope->scope) otlp_note_attributes(o, scope->scope->attributes, scope->scope->n_attributes);
  for (size_t i = 0; i < scope->profile_count && builder_ok(o->builder); i++)
    otlp_read_profile(o, &rows, &frame->profiles[scope->first_profile + i]);
  map_free(&rows.by_identity);
  otlp_number_events(o, &rows, event, first);
  otlp_emit_rows(o, &rows);
  ARRAY_FREE(o->mem, rows.items, rows.capacity);
  ARRAY_FREE(o->mem, rows.times, rows.time_capacity);
  ARRAY_FREE(o->mem, rows.attributes, rows.attribute_capacity);
  ARRAY_FREE(o->mem, rows.values, rows.value_capacity);
}

bool otlp_read_samples(struct otlp *o, const struct otlp_frame *frame) {
  for (size_t i = 0; i < frame->resource_count && builder_ok(o->builder); i++) {
    const struct otlp_resource *r = &frame->resources[i];
    if (r->resource && o->resources == 1)
      otlp_note_attributes(o, r->resource->attributes, r->resource->n_attributes);
    for (size_t k = 0; k < r->scope_count && builder_ok(o->builder); k++)
      otlp_read_scope(o, frame, &frame->scopes[r->first_scope + k], r->resource);
  }
  return builder_ok(o->builder);
}
