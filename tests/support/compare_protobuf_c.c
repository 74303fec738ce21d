/* Compares a profile with the result of protobuf-c for the same bytes. */
#include "codec/wire.h"
#include "compare.h"
#include "pprofc/builder.h"
#include "profile/stack.h"

#include "profile.pb-c.h"

#include <stdlib.h>

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__ValueType pb_value_type;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Label pb_label;
typedef Perftools__Profiles__Mapping pb_mapping;
typedef Perftools__Profiles__Location pb_location;
typedef Perftools__Profiles__Line pb_line;
typedef Perftools__Profiles__Function pb_function;

struct comparison {
  const pprofc_profile *ours;
  const pb_profile *theirs;
  struct difference *difference;
};

static bool differ(const struct comparison *c, const char *what, size_t index) {
  *c->difference = (struct difference){what, index};
  return false;
}

/* True if the strings are equal up to a NUL byte. protobuf-c ends a string there, because it does
 * not store the length. */
static bool same_string(const struct comparison *c, uint32_t ours, int64_t theirs) {
  if (theirs < 0 || (uint64_t)theirs >= c->theirs->n_string_table) return false;
  const char *text = c->theirs->string_table[theirs];
  pprofc_str s = profile_string(c->ours, ours);
  size_t size = strlen(text);
  return s.size >= size && memcmp(s.data, text, size) == 0 &&
         (s.size == size || s.data[size] == '\0');
}

static bool same_type(const struct comparison *c, struct value_type ours,
                      const pb_value_type *theirs) {
  return same_string(c, ours.type, theirs->type) && same_string(c, ours.unit, theirs->unit);
}

/* Returns how often a field of Profile occurs. protobuf merges a repeated message; Go's pprof uses
 * the last one. */
static size_t occurrences(const void *bytes, size_t size, uint64_t number) {
  struct wire w = {bytes, (const uint8_t *)bytes + size, NULL};
  struct wire_field field;
  size_t count = 0;
  while (w.at < w.end && wire_next(&w, &field)) count += field.number == number;
  return count;
}

static bool compare_header(const struct comparison *c, bool with_period_type) {
  const pprofc_profile *p = c->ours;
  const pb_profile *q = c->theirs;
  static const pb_value_type no_type = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
  if (p->time_nanos != q->time_nanos) return differ(c, "time", 0);
  if (p->duration_nanos != q->duration_nanos) return differ(c, "duration", 0);
  if (p->period != q->period) return differ(c, "period", 0);
  if (!q->n_string_table) return true;
  if (!same_string(c, p->drop_frames, q->drop_frames)) return differ(c, "drop_frames", 0);
  if (!same_string(c, p->keep_frames, q->keep_frames)) return differ(c, "keep_frames", 0);
  if (!same_string(c, p->doc_url, q->doc_url)) return differ(c, "doc url", 0);
  if (!same_string(c, p->default_sample_type, q->default_sample_type))
    return differ(c, "default sample type", 0);
  if (with_period_type && !same_type(c, p->period_type, q->period_type ? q->period_type : &no_type))
    return differ(c, "period type", 0);
  if (p->comment_count != q->n_comment) return differ(c, "comment count", 0);
  for (size_t i = 0; i < q->n_comment; i++)
    if (!same_string(c, p->comments[i], q->comment[i])) return differ(c, "comment", i);
  if (p->type_count != q->n_sample_type) return differ(c, "type count", 0);
  for (size_t i = 0; i < q->n_sample_type; i++)
    if (!same_type(c, p->types[i], q->sample_type[i])) return differ(c, "sample type", i);
  return true;
}

static bool compare_strings(const struct comparison *c) {
  /* Without a string table, the library's profile still has the empty string. */
  if (!c->theirs->n_string_table) return c->ours->strings.count == 1;
  if (c->ours->strings.count != c->theirs->n_string_table) return differ(c, "string count", 0);
  for (size_t i = 0; i < c->theirs->n_string_table; i++)
    if (!same_string(c, (uint32_t)i, (int64_t)i)) return differ(c, "string", i);
  return true;
}

static bool compare_mappings(const struct comparison *c) {
  const struct mappings *m = &c->ours->mappings;
  if (m->count != c->theirs->n_mapping) return differ(c, "mapping count", 0);
  for (size_t i = 0; i < m->count; i++) {
    const struct mapping *x = &m->items[i];
    const pb_mapping *y = c->theirs->mapping[i];
    uint32_t flags = (y->has_functions ? PPROFC_HAS_FUNCTIONS : 0) |
                     (y->has_filenames ? PPROFC_HAS_FILENAMES : 0) |
                     (y->has_line_numbers ? PPROFC_HAS_LINE_NUMBERS : 0) |
                     (y->has_inline_frames ? PPROFC_HAS_INLINE_FRAMES : 0);
    if (x->id != y->id || x->start != y->memory_start || x->limit != y->memory_limit ||
        x->offset != y->file_offset || !same_string(c, x->file, y->filename) ||
        !same_string(c, x->build_id, y->build_id) || x->flags != flags)
      return differ(c, "mapping", i);
  }
  return true;
}

