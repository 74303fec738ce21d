/* Numbers equal stacks of several profiles alike, with their values. */
#include "leaks/collect.h"

#include "core/array.h"
#include "core/buffer.h"
#include "pprofc/samples.h"
#include "verdict/quantum.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- places ------------------------------------------ */

#define UNNAMED_MAX 400

/* Formats "[libc.so.6]+0x1f0": the file offset of an address, equal in every run. */
static pprofc_str leak_unnamed(const pprofc_profile *profile, const pprofc_location *location,
                               char text[UNNAMED_MAX]) {
  pprofc_str file = STR("");
  uint64_t address = location->address;
  if (location->mapping != PPROFC_NONE) {
    pprofc_mapping mapping = pprofc_profile_mapping(profile, location->mapping);
    file = str_slice(str_path_base(mapping.file), 0, UNNAMED_MAX - 50);
    address = address - mapping.start + mapping.offset;
  }
  int size = snprintf(text, UNNAMED_MAX, "[%.*s]+0x%" PRIx64, STR_ARG(file), address);
  if (location->mapping == PPROFC_NONE) size = snprintf(text, UNNAMED_MAX, "0x%" PRIx64, address);
  return (pprofc_str){text, (size_t)size};
}

static size_t leak_frame_count(const pprofc_profile *profile, uint32_t location) {
  uint32_t lines = pprofc_profile_location(profile, location).line_count;
  return lines ? lines : 1;
}

/* Fills the next frame of a location, leaf first. Its texts belong to the profile or to `text`. */
static struct leak_frame leak_frame_view(const pprofc_profile *profile, uint32_t index, size_t i,
                                         char text[UNNAMED_MAX]) {
  struct leak_frame frame = {STR(""), STR(""), 0};
  pprofc_location location = pprofc_profile_location(profile, index);
  if (i < location.line_count) {
    pprofc_line line = pprofc_profile_line(profile, index, i);
    pprofc_function function = pprofc_profile_function(profile, line.function);
    frame = (struct leak_frame){function.name, function.filename, line.line};
  }
  if (!frame.function.size) frame.function = leak_unnamed(profile, &location, text);
  return frame;
}

static bool leak_place_key(struct buffer *key, const pprofc_profile *profile, uint32_t location) {
  char text[UNNAMED_MAX];
  size_t count = leak_frame_count(profile, location);
  buffer_clear(key);
  for (size_t i = 0; i < count; i++) {
    struct leak_frame frame = leak_frame_view(profile, location, i, text);
    buffer_printf(key, "%zu %zu %" PRId64 " ", frame.function.size, frame.file.size, frame.line);
    buffer_add_str(key, frame.function);
    buffer_add_str(key, frame.file);
  }
  return !key->failed;
}

static bool leak_place_keep(struct leak_collection *c, const pprofc_profile *profile,
                            uint32_t location, struct leak_place *place) {
  char text[UNNAMED_MAX];
  size_t count = leak_frame_count(profile, location);
  struct leak_frame *frames = arena_array(&c->arena, count, sizeof *frames);
  if (!frames) return false;
  for (size_t i = 0; i < count; i++) {
    frames[i] = leak_frame_view(profile, location, i, text);
    frames[i].function = arena_str(&c->arena, frames[i].function);
    frames[i].file = arena_str(&c->arena, frames[i].file);
    if (!frames[i].function.data || !frames[i].file.data) return false;
  }
  *place = (struct leak_place){.frames = frames, .count = count};
  return true;
}

static void leak_place_judge(const struct leak_collection *c, struct leak_place *place) {
  enum leak_list ignored = c->source.is_heap ? LEAK_LIST_HEAP : LEAK_LIST_COUNTS;
  place->all_way = true;
  for (size_t i = 0; i < place->count; i++) {
    pprofc_str name = place->frames[i].function;
    place->ignored |= leak_names_has(c->names, ignored, name);
    place->all_way &= leak_names_has(c->names, LEAK_LIST_WAY, name);
  }
}

