/* The samples of OTLP. A profile there has one sample type: those of a scope are joined into
 * samples of several values, by position where they agree, else by what a sample is of: its stack,
 * its attributes and its link. */
#include "import/otlp/otlp.h"

#include <stdio.h>

#define MOST_TYPES 65536u

/* The samples of one scope. */
struct otlp_rows {
  struct otlp_sample *items; /* [count] one of the samples that were joined */
  int64_t *values;           /* [count * type_count] */
  size_t count, capacity, value_capacity;
  struct map by_identity;
  const Otlp__Resource *resource; /* whose attributes become labels, or NULL */
};

/* ---- types ------------------------------------------- */

static bool otlp_same_type(const void *types, uint32_t index, const void *wanted) {
  const struct value_type *a = (const struct value_type *)types + index, *b = wanted;
  return a->type == b->type && a->unit == b->unit;
}

/* Adds a sample type. Reports tell types apart by their names, so one whose name is taken, with
 * another unit, gets its unit behind the name: "samples_bytes". */
static void otlp_add_type(struct otlp *o, pprofc_str type, pprofc_str unit) {
  struct buffer name;
  uint32_t before = (uint32_t)o->type_names.count;
  if (interner_copy(&o->type_names, &o->arena, type) == MAP_NONE) otlp_fail_nomem(o);
  if (o->type_names.count > before) {
    builder_add_type(o->builder, type, unit);
    return;
  }
  buffer_init(&name, o->mem, SIZE_MAX);
  buffer_printf(&name, "%.*s_%.*s", STR_ARG(type), STR_ARG(unit));
  if (name.failed) otlp_fail_nomem(o);
  builder_add_type(o->builder, buffer_str(&name), unit);
  buffer_free(&name);
}

/* The column of a sample type; entered when it is new. */
static size_t otlp_type(struct otlp *o, const Otlp__ValueType *t) {
  pprofc_str type = t ? otlp_string(o, t->type_strindex) : STR("");
  pprofc_str unit = t ? otlp_string(o, t->unit_strindex) : STR("");
  if (!type.size && !unit.size) type = STR("samples"), unit = STR("count");
  struct value_type wanted = {builder_string(o->builder, type), builder_string(o->builder, unit)};
  uint32_t index = map_find_or_add(&o->by_type, hash_mix(wanted.type, wanted.unit), otlp_same_type,
                                   o->types, &wanted, (uint32_t)o->type_count);
  if (index < o->type_count) return index;
  if (o->type_count == MOST_TYPES)
    return otlp_fail(o, PPROFC_E_LIMIT, "more than %u sample types", MOST_TYPES);
  if (index == MAP_NONE || !ARRAY_RESERVE(o->mem, o->types, o->type_capacity, o->type_count + 1))
    return otlp_fail_nomem(o);
  otlp_add_type(o, type, unit);
  o->types[o->type_count] = wanted;
  return o->type_count++;
}

static void otlp_scope_types(struct otlp *o, const Otlp__ScopeProfiles *scope) {
  for (size_t i = 0; i < scope->n_profiles && otlp_ok(o); i++)
    otlp_type(o, scope->profiles[i]->sample_type);
}

bool otlp_read_types(struct otlp *o, const Otlp__Profiles *frame) {
  for (size_t i = 0; i < frame->n_resource_profiles; i++) {
    const Otlp__ResourceProfiles *resource = frame->resource_profiles[i];
    o->resources++;
    for (size_t k = 0; k < resource->n_scope_profiles; k++)
      otlp_scope_types(o, resource->scope_profiles[k]);
  }
  return otlp_ok(o);
}

/* ---- rows -------------------------------------------- */

static struct otlp_sample otlp_sample(struct otlp *o, const Otlp__SampleFields *s) {
  struct otlp_sample sample = {.stack = s->stack_index,
                               .timestamp_count = s->n_timestamps_unix_nano,
                               .attributes = s->second,
                               .attribute_count = s->n_second,
                               .values = s->fourth,
                               .value_count = s->n_fourth};
  const int64_t *link = s->third;
  size_t links = s->n_third;
  if (o->values_second) {
    sample.values = s->second;
    sample.value_count = s->n_second;
    sample.attributes = s->third;
    sample.attribute_count = s->n_third;
    link = s->fourth;
    links = s->n_fourth;
  }
  if (links)
    sample.link = (int32_t)link[links - 1]; /* of a field that occurs again the last counts */
  return sample;
}

static uint64_t otlp_identity_hash(const struct otlp_sample *s) {
  uint64_t hash =
      hash_mix((uint64_t)(uint32_t)s->stack << 32 | (uint32_t)s->link, s->attribute_count);
  for (size_t i = 0; i < s->attribute_count; i++) hash = hash_mix(hash, (uint64_t)s->attributes[i]);
  return hash;
}

static bool otlp_same_identity(const struct otlp_sample *a, const struct otlp_sample *b) {
  if (a->stack != b->stack || a->link != b->link || a->attribute_count != b->attribute_count)
    return false;
  for (size_t i = 0; i < a->attribute_count; i++)
    if (a->attributes[i] != b->attributes[i]) return false;
  return true;
}

