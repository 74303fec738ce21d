/* Reads the time, period and attributes of an OTLP profile. Some attributes set fields that only
 * pprof has; the other attributes become comments. */
#include "import/otlp/otlp.h"

/* Adds a comment, unless the profile has an equal comment. */
static void otlp_comment(struct otlp *o, pprofc_str text) {
  if (interner_find(&o->comments, text) != MAP_NONE) return;
  import_need(o->builder, interner_copy(&o->comments, o->arena, text) != MAP_NONE);
  pprofc_builder_comment(o->builder, text.data);
}

/* Calls `set` with the text "KEY=VALUE", or with the value alone if the key is empty. The text ends
 * with a NUL. */
static void otlp_set_text(struct otlp *o, void (*set)(struct otlp *, pprofc_str), pprofc_str key,
                          const Otlp__AnyValue *value) {
  struct buffer text, scratch;
  buffer_init(&text, o->mem, SIZE_MAX);
  buffer_init(&scratch, o->mem, SIZE_MAX);
  buffer_add_str(&text, key);
  if (key.size) buffer_add_char(&text, '=');
  buffer_add_str(&text, otlp_value_text(o, value, &scratch));
  buffer_add_char(&text, '\0');
  if (text.failed)
    import_need(o->builder, false);
  else
    set(o, (pprofc_str){text.data, text.size - 1});
  buffer_free(&text);
  buffer_free(&scratch);
}

void otlp_note_attributes(struct otlp *o, Otlp__KeyValue *const *items, size_t count) {
  for (size_t i = 0; i < count && builder_ok(o->builder); i++)
    otlp_set_text(o, otlp_comment, otlp_key(o, items[i]), items[i]->value);
}

/* ---- attributes that set fields of pprof ------------- */

static void otlp_set_drop_frames(struct otlp *o, pprofc_str text) {
  builder_set_frames(o->builder, builder_string(o->builder, str_of(text.data)), NONE);
}

static void otlp_set_keep_frames(struct otlp *o, pprofc_str text) {
  builder_set_frames(o->builder, NONE, builder_string(o->builder, str_of(text.data)));
}

static void otlp_set_doc_url(struct otlp *o, pprofc_str text) {
  pprofc_builder_doc_url(o->builder, text.data);
}

static void otlp_set_default_type(struct otlp *o, pprofc_str text) {
  pprofc_builder_default_type(o->builder, text.data);
}

/* Does nothing. Used for attributes that otlp_read_program has already read. */
static void otlp_pass_over(struct otlp *o, pprofc_str text) {
  (void)o;
  (void)text;
}

#define OTLP_MAIN_BINARY   "pprof.profile.main_binary"
#define OTLP_MAIN_BUILD_ID "pprof.profile.main_build_id"

static const struct {
  const char *key;
  void (*set)(struct otlp *o, pprofc_str text);
} otlp_fields[] = {
    {"pprof.profile.drop_frames", otlp_set_drop_frames},
    {"pprof.profile.keep_frames", otlp_set_keep_frames},
    {"pprof.profile.doc_url", otlp_set_doc_url},
    {"pprof.profile.default_sample_type", otlp_set_default_type},
    {OTLP_MAIN_BINARY, otlp_pass_over},
    {OTLP_MAIN_BUILD_ID, otlp_pass_over},
};

/* Returns the function that sets pprof's field for an attribute, or NULL if pprof has no such
 * field. */
static void (*otlp_field(pprofc_str key))(struct otlp *o, pprofc_str text) {
  for (size_t i = 0; i < sizeof otlp_fields / sizeof *otlp_fields; i++)
    if (str_equal(key, str_of(otlp_fields[i].key))) return otlp_fields[i].set;
  return NULL;
}

/* Reads an attribute of a profile. An attribute for which pprof has no field becomes a comment
 * "KEY=VALUE". For keys like "pprof.profile.comment" and "pprof.profile.comment.3", the comment is
 * the value alone. */
static void otlp_read_profile_attribute(struct otlp *o, int32_t index) {
  const Otlp__KeyValueAndUnit *attribute = otlp_attribute(o, index);
  if (!attribute) return;
  pprofc_str key = otlp_string(o, attribute->key_strindex);
  void (*set)(struct otlp *, pprofc_str) = otlp_field(key);
  if (set || str_starts(key, STR("pprof.profile.comment"))) key = STR("");
  otlp_set_text(o, set ? set : otlp_comment, key, attribute->value);
}

/* Returns the value of a profile's attribute as a string index of the builder, or NONE if the
 * profile does not have the attribute. */
static uint32_t otlp_profile_text(struct otlp *o, const Otlp__Profile *p, const char *key) {
  uint32_t text = NONE;
  for (size_t i = 0; i < p->n_attribute_indices && builder_ok(o->builder) && text == NONE; i++) {
    const Otlp__KeyValueAndUnit *attribute = otlp_attribute(o, p->attribute_indices[i]);
    if (!attribute || !str_equal(otlp_string(o, attribute->key_strindex), str_of(key))) continue;
    struct buffer scratch = buffer_make(o->mem, SIZE_MAX);
    text = builder_string(o->builder, otlp_value_text(o, attribute->value, &scratch));
    buffer_free(&scratch);
  }
  return text;
}

bool otlp_read_program(struct otlp *o, const struct otlp_frame *frame) {
  for (size_t i = 0; i < frame->profile_count && builder_ok(o->builder); i++) {
    const Otlp__Profile *p = frame->profiles[i].header;
    uint32_t file = otlp_profile_text(o, p, OTLP_MAIN_BINARY);
    if (file == NONE) continue;
    uint32_t build_id = otlp_profile_text(o, p, OTLP_MAIN_BUILD_ID);
    struct mapping mapping = {.file = file, .build_id = build_id == NONE ? 0 : build_id};
    builder_add_mapping(o->builder, &mapping);
    break;
  }
  return builder_ok(o->builder);
}

/* ---- time and period --------------------------------- */

static void otlp_read_time(struct otlp *o, const Otlp__Profile *p) {
  uint64_t end = p->time_unix_nano + p->duration_nano;
  if (p->time_unix_nano && (!o->time || p->time_unix_nano < o->time)) o->time = p->time_unix_nano;
  if (end > o->end) o->end = end;
  uint64_t duration = o->end - o->time;
  pprofc_builder_time(o->builder, (int64_t)o->time,
                      duration <= INT64_MAX ? (int64_t)duration : INT64_MAX);
}

static void otlp_read_period(struct otlp *o, const Otlp__Profile *p) {
  if (o->has_period || (!p->period && !p->period_type)) return;
  pprofc_str type = STR(""), unit = STR("");
  if (p->period_type) type = otlp_string(o, p->period_type->type_strindex);
  if (p->period_type) unit = otlp_string(o, p->period_type->unit_strindex);
  builder_set_period(o->builder, type, unit, p->period);
  o->has_period = true;
}

void otlp_read_header(struct otlp *o, const Otlp__Profile *p) {
  otlp_read_time(o, p);
  otlp_read_period(o, p);
  for (size_t i = 0; i < p->n_attribute_indices && builder_ok(o->builder); i++)
    otlp_read_profile_attribute(o, p->attribute_indices[i]);
}
