/* Finds the nodes that can get a mark, and the calls that involve each location. */
#include "graph/marks.h"

#include "core/array.h"

static bool mark_places_keep(const struct marks *m, uint32_t node) {
  return !m->kept || m->kept[node];
}

bool marks_find_candidates(struct marks *m, size_t *count) {
  const struct graph *g = m->graph;
  const struct frames *f = &g->frames;
  uint8_t *shown = mem_zero_array(m->mem, g->node_count, 1);
  m->candidates = mem_zero_array(m->mem, g->node_count, 1);
  if (shown && m->candidates) {
    for (size_t i = 0; i < g->shown_count; i++) shown[g->shown[i]] = 1;
    for (size_t i = 0; i < f->locations->count; i++) {
      if (!(f->of_location[i] & FRAME_LIST)) continue;
      const uint32_t *list = frame_list(f, f->of_location[i]);
      for (uint32_t k = 1; k < list[0]; k++)
        if (shown[list[k]]) m->candidates[list[k]] = 1;
    }
  }
  mem_free(m->mem, shown, g->node_count, 1);
  if (!shown || !m->candidates) return false;
  *count = 0;
  for (size_t i = 0; i < g->node_count; i++) *count += m->candidates[i];
  return true;
}

uint32_t marks_find_call(const struct marks *m, uint32_t source, uint32_t target) {
  struct map_probe probe = map_start(&m->map, hash_mix(source, target));
  uint32_t index;
  while ((index = map_next(&m->map, &probe)) != MAP_NONE)
    if (m->calls[index].target == target && m->calls[index].source == source) return index;
  return NONE;
}

/* Appends a call to the list that starts at `from`. */
static bool mark_places_add_call(struct marks *m, size_t from, uint32_t source, uint32_t target) {
  uint32_t index = marks_find_call(m, source, target);
  if (index == NONE) {
    if (!ARRAY_RESERVE(m->mem, m->calls, m->call_capacity, m->call_count + 1)) return false;
    index = (uint32_t)m->call_count;
    if (!map_insert(&m->map, hash_mix(source, target), index)) return false;
    m->calls[m->call_count++] = (struct known_call){source, target};
  }
  if (!ARRAY_RESERVE(m->mem, m->lists, m->list_capacity, m->list_size + 2)) return false;
  if (m->list_size == from) m->lists[m->list_size++] = 0;
  m->lists[from]++;
  m->lists[m->list_size++] = index;
  return true;
}

static bool mark_places_read_list(struct marks *m, const uint32_t *list, struct mark_place *place) {
  size_t from = m->list_size;
  for (uint32_t k = list[0]; k; k--) {
    uint32_t node = list[k];
    if (!mark_places_keep(m, node)) continue;
    if (place->caller == NONE) {
      place->is_inline = k < list[0];
      if (m->candidates[node]) place->target = node;
    } else if (node != place->caller && m->candidates[node]) {
      if (!mark_places_add_call(m, from, place->caller, node)) return false;
    }
    place->caller = node;
  }
  if (m->list_size >= NONE) return false;
  if (m->list_size > from) place->inner = (uint32_t)from;
  return true;
}

/* Reads the frames of a location into a place. */
static bool mark_places_read(struct marks *m, uint32_t entry, struct mark_place *place) {
  *place = (struct mark_place){NONE, NONE, NONE, false};
  if (entry & FRAME_LIST)
    return mark_places_read_list(m, frame_list(&m->graph->frames, entry), place);
  if (!mark_places_keep(m, entry)) return true;
  place->caller = entry;
  if (m->candidates[entry]) place->target = entry;
  return true;
}

bool marks_read_places(struct marks *m) {
  const struct frames *f = &m->graph->frames;
  size_t count = f->locations->count;
  m->place_of = mem_zero_array(m->mem, count, sizeof *m->place_of);
  m->place_capacity = count + 1; /* unused pages take no memory */
  m->places = mem_array(m->mem, m->place_capacity, sizeof *m->places);
  if (!m->place_of || !m->places) return false;
  m->places[m->place_count++] = (struct mark_place){NONE, NONE, NONE, false};
  for (size_t i = 0; i < count; i++) {
    struct mark_place place;
    if (!mark_places_read(m, f->of_location[i], &place)) return false;
    if (place.caller == NONE) continue;
    if (m->place_count >= PLACE_WANTED) return false;
    bool wanted = place.target != NONE || place.inner != NONE;
    m->place_of[i] = (uint32_t)m->place_count | (wanted ? PLACE_WANTED : 0);
    m->places[m->place_count++] = place;
  }
  return true;
}

void marks_free_places(struct marks *m) {
  mem_free(m->mem, m->candidates, m->graph->node_count, 1);
  mem_free(m->mem, m->place_of, m->graph->frames.locations->count, sizeof *m->place_of);
  mem_free(m->mem, m->places, m->place_capacity, sizeof *m->places);
  mem_free(m->mem, m->lists, m->list_capacity, sizeof *m->lists);
  mem_free(m->mem, m->calls, m->call_capacity, sizeof *m->calls);
  map_free(&m->map);
}
