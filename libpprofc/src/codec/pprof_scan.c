/* Pass 1 of the pprof reader: is every message well-formed, how many of each are there, what will
 * they take. Nothing is stored but one entry per 256 KiB of input. */
#include "codec/pprof_decode.h"

#define CHUNK_SIZE ((size_t)256 * 1024)

/* What a known field must be. */
enum rule { ANY, INT, INTS, BYTES };

static const uint8_t profile_rules[] = {
    [PROFILE_SAMPLE_TYPE] = BYTES, [PROFILE_SAMPLE] = BYTES,      [PROFILE_MAPPING] = BYTES,
    [PROFILE_LOCATION] = BYTES,    [PROFILE_FUNCTION] = BYTES,    [PROFILE_STRING] = BYTES,
    [PROFILE_DROP_FRAMES] = INT,   [PROFILE_KEEP_FRAMES] = INT,   [PROFILE_TIME] = INT,
    [PROFILE_DURATION] = INT,      [PROFILE_PERIOD_TYPE] = BYTES, [PROFILE_PERIOD] = INT,
    [PROFILE_COMMENT] = INTS,      [PROFILE_DEFAULT_TYPE] = INT,  [PROFILE_DOC_URL] = INT,
};
static const uint8_t sample_rules[] = {
    [SAMPLE_LOCATION] = INTS, [SAMPLE_VALUE] = INTS, [SAMPLE_LABEL] = BYTES};
static const uint8_t location_rules[] = {ANY, INT, INT, INT, BYTES, INT};
/* ValueType, Label, Mapping, Line and Function hold nothing but integers. */
static const uint8_t integer_rules[] = {ANY, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT};

/* Reads the next field and holds it against its rule. */
static bool next_field(struct wire *w, const uint8_t *rules, size_t rule_count,
                       struct wire_field *field) {
  const uint8_t *start = w->at;
  if (!wire_next(w, field)) return false;
  uint8_t rule = field->number < rule_count ? rules[field->number] : ANY;
  bool fits = rule == ANY || (rule == BYTES ? field->type == WIRE_BYTES
                                            : field->type == WIRE_VARINT ||
                                                  (rule == INTS && field->type == WIRE_BYTES));
  if (fits) return true;
  w->at = start;
  return wire_fail(w, "field with the wrong wire type");
}

#define NEXT(w, rules, field) next_field(w, rules, sizeof rules, field)

static struct wire inside(const struct wire_field *field) {
  return (struct wire){field->data, field->data + field->size, NULL};
}

static bool scan_integers(struct wire *w, size_t known) {
  struct wire_field field;
  while (w->at < w->end)
    if (!next_field(w, integer_rules, known + 1, &field)) return false;
  return true;
}

/* A label without text, number and unit is no label. */
static bool scan_label(struct wire *w, size_t *labels) {
  struct wire_field field;
  uint64_t value[5] = {0};
  while (w->at < w->end) {
    if (!next_field(w, integer_rules, 5, &field)) return false;
    if (field.number < 5) value[field.number] = field.value;
  }
  if (value[2] || value[3] || value[4]) ++*labels;
  return true;
}

static bool scan_sample(struct decoder *d, struct wire *w) {
  struct wire_field field;
  size_t pieces = 0, stack_bytes = 0, labels = 0;
  bool has_value = false;
  while (w->at < w->end) {
    const uint8_t *start = w->at;
    if (!NEXT(w, sample_rules, &field)) return false;
    if (field.number == SAMPLE_LOCATION) {
      pieces++;
      stack_bytes += field.type == WIRE_BYTES ? field.size : (size_t)(w->at - start);
    } else if (field.number == SAMPLE_VALUE) {
      has_value |= field.type == WIRE_VARINT || field.size > 0;
    } else if (field.number == SAMPLE_LABEL) {
      struct wire label = inside(&field);
      if (!scan_label(&label, &labels)) {
        *w = label;
        return false;
      }
    }
  }
  if (!has_value && d->first_without_value == SIZE_MAX) d->first_without_value = d->samples;
  if (pieces > 1) d->side += stack_bytes;
  if (labels > d->limits->labels) return wire_fail(w, "too many labels in one sample");
  d->labels += labels;
  d->samples++;
  return true;
}