static bool compare_functions(const struct comparison *c) {
  const struct functions *f = &c->ours->functions;
  if (f->count != c->theirs->n_function) return differ(c, "function count", 0);
  for (size_t i = 0; i < f->count; i++) {
    const pb_function *y = c->theirs->function[i];
    if (function_id(f, (uint32_t)i) != y->id || f->start_line[i] != y->start_line ||
        !same_string(c, f->name[i], y->name) || !same_string(c, f->filename[i], y->filename) ||
        !same_string(c, f->system_name[i], y->system_name))
      return differ(c, "function", i);
  }
  return true;
}

/* True if mapping `index` of the library's profile is the mapping with the id `id`. An id without a
 * mapping means no mapping. */
static bool same_mapping(const struct comparison *c, uint32_t index, uint64_t id) {
  if (index != NONE) return c->ours->mappings.items[index].id == id;
  for (size_t i = 0; i < c->theirs->n_mapping; i++)
    if (c->theirs->mapping[i]->id == id) return false;
  return true;
}

static bool compare_locations(const struct comparison *c) {
  const struct locations *l = &c->ours->locations;
  if (l->count != c->theirs->n_location) return differ(c, "location count", 0);
  for (size_t i = 0; i < l->count; i++) {
    const pb_location *y = c->theirs->location[i];
    bool folded = l->is_folded && l->is_folded[i];
    if (location_id(l, (uint32_t)i) != y->id || l->address[i] != y->address ||
        folded != (y->is_folded != 0) || !same_mapping(c, l->mapping[i], y->mapping_id) ||
        l->line_from[i + 1] - l->line_from[i] != y->n_line)
      return differ(c, "location", i);
    for (size_t k = 0; k < y->n_line; k++) {
      struct line line = l->lines[l->line_from[i] + k];
      if (function_id(&c->ours->functions, line.function) != y->line[k]->function_id ||
          line.line != y->line[k]->line || line.column != y->line[k]->column)
        return differ(c, "line", i);
    }
  }
  return true;
}

static bool same_label(const struct comparison *c, const struct label *x, const pb_label *y) {
  if (!same_string(c, x->key, y->key)) return false;
  if (y->str) return !x->is_number && same_string(c, x->string, y->str);
  return x->is_number && x->number == y->num && same_string(c, x->unit, y->num_unit);
}

static bool compare_labels(const struct comparison *c, size_t sample) {
  const pb_sample *y = c->theirs->sample[sample];
  const struct label *labels = sample_labels(&c->ours->samples, sample);
  size_t count = label_count(&c->ours->samples, sample), at = 0;
  for (size_t i = 0; i < y->n_label; i++) {
    const pb_label *label = y->label[i];
    if (!label->str && !label->num && !label->num_unit) continue; /* skip an empty label */
    if (at == count || !same_label(c, &labels[at++], label)) return differ(c, "label", sample);
  }
  return at == count || differ(c, "label count", sample);
}

static bool compare_sample(const struct comparison *c, struct stack_reader *reader, size_t i,
                           uint32_t *frames) {
  const pb_sample *y = c->theirs->sample[i];
  if (y->n_value != c->ours->type_count) return differ(c, "value count", i);
  for (size_t t = 0; t < y->n_value; t++)
    if (c->ours->samples.values[i * y->n_value + t] != y->value[t]) return differ(c, "value", i);
  if (stack_read(reader, i, frames) != y->n_location_id) return differ(c, "depth", i);
  for (size_t k = 0; k < y->n_location_id; k++)
    if (location_id(&c->ours->locations, frames[k]) != y->location_id[k])
      return differ(c, "stack", i);
  return compare_labels(c, i);
}

static bool compare_samples(const struct comparison *c) {
  const struct samples *s = &c->ours->samples;
  if (s->count != c->theirs->n_sample) return differ(c, "sample count", 0);
  uint32_t *frames = calloc(s->max_depth + 1, sizeof *frames);
  struct stack_reader reader = stack_reader_at(s, 0);
  bool same = frames != NULL;
  for (size_t i = 0; i < s->count && same; i++) same = compare_sample(c, &reader, i, frames);
  free(frames);
  return same;
}

bool compare_with_protobuf_c(const void *bytes, size_t size, const pprofc_profile *profile,
                             struct difference *difference) {
  *difference = (struct difference){NULL, 0};
  pb_profile *theirs = perftools__profiles__profile__unpack(NULL, size, bytes);
  if (!theirs) return false;
  struct comparison c = {profile, theirs, difference};
  if (compare_header(&c, occurrences(bytes, size, 11) < 2) && compare_strings(&c) &&
      compare_mappings(&c) && compare_functions(&c) && compare_locations(&c))
    compare_samples(&c);
  perftools__profiles__profile__free_unpacked(theirs, NULL);
  return true;
}