/* Returns the number of a location's place, MAP_NONE when out of memory. */
static uint32_t leak_place_of(struct leak_collection *c, const pprofc_profile *profile,
                              uint32_t location, struct buffer *key) {
  size_t before = c->place_keys.count;
  if (!leak_place_key(key, profile, location)) return MAP_NONE;
  if (!ARRAY_RESERVE(c->mem, c->places, c->place_capacity, before + 1)) return MAP_NONE;
  uint32_t id = interner_copy(&c->place_keys, &c->arena, buffer_str(key));
  if (id == MAP_NONE || id < before) return id;
  if (!leak_place_keep(c, profile, location, &c->places[id])) return MAP_NONE;
  leak_place_judge(c, &c->places[id]);
  return id;
}

/* ---- stacks ------------------------------------------ */

struct leak_stack_key {
  const uint32_t *places;
  size_t depth;
};

static bool leak_stack_equal(const void *records, uint32_t index, const void *key) {
  const struct leak_stack *stack = (const struct leak_stack *)records + index;
  const struct leak_stack_key *wanted = key;
  return stack->depth == wanted->depth &&
         memcmp(stack->places, wanted->places, wanted->depth * sizeof *wanted->places) == 0;
}

static void leak_stack_judge(const struct leak_collection *c, struct leak_stack *stack) {
  for (size_t i = 0; i < stack->depth; i++) stack->ignored |= c->places[stack->places[i]].ignored;
  while (stack->where < stack->depth && c->places[stack->places[stack->where]].all_way)
    stack->where++;
  if (stack->where == stack->depth) stack->where = 0;
}

/* Returns the stack of these places, and adds a new one; NULL when out of memory. */
static struct leak_stack *leak_stack_of(struct leak_collection *c, const uint32_t *places,
                                        size_t depth) {
  struct leak_stack_key key = {places, depth};
  if (!ARRAY_RESERVE(c->mem, c->stacks, c->stack_capacity, c->stack_count + 1)) return NULL;
  uint32_t id = map_find_or_add(&c->map, hash_bytes(places, depth * sizeof *places),
                                leak_stack_equal, c->stacks, &key, (uint32_t)c->stack_count);
  if (id == MAP_NONE) return NULL;
  struct leak_stack *stack = &c->stacks[id];
  if (id < c->stack_count) return stack;
  *stack = (struct leak_stack){.depth = depth};
  stack->places = arena_copy(&c->arena, places, depth * sizeof *places);
  stack->cells = arena_zero_array(&c->arena, c->profiles, sizeof *stack->cells);
  if (!stack->places || !stack->cells) return NULL;
  leak_stack_judge(c, stack);
  c->stack_count++;
  return stack;
}

/* ---- samples ----------------------------------------- */

/* One profile while its samples are added. */
struct leak_reading {
  struct leak_collection *c;
  const pprofc_profile *profile;
  const struct leak_source *source;
  size_t index;
  struct quantum quantum;
  uint32_t *ids;    /* [locations] the place of each location, or MAP_NONE */
  uint32_t *places; /* [max_depth] places of a stack */
  struct buffer key;
};

/* Returns the mean size of an object. If objects come and go by chance, the variance of a
 * value is the value times this size. */
static double leak_chance(const struct leak_reading *r, const int64_t *values) {
  if (!r->source->is_heap) return 1;
  size_t objects = r->quantum.objects;
  if (objects == SIZE_MAX || values[objects] <= 0) return 0;
  return (double)values[r->source->value] / (double)values[objects];
}

