/* Detects the version of the schema that a message uses, by the wire types of fields that changed.
 *
 * Before version 1.8, field 3 of a profile is a list of locations; since 1.8 it is a time of 8
 * bytes. In the current version, fields 2, 3 and 4 of a sample are attributes, link and values; in
 * versions 1.8 and 1.9, values, attributes and link. A link is one number, the other fields are
 * lists. Some writers do not pack a list of one number, which then looks like a link. */
#include "import/otlp/otlp.h"

/* Field numbers on the path from a message of the stream to a sample: resource_profiles,
 * scope_profiles, profiles, samples. */
static const uint64_t otlp_path[] = {1, 2, 2, 2};

#define OTLP_LEVELS       (sizeof otlp_path / sizeof *otlp_path)
#define OTLP_TO_PROFILE   3u
#define OTLP_FIELD_SAMPLE 6u /* largest field number of a sample in any version */

/* Function that otlp_visit calls with a profile or a sample. Returns true to end the walk. */
typedef bool otlp_visit_fn(void *context, const struct wire_field *message);

/* Calls `visit` for each message at level `levels` of otlp_path (3: profiles, 4: samples), until
 * `visit` returns true. Returns false if no call returned true. */
static bool otlp_visit(pprofc_str frame, size_t levels, otlp_visit_fn *visit, void *context) {
  const uint8_t *data = (const uint8_t *)frame.data;
  struct wire open[OTLP_LEVELS] = {{data, data + frame.size, NULL}};
  struct wire_field field;
  size_t depth = 0;
  for (;;) {
    struct wire *w = &open[depth];
    if (!wire_each(w, &field)) {
      if (!depth--) return false;
      continue;
    }
    if (field.number != otlp_path[depth] || field.type != WIRE_BYTES) continue;
    if (depth + 1 < levels)
      open[++depth] = wire_inside(&field);
    else if (visit(context, &field))
      return true;
  }
}

/* ---- profiles ---------------------------------------- */

enum otlp_age { OTLP_AGE_OPEN, OTLP_BEFORE_1_8, OTLP_SINCE_1_8 };

/* Sets *context (enum otlp_age) to the range of versions to which a profile belongs. Returns false
 * if the fields of the profile do not show the version. */
static bool otlp_profile_age(void *context, const struct wire_field *profile) {
  enum otlp_age *age = context;
  struct wire w = wire_inside(profile);
  struct wire_field field;
  while (*age == OTLP_AGE_OPEN && wire_each(&w, &field)) {
    bool is_bytes = field.type == WIRE_BYTES;
    if (field.number == 3) *age = field.type == WIRE_FIXED64 ? OTLP_SINCE_1_8 : OTLP_BEFORE_1_8;
    if (field.number == 5) *age = is_bytes ? OTLP_SINCE_1_8 : OTLP_BEFORE_1_8;
    if (field.number == 6) *age = is_bytes ? OTLP_BEFORE_1_8 : OTLP_SINCE_1_8;
  }
  return *age != OTLP_AGE_OPEN;
}

bool otlp_is_older(pprofc_str frame) {
  enum otlp_age age = OTLP_AGE_OPEN;
  otlp_visit(frame, OTLP_TO_PROFILE, otlp_profile_age, &age);
  return age == OTLP_BEFORE_1_8;
}

/* ---- samples ----------------------------------------- */

struct otlp_form {
  size_t links;       /* number of entries in the table of links; SIZE_MAX if not counted */
  bool values_second; /* result: true if the values are field 2 of a sample */
};

static size_t otlp_count_links(pprofc_str frame) {
  const uint8_t *data = (const uint8_t *)frame.data;
  struct wire w = wire_over(data, frame.size);
  struct wire_field field, entry;
  size_t links = 0;
  while (wire_each(&w, &field)) {
    if (field.number != 2 || field.type != WIRE_BYTES) continue;
    struct wire dictionary = wire_inside(&field);
    while (wire_each(&dictionary, &entry)) links += entry.number == 4;
  }
  return links;
}

/* Fields of a sample, by number. `count` is the number of times that a field occurs. */
struct otlp_fields {
  size_t count[OTLP_FIELD_SAMPLE + 1];
  bool is_list[OTLP_FIELD_SAMPLE + 1]; /* true for a packed or repeated field, and for a number
                                          that cannot be a link */
};

static struct otlp_fields otlp_fields_of(const struct wire_field *sample, size_t links) {
  struct otlp_fields f = {{0}, {false}};
  struct wire w = wire_inside(sample);
  struct wire_field field;
  while (wire_each(&w, &field)) {
    if (field.number > OTLP_FIELD_SAMPLE) continue;
    bool is_link = field.type == WIRE_VARINT && (field.value < links || !field.value);
    f.is_list[field.number] |= !is_link || f.count[field.number];
    f.count[field.number]++;
  }
  return f;
}

/* Detects the encoding of a sample and stores it in *context (struct otlp_form). Returns false if
 * both encodings fit. A sample has values or times. So if a sample has neither field 3 nor times,
 * and only one of the fields 2 and 4, that field contains the values. */
static bool otlp_form_of(void *context, const struct wire_field *sample) {
  struct otlp_form *form = context;
  struct otlp_fields f = otlp_fields_of(sample, form->links);
  bool alone = !f.count[5] && !f.count[3];
  form->values_second = f.is_list[3] || (alone && f.count[2] && !f.count[4]);
  return form->values_second || f.is_list[4] || (alone && f.count[4] && !f.count[2]);
}

bool otlp_sample_form(pprofc_str frame, bool *values_second) {
  struct otlp_form form = {.links = SIZE_MAX};
  bool known = otlp_visit(frame, OTLP_LEVELS, otlp_form_of, &form);
  if (!known) {
    form.links = otlp_count_links(frame);
    known = otlp_visit(frame, OTLP_LEVELS, otlp_form_of, &form);
  }
  *values_second = known && form.values_second;
  return known;
}