static bool scan_location(struct decoder *d, struct wire *w) {
  struct wire_field field;
  while (w->at < w->end) {
    if (!NEXT(w, location_rules, &field)) return false;
    if (field.number != 4) continue;
    struct wire line = inside(&field);
    if (!scan_integers(&line, 3)) {
      *w = line;
      return false;
    }
    d->lines++;
  }
  d->locations++;
  return true;
}

static bool scan_string(struct decoder *d, struct wire *w, const struct wire_field *field) {
  w->at = field->data;
  if (d->strings == 0 && field->size) return wire_fail(w, "first string is not empty");
  if (field->size > d->limits->string_bytes)
    return wire_fail(w, "string is longer than the limit (raise with -max_string)");
  d->strings++;
  return true;
}

static bool scan_comments(struct decoder *d, struct wire *w, const struct wire_field *field) {
  if (field->type == WIRE_VARINT) {
    d->comments++;
    return true;
  }
  uint64_t ignored;
  for (; w->at < w->end; d->comments++)
    if (!wire_varint(w, &ignored)) return false;
  return true;
}

/* One top-level field that is no sample. */
static bool scan_other(struct decoder *d, const struct wire_field *field, struct wire *w) {
  if (field->type == WIRE_BYTES) *w = inside(field);
  switch (field->number) {
  case PROFILE_SAMPLE_TYPE:
    d->types++;
    return scan_integers(w, 2);
  case PROFILE_PERIOD_TYPE:
    return scan_integers(w, 2);
  case PROFILE_MAPPING:
    d->mappings++;
    return scan_integers(w, 10);
  case PROFILE_LOCATION:
    return scan_location(d, w);
  case PROFILE_FUNCTION:
    d->functions++;
    return scan_integers(w, 5);
  case PROFILE_STRING:
    return scan_string(d, w, field);
  case PROFILE_COMMENT:
    return scan_comments(d, w, field);
  default:
    return true;
  }
}

static bool scan_fields(struct decoder *d, struct wire *top) {
  struct chunk chunk = {.from = top->at};
  while (top->at < top->end) {
    struct wire_field field;
    if (!NEXT(top, profile_rules, &field)) return false;
    bool is_sample = field.number == PROFILE_SAMPLE;
    struct wire w = is_sample ? inside(&field) : (struct wire){0};
    if (!(is_sample ? scan_sample(d, &w) : scan_other(d, &field, &w))) {
      *top = w;
      return false;
    }
    chunk.has_samples |= is_sample;
    chunk.has_others |= !is_sample;
    chunk.to = top->at;
    if ((size_t)(chunk.to - chunk.from) < CHUNK_SIZE && top->at < top->end) continue;
    buffer_add(&d->chunks, &chunk, sizeof chunk);
    chunk = (struct chunk){top->at, top->at, d->samples, d->labels, d->side, false, false};
  }
  return true;
}

/* Bytes that the columns will take. */
static uint64_t column_bytes(const struct decoder *d) {
  uint64_t per_sample = 8 * (uint64_t)d->types + sizeof(void *) + 4 + (d->labels ? 4 : 0);
  return d->samples * per_sample + d->labels * (sizeof(struct label) + sizeof(struct label_set)) +
         d->side + d->locations * 33u + d->lines * sizeof(struct line) + d->functions * 28u +
         d->mappings * sizeof(struct mapping) + d->strings * sizeof(pprofc_str);
}

pprofc_status decoder_scan(struct decoder *d) {
  struct wire top = {d->input->data, d->input->data + d->input->size, NULL};
  d->first_without_value = SIZE_MAX;
  if (!scan_fields(d, &top)) return decoder_fault(d, &top);
  if (d->chunks.failed) return error_nomem(d->error);
  if (!d->strings) return decoder_fail(d, top.end, "no string table");
  const size_t most = UINT32_MAX - 1; /* indices are 32 bits, and the last one means none */
  bool fits = d->samples < most && d->labels < most && d->locations < most && d->lines < most &&
              d->functions < most && d->mappings < most && d->strings < most;
  uint64_t needed = column_bytes(d);
  if (fits && needed <= d->limits->memory_bytes) return PPROFC_OK;
  d->certain = true;
  return error_set(d->error, PPROFC_E_LIMIT,
                   "profile needs %llu bytes of memory, more than %llu (raise with -max_memory)",
                   (unsigned long long)needed, (unsigned long long)d->limits->memory_bytes);
}
