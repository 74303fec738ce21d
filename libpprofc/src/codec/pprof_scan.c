/* Pass 1 of the profile.proto reader. It checks that every message is well-formed, counts messages,
 * and computes how much memory the profile needs. It stores only one struct chunk per 256 KiB of
 * input. */
#include "codec/pprof_decode.h"

/* messages for exceeded limits */
static const char too_many_labels[] = "too many labels in one sample (raise the limit labels)";
static const char string_too_long[] = "string is too long (raise the limit string_bytes)";

#define CHUNK_SIZE ((size_t)256 * 1024)

/* Wire type that a known field must have. */
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
/* ValueType, Label, Mapping, Line and Function have only integer fields. */
static const uint8_t integer_rules[] = {ANY, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT};

static inline bool rule_allows(uint8_t rule, uint32_t type) {
  if (rule == ANY) return true;
  if (type == WIRE_BYTES) return rule != INT;
  return type == WIRE_VARINT && rule != BYTES;
}

/* Reads the next field, and checks its wire type against the rule of the field. */
static inline bool next_field(struct wire *w, const uint8_t *rules, size_t rule_count,
                              struct wire_field *field) {
  const uint8_t *start = w->at;
  if (!wire_next(w, field)) return false;
  uint8_t rule = field->number < rule_count ? rules[field->number] : ANY;
  if (rule_allows(rule, field->type)) return true;
  w->at = start;
  return wire_fail(w, "field with the wrong wire type");
}

#define NEXT(w, rules, field) next_field(w, rules, sizeof rules, field)

/* Checks a message of integers. Sets *first to the value of field 1. */
static bool scan_integers(struct wire *w, size_t known, uint64_t *first) {
  struct wire_field field;
  *first = 0;
  while (w->at < w->end) {
    if (!next_field(w, integer_rules, known + 1, &field)) return false;
    if (field.number == 1) *first = field.value;
  }
  return true;
}

/* Checks a message of integers whose field 1 is its id. Counts the id. */
static bool scan_with_id(struct wire *w, size_t known, struct id_count *count) {
  uint64_t id;
  if (!scan_integers(w, known, &id)) return false;
  id_count_add(count, id);
  return true;
}

/* Returns the number of varints in a field: 1, or the length of a packed list. */
static size_t varint_count(const struct wire_field *field) {
  size_t n = field->type == WIRE_VARINT;
  for (size_t i = 0; i < field->size; i++) n += field->data[i] < 0x80;
  return n;
}

/* Checks a label, and counts it in *labels. Ignores a label without text, number and unit, like
 * pprof. */
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

/* Number of fields of each kind in a sample. */
struct sample_counts {
  size_t pieces, stack_bytes; /* number of fields with location ids, and their size in bytes */
  size_t labels, values;
};

/* Adds the counts of a sample to the decoder. Returns false if the sample has too many labels. */
static bool scan_add_sample(struct decoder *d, struct wire *w, const struct sample_counts *n) {
  if (d->samples == 0) d->values = n->values;
  if (n->values != d->values && d->other_count == SIZE_MAX) d->other_count = d->samples;
  d->frames += n->stack_bytes;
  if (n->pieces > 1) d->side += n->stack_bytes;
  if (n->labels > d->limits->labels) return wire_fail(w, too_many_labels);
  d->labels += n->labels;
  d->sets += n->labels > 0;
  d->samples++;
  return true;
}

/* Checks that the last varint of a list of location ids is complete. An incomplete varint would
 * continue in the next list of the sample. */
static bool scan_ids(struct wire *w, const struct wire_field *field) {
  if (wire_ends_whole(field)) return true;
  *w = wire_inside(field);
  return wire_check_varints(w);
}

