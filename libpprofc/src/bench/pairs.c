/* Groups measurements into pairs: counts them in one walk over the set, stores them in a second. */
#include "bench/pairs.h"

#include "bench/units.h"
#include "core/array.h"

#include <math.h>

/* What all results of one input with one configuration share. */
struct pairs_place {
  uint32_t config, input;
  uint32_t package, round; /* texts */
  int side;
};

/* One measurement on its way to its pair. */
struct pairs_value {
  size_t result;
  pprofc_str unit;
  double value;
};

/* Takes one measurement; false when out of memory. */
typedef bool (*pairs_visit_fn)(struct pairs *pairs, struct pair *pair,
                               const struct pairs_place *place, const struct pairs_value *value);

static bool place_of_result(struct pairs *pairs, size_t index, struct pairs_place *place) {
  const pprofc_bench_result *result = &pairs->set->results[index];
  if (place->config == result->config && place->input == result->input) return true;
  bool head = pairs->head != MAP_NONE && pairs->set->inputs[result->input].label == pairs->head;
  place->config = result->config;
  place->input = result->input;
  place->side = head ? PAIR_HEAD : PAIR_BASE;
  place->package =
      interner_add(&pairs->texts, pprofc_bench_result_config(pairs->set, index, STR("pkg")));
  place->round =
      interner_add(&pairs->texts, pprofc_bench_result_config(pairs->set, index, STR("round")));
  return place->package != MAP_NONE && place->round != MAP_NONE;
}

/* The set keeps the unit of a zero as it was written, as benchstat does; a pair needs one unit. */
static uint32_t pairs_add_unit(struct pairs *pairs, const struct pairs_value *value) {
  if (value->value != 0) return interner_add(&pairs->texts, value->unit);
  struct buffer tidy;
  buffer_init(&tidy, pairs->mem, SIZE_MAX / 2);
  (void)unit_tidy(value->unit, &tidy);
  uint32_t id =
      tidy.failed ? MAP_NONE : interner_copy(&pairs->texts, &pairs->arena, buffer_str(&tidy));
  buffer_free(&tidy);
  return id;
}

static bool pair_has_key(const void *records, uint32_t index, const void *key) {
  const struct pair *pair = (const struct pair *)records + index, *wanted = key;
  return pair->package == wanted->package && pair->name == wanted->name &&
         pair->unit == wanted->unit;
}

/* The pair with the key of `wanted`, or NULL when out of memory. */
static struct pair *pairs_find(struct pairs *pairs, const struct pair *wanted) {
  uint64_t hash = hash_mix(hash_mix(wanted->package, wanted->name), wanted->unit);
  if (!ARRAY_RESERVE(pairs->mem, pairs->items, pairs->capacity, pairs->count + 1)) return NULL;
  uint32_t index = map_find_or_add(&pairs->map, hash, pair_has_key, pairs->items, wanted,
                                   (uint32_t)pairs->count);
  if (index == MAP_NONE) return NULL;
  if (index == pairs->count) pairs->items[pairs->count++] = *wanted;
  return &pairs->items[index];
}

static bool pairs_visit(struct pairs *pairs, pairs_visit_fn visit, const struct pairs_place *place,
                        const struct pairs_value *value, uint32_t *found) {
  struct pair wanted = {.package = place->package,
                        .unit = pairs_add_unit(pairs, value),
                        .name = pairs->set->results[value->result].name};
  if (wanted.unit == MAP_NONE) return false;
  struct pair *pair = pairs_find(pairs, &wanted);
  if (!pair) return false;
  *found = (uint32_t)(pair - pairs->items);
  return visit(pairs, pair, place, value);
}

/* Neighbouring results mostly are of one benchmark: the pair of the last value at the same place is
 * tried first. */
#define PLACES 16
struct pairs_memory {
  uint32_t package, name, unit; /* the unit of the set */
  uint32_t pair;                /* MAP_NONE: nothing is remembered */
  bool zero;                    /* its unit is tidied */
};

static struct pair *pairs_remembered(struct pairs *pairs, const struct pairs_memory *memory,
                                     const struct pairs_memory *wanted) {
  bool same = memory->pair != MAP_NONE && memory->name == wanted->name &&
              memory->unit == wanted->unit && memory->package == wanted->package &&
              memory->zero == wanted->zero;
  return same ? &pairs->items[memory->pair] : NULL;
}

/* The parts of CPU time that a result has; NaN where it has none. */
struct cpu_parts {
  double user, system;
};

static void cpu_parts_take(struct cpu_parts *parts, const struct pairs_value *value) {
  if (str_equal(value->unit, STR("user-sec/op"))) parts->user = value->value;
  if (str_equal(value->unit, STR("sys-sec/op"))) parts->system = value->value;
}

static bool pairs_walk_value(struct pairs *pairs, pairs_visit_fn visit,
                             const struct pairs_place *place, const struct pairs_value *value,
                             uint32_t unit, struct pairs_memory *memory) {
  struct pairs_memory wanted = {place->package, pairs->set->results[value->result].name, unit,
                                MAP_NONE, value->value == 0};
  struct pair *pair = pairs_remembered(pairs, memory, &wanted);
  if (pair) return visit(pairs, pair, place, value);
  *memory = wanted;
  return pairs_visit(pairs, visit, place, value, &memory->pair);
}

