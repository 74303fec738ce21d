/* Detects which version of the sample encoding a file uses. Fields 2, 3 and 4 of a sample are
 * attributes, link and values; in files of 2025 they are values, attributes and link. The link is a
 * number and the others are packed lists, so the wire type of field 3 or 4 determines the form. */
#include "codec/wire.h"
#include "import/otlp/otlp.h"

/* Field numbers from a message of the stream to a sample: resource_profiles, scope_profiles,
 * profiles, samples. */
static const uint64_t otlp_path[] = {1, 2, 2, 2};

#define OTLP_LEVELS (sizeof otlp_path / sizeof *otlp_path)

enum otlp_form { OTLP_FORM_OPEN, OTLP_VALUES_SECOND, OTLP_VALUES_FOURTH };

static enum otlp_form otlp_form_of(const struct wire_field *sample) {
  struct wire w = {sample->data, sample->data + sample->size, NULL};
  struct wire_field field;
  bool has_second = false, has_times = false;
  while (w.at < w.end && wire_next(&w, &field)) {
    bool is_list = field.type == WIRE_BYTES;
    if (field.number == 3) return is_list ? OTLP_VALUES_SECOND : OTLP_VALUES_FOURTH;
    if (field.number == 4) return is_list ? OTLP_VALUES_FOURTH : OTLP_VALUES_SECOND;
    has_second |= field.number == 2;
    has_times |= field.number == 5;
  }
  /* A sample has values or times, so field 2 without times must be the values. */
  return has_second && !has_times ? OTLP_VALUES_SECOND : OTLP_FORM_OPEN;
}

bool otlp_sample_form(pprofc_str frame, bool *values_second) {
  const uint8_t *data = (const uint8_t *)frame.data;
  struct wire levels[OTLP_LEVELS] = {{data, data + frame.size, NULL}};
  struct wire_field field;
  size_t depth = 0;
  for (;;) {
    struct wire *w = &levels[depth];
    if (w->at >= w->end || !wire_next(w, &field)) {
      if (!depth--) return false;
      continue;
    }
    if (field.number != otlp_path[depth] || field.type != WIRE_BYTES) continue;
    if (depth + 1 < OTLP_LEVELS) {
      levels[++depth] = (struct wire){field.data, field.data + field.size, NULL};
      continue;
    }
    enum otlp_form form = otlp_form_of(&field);
    *values_second = form == OTLP_VALUES_SECOND;
    if (form != OTLP_FORM_OPEN) return true;
  }
}
