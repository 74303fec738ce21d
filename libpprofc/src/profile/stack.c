/* Changes the maps of segments (from varints to locations), so that edits can hide and add
 * locations. The stored stacks do not change. */
#include "profile/stack.h"

#include "profile/stack_tree.h"

size_t stack_longest(const struct samples *s) {
  uint32_t longest = 0;
  for (size_t i = 0; s->tree && i < s->segment_count; i++)
    if (s->tree[i].longest > longest) longest = s->tree[i].longest;
  for (size_t i = 0; !s->tree && i < s->count; i++)
    if (s->stack_size[i] > longest) longest = s->stack_size[i];
  return longest;
}

/* Returns a map for segments without a map. Varint i + 1 means location i, or LOCATION_HIDDEN if
 * hidden[i] is set. */
static const uint32_t *stack_plain_map(struct arena *arena, const uint8_t *hidden,
                                       size_t locations) {
  uint32_t *map = arena_array(arena, locations + 1, sizeof *map);
  if (!map) return NULL;
  map[0] = LOCATION_HIDDEN;
  for (uint32_t i = 0; i < locations; i++) map[i + 1] = hidden[i] ? LOCATION_HIDDEN : i;
  return map;
}

static const uint32_t *stack_other_map(struct arena *arena, const struct segment *segment,
                                       const uint8_t *hidden) {
  uint32_t *map = arena_array(arena, segment->map_size, sizeof *map);
  if (!map) return NULL;
  for (size_t v = 0; v < segment->map_size; v++) {
    uint32_t location = segment->map[v];
    map[v] = location == LOCATION_HIDDEN || hidden[location] ? LOCATION_HIDDEN : location;
  }
  return map;
}

bool segment_hide(struct arena *arena, struct segment *segment, const uint8_t *hidden,
                  size_t locations, const uint32_t **plain) {
  if (segment->map) {
    segment->map = stack_other_map(arena, segment, hidden);
    return segment->map != NULL;
  }
  if (!*plain) *plain = stack_plain_map(arena, hidden, locations);
  segment->map = *plain;
  segment->map_size = locations + 1;
  return segment->map != NULL;
}

bool segment_extend(struct arena *arena, struct segment *segment, size_t locations, size_t more,
                    size_t *base) {
  if (!segment->map) {
    *base = locations + 1;
    return true;
  }
  size_t old = segment->map_size;
  uint32_t *map = arena_extend(arena, segment->map, old, more, sizeof *map);
  if (!map) return false;
  for (size_t i = 0; i < more; i++) map[old + i] = (uint32_t)(locations + i);
  segment->map = map;
  segment->map_size = old + more;
  *base = old;
  return old + more < NONE;
}