static bool scan_sample(struct decoder *d, struct wire *w) {
  struct wire_field field;
  struct sample_counts n = {0};
  while (w->at < w->end) {
    const uint8_t *start = w->at;
    if (!NEXT(w, sample_rules, &field)) return false;
    if (field.number == SAMPLE_LOCATION) {
      if (!scan_ids(w, &field)) return false;
      n.pieces++;
      n.stack_bytes += field.type == WIRE_BYTES ? field.size : (size_t)(w->at - start);
    } else if (field.number == SAMPLE_VALUE) {
      n.values += varint_count(&field);
    } else if (field.number == SAMPLE_LABEL) {
      struct wire label = wire_inside(&field);
      if (scan_label(&label, &n.labels)) continue;
      *w = label;
      return false;
    }
  }
  return scan_add_sample(d, w, &n);
}

static bool scan_location(struct decoder *d, struct wire *w) {
  struct wire_field field;
  uint64_t id = 0, function;
  size_t lines = 0, without_function = 0;
  while (w->at < w->end) {
    if (!NEXT(w, location_rules, &field)) return false;
    if (field.number == 1) id = field.value;
    if (field.number != 4) continue;
    struct wire line = wire_inside(&field);
    if (!scan_integers(&line, 3, &function)) {
      *w = line;
      return false;
    }
    lines += function != 0;
    without_function += function == 0;
  }
  if (!id_count_add(&d->locations, id)) return true;
  d->lines += lines + (without_function && !d->line_without_function);
  d->line_without_function |= without_function > 0;
  return true;
}

