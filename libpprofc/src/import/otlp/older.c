/* Rewrites a message of schema version 1.6 or 1.7 (async-profiler 4.1 and 4.2) as a message of the
 * current version.
 *
 * In old versions a profile has several sample types, and its stacks are ranges of one list of
 * locations. Index 0 of a table is an ordinary entry; in the current version index 0 means "not
 * set". Therefore each index grows by the number of entries that this file adds at the start of the
 * table. Some flags became attributes. In 1.6 the tables are fields of the message itself. */
#include "import/otlp/otlp.h"

#define OLDER_MAX_TYPES 256u

/* Rules for the fields of a profile except types, samples, locations, comments and default type. */
static const struct older_rule older_header[] = {{4, 3, OLDER_TIME, 0},
                                                 {5, 4, OLDER_COPY, 0},
                                                 {6, 5, OLDER_TYPE, 0},
                                                 {7, 6, OLDER_COPY, 0},
                                                 {10, 7, OLDER_COPY, 0},
                                                 {14, 11, OLDER_ATTRIBUTES, 0},
                                                 {0}};

/* ---- profiles ---------------------------------------- */

/* Adds an attribute to the header of a profile. The attribute's value is the string with the index
 * `string` in the old table. */
static void older_text_attribute(struct older *c, struct buffer *header, const char *key,
                                 uint64_t string) {
  uint8_t value[WIRE_FIELD_MAX];
  size_t size = (size_t)(wire_put_integer(value, 8, string + OLDER_SHIFT) - value);
  otlp_put_integer(header, 11, c->attribute_count);
  older_new_attribute(c, str_of(key), value, size, 0);
}

static bool older_comments(struct older *c, struct buffer *header, const struct wire_field *f) {
  struct wire w = wire_inside(f);
  uint64_t string;
  if (f->type == WIRE_VARINT) older_text_attribute(c, header, "pprof.profile.comment", f->value);
  while (w.at < w.end) {
    if (!wire_varint(&w, &string)) return false;
    older_text_attribute(c, header, "pprof.profile.comment", string);
  }
  return true;
}

/* Appends the locations in a field to the list of locations of the profile. */
static bool older_locations(struct older *c, const struct wire_field *f) {
  struct wire w = wire_inside(f);
  uint64_t value = f->value;
  size_t room = f->type == WIRE_VARINT ? 1 : f->size;
  if (!import_need(c->otlp->builder, ARRAY_RESERVE(c->otlp->mem, c->locations, c->location_capacity,
                                                   c->location_count + room)))
    return false;
  if (f->type == WIRE_VARINT) c->locations[c->location_count++] = value + OLDER_SHIFT;
  while (w.at < w.end) {
    if (!wire_varint(&w, &value)) return false;
    c->locations[c->location_count++] = value + OLDER_SHIFT;
  }
  return true;
}

/* A profile that is being rewritten. `header` has its rewritten fields except types and samples,
 * and `types` has its sample types. */
struct older_profile {
  struct buffer header;
  struct wire_field types[OLDER_MAX_TYPES];
  size_t type_count;
  uint64_t default_type; /* index of the default type in `types`; 0 if not given */
};

static bool older_profile_field(struct older *c, struct older_profile *p,
                                const struct wire_field *f) {
  const struct older_rule *rule = older_rule_of(older_header, f->number);
  if (f->number == 1) {
    if (p->type_count == OLDER_MAX_TYPES)
      return import_refuse(c->otlp->builder, PPROFC_E_LIMIT, "more than %u sample types",
                           OLDER_MAX_TYPES);
    p->types[p->type_count++] = *f;
  }
  if (f->number == 9) p->default_type = f->value;
  if (f->number == 3) return older_locations(c, f);
  if (f->number == 8) return older_comments(c, &p->header, f);
  return !rule || older_put_field(c, &p->header, rule, f);
}

static bool older_sample_field(struct older_sample *s, const struct wire_field *f) {
  if (f->number == 1) s->start = f->value;
  if (f->number == 2) s->length = f->value;
  if (f->number == 5) s->link = f->value + OLDER_SHIFT;
  if (f->number == 3) return older_add_numbers(&s->values, f, 0);
  if (f->number == 4) return older_add_numbers(&s->attributes, f, OLDER_ATTRIBUTE_SHIFT);
  if (f->number == 6) return older_add_numbers(&s->times, f, 0);
  return true;
}

