/* Groups measurements into pairs. Reads the set twice: first to count, then to store them. */
#include "bench/pairs.h"

/* Data of the results that have the same input and the same configuration. */
struct pairs_place {
  uint32_t config, input;
  uint32_t package, round; /* indices in pairs.texts of the package's name and of the round */
  int side;
};

struct pairs_value {
  size_t result;
  pprofc_str unit;
  double value;
};

/* Processes one measurement. Returns false when out of memory. */
typedef bool (*pairs_visit_fn)(struct pairs *pairs, struct pair *pair,
                               const struct pairs_place *place, const struct pairs_value *value);

static int pairs_side_of(const struct pairs *pairs, const struct bench_input *input) {
  bool head = pairs->head != MAP_NONE && input->label == pairs->head;
  return head ? PAIR_HEAD : PAIR_BASE;
}

/* Counts the processes that ran benchmarks of base, and the processes that ran benchmarks of head.
 * Inputs of one process are adjacent. */
static void pairs_count_processes(struct pairs *pairs) {
  uint32_t last[PAIR_SIDES] = {0, 0};
  for (size_t i = 0; i < pairs->set->input_count; i++) {
    const struct bench_input *input = &pairs->set->inputs[i];
    int side = pairs_side_of(pairs, input);
    if (!pairs->processes[side] || input->process != last[side]) pairs->processes[side]++;
    last[side] = input->process;
  }
}

/* Returns the index in pairs.texts of a result's round (repetition of the measurement). If base or
 * head has several processes, each process has its own rounds. */
static uint32_t pairs_round_of(struct pairs *pairs, size_t index, int side) {
  const pprofc_bench_result *result = &pairs->set->results[index];
  pprofc_str round = pprofc_bench_result_config(pairs->set, index, STR("round"));
  if (pairs->processes[side] < 2) return interner_add(&pairs->texts, round);
  struct buffer text = buffer_make(pairs->mem, SIZE_MAX / 2);
  buffer_printf(&text, "%u/%.*s", pairs->set->inputs[result->input].process, STR_ARG(round));
  uint32_t id =
      text.failed ? MAP_NONE : interner_copy(&pairs->texts, &pairs->arena, buffer_str(&text));
  buffer_free(&text);
  return id;
}

static bool place_of_result(struct pairs *pairs, size_t index, struct pairs_place *place) {
  const pprofc_bench_result *result = &pairs->set->results[index];
  if (place->config == result->config && place->input == result->input) return true;
  place->config = result->config;
  place->input = result->input;
  place->side = pairs_side_of(pairs, &pairs->set->inputs[result->input]);
  place->package =
      interner_add(&pairs->texts, pprofc_bench_result_config(pairs->set, index, STR("pkg")));
  place->round = pairs_round_of(pairs, index, place->side);
  return place->package != MAP_NONE && place->round != MAP_NONE;
}

/* Returns the index in pairs.texts of the tidied unit of a measurement. Like benchstat, pairs.set
 * keeps the original unit of a value of 0. All values of a pair need the same unit, so this
 * function also tidies the unit of a value of 0. */
static uint32_t pairs_add_unit(struct pairs *pairs, const struct pairs_value *value) {
  if (value->value != 0) return interner_add(&pairs->texts, value->unit);
  struct buffer tidy = buffer_make(pairs->mem, SIZE_MAX / 2);
  (void)unit_tidy(value->unit, &tidy);
  uint32_t id =
      tidy.failed ? MAP_NONE : interner_copy(&pairs->texts, &pairs->arena, buffer_str(&tidy));
  buffer_free(&tidy);
  return id;
}

/* Returns the index in pairs.texts of the measurement's tidied unit (for example "sec/op" for
 * "ns/op"). Caches this index for each unit of pairs.set. `unit` is the index of the unit in
 * pairs.set, or MAP_NONE. */
static uint32_t pairs_unit_of(struct pairs *pairs, const struct pairs_value *value, uint32_t unit) {
  if (unit == MAP_NONE) return pairs_add_unit(pairs, value);
  uint32_t *known = &pairs->units[2 * (size_t)unit + (value->value == 0)];
  if (*known == MAP_NONE) *known = pairs_add_unit(pairs, value);
  return *known;
}

static bool pair_has_key(const struct pair *pair, const struct pair *wanted) {
  return pair->package == wanted->package && pair->name == wanted->name &&
         pair->unit == wanted->unit;
}

/* Returns the pair with the key of `wanted`. Adds a new pair. Returns NULL when out of memory. */
static struct pair *pairs_find(struct pairs *pairs, const struct pair *wanted) {
  if (pairs->expected < pairs->count && pair_has_key(&pairs->items[pairs->expected], wanted))
    return &pairs->items[pairs->expected];
  uint64_t hash = hash_mix(hash_mix(wanted->package, wanted->name), wanted->unit);
  MAP_FIND(index, &pairs->map, hash, pair_has_key(&pairs->items[index], wanted));
  if (index != MAP_NONE) return &pairs->items[index];
  bool added =
      MAP_PUSH(pairs->mem, &pairs->map, hash, pairs->items, pairs->count, pairs->capacity, *wanted);
  return added ? &pairs->items[pairs->count - 1] : NULL;
}

static bool pairs_visit(struct pairs *pairs, pairs_visit_fn visit, const struct pairs_place *place,
                        const struct pairs_value *value, uint32_t unit) {
  struct pair wanted = {.package = place->package,
                        .unit = pairs_unit_of(pairs, value, unit),
                        .name = pairs->set->results[value->result].name};
  if (wanted.unit == MAP_NONE) return false;
  struct pair *pair = pairs_find(pairs, &wanted);
  if (!pair) return false;
  pairs->expected = (size_t)(pair - pairs->items) + 1;
  return visit(pairs, pair, place, value);
}