static size_t otlp_add_row(struct otlp *o, struct otlp_rows *rows,
                           const struct otlp_sample *sample) {
  size_t types = o->type_count, row = rows->count;
  if (row >= UINT32_MAX - 1) return otlp_fail(o, PPROFC_E_LIMIT, "too many samples");
  if (!ARRAY_RESERVE(o->mem, rows->items, rows->capacity, row + 1) ||
      !ARRAY_RESERVE(o->mem, rows->values, rows->value_capacity, (row + 1) * types) ||
      !map_insert(&rows->by_identity, otlp_identity_hash(sample), (uint32_t)row))
    return otlp_fail_nomem(o);
  rows->items[row] = *sample;
  memset(rows->values + row * types, 0, types * sizeof *rows->values);
  return rows->count++;
}

/* The row for sample `i` of a profile; `before` rows were there before it. A profile gives a sample
 * that it has twice two rows; the ones behind it find the same. */
static size_t otlp_row(struct otlp *o, struct otlp_rows *rows, size_t before,
                       const struct otlp_sample *sample, size_t i) {
  if (i < before && otlp_same_identity(&rows->items[i], sample)) return i;
  struct map_probe probe = map_start(&rows->by_identity, otlp_identity_hash(sample));
  uint32_t row;
  while (before && (row = map_next(&rows->by_identity, &probe)) != MAP_NONE)
    if (otlp_same_identity(&rows->items[row], sample)) return row;
  return otlp_add_row(o, rows, sample);
}

/* The sum of the values, or, where there are only times, how many they are. */
static int64_t otlp_value(const struct otlp_sample *s) {
  uint64_t sum = 0;
  if (!s->value_count) return (int64_t)s->timestamp_count;
  for (size_t i = 0; i < s->value_count; i++) sum += (uint64_t)s->values[i];
  return (int64_t)sum;
}

static void otlp_read_profile(struct otlp *o, struct otlp_rows *rows, const Otlp__Profile *p) {
  size_t before = rows->count, type = otlp_type(o, p->sample_type);
  otlp_read_header(o, p);
  for (size_t i = 0; i < p->n_samples && otlp_ok(o); i++) {
    struct otlp_sample sample = otlp_sample(o, p->samples[i]);
    size_t row = otlp_row(o, rows, before, &sample, i);
    if (!otlp_ok(o)) return;
    int64_t *value = &rows->values[row * o->type_count + type];
    *value = (int64_t)((uint64_t)*value + (uint64_t)otlp_value(&sample));
    o->timestamps += sample.timestamp_count;
  }
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
  const Otlp__Dictionary *d = o->tables.dictionary;
  if (!otlp_check_index(o, index, d->n_link_table, "link") || !index) return;
  otlp_hex_label(o, "trace_id", &d->link_table[index]->trace_id);
  otlp_hex_label(o, "span_id", &d->link_table[index]->span_id);
}

static void otlp_resource_labels(struct otlp *o, const Otlp__Resource *resource) {
  struct buffer scratch;
  buffer_init(&scratch, o->mem, SIZE_MAX);
  for (size_t i = 0; i < resource->n_attributes && otlp_ok(o); i++)
    otlp_text_label(o, otlp_key(o, resource->attributes[i]),
                    otlp_value_text(o, resource->attributes[i]->value, &scratch));
  buffer_free(&scratch);
}

static void otlp_emit(struct otlp *o, const struct otlp_rows *rows, size_t row) {
  const struct otlp_sample *s = &rows->items[row];
  struct label label;
  size_t depth = otlp_stack(o, s->stack);
  if (!otlp_ok(o)) return;
  pprofc_builder_sample(o->builder, o->stack, depth, rows->values + row * o->type_count);
  for (size_t i = 0; i < s->attribute_count && otlp_ok(o); i++)
    if (otlp_label(o, s->attributes[i], &label)) builder_add_label(o->builder, &label);
  otlp_add_link(o, s->link);
  if (rows->resource) otlp_resource_labels(o, rows->resource);
}

/* ---- scopes and resources ---------------------------- */

static void otlp_read_scope(struct otlp *o, const Otlp__ScopeProfiles *scope,
                            const Otlp__Resource *resource) {
  struct otlp_rows rows = {.resource = o->resources > 1 ? resource : NULL};
  map_init(&rows.by_identity, o->mem);
  if (scope->n_scope)
    otlp_note_attributes(o, scope->scope[0]->attributes, scope->scope[0]->n_attributes);
  for (size_t i = 0; i < scope->n_profiles && otlp_ok(o); i++)
    otlp_read_profile(o, &rows, scope->profiles[i]);
  for (size_t i = 0; i < rows.count && otlp_ok(o) && builder_ok(o->builder); i++)
    otlp_emit(o, &rows, i);
  map_free(&rows.by_identity);
  ARRAY_FREE(o->mem, rows.items, rows.capacity);
  ARRAY_FREE(o->mem, rows.values, rows.value_capacity);
}

bool otlp_read_samples(struct otlp *o, const Otlp__Profiles *frame) {
  for (size_t i = 0; i < frame->n_resource_profiles && otlp_ok(o); i++) {
    const Otlp__ResourceProfiles *r = frame->resource_profiles[i];
    const Otlp__Resource *resource = r->n_resource ? r->resource[0] : NULL;
    if (resource && o->resources == 1)
      otlp_note_attributes(o, resource->attributes, resource->n_attributes);
    for (size_t k = 0; k < r->n_scope_profiles && otlp_ok(o); k++)
      otlp_read_scope(o, r->scope_profiles[k], resource);
  }
  return otlp_ok(o);
}