/* Reads a sample. Returns NULL if the sample is invalid. The next call overwrites the returned
 * sample. */
static struct older_sample *older_read_sample(struct older *c, const struct wire_field *f) {
  struct older_sample *s = &c->sample;
  struct wire w = wire_inside(f);
  struct wire_field field;
  s->start = s->length = s->link = 0;
  buffer_clear(&s->values);
  buffer_clear(&s->attributes);
  buffer_clear(&s->times);
  while (f->type == WIRE_BYTES && wire_each(&w, &field))
    if (!older_sample_field(s, &field)) return NULL;
  return f->type == WIRE_BYTES && !w.fault ? s : NULL;
}

/* Writes value `index` of a sample. Writes the times with the first value (index 0), or if the
 * sample has no values. */
static void older_put_value(const struct older_sample *s, size_t index, struct buffer *out) {
  const uint8_t *data = (const uint8_t *)s->values.data, *times = (const uint8_t *)s->times.data;
  struct wire w = wire_over(data, s->values.size);
  uint8_t bytes[VARINT_BYTES_MAX];
  uint64_t value;
  for (size_t i = 0; i <= index && w.at < w.end && wire_varint(&w, &value); i++)
    if (i == index) otlp_put_bytes(out, 4, bytes, varint_put(bytes, value));
  if (s->values.size && index) return;
  w = wire_over(times, s->times.size);
  while (w.at < w.end && wire_varint(&w, &value)) otlp_put_fixed(out, 5, value);
}

/* Writes a sample with the value of type `index`. `stack` is the index of its stack, which
 * older_put_stack has written. */
static bool older_put_sample(struct older *c, const struct wire_field *f, size_t index,
                             uint64_t stack, struct buffer *profile) {
  struct older_sample *s = older_read_sample(c, f);
  if (!s) return false;
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  otlp_put_integer(&out, 1, stack);
  older_put_numbers(&out, 2, &s->attributes);
  if (s->link) otlp_put_integer(&out, 3, s->link);
  older_put_value(s, index, &out);
  out.failed |= s->values.failed || s->times.failed;
  older_put_message(profile, 2, &out);
  return true;
}

/* Writes the stack of a sample to the dictionary. */
static bool older_put_stack(struct older *c, const struct wire_field *f) {
  struct older_sample *s = older_read_sample(c, f);
  struct buffer list, stack;
  if (!s) return false;
  if (s->length) s->length -= c->excess;
  if (s->start > c->location_count || s->length > c->location_count - s->start)
    return import_refuse(c->otlp->builder, PPROFC_E_FORMAT,
                         "locations %llu to %llu are outside the list of %zu",
                         (unsigned long long)s->start, (unsigned long long)(s->start + s->length),
                         c->location_count);
  buffer_init(&list, c->otlp->mem, SIZE_MAX);
  buffer_init(&stack, c->otlp->mem, SIZE_MAX);
  for (uint64_t i = 0; i < s->length && !list.failed; i++)
    otlp_put_varint(&list, c->locations[s->start + i]);
  older_put_numbers(&stack, 1, &list);
  older_put_message(&c->dictionary, OLDER_STACK, &stack);
  c->stack_count++;
  return import_need(c->otlp->builder, !c->dictionary.failed);
}

/* True if each sample's range of locations is one location too long: the ranges, each shortened by
 * one, cover the list of locations without gaps. async-profiler 4.2 writes such ranges. It counts a
 * frame for the thread, but writes the thread as an attribute. */
static bool older_counts_thread(struct older *c, const struct wire_field *f) {
  struct wire w = wire_inside(f);
  struct wire_field field;
  uint64_t end = 0;
  bool ok = c->location_count > 0;
  while (ok && wire_each(&w, &field)) {
    if (field.number != 2) continue;
    const struct older_sample *s = older_read_sample(c, &field);
    ok = s && s->start == end && s->length;
    end = ok ? s->start + s->length - 1 : 0;
  }
  return ok && end == c->location_count;
}

/* Writes a profile with only the sample type `index`. For the first type, also writes the stacks to
 * the dictionary. */
static bool older_put_profile(struct older *c, const struct older_profile *p, size_t index,
                              const struct wire_field *f, size_t first_stack,
                              struct buffer *scope) {
  static const struct older_rule type = {1, 1, OLDER_TYPE, 0};
  struct wire w = wire_inside(f);
  struct wire_field field;
  bool ok = true;
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  buffer_add(&out, p->header.data, p->header.size);
  if (index < p->type_count) ok = older_put_field(c, &out, &type, &p->types[index]);
  for (size_t stack = first_stack; ok && !out.failed && wire_each(&w, &field);) {
    if (field.number != 2) continue;
    ok = (index || older_put_stack(c, &field)) && older_put_sample(c, &field, index, stack++, &out);
  }
  older_put_message(scope, 2, &out);
  return ok;
}