static pprofc_status leak_add_values(struct leak_reading *r, struct leak_stack *stack,
                                     const pprofc_sample *sample, pprofc_error *error) {
  struct leak_cell *cell = &stack->cells[r->index];
  int64_t value = sample->values[r->source->value];
  if (value < 0)
    return error_set(error, PPROFC_E_INVALID,
                     "it has negative values: it is a difference of two profiles, not the state "
                     "at one time");
  cell->value += (double)value;
  cell->sampling += (double)value * quantum_of_sample(&r->quantum, sample->values);
  cell->chance += (double)value * leak_chance(r, sample->values);
  if (r->source->allocated == SIZE_MAX) return PPROFC_OK;
  cell->allocated += (double)sample->values[r->source->allocated];
  r->c->totals[r->index] += (double)sample->values[r->source->allocated];
  return PPROFC_OK;
}

static bool leak_take_places(struct leak_reading *r, const pprofc_sample *sample) {
  for (size_t i = 0; i < sample->depth; i++) {
    uint32_t *id = &r->ids[sample->stack[i]];
    if (*id == MAP_NONE) *id = leak_place_of(r->c, r->profile, sample->stack[i], &r->key);
    if (*id == MAP_NONE) return false;
    r->places[i] = *id;
  }
  return true;
}

static pprofc_status leak_add_samples(struct leak_reading *r, pprofc_error *error) {
  pprofc_sample_iterator *iterator;
  pprofc_sample sample;
  pprofc_status status = pprofc_sample_iterator_new(r->profile, 0, SIZE_MAX, &iterator, error);
  if (status != PPROFC_OK) return status;
  while (status == PPROFC_OK && pprofc_sample_iterator_next(iterator, &sample)) {
    struct leak_stack *stack = NULL;
    if (leak_take_places(r, &sample)) stack = leak_stack_of(r->c, r->places, sample.depth);
    status = stack ? leak_add_values(r, stack, &sample, error) : error_nomem(error);
  }
  pprofc_sample_iterator_free(iterator);
  return status;
}

pprofc_status leak_collection_add(struct leak_collection *c, const pprofc_profile *profile,
                                  const struct leak_source *source, size_t index,
                                  pprofc_error *error) {
  size_t locations = pprofc_profile_location_count(profile);
  size_t depth = pprofc_profile_max_depth(profile) + 1;
  struct leak_reading r = {.c = c, .profile = profile, .source = source, .index = index};
  r.quantum = quantum_of(profile, source->value);
  r.ids = mem_array(c->mem, locations, sizeof *r.ids);
  r.places = mem_array(c->mem, depth, sizeof *r.places);
  buffer_init(&r.key, c->mem, SIZE_MAX / 2);
  for (size_t i = 0; r.ids && i < locations; i++) r.ids[i] = MAP_NONE;
  pprofc_status status = r.ids && r.places ? leak_add_samples(&r, error) : error_nomem(error);
  buffer_free(&r.key);
  mem_free(c->mem, r.ids, locations, sizeof *r.ids);
  mem_free(c->mem, r.places, depth, sizeof *r.places);
  return status;
}

/* ---- the collection ---------------------------------- */

pprofc_status leak_collection_init(struct leak_collection *c, const pprofc_allocator *mem,
                                   const struct leak_names *names, const struct leak_source *source,
                                   size_t profiles, pprofc_error *error) {
  *c = (struct leak_collection){.mem = mem, .names = names, .source = *source};
  c->profiles = profiles;
  arena_init(&c->arena, mem);
  interner_init(&c->place_keys, mem);
  map_init(&c->map, mem);
  c->source.kind = arena_str(&c->arena, source->kind);
  c->source.unit = arena_str(&c->arena, source->unit);
  c->totals = arena_zero_array(&c->arena, profiles, sizeof *c->totals);
  return c->source.kind.data && c->source.unit.data && c->totals ? PPROFC_OK : error_nomem(error);
}

void leak_collection_free(struct leak_collection *c) {
  ARRAY_FREE(c->mem, c->places, c->place_capacity);
  ARRAY_FREE(c->mem, c->stacks, c->stack_capacity);
  map_free(&c->map);
  interner_free(&c->place_keys);
  arena_free(&c->arena);
}
