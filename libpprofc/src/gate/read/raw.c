/* Compares raw results of base and head: samples are grouped by package, benchmark and unit. */
#include "bench/set.h"
#include "bench/units.h"
#include "core/map.h"
#include "gate/gate.h"

#include <math.h>
#include <stdlib.h>

enum { BASE, HEAD, SIDES };

/* What is compared: one benchmark's measurements in one unit. */
struct raw_entry {
  uint32_t package, unit; /* of `texts` */
  uint32_t name;          /* string of the set */
  size_t count[SIDES], first[SIDES], next[SIDES];
  size_t result[SIDES]; /* the first one */
  bool bad;             /* a value is no finite number */
};

struct gate_raw_raw {
  struct gate *gate;
  const pprofc_bench *set;
  struct interner texts; /* packages, units, rounds; 0 is the empty one */
  struct map map;
  struct raw_entry *entries;
  size_t entry_count, entry_capacity;
  double *values;
  uint32_t *rounds;
  size_t value_count;
};

/* What the configuration says of a result; the same for all with its number. */
struct gate_raw_place {
  uint32_t config, package, round;
  int side;
  uint32_t input;
};

static int side_of(const pprofc_bench *set, uint32_t input) {
  return str_equal(pprofc_bench_input_label(set, input), STR("head")) ? HEAD : BASE;
}

static bool gate_raw_look_up(struct gate_raw_raw *raw, const pprofc_bench_result *result,
                             size_t index, struct gate_raw_place *place) {
  if (place->config == result->config && place->input == result->input) return true;
  place->config = result->config;
  place->input = result->input;
  place->side = side_of(raw->set, result->input);
  place->package =
      interner_add(&raw->texts, pprofc_bench_result_config(raw->set, index, STR("pkg")));
  place->round =
      interner_add(&raw->texts, pprofc_bench_result_config(raw->set, index, STR("round")));
  return place->package != MAP_NONE && place->round != MAP_NONE;
}

static uint64_t hash_of(uint32_t package, uint32_t name, uint32_t unit) {
  return hash_mix(hash_mix(package, name), unit);
}

/* The entry's index, or MAP_NONE when out of memory. */
static uint32_t find_entry(struct gate_raw_raw *raw, uint32_t package, uint32_t name,
                           uint32_t unit) {
  uint64_t hash = hash_of(package, name, unit);
  struct map_probe probe = map_start(&raw->map, hash);
  uint32_t index;
  while ((index = map_next(&raw->map, &probe)) != MAP_NONE) {
    const struct raw_entry *e = &raw->entries[index];
    if (e->package == package && e->name == name && e->unit == unit) return index;
  }
  if (raw->entry_count == raw->entry_capacity) {
    size_t capacity = raw->entry_capacity ? 2 * raw->entry_capacity : 64;
    void *grown = mem_resize(raw->gate->mem, raw->entries, raw->entry_capacity, capacity,
                             sizeof *raw->entries);
    if (!grown) return MAP_NONE;
    raw->entries = grown;
    raw->entry_capacity = capacity;
  }
  if (!map_insert(&raw->map, hash, (uint32_t)raw->entry_count)) return MAP_NONE;
  raw->entries[raw->entry_count] =
      (struct raw_entry){.package = package, .unit = unit, .name = name};
  return (uint32_t)raw->entry_count++;
}

/* Calls `visit` for every measurement, in the order of the files. */
typedef void (*visit_fn)(struct gate_raw_raw *raw, struct raw_entry *entry,
                         const struct gate_raw_place *place, size_t result, double value);

/* Zero keeps the unit that it was written in, as in benchstat; here 0 ns/op is 0 sec/op. */
static uint32_t gate_raw_add_unit(struct gate_raw_raw *raw, pprofc_str unit, double value) {
  if (value != 0) return interner_add(&raw->texts, unit);
  struct buffer tidy;
  buffer_init(&tidy, raw->gate->mem, SIZE_MAX / 2);
  (void)unit_tidy(unit, &tidy);
  uint32_t id =
      tidy.failed ? MAP_NONE : interner_copy(&raw->texts, &raw->gate->arena, buffer_str(&tidy));
  buffer_free(&tidy);
  return id;
}