/* Adds an attribute with the name of the profile's default sample type, if the profile has one. */
static bool older_default_type(struct older *c, struct older_profile *p) {
  if (!p->default_type || p->default_type >= p->type_count) return true;
  struct wire w = wire_inside(&p->types[p->default_type]);
  struct wire_field field;
  while (wire_each(&w, &field))
    if (field.number == 1)
      older_text_attribute(c, &p->header, "pprof.profile.default_sample_type", field.value);
  return !w.fault;
}

static bool older_profile(struct older *c, const struct wire_field *f, struct buffer *scope) {
  struct older_profile p = {.type_count = 0};
  struct wire w = wire_inside(f);
  struct wire_field field;
  bool ok = true;
  size_t first_stack = c->stack_count;
  c->location_count = 0;
  buffer_init(&p.header, c->otlp->mem, SIZE_MAX);
  while (ok && wire_each(&w, &field)) ok = older_profile_field(c, &p, &field);
  ok = ok && !w.fault && older_default_type(c, &p);
  c->excess = ok && older_counts_thread(c, f);
  for (size_t i = 0; ok && (i < p.type_count || !i); i++)
    ok = older_put_profile(c, &p, i, f, first_stack, scope);
  scope->failed |= p.header.failed;
  buffer_free(&p.header);
  return ok;
}

/* ---- the message ------------------------------------- */

/* Rewrites a resource, or a scope if `is_scope` is true. Copies field 1, which describes the
 * resource or scope. Rewrites each field 2: a scope of a resource, or a profile of a scope. */
static bool older_level(struct older *c, const struct wire_field *f, bool is_scope,
                        struct buffer *parent, unsigned number) {
  struct wire w = wire_inside(f);
  struct wire_field field;
  bool ok = f->type == WIRE_BYTES;
  struct buffer out = buffer_make(c->otlp->mem, SIZE_MAX);
  while (ok && wire_each(&w, &field)) {
    ok = field.number > 2 || field.type == WIRE_BYTES;
    if (!ok || field.number > 2) continue;
    if (field.number == 1)
      older_put_copy(&out, 1, &field);
    else
      ok = is_scope ? older_profile(c, &field, &out) : older_level(c, &field, true, &out, 2);
  }
  older_put_message(parent, number, &out);
  return ok && !w.fault;
}

static bool older_message(struct older *c, pprofc_str message, struct buffer *out) {
  const uint8_t *data = (const uint8_t *)message.data;
  struct wire w = wire_over(data, message.size);
  struct wire_field field;
  if (!older_all_tables(c, message)) return false;
  while (wire_each(&w, &field))
    if (field.number == 1 && !older_level(c, &field, false, out, 1)) return false;
  older_put_message(out, 2, &c->dictionary);
  return !w.fault;
}

bool otlp_from_older(struct otlp *o, pprofc_str *message) {
  struct older c = {.otlp = o};
  o->frame_number = o->frame_count + 1;
  struct buffer out = buffer_make(o->mem, SIZE_MAX);
  buffer_init(&c.dictionary, o->mem, SIZE_MAX);
  interner_init(&c.unit_keys, o->mem);
  buffer_init(&c.sample.values, o->mem, SIZE_MAX);
  buffer_init(&c.sample.attributes, o->mem, SIZE_MAX);
  buffer_init(&c.sample.times, o->mem, SIZE_MAX);
  bool ok = older_message(&c, *message, &out);
  bool failed = out.failed || c.dictionary.failed;
  *message = buffer_take(&out, o->arena);
  ARRAY_FREE(o->mem, c.strings, c.string_capacity);
  ARRAY_FREE(o->mem, c.units, c.unit_capacity);
  ARRAY_FREE(o->mem, c.locations, c.location_capacity);
  buffer_free(&c.sample.values);
  buffer_free(&c.sample.attributes);
  buffer_free(&c.sample.times);
  buffer_free(&c.dictionary);
  interner_free(&c.unit_keys);
  return import_need(o->builder, !failed && (!ok || message->data)) && (ok || otlp_fail_message(o));
}
