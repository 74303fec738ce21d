/* Writes the report -otlp: the filtered profile as OpenTelemetry's ProfilesData. The standard
 * requires a separate profile for each sample type. All these profiles have the same samples in the
 * same order, so that a reader can join them. Data that only pprof has becomes attributes. */
#include "codec/wire.h"
#include "report/proto/otlp_tables.h"
#include "report/report.h"

static void otlp_put_head(struct output *out, unsigned field, size_t size) {
  uint8_t head[WIRE_FIELD_MAX];
  output_add(out, head, (size_t)(wire_put_head(head, field, size) - head));
}

static size_t otlp_head_size(size_t size) {
  return 1 + varint_bytes(size);
}

/* ---- the dictionary ---------------------------------- */

static size_t otlp_dictionary_size(const struct otlp_writer *w) {
  size_t size = 0;
  for (size_t t = 0; t < OTLP_TABLES; t++)
    for (size_t i = 0; i < w->tables[t].count; i++)
      size += otlp_head_size(w->tables[t].items[i].size) + w->tables[t].items[i].size;
  return size;
}

static void otlp_put_dictionary(const struct otlp_writer *w, struct output *out) {
  otlp_put_head(out, 2, otlp_dictionary_size(w));
  for (size_t t = 0; t < OTLP_TABLES; t++)
    for (size_t i = 0; i < w->tables[t].count; i++) {
      otlp_put_head(out, (unsigned)t + 1, w->tables[t].items[i].size);
      output_add_str(out, w->tables[t].items[i]);
    }
}

/* ---- profiles ---------------------------------------- */

struct otlp_profile {
  Otlp__Profile head; /* fields of the profile, but not its samples */
  Otlp__ValueType type, period_type;
  size_t samples_size; /* encoded size of all samples, in bytes */
};

static void otlp_fill_sample(const struct otlp_writer *w, size_t i, const int64_t *value,
                             Otlp__Sample *out) {
  const struct samples *s = &w->profile->samples;
  *out = (Otlp__Sample)OTLP__SAMPLE__INIT;
  out->stack_index = w->stack[i];
  if (s->label_set) {
    const struct otlp_list *labels = &w->labels[s->label_set[i]];
    out->n_attribute_indices = labels->count;
    out->attribute_indices = labels->items;
  }
  out->n_values = 1;
  out->values = (int64_t *)(uintptr_t)value;
}

static size_t otlp_samples_size(const struct otlp_writer *w, size_t type) {
  const struct samples *s = &w->profile->samples;
  size_t size = 0;
  for (size_t i = 0; i < s->count; i++) {
    Otlp__Sample sample;
    otlp_fill_sample(w, i, &s->values[i * w->profile->type_count + type], &sample);
    size_t one = otlp__sample__get_packed_size(&sample);
    size += otlp_head_size(one) + one;
  }
  return size;
}

/* Writes all samples, each with its value of one sample type. Returns false when out of memory. */
static bool otlp_put_samples(struct otlp_writer *w, size_t type, struct output *out) {
  const struct samples *s = &w->profile->samples;
  for (size_t i = 0; i < s->count && !out->failed; i++) {
    Otlp__Sample sample;
    otlp_fill_sample(w, i, &s->values[i * w->profile->type_count + type], &sample);
    size_t size = otlp__sample__get_packed_size(&sample);
    buffer_clear(&w->scratch);
    if (!buffer_reserve(&w->scratch, size + 1)) return false;
    otlp__sample__pack(&sample, (uint8_t *)w->scratch.data);
    otlp_put_head(out, 2, size);
    output_add(out, w->scratch.data, size);
  }
  return true;
}

static bool otlp_put_message(struct otlp_writer *w, const ProtobufCMessage *message,
                             struct output *out) {
  size_t size = protobuf_c_message_get_packed_size(message);
  buffer_clear(&w->scratch);
  if (!buffer_reserve(&w->scratch, size + 1)) return false;
  protobuf_c_message_pack(message, (uint8_t *)w->scratch.data);
  output_add(out, w->scratch.data, size);
  return true;
}

/* ---- attributes of the profile ----------------------- */

static void otlp_put_attribute(struct otlp_writer *w, struct otlp_list *list, const char *key,
                               uint32_t string) {
  pprofc_str text = profile_string(w->profile, string);
  if (text.size) list->items[list->count++] = otlp_write_attribute(w, key, text);
}

/* Writes the name and the build id of the program (the first mapping) as attributes. Does nothing
 * if a sample uses this mapping, because the table of mappings then contains it. */
static void otlp_put_program(struct otlp_writer *w, struct otlp_list *list) {
  const pprofc_profile *p = w->profile;
  if (!p->mappings.count || w->mapping[0] >= 0) return;
  pprofc_str file = profile_string(p, p->mappings.items[0].file);
  list->items[list->count++] = otlp_write_attribute(w, "pprof.profile.main_binary", file);
  otlp_put_attribute(w, list, "pprof.profile.main_build_id", p->mappings.items[0].build_id);
}