static bool visit_value(struct gate_raw_raw *raw, visit_fn visit, pprofc_str unit_name,
                        const struct gate_raw_place *place, size_t result, double value) {
  size_t unused;
  const pprofc_bench_result *results = pprofc_bench_results(raw->set, &unused);
  uint32_t unit = gate_raw_add_unit(raw, unit_name, value);
  if (unit == MAP_NONE) return false;
  uint32_t entry = find_entry(raw, place->package, results[result].name, unit);
  if (entry == MAP_NONE) return false;
  visit(raw, &raw->entries[entry], place, result, value);
  return true;
}

/* CPU time that comes in two parts. */
static void take_part(pprofc_str unit, double value, double *parts) {
  if (str_equal(unit, STR("user-sec/op"))) parts[0] = value;
  if (str_equal(unit, STR("sys-sec/op"))) parts[1] = value;
}

static bool for_each(struct gate_raw_raw *raw, visit_fn visit) {
  size_t count, value_count;
  const pprofc_bench_result *results = pprofc_bench_results(raw->set, &count);
  const uint32_t *units;
  const double *values = pprofc_bench_values(raw->set, &units, &value_count);
  struct gate_raw_place place = {.config = UINT32_MAX, .input = UINT32_MAX};
  for (size_t i = 0; i < count; i++) {
    if (!gate_raw_look_up(raw, &results[i], i, &place)) return false;
    double parts[2] = {(double)NAN, (double)NAN};
    for (size_t v = results[i].first_value; v < results[i + 1].first_value; v++) {
      pprofc_str unit = pprofc_bench_unit(raw->set, units[v]);
      take_part(unit, values[v], parts);
      if (!visit_value(raw, visit, unit, &place, i, values[v])) return false;
    }
    double cpu = parts[0] + parts[1];
    if (!isnan(cpu) && !visit_value(raw, visit, STR("cpu-sec/op"), &place, i, cpu)) return false;
  }
  return true;
}

static void count_value(struct gate_raw_raw *raw, struct raw_entry *entry,
                        const struct gate_raw_place *place, size_t result, double value) {
  if (!entry->count[place->side]++) entry->result[place->side] = result;
  raw->value_count++;
  if (isfinite(value) || entry->bad) return;
  entry->bad = true;
  size_t unused;
  const pprofc_bench_result *r = &pprofc_bench_results(raw->set, &unused)[result];
  gate_problem(raw->gate, "%.*s:%u: a measurement of %.*s is no finite number",
               STR_ARG(pprofc_bench_input_path(raw->set, r->input)), r->line,
               STR_ARG(pprofc_bench_string(raw->set, r->name)));
}

static void store_value(struct gate_raw_raw *raw, struct raw_entry *entry,
                        const struct gate_raw_place *place, size_t result, double value) {
  (void)result;
  size_t at = entry->first[place->side] + entry->next[place->side]++;
  raw->values[at] = value;
  raw->rounds[at] = place->round;
}

static bool gate_raw_collect(struct gate_raw_raw *raw) {
  if (interner_add(&raw->texts, STR("")) == MAP_NONE) return false;
  if (!for_each(raw, count_value)) return false;
  raw->values = mem_array(raw->gate->mem, raw->value_count, sizeof *raw->values);
  raw->rounds = mem_array(raw->gate->mem, raw->value_count, sizeof *raw->rounds);
  if (!raw->values || !raw->rounds) return false;
  size_t at = 0;
  for (size_t i = 0; i < raw->entry_count; i++)
    for (int side = 0; side < SIDES; side++) {
      raw->entries[i].first[side] = at;
      at += raw->entries[i].count[side];
    }
  return for_each(raw, store_value);
}

/* ---- rows -------------------------------------------- */

static struct gate_side side_values(const struct gate_raw_raw *raw, const struct raw_entry *e,
                                    int side) {
  return (struct gate_side){raw->values + e->first[side], raw->rounds + e->first[side],
                            e->count[side]};
}

