/* Numbers locations, functions and mappings in the order in which pprof first uses them: sample by
 * sample, from leaf to root. At each location, numbers its mapping first, then its functions. */
#include "profile/stack_tree.h"
#include "transform/merge/merge.h"

/* ---- numbers ----------------------------------------- */

static void number_mapping(struct merge *m, uint32_t merged) {
  if (m->mapping_number[merged] != NONE) return;
  m->mapping_number[merged] = (uint32_t)m->mappings_used;
  m->mapping_order[m->mappings_used++] = merged;
}

static void number_location(struct merge *m, uint32_t merged) {
  const struct merge_location *key = &m->locations[merged];
  const struct merge_source *s = &m->sources[key->place.source];
  const struct locations *l = &s->profile->locations;
  if (key->mapping != NONE) number_mapping(m, key->mapping);
  for (uint32_t i = l->line_from[key->place.index]; i < l->line_from[key->place.index + 1]; i++) {
    uint32_t function = s->functions[l->lines[i].function];
    if (m->function_number[function] != NONE) continue;
    m->function_number[function] = (uint32_t)m->functions_used;
    m->function_order[m->functions_used++] = function;
  }
  m->location_number[merged] = (uint32_t)m->locations_used;
  m->location_order[m->locations_used++] = merged;
}

static bool alloc_numbers(struct merge *m) {
  m->location_number = arena_array(&m->arena, m->location_count, sizeof(uint32_t));
  m->location_order = arena_array(&m->tables, m->location_count, sizeof(uint32_t));
  m->function_number = arena_array(&m->tables, m->function_count, sizeof(uint32_t));
  m->function_order = arena_array(&m->tables, m->function_count, sizeof(uint32_t));
  m->mapping_number = arena_array(&m->tables, m->mapping_count, sizeof(uint32_t));
  m->mapping_order = arena_array(&m->tables, m->mapping_count, sizeof(uint32_t));
  return m->location_number && m->location_order && m->function_number && m->function_order &&
         m->mapping_number && m->mapping_order;
}

static void reset_numbers(struct merge *m) {
  memset(m->location_number, 0xFF, m->location_count * sizeof(uint32_t));
  memset(m->function_number, 0xFF, m->function_count * sizeof(uint32_t));
  memset(m->mapping_number, 0xFF, m->mapping_count * sizeof(uint32_t));
  m->locations_used = m->functions_used = m->mappings_used = 0;
}

/* Numbers mapping 0 of the first source that has mappings, even if no sample uses it, because it is
 * the main binary. *next is the first source that was not checked yet. */
static void number_main_mapping(struct merge *m, uint32_t *next, uint32_t until) {
  for (; *next < until; ++*next) {
    const struct merge_source *s = &m->sources[*next];
    if (m->mappings_used || !s->profile->mappings.count) continue;
    m->mappings[s->mappings[0]] = (struct merge_place){*next, 0};
    number_mapping(m, s->mappings[0]);
  }
}

/* Sets the source record from which a merged location takes its fields. Does the same for the
 * mapping of the location, unless the mapping already has a number. */
static void represent(struct merge *m, uint32_t merged, struct merge_place place) {
  m->locations[merged].place = place;
  uint32_t mapping = m->locations[merged].mapping;
  if (mapping == NONE || m->mapping_number[mapping] != NONE) return;
  const struct locations *l = &m->sources[place.source].profile->locations;
  m->mappings[mapping] = (struct merge_place){place.source, l->mapping[place.index]};
}

bool merge_number_begin(struct merge *m) {
  if (!alloc_numbers(m)) return false;
  reset_numbers(m);
  return true;
}

uint32_t merge_number_first(struct merge *m, uint32_t merged, struct merge_place place,
                            uint32_t *next) {
  number_main_mapping(m, next, place.source + 1);
  if (m->location_number[merged] == NONE) {
    represent(m, merged, place);
    number_location(m, merged);
  }
  return m->location_number[merged];
}

void merge_number_end(struct merge *m, uint32_t *next) {
  number_main_mapping(m, next, (uint32_t)m->source_count);
}

bool merge_number_tables(struct merge *m, const uint8_t *const *used) {
  if (!merge_number_begin(m)) return false;
  uint32_t next = 0;
  for (uint32_t i = 0; i < m->source_count; i++) {
    const struct merge_source *s = &m->sources[i];
    number_main_mapping(m, &next, i + 1);
    for (uint32_t n = 0; n < s->profile->locations.count; n++) {
      uint32_t merged = s->locations[n];
      if ((used && !used[i][n]) || m->location_number[merged] != NONE) continue;
      represent(m, merged, (struct merge_place){i, n});
      number_location(m, merged);
    }
  }
  return true;
}

/* True if the `count` merged records in `merged` are all different. `seen` is all zero before and
 * after the call. */