/* Writes, as attributes, the fields of profile.proto that OTLP lacks. Each attribute needs a
 * different key, so the keys of several comments have numbers. */
static bool otlp_profile_attributes(struct otlp_writer *w, struct otlp_list *list) {
  const pprofc_profile *p = w->profile;
  *list = (struct otlp_list){.items =
                                 arena_array(&w->arena, p->comment_count + 6, sizeof *list->items)};
  if (!list->items) return false;
  for (size_t i = 0; i < p->comment_count; i++) {
    char key[64] = "pprof.profile.comment";
    if (p->comment_count > 1) snprintf(key, sizeof key, "pprof.profile.comment.%zu", i);
    otlp_put_attribute(w, list, key, p->comments[i]);
  }
  otlp_put_attribute(w, list, "pprof.profile.drop_frames", p->drop_frames);
  otlp_put_attribute(w, list, "pprof.profile.keep_frames", p->keep_frames);
  otlp_put_attribute(w, list, "pprof.profile.doc_url", p->doc_url);
  otlp_put_attribute(w, list, "pprof.profile.default_sample_type", p->default_sample_type);
  otlp_put_program(w, list);
  return true;
}

static void otlp_fill_profile(struct otlp_writer *w, size_t type, const struct otlp_list *list,
                              struct otlp_profile *out) {
  const pprofc_profile *p = w->profile;
  *out = (struct otlp_profile){OTLP__PROFILE__INIT, OTLP__VALUE_TYPE__INIT, OTLP__VALUE_TYPE__INIT,
                               otlp_samples_size(w, type)};
  out->type.type_strindex = otlp_write_string(w, p->types[type].type);
  out->type.unit_strindex = otlp_write_string(w, p->types[type].unit);
  out->period_type.type_strindex = otlp_write_string(w, p->period_type.type);
  out->period_type.unit_strindex = otlp_write_string(w, p->period_type.unit);
  out->head.sample_type = &out->type;
  if (p->period_type.type || p->period_type.unit) out->head.period_type = &out->period_type;
  out->head.period = p->period;
  out->head.time_unix_nano = p->time_nanos > 0 ? (uint64_t)p->time_nanos : 0;
  out->head.duration_nano = p->duration_nanos > 0 ? (uint64_t)p->duration_nanos : 0;
  out->head.n_attribute_indices = list->count;
  out->head.attribute_indices = list->items;
}

/* ---- the file ---------------------------------------- */

static size_t otlp_profile_size(const struct otlp_profile *profile) {
  return otlp__profile__get_packed_size(&profile->head) + profile->samples_size;
}

/* Writes a resource with one scope, which contains all profiles. */
static bool otlp_put_resource(struct otlp_writer *w, struct otlp_profile *profiles,
                              struct output *out) {
  static const char name[] = "pprofc";
  size_t count = w->profile->type_count, size = 0;
  Otlp__Scope scope = OTLP__SCOPE__INIT;
  scope.name = (ProtobufCBinaryData){sizeof name - 1, (uint8_t *)(uintptr_t)name};
  size_t scope_size = otlp__scope__get_packed_size(&scope);
  size += otlp_head_size(scope_size) + scope_size;
  for (size_t i = 0; i < count; i++)
    size += otlp_head_size(otlp_profile_size(&profiles[i])) + otlp_profile_size(&profiles[i]);
  otlp_put_head(out, 1, otlp_head_size(size) + size);
  otlp_put_head(out, 2, size);
  otlp_put_head(out, 1, scope_size);
  if (!otlp_put_message(w, &scope.base, out)) return false;
  for (size_t i = 0; i < count; i++) {
    otlp_put_head(out, 2, otlp_profile_size(&profiles[i]));
    if (!otlp_put_message(w, &profiles[i].head.base, out) || !otlp_put_samples(w, i, out))
      return false;
  }
  return true;
}

static bool otlp_put_file(struct otlp_writer *w, struct output *out) {
  struct otlp_list list;
  size_t count = w->profile->type_count;
  struct otlp_profile *profiles = arena_array(&w->arena, count, sizeof *profiles);
  if (!profiles || !otlp_write_samples(w) || !otlp_profile_attributes(w, &list)) return false;
  for (size_t i = 0; i < count; i++) otlp_fill_profile(w, i, &list, &profiles[i]);
  if (w->failed) return false;
  otlp_put_dictionary(w, out);
  return otlp_put_resource(w, profiles, out);
}

static pprofc_status otlp_write_profile(const pprofc_profile *profile, struct output *out,
                                        pprofc_error *error) {
  struct otlp_writer w;
  bool ok = otlp_writer_init(&w, profile) && otlp_put_file(&w, out);
  otlp_writer_free(&w);
  return ok ? PPROFC_OK : error_nomem(error);
}

pprofc_status report_otlp(struct report *report, struct output *out, pprofc_error *error) {
  pprofc_profile *divided;
  pprofc_status status = report_divide(report, &divided, error);
  if (status != PPROFC_OK) return status;
  status = otlp_write_profile(divided ? divided : report->result.profile, out, error);
  pprofc_profile_release(divided);
  return status;
}