static bool gate_raw_add_row(struct gate_raw_raw *raw, const struct raw_entry *e) {
  struct gate *gate = raw->gate;
  struct gate_row row = gate_row_unknown();
  size_t unused;
  int from = e->count[HEAD] ? HEAD : BASE;
  const pprofc_bench_result *result = &pprofc_bench_results(raw->set, &unused)[e->result[from]];
  row.group = arena_str(&gate->arena, raw->texts.items[e->package]);
  row.unit = arena_str(&gate->arena, raw->texts.items[e->unit]);
  row.name = pprofc_bench_string(raw->set, e->name);
  row.threaded = set_is_threaded(raw->set, row.name);
  row.direction = pprofc_bench_direction(raw->set, row.unit);
  row.file = pprofc_bench_input_path(raw->set, result->input);
  row.line = result->line;
  row.in_base = e->count[BASE] > 0;
  row.in_head = e->count[HEAD] > 0;
  row.base_count = e->count[BASE];
  row.head_count = e->count[HEAD];
  if (!row.group.data || !row.unit.data) return false;
  if (row.in_base && row.in_head &&
      !gate_compare_sides(gate, &row, side_values(raw, e, BASE), side_values(raw, e, HEAD)))
    return false;
  return gate_add(gate, &row);
}

/* Different machines are no base for a comparison. */
static void compare_environments(struct gate_raw_raw *raw) {
  static const char *const keys[] = {"goos", "goarch", "cpu", "cores", "governor", "build"};
  size_t count, seen[SIDES] = {SIZE_MAX, SIZE_MAX};
  const pprofc_bench_result *results = pprofc_bench_results(raw->set, &count);
  for (size_t i = 0; i < count; i++) {
    int side = side_of(raw->set, results[i].input);
    if (seen[side] == SIZE_MAX) seen[side] = i;
  }
  if (seen[BASE] == SIZE_MAX || seen[HEAD] == SIZE_MAX) return;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    pprofc_str a = pprofc_bench_result_config(raw->set, seen[BASE], str_of(keys[i]));
    pprofc_str b = pprofc_bench_result_config(raw->set, seen[HEAD], str_of(keys[i]));
    if (!str_equal(a, b))
      gate_warning(raw->gate,
                   "base and head were measured in different places: %s is '%.*s' and '%.*s'",
                   keys[i], STR_ARG(a), STR_ARG(b));
  }
}

static void check_builds(struct gate_raw_raw *raw) {
  size_t base = set_debug_inputs(raw->set, "base"), head = set_debug_inputs(raw->set, "head");
  if (base && head)
    gate_warning(raw->gate,
                 "the library of Google Benchmark was built as debug, which measures its "
                 "own work along");
  else if (base || head)
    gate_warning(raw->gate,
                 "base and head were measured differently: the library of Google Benchmark was "
                 "built as debug for %s only",
                 base ? "base" : "head");
}

/* Nothing on one side is a failed run, not a benchmark that vanished. */
static void check_sides(struct gate_raw_raw *raw) {
  static const char *const names[SIDES] = {"base", "head"};
  size_t found[SIDES] = {0, 0};
  for (size_t i = 0; i < raw->entry_count; i++)
    for (int side = 0; side < SIDES; side++) found[side] += raw->entries[i].count[side];
  for (int side = 0; side < SIDES; side++)
    if (!found[side]) gate_problem(raw->gate, "%s holds no benchmark results", names[side]);
}

static void release(struct gate_raw_raw *raw) {
  mem_free(raw->gate->mem, raw->entries, raw->entry_capacity, sizeof *raw->entries);
  mem_free(raw->gate->mem, raw->values, raw->value_count, sizeof *raw->values);
  mem_free(raw->gate->mem, raw->rounds, raw->value_count, sizeof *raw->rounds);
  interner_free(&raw->texts);
  map_free(&raw->map);
}

static void report_messages(struct gate *gate, const pprofc_bench *set) {
  size_t count;
  const pprofc_bench_message *messages = pprofc_bench_messages(set, &count);
  for (size_t i = 0; i < count; i++)
    gate_problem(gate, "%.*s:%llu: %.*s", STR_ARG(pprofc_bench_input_path(set, messages[i].input)),
                 (unsigned long long)messages[i].line, STR_ARG(messages[i].text));
}

pprofc_status gate_read_raw(struct gate *gate, const pprofc_bench *set, pprofc_error *error) {
  struct gate_raw_raw raw = {.gate = gate, .set = set};
  interner_init(&raw.texts, gate->mem);
  map_init(&raw.map, gate->mem);
  report_messages(gate, set);
  bool good = gate_raw_collect(&raw);
  if (good) {
    check_sides(&raw);
    compare_environments(&raw);
    check_builds(&raw);
  }
  for (size_t i = 0; i < raw.entry_count && good; i++)
    if (!raw.entries[i].bad) good = gate_raw_add_row(&raw, &raw.entries[i]);
  release(&raw);
  return good ? PPROFC_OK : error_nomem(error);
}