static bool merge_are_different(const uint32_t *merged, size_t count, uint8_t *seen) {
  bool different = true;
  for (size_t i = 0; i < count; i++) {
    different = different && !seen[merged[i]];
    seen[merged[i]] = 1;
  }
  for (size_t i = 0; i < count; i++) seen[merged[i]] = 0;
  return different;
}

bool merge_is_one_to_one(struct merge *m) {
  size_t most = m->location_count > m->mapping_count ? m->location_count : m->mapping_count;
  uint8_t *seen = arena_zero_array(&m->tables, most, 1);
  for (size_t i = 0; seen && i < m->source_count; i++) {
    const struct merge_source *s = &m->sources[i];
    if (!merge_are_different(s->locations, s->profile->locations.count, seen) ||
        !merge_are_different(s->mappings, s->profile->mappings.count, seen))
      return false;
  }
  return seen != NULL;
}

/* ---- walks ------------------------------------------- */

/* Numbers the merged locations, functions and mappings of a sample's stack that have no number yet.
 * If `next` is not NULL, they also get the fields that they have in the source of this stack. */
static void number_stack(struct merge *m, const struct merge_segment *segment, size_t sample,
                         uint32_t *next) {
  const struct samples *s = merge_samples_of(m, segment->source);
  size_t local = sample - m->sources[segment->source].first_sample;
  struct packed_stack rest = {s->stack[local], s->stack[local] + s->stack_size[local], NULL};
  uint32_t v;
  while (stack_take_leaf_id(&rest, &v)) {
    uint32_t merged = segment->merged[v];
    if (merged == LOCATION_HIDDEN || m->location_number[merged] != NONE) continue;
    struct merge_place place = {segment->source, segment->map ? segment->map[v] : v - 1};
    if (next)
      merge_number_first(m, merged, place, next);
    else
      number_location(m, merged);
  }
}

bool merge_number_samples(struct merge *m) {
  if (!merge_number_begin(m)) return false;
  const struct merge_segment *segment = m->segments;
  size_t types = m->out->type_count;
  uint32_t next = 0;
  for (size_t i = 0; i < m->sample_count; i++) {
    segment = merge_segment_next(m, segment, i);
    size_t local = i - m->sources[segment->source].first_sample;
    if (!values_are_zero(merge_samples_of(m, segment->source)->values + local * types, types))
      number_stack(m, segment, i, &next);
  }
  merge_number_end(m, &next);
  return true;
}

/* Removes all numbers, except the number of the main binary. */
static void merge_number_again(struct merge *m) {
  uint32_t main_mapping = m->mappings_used ? m->mapping_order[0] : NONE;
  reset_numbers(m);
  if (main_mapping != NONE) number_mapping(m, main_mapping);
}

void merge_number_results(struct merge *m) {
  merge_number_again(m);
  const struct merge_segment *segment = m->segments;
  for (size_t i = 0; i < m->result_count; i++) {
    segment = merge_segment_next(m, segment, m->origins[i]);
    number_stack(m, segment, m->origins[i], NULL);
  }
}

/* Numbers the locations of the stack tree. used[i] is set if a sample has the stack i. `room` has
 * space for a stack. */
static void number_stacks(struct merge *m, const struct stack_tree *tree, const uint8_t *used,
                          uint8_t *room) {
  merge_number_again(m);
  for (size_t i = 0; i < tree->ref_count; i++) {
    struct packed_stack rest = {room, room + tree->refs[i].size, NULL};
    uint32_t merged;
    if (!used[i]) continue;
    stack_tree_copy(tree, &tree->refs[i], room);
    while (stack_take_leaf(&rest, &merged))
      if (m->location_number[merged] == NONE) number_location(m, merged);
  }
}

bool merge_number_tree(struct merge *m) {
  struct samples *s = &m->out->samples;
  size_t size = m->location_count + 1;
  struct segment *segment = arena_zero_array(&m->out->region->arena, 1, sizeof *segment);
  uint32_t *map = arena_array(&m->out->region->arena, size, sizeof *map);
  uint8_t *used = s->tree ? arena_zero_array(&m->tables, s->tree->ref_count, 1) : NULL;
  uint8_t *room = s->tree ? arena_alloc(&m->tables, s->tree->longest) : NULL;
  if (!segment || !map || (s->tree && (!used || !room))) return false;
  for (size_t i = 0; i < s->count; i++) used[s->tree->sorted[i]] = 1;
  if (s->tree) number_stacks(m, s->tree, used, room);
  if (!s->tree) merge_number_again(m);
  map[0] = LOCATION_HIDDEN;
  memcpy(map + 1, m->location_number, m->location_count * sizeof *map);
  *segment = (struct segment){0, map, size};
  s->segments = segment;
  return true;
}
