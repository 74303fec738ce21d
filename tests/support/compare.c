/* Compares two profiles through the public views. */
#include "compare.h"

#include "core/map.h"

#include <stdlib.h>

#define DIFFER(difference, name, position)                                                         \
  do {                                                                                             \
    (difference)->what = (name);                                                                   \
    (difference)->index = (position);                                                              \
    return;                                                                                        \
  } while (0)

static bool same_type(pprofc_value_type a, pprofc_value_type b) {
  return str_equal(a.type, b.type) && str_equal(a.unit, b.unit);
}

static void compare_headers(const pprofc_profile *a, const pprofc_profile *b,
                            struct difference *difference) {
  pprofc_header x, y;
  pprofc_profile_header(a, &x);
  pprofc_profile_header(b, &y);
  if (!str_equal(x.drop_frames, y.drop_frames)) DIFFER(difference, "drop_frames", 0);
  if (!str_equal(x.keep_frames, y.keep_frames)) DIFFER(difference, "keep_frames", 0);
  if (x.time_nanos != y.time_nanos) DIFFER(difference, "time", 0);
  if (x.duration_nanos != y.duration_nanos) DIFFER(difference, "duration", 0);
  if (!same_type(x.period_type, y.period_type)) DIFFER(difference, "period type", 0);
  if (x.period != y.period) DIFFER(difference, "period", 0);
  if (!str_equal(x.default_sample_type, y.default_sample_type))
    DIFFER(difference, "default sample type", 0);
  if (!str_equal(x.doc_url, y.doc_url)) DIFFER(difference, "doc url", 0);
  if (x.comment_count != y.comment_count) DIFFER(difference, "comment count", 0);
  for (size_t i = 0; i < x.comment_count; i++)
    if (!str_equal(pprofc_profile_comment(a, i), pprofc_profile_comment(b, i)))
      DIFFER(difference, "comment", i);
  if (pprofc_profile_type_count(a) != pprofc_profile_type_count(b))
    DIFFER(difference, "type count", 0);
  for (size_t i = 0; i < pprofc_profile_type_count(a); i++)
    if (!same_type(pprofc_profile_type(a, i), pprofc_profile_type(b, i)))
      DIFFER(difference, "sample type", i);
}

static void compare_mappings(const pprofc_profile *a, const pprofc_profile *b,
                             struct difference *difference) {
  size_t count = pprofc_profile_mapping_count(a);
  if (count != pprofc_profile_mapping_count(b)) DIFFER(difference, "mapping count", 0);
  for (uint32_t i = 0; i < count; i++) {
    pprofc_mapping x = pprofc_profile_mapping(a, i), y = pprofc_profile_mapping(b, i);
    if (x.id != y.id || x.start != y.start || x.limit != y.limit || x.offset != y.offset ||
        !str_equal(x.file, y.file) || !str_equal(x.build_id, y.build_id) ||
        x.has_functions != y.has_functions || x.has_filenames != y.has_filenames ||
        x.has_line_numbers != y.has_line_numbers || x.has_inline_frames != y.has_inline_frames)
      DIFFER(difference, "mapping", i);
  }
}

static void compare_functions(const pprofc_profile *a, const pprofc_profile *b,
                              struct difference *difference) {
  size_t count = pprofc_profile_function_count(a);
  if (count != pprofc_profile_function_count(b)) DIFFER(difference, "function count", 0);
  for (uint32_t i = 0; i < count; i++) {
    pprofc_function x = pprofc_profile_function(a, i), y = pprofc_profile_function(b, i);
    if (x.id != y.id || !str_equal(x.name, y.name) || !str_equal(x.system_name, y.system_name) ||
        !str_equal(x.filename, y.filename) || x.start_line != y.start_line)
      DIFFER(difference, "function", i);
  }
}

static void compare_locations(const pprofc_profile *a, const pprofc_profile *b,
                              struct difference *difference) {
  size_t count = pprofc_profile_location_count(a);
  if (count != pprofc_profile_location_count(b)) DIFFER(difference, "location count", 0);
  for (uint32_t i = 0; i < count; i++) {
    pprofc_location x = pprofc_profile_location(a, i), y = pprofc_profile_location(b, i);
    if (x.id != y.id || x.address != y.address || x.mapping != y.mapping ||
        x.is_folded != y.is_folded || x.line_count != y.line_count)
      DIFFER(difference, "location", i);
    for (uint32_t k = 0; k < x.line_count; k++) {
      pprofc_line l = pprofc_profile_line(a, i, k), m = pprofc_profile_line(b, i, k);
      if (l.function != m.function || l.line != m.line || l.column != m.column)
        DIFFER(difference, "line", i);
    }
  }
}

/* Returns a sum over the labels of a sample that does not depend on their order. Skips labels that
 * cannot be written. */
static uint64_t label_sum(const pprofc_profile *p, size_t sample) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pprofc_profile_label_count(p, sample); i++) {
    pprofc_label label = pprofc_profile_label(p, sample, i);
    if (label.is_number ? label.number == 0 && label.unit.size == 0 : label.string.size == 0)
      continue;
    uint64_t hash = hash_mix(hash_str(label.key), label.is_number);
    hash = hash_mix(hash, hash_str(label.is_number ? label.unit : label.string));
    sum += hash_mix(hash, label.is_number ? (uint64_t)label.number : 0) | 1;
  }
  return sum;
}

static void compare_samples(const pprofc_profile *a, const pprofc_profile *b,
                            struct difference *difference) {
  pprofc_samples_view x, y;
  pprofc_profile_samples(a, &x);
  pprofc_profile_samples(b, &y);
  if (x.count != y.count || x.types != y.types) DIFFER(difference, "sample count", 0);
  if (x.count && x.types && memcmp(x.values, y.values, x.count * x.types * sizeof *x.values) != 0)
    DIFFER(difference, "values", 0);
  size_t depth = pprofc_profile_max_depth(a);
  if (pprofc_profile_max_depth(b) > depth) depth = pprofc_profile_max_depth(b);
  uint32_t *stacks = calloc(depth + 1, 2 * sizeof *stacks);
  for (size_t i = 0; i < x.count && stacks && !difference->what; i++) {
    size_t n = pprofc_profile_stack(a, i, stacks, depth);
    size_t m = pprofc_profile_stack(b, i, stacks + depth, depth);
    if (n != m || memcmp(stacks, stacks + depth, n * sizeof *stacks) != 0)
      *difference = (struct difference){"stack", i};
    else if (label_sum(a, i) != label_sum(b, i))
      *difference = (struct difference){"labels", i};
  }
  free(stacks);
}

void compare_profiles(const pprofc_profile *a, const pprofc_profile *b,
                      struct difference *difference) {
  *difference = (struct difference){NULL, 0};
  compare_headers(a, b, difference);
  if (!difference->what) compare_mappings(a, b, difference);
  if (!difference->what) compare_functions(a, b, difference);
  if (!difference->what) compare_locations(a, b, difference);
  if (!difference->what) compare_samples(a, b, difference);
}