static bool scan_string(struct decoder *d, struct wire *w, const struct wire_field *field) {
  w->at = field->data;
  if (d->strings == 0 && field->size) return wire_fail(w, "first string is not empty");
  if (field->size > d->limits->string_bytes) return wire_fail(w, string_too_long);
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

/* Checks a top-level field that is not a sample. */
static bool scan_other(struct decoder *d, const struct wire_field *field, struct wire *w) {
  uint64_t first;
  if (field->type == WIRE_BYTES) *w = wire_inside(field);
  switch (field->number) {
  case PROFILE_SAMPLE_TYPE:
    d->types++;
    return scan_integers(w, 2, &first);
  case PROFILE_PERIOD_TYPE:
    return scan_integers(w, 2, &first);
  case PROFILE_MAPPING:
    return scan_with_id(w, 10, &d->mappings);
  case PROFILE_LOCATION:
    return scan_location(d, w);
  case PROFILE_FUNCTION:
    return scan_with_id(w, 5, &d->functions);
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
    struct wire w = {0};
    if (is_sample) w = wire_inside(&field);
    bool good = is_sample ? scan_sample(d, &w) : scan_other(d, &field, &w);
    if (!good) {
      *top = w;
      return false;
    }
    chunk.has_samples |= is_sample;
    chunk.has_others |= !is_sample;
    chunk.to = top->at;
    if ((size_t)(chunk.to - chunk.from) < CHUNK_SIZE && top->at < top->end) continue;
    buffer_add(&d->chunks, &chunk, sizeof chunk);
    if (!budget_advance(d->arena->mem, (uint64_t)(chunk.to - chunk.from))) d->chunks.failed = true;
    if (d->chunks.failed) return true;
    chunk = (struct chunk){.from = top->at,
                           .to = top->at,
                           .first_sample = d->samples,
                           .first_label = d->labels,
                           .first_set = d->sets,
                           .first_side = d->side};
  }
  return true;
}

/* ---- memory ------------------------------------------ */

#define FIXED_BYTES ((uint64_t)1 << 20) /* bytes for partly filled blocks and similar overhead */
/* A profile that needs more than this number of bytes is rejected if it needs more than
 * inflate_ratio times the size of the file. */
#define RATIO_FROM     ((uint64_t)64 << 20)
#define ID_BYTES       48u /* bytes per id in an id map */
#define LABEL_SET_HASH 48u /* bytes per label set in the hash table */

static uint64_t id_map_bytes(const struct id_count *ids) {
  return ids->other ? ids->stored * (uint64_t)ID_BYTES : 0;
}

/* Returns the size of rewritten stacks in bytes. Only stacks with sparse ids are rewritten. */
static uint64_t rewritten_bytes(const struct decoder *d) {
  const struct id_count *ids = &d->locations;
  if (!ids->other || ids->largest < 4 * (uint64_t)ids->stored) return 0;
  uint64_t bytes = d->frames * (uint64_t)decoder_index_bytes(d);
  return bytes + bytes / REWRITING_WASTE;
}

/* Returns how many bytes the reader needs in addition to the input. docs/method/memory.md explains
 * the numbers. */
static uint64_t needed_bytes(const struct decoder *d) {
  uint64_t per_sample = 8 * (uint64_t)d->types + sizeof(void *) + 4 + (d->labels ? 4 : 0);
  uint64_t per_mapping = sizeof(struct mapping) + 8;
  return decoder_samples_kept(d) * per_sample + d->labels * sizeof(struct label) +
         d->sets * (sizeof(struct label_set) + LABEL_SET_HASH) + d->side + rewritten_bytes(d) +
         d->locations.stored * 25u + d->lines * sizeof(struct line) + d->functions.stored * 28u +
         d->mappings.stored * per_mapping + d->strings * sizeof(pprofc_str) +
         d->types * sizeof(struct value_type) + d->comments * 4u + id_map_bytes(&d->mappings) +
         id_map_bytes(&d->locations) + id_map_bytes(&d->functions) + FIXED_BYTES;
}

static pprofc_status over_limit(struct decoder *d) {
  d->certain = true;
  return PPROFC_E_LIMIT;
}

/* Rejects a profile that needs too much memory, before the first column is allocated. */
static pprofc_status check_memory(struct decoder *d) {
  uint64_t needed = needed_bytes(d), left = budget_left(d->arena->mem);
  uint64_t all = needed + d->input->size;
  if (!budget_allows(d->arena->mem, needed)) {
    error_set(d->error, PPROFC_E_LIMIT,
              "profile needs %llu more bytes of memory where %llu of %llu are left (raise the "
              "limit memory_bytes)",
              (unsigned long long)needed, (unsigned long long)left,
              (unsigned long long)budget_bytes(d->arena->mem));
    return over_limit(d);
  }
  if (all > RATIO_FROM && all / d->limits->inflate_ratio > d->input->source_size) {
    error_set(d->error, PPROFC_E_LIMIT,
              "profile needs %llu bytes of memory, more than %u times its size (raise the "
              "limit inflate_ratio)",
              (unsigned long long)all, d->limits->inflate_ratio);
    return over_limit(d);
  }
  return PPROFC_OK;
}

/* Returns the status of an error at w->at. It is PPROFC_E_LIMIT for an exceeded limit, and
 * otherwise the status for an invalid profile. */
static pprofc_status scan_fault(struct decoder *d, const struct wire *w) {
  pprofc_status status = decoder_fault(d, w);
  if (w->fault != too_many_labels && w->fault != string_too_long) return status;
  if (d->error) d->error->status = PPROFC_E_LIMIT;
  return PPROFC_E_LIMIT;
}

pprofc_status decoder_scan(struct decoder *d) {
  struct wire top = {d->input->data, d->input->data + d->input->size, NULL};
  d->other_count = SIZE_MAX;
  if (!scan_fields(d, &top)) return scan_fault(d, &top);
  if (d->chunks.failed) return error_nomem(d->error);
  if (!d->strings) return decoder_fail(d, top.end, "no string table");
  const size_t most = UINT32_MAX - 1; /* Indices have 32 bits, and the largest index is reserved. */
  const size_t counts[] = {d->samples, d->labels, d->locations.stored, d->functions.stored,
                           d->lines,   d->types,  d->mappings.stored,  d->strings};
  for (size_t i = 0; i < COUNT(counts); i++) {
    if (counts[i] < most) continue;
    error_set(d->error, PPROFC_E_LIMIT, "profile has more than %zu messages of one kind", most);
    return over_limit(d);
  }
  return check_memory(d);
}