static bool pairs_walk_result(struct pairs *pairs, pairs_visit_fn visit,
                              const struct pairs_place *place, size_t result,
                              struct pairs_memory *memory) {
  const struct pprofc_bench *set = pairs->set;
  struct cpu_parts parts = {(double)NAN, (double)NAN};
  size_t first = set->results[result].first_value, end = set->results[result + 1].first_value;
  struct pairs_memory other = {.pair = MAP_NONE};
  for (size_t i = first; i < end; i++) {
    struct pairs_value value = {result, pprofc_bench_unit(set, set->value_unit[i]), set->values[i]};
    struct pairs_memory *known = i - first < PLACES ? &memory[i - first] : &other;
    cpu_parts_take(&parts, &value);
    if (!pairs_walk_value(pairs, visit, place, &value, set->value_unit[i], known)) return false;
  }
  struct pairs_value sum = {result, STR("cpu-sec/op"), parts.user + parts.system};
  return isnan(sum.value) || pairs_visit(pairs, visit, place, &sum, &other.pair);
}

static bool pairs_walk(struct pairs *pairs, pairs_visit_fn visit) {
  struct pairs_place place = {.config = UINT32_MAX, .input = UINT32_MAX};
  struct pairs_memory memory[PLACES];
  for (size_t i = 0; i < PLACES; i++) memory[i].pair = MAP_NONE;
  for (size_t i = 0; i < pairs->set->result_count; i++)
    if (!place_of_result(pairs, i, &place) || !pairs_walk_result(pairs, visit, &place, i, memory))
      return false;
  return true;
}

static bool pairs_count_value(struct pairs *pairs, struct pair *pair,
                              const struct pairs_place *place, const struct pairs_value *value) {
  struct pair_side *side = &pair->sides[place->side];
  if (!side->count++) {
    side->input = place->input;
    side->line = pairs->set->results[value->result].line;
  }
  pairs->value_count++;
  pairs->has_rounds |= place->round != 0;
  if (isfinite(value->value) || pair->bad) return true;
  pair->bad = true;
  if (!ARRAY_RESERVE(pairs->mem, pairs->flaws, pairs->flaw_capacity, pairs->flaw_count + 1))
    return false;
  pairs->flaws[pairs->flaw_count++] = value->result;
  return true;
}

/* The second walk counts again, so that each count is the next free place until it is complete. */
static bool pairs_store_value(struct pairs *pairs, struct pair *pair,
                              const struct pairs_place *place, const struct pairs_value *value) {
  struct pair_side *side = &pair->sides[place->side];
  size_t at = side->first + side->count++;
  pairs->values[at] = value->value;
  if (pairs->rounds) pairs->rounds[at] = place->round;
  if (pairs->inputs) pairs->inputs[at] = place->input;
  return true;
}

/* Gives each side its part of the columns, and empties it. */
static bool pairs_allocate(struct pairs *pairs) {
  pairs->values = mem_array(pairs->mem, pairs->value_count, sizeof *pairs->values);
  bool rounds = pairs->has_rounds, inputs = pairs->head == MAP_NONE;
  if (rounds) pairs->rounds = mem_array(pairs->mem, pairs->value_count, sizeof *pairs->rounds);
  if (inputs) pairs->inputs = mem_array(pairs->mem, pairs->value_count, sizeof *pairs->inputs);
  size_t at = 0;
  for (size_t i = 0; i < pairs->count; i++)
    for (int side = 0; side < PAIR_SIDES; side++) {
      struct pair_side *s = &pairs->items[i].sides[side];
      s->first = at;
      at += s->count;
      s->count = 0;
    }
  return pairs->values && (!rounds || pairs->rounds) && (!inputs || pairs->inputs);
}

bool pairs_make(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                const pprofc_allocator *mem) {
  *pairs = (struct pairs){.mem = mem, .set = set, .head = MAP_NONE};
  arena_init(&pairs->arena, mem);
  interner_init(&pairs->texts, mem);
  map_init(&pairs->map, mem);
  if (head) pairs->head = interner_find(&set->strings, str_of(head));
  return interner_add(&pairs->texts, STR("")) != MAP_NONE && pairs_walk(pairs, pairs_count_value) &&
         pairs_allocate(pairs) && pairs_walk(pairs, pairs_store_value);
}

void pairs_free(struct pairs *pairs) {
  ARRAY_FREE(pairs->mem, pairs->items, pairs->capacity);
  ARRAY_FREE(pairs->mem, pairs->flaws, pairs->flaw_capacity);
  mem_free(pairs->mem, pairs->values, pairs->value_count, sizeof *pairs->values);
  if (pairs->rounds) mem_free(pairs->mem, pairs->rounds, pairs->value_count, sizeof *pairs->rounds);
  if (pairs->inputs) mem_free(pairs->mem, pairs->inputs, pairs->value_count, sizeof *pairs->inputs);
  interner_free(&pairs->texts);
  map_free(&pairs->map);
  arena_free(&pairs->arena);
}