/* User part and system part of the CPU time of a result; NaN if missing. */
struct cpu_parts {
  double user, system;
};

static void cpu_parts_take(struct cpu_parts *parts, const struct pairs_value *value) {
  if (str_equal(value->unit, STR("user-sec/op"))) parts->user = value->value;
  if (str_equal(value->unit, STR("sys-sec/op"))) parts->system = value->value;
}

static bool pairs_walk_result(struct pairs *pairs, pairs_visit_fn visit,
                              const struct pairs_place *place, size_t result) {
  const struct pprofc_bench *set = pairs->set;
  struct cpu_parts parts = {(double)NAN, (double)NAN};
  size_t first = set->results[result].first_value, end = set->results[result + 1].first_value;
  for (size_t i = first; i < end; i++) {
    struct pairs_value value = {result, pprofc_bench_unit(set, set->value_unit[i]), set->values[i]};
    cpu_parts_take(&parts, &value);
    if (!pairs_visit(pairs, visit, place, &value, set->value_unit[i])) return false;
  }
  struct pairs_value sum = {result, STR("cpu-sec/op"), parts.user + parts.system};
  return isnan(sum.value) || pairs_visit(pairs, visit, place, &sum, MAP_NONE);
}

/* Number of results after which pairs_store frees memory. */
#define FREE_STEP ((size_t)1 << 16)

/* Frees the results before `end` and their measurements. */
static void pairs_free_results(const struct pprofc_bench *set, size_t end) {
  size_t values = set->results[end].first_value;
  mem_discard(set->results, set->results + end);
  mem_discard(set->values, set->values + values);
  mem_discard(set->value_unit, set->value_unit + values);
}

static bool pairs_walk(struct pairs *pairs, pairs_visit_fn visit,
                       const struct pprofc_bench *releases) {
  struct pairs_place place = {.config = UINT32_MAX, .input = UINT32_MAX};
  for (size_t i = 0; i < pairs->set->result_count; i++) {
    if (!place_of_result(pairs, i, &place) || !pairs_walk_result(pairs, visit, &place, i))
      return false;
    if (releases && (i + 1) % FREE_STEP == 0) pairs_free_results(releases, i + 1);
  }
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
  return ARRAY_PUSH(pairs->mem, pairs->flaws, pairs->flaw_count, pairs->flaw_capacity,
                    value->result);
}

/* Stores a measurement as the next value of its side of the pair. */
static bool pairs_store_value(struct pairs *pairs, struct pair *pair,
                              const struct pairs_place *place, const struct pairs_value *value) {
  struct pair_side *side = &pair->sides[place->side];
  size_t at = side->first + side->count++;
  pairs->values[at] = value->value;
  if (pairs->rounds) pairs->rounds[at] = place->round;
  if (pairs->inputs) pairs->inputs[at] = place->input;
  return true;
}

/* Allocates the arrays of measurements. Reserves a range of the arrays for base and for head of
 * each pair, and sets the count of each range to 0. */
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

static bool pairs_take_units(struct pairs *pairs) {
  pairs->unit_count = 2 * pairs->set->unit_count;
  pairs->units = mem_array(pairs->mem, pairs->unit_count, sizeof *pairs->units);
  for (size_t i = 0; pairs->units && i < pairs->unit_count; i++) pairs->units[i] = MAP_NONE;
  return pairs->units != NULL;
}

bool pairs_group(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                 const pprofc_allocator *mem) {
  *pairs = (struct pairs){.mem = mem, .set = set, .head = MAP_NONE};
  arena_init(&pairs->arena, mem);
  interner_init(&pairs->texts, mem);
  map_init(&pairs->map, mem);
  if (head) pairs->head = interner_find(&set->strings, str_of(head));
  if (head) pairs_count_processes(pairs);
  return interner_add(&pairs->texts, STR("")) != MAP_NONE && pairs_take_units(pairs) &&
         pairs_walk(pairs, pairs_count_value, NULL);
}

bool pairs_store(struct pairs *pairs, const struct pprofc_bench *releases) {
  pairs->expected = 0;
  return pairs_allocate(pairs) && pairs_walk(pairs, pairs_store_value, releases);
}

bool pairs_make(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                const pprofc_allocator *mem) {
  return pairs_group(pairs, set, head, mem) && pairs_store(pairs, NULL);
}

void pairs_release_values(const struct pairs *pairs, size_t end) {
  if (!end) return;
  const struct pair_side *last = &pairs->items[end - 1].sides[PAIR_SIDES - 1];
  size_t values = last->first + last->count;
  mem_discard(pairs->items, pairs->items + end);
  mem_discard(pairs->values, pairs->values + values);
  if (pairs->rounds) mem_discard(pairs->rounds, pairs->rounds + values);
  if (pairs->inputs) mem_discard(pairs->inputs, pairs->inputs + values);
}

void pairs_free(struct pairs *pairs) {
  ARRAY_FREE(pairs->mem, pairs->items, pairs->capacity);
  mem_free(pairs->mem, pairs->units, pairs->unit_count, sizeof *pairs->units);
  ARRAY_FREE(pairs->mem, pairs->flaws, pairs->flaw_capacity);
  mem_free(pairs->mem, pairs->values, pairs->value_count, sizeof *pairs->values);
  if (pairs->rounds) mem_free(pairs->mem, pairs->rounds, pairs->value_count, sizeof *pairs->rounds);
  if (pairs->inputs) mem_free(pairs->mem, pairs->inputs, pairs->value_count, sizeof *pairs->inputs);
  interner_free(&pairs->texts);
  map_free(&pairs->map);
  arena_free(&pairs->arena);
}
