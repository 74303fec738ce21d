/* Compares raw results of base and head by package, benchmark and unit. */
#include "gate/read/read.h"

/* ---- rows -------------------------------------------- */

static struct gate_side raw_side(const struct pairs *pairs, const struct pair_side *side) {
  const uint32_t *rounds = pairs->rounds ? pairs->rounds + side->first : NULL;
  return (struct gate_side){pairs->values + side->first, rounds, side->count};
}

/* Sets file and line of the row from its first result in the head, or else in the base. */
static void raw_set_origin(const struct pairs *pairs, const struct pair *pair,
                           struct gate_row *row) {
  int from = row->in_head ? PAIR_HEAD : PAIR_BASE;
  row->file = pprofc_bench_input_path(pairs->set, pair->sides[from].input);
  row->line = pair->sides[from].line;
}

/* Copies a text of `pairs` (such as a unit) to the gate. All rows with the text share the copy. */
static bool raw_keep_text(struct gate *gate, const struct pairs *pairs, pprofc_str *kept,
                          uint32_t id, pprofc_str *text) {
  if (!kept[id].data) kept[id] = arena_str(&gate->arena, pairs_text(pairs, id));
  *text = kept[id];
  return text->data != NULL;
}

/* Marks a row as exact if a "Unit" line or a column of the input marks its values as counts. */
static bool raw_set_exact(const struct pairs *pairs, struct gate_row *row) {
  pprofc_str assume = {NULL, 0};
  if (!pairs->set->metadata_count) return true;
  bool good = set_metadata(pairs->set, row->unit, STR("assume"), &assume);
  row->exact = str_equal(assume, STR("exact"));
  return good;
}

static bool raw_add_row(struct gate *gate, const struct pairs *pairs, const struct pair *pair,
                        pprofc_str *kept, bool one_process) {
  const struct pair_side *base = &pair->sides[PAIR_BASE], *head = &pair->sides[PAIR_HEAD];
  struct gate_row row = gate_row_unknown();
  if (!raw_keep_text(gate, pairs, kept, pair->package, &row.group) ||
      !raw_keep_text(gate, pairs, kept, pair->unit, &row.unit))
    return false;
  row.name = pprofc_bench_string(pairs->set, pair->name);
  row.threaded = set_is_threaded(pairs->set, row.name);
  row.rescaled = pair->rescaled;
  row.one_process = one_process;
  row.overloaded = gate->settings.overloaded != NULL;
  row.processes = pairs->processes[PAIR_BASE] > 1 || pairs->processes[PAIR_HEAD] > 1;
  row.in_base = base->count > 0;
  row.in_head = head->count > 0;
  row.base_count = base->count;
  row.head_count = head->count;
  raw_set_origin(pairs, pair, &row);
  if (!set_direction(pairs->set, row.unit, &row.direction) || !raw_set_exact(pairs, &row))
    return false;
  if (row.in_base && row.in_head &&
      !gate_compare_sides(gate, &row, raw_side(pairs, base), raw_side(pairs, head)))
    return false;
  return gate_add(gate, &row);
}

/* Number of rows after which the reader frees the measurements of these rows. */
#define RELEASE_ROWS 4096

static bool raw_add_rows(struct gate *gate, const struct pairs *pairs, bool one_process) {
  size_t texts = pairs->texts.count;
  pprofc_str *kept = mem_zero_array(gate->mem, texts, sizeof *kept);
  bool good = kept != NULL;
  for (size_t i = 0; i < pairs->count && good; i++) {
    if (i % RELEASE_ROWS == 0) pairs_release_values(pairs, i);
    if (!pairs->items[i].bad) good = raw_add_row(gate, pairs, &pairs->items[i], kept, one_process);
  }
  mem_free(gate->mem, kept, texts, sizeof *kept);
  return good;
}

/* ---- problems and warnings --------------------------- */

static void report_messages(struct gate *gate, const pprofc_bench *set) {
  size_t count;
  const pprofc_bench_message *messages = pprofc_bench_messages(set, &count);
  for (size_t i = 0; i < count; i++)
    gate_problem(gate, "%.*s:%llu: %.*s", STR_ARG(pprofc_bench_input_path(set, messages[i].input)),
                 (unsigned long long)messages[i].line, STR_ARG(messages[i].text));
}

static void report_flaws(struct gate *gate, const struct pairs *pairs) {
  for (size_t i = 0; i < pairs->flaw_count; i++) {
    const pprofc_bench_result *result = &pairs->set->results[pairs->flaws[i]];
    gate_problem(gate, "%.*s:%u: a measurement of %.*s is not finite",
                 STR_ARG(pprofc_bench_input_path(pairs->set, result->input)), result->line,
                 STR_ARG(pprofc_bench_string(pairs->set, result->name)));
  }
}

/* Adds a problem if base or head has no results, because its run probably failed. */
static void check_sides(struct gate *gate, const struct pairs *pairs) {
  static const char *const names[PAIR_SIDES] = {"base", "head"};
  size_t found[PAIR_SIDES] = {0, 0};
  for (size_t i = 0; i < pairs->count; i++)
    for (int side = 0; side < PAIR_SIDES; side++) found[side] += pairs->items[i].sides[side].count;
  for (int side = 0; side < PAIR_SIDES; side++)
    if (!found[side]) gate_problem(gate, "%s holds no benchmark results", names[side]);
}

/* Returns the index of the first result of base or of head, or SIZE_MAX if there are no results. */
static size_t raw_first_result(const pprofc_bench *set, bool head) {
  for (size_t i = 0; i < set->result_count; i++) {
    pprofc_str label = pprofc_bench_input_label(set, set->results[i].input);
    if (str_equal(label, STR("head")) == head) return i;
  }
  return SIZE_MAX;
}

/* Warns if the results come from different machines, which makes a comparison meaningless. */
static void compare_environments(struct gate *gate, const pprofc_bench *set) {
  static const char *const keys[] = {"goos", "goarch", "cpu", "cores", "governor", "build"};
  size_t base = raw_first_result(set, false), head = raw_first_result(set, true);
  if (base == SIZE_MAX || head == SIZE_MAX) return;
  for (size_t i = 0; i < COUNT(keys); i++) {
    pprofc_str a = pprofc_bench_result_config(set, base, str_of(keys[i]));
    pprofc_str b = pprofc_bench_result_config(set, head, str_of(keys[i]));
    if (!str_equal(a, b))
      gate_warning(gate, "base and head were measured in different places: %s is '%.*s' and '%.*s'",
                   keys[i], STR_ARG(a), STR_ARG(b));
  }
}

static void check_builds(struct gate *gate, const pprofc_bench *set) {
  size_t base = set_debug_inputs(set, "base"), head = set_debug_inputs(set, "head");
  if (base && head)
    gate_warning(
        gate,
        "the library of Google Benchmark is a debug build, which adds its own work to the times");
  else if (base || head)
    gate_warning(gate,
                 "base and head were measured differently: the library of Google Benchmark is a "
                 "debug build for %s only",
                 base ? "base" : "head");
}

/* Warns about times of 0 seconds. hyperfine gives 0 if the command takes less time than hyperfine
 * subtracts for the start of its shell. */
static void check_zero_times(struct gate *gate, const pprofc_bench *set) {
  size_t zeros = 0;
  for (size_t i = 0; i < set->input_count; i++) zeros += set->inputs[i].zeros;
  if (zeros)
    gate_warning(gate,
                 "skipped %zu time%s of 0 s: hyperfine subtracted more time for the start of its "
                 "shell than the command took; use hyperfine -N",
                 zeros, zeros == 1 ? "" : "s");
}

#define LOAD_MAX 2.0 /* load average per processor above which a machine is overloaded */

/* Records that the machine was overloaded, if at least half of the known loads are too high. */
static void check_load(struct gate *gate, const pprofc_bench *set) {
  size_t known = 0, overloaded = 0;
  double load = 0, cpus = 0;
  for (size_t i = 0; i < set->input_count; i++) {
    const struct bench_input *input = &set->inputs[i];
    if (!(input->cpus > 0)) continue;
    known++;
    overloaded += input->load > LOAD_MAX * input->cpus;
    load += input->load;
    cpus += input->cpus;
  }
  if (!known || 2 * overloaded < known) return;
  size_t room = 128;
  char *text = arena_alloc(&gate->arena, room);
  if (!text) return;
  snprintf(text, room, "load %.3g on %.0f processors", load / (double)known, cpus / (double)known);
  gate->settings.overloaded = text;
  if (!gate->settings.any_load)
    gate_warning(gate,
                 "the machine was overloaded (%s): regressions of times are inconclusive; measure "
                 "again, or allow it with -any-load",
                 text);
}

/* ---- processes --------------------------------------- */

/* Iterator over the results of base or of head. */
struct process_walk {
  const struct pairs *pairs;
  uint32_t *seen; /* for each benchmark name, 1 + `config` of its last result; 0: no result yet */
  const pprofc_bench_result *last;
  bool repeats; /* true if a benchmark has several results */
};

/* True if a result comes from a new process, not from the process of its benchmark's last result.
 * In one process, `go test -count=N` prints all results of a benchmark on consecutive lines. */
static bool walk_is_apart(struct process_walk *w, size_t index) {
  const struct pprofc_bench *set = w->pairs->set;
  const pprofc_bench_result *result = &set->results[index], *last = w->last;
  w->last = result;
  if (!pprofc_bench_result_config(set, index, STR("pkg")).size &&
      !pprofc_bench_result_config(set, index, STR("goos")).size)
    return true;
  bool again = w->seen[result->name] == result->config + 1;
  bool follows = last && last->name == result->name && last->config == result->config &&
                 last->input == result->input && last->line + 1 == result->line;
  w->seen[result->name] = result->config + 1;
  w->repeats |= again;
  return again && !follows;
}

/* True if the inputs show that all samples of base or of head come from one process. */
static bool is_one_process(const struct pairs *pairs, int side, uint32_t *seen) {
  const struct pprofc_bench *set = pairs->set;
  struct process_walk w = {.pairs = pairs, .seen = seen};
  if (pairs->has_rounds || pairs->processes[side] != 1) return false;
  memset(seen, 0, set->strings.count * sizeof *seen);
  for (size_t i = 0; i < set->result_count; i++) {
    const struct bench_input *input = &set->inputs[set->results[i].input];
    bool head = pairs->head != MAP_NONE && input->label == pairs->head;
    if (head != (side == PAIR_HEAD)) continue;
    if (!input->alone && walk_is_apart(&w, i)) return false;
    w.repeats |= input->alone;
  }
  return w.repeats;
}

/* True if all samples of base or of head come from one process. The gate then reports regressions
 * as inconclusive. */
static bool check_processes(struct gate *gate, const struct pairs *pairs) {
  static const char *const names[] = {NULL, "the base come", "the head come",
                                      "base and of head come"};
  size_t strings = pairs->set->strings.count;
  if (gate->settings.one_process) return false;
  uint32_t *seen = mem_array(gate->mem, strings, sizeof *seen);
  int found = 0;
  for (int side = 0; side < PAIR_SIDES && seen; side++)
    found |= is_one_process(pairs, side, seen) ? 1 << side : 0;
  mem_free(gate->mem, seen, strings, sizeof *seen);
  gate->alone = names[found];
  return found != 0;
}

/* Adds the rows of a set. `releases` is the same set if its results may be freed, else NULL. */
static pprofc_status raw_read_set(struct gate *gate, const pprofc_bench *set,
                                  pprofc_bench *releases, pprofc_error *error) {
  struct pairs pairs;
  report_messages(gate, set);
  bool good = pairs_group(&pairs, set, "head", gate->mem);
  if (good) {
    report_flaws(gate, &pairs);
    check_sides(gate, &pairs);
    compare_environments(gate, set);
    check_builds(gate, set);
    check_zero_times(gate, set);
    check_load(gate, set);
    bool one_process = check_processes(gate, &pairs);
    good = pairs_store(&pairs, releases);
    if (releases) set_free_results(releases);
    good = good && gate_take_speeds(gate, &pairs) && raw_add_rows(gate, &pairs, one_process);
  }
  pairs_free(&pairs);
  return good ? PPROFC_OK : error_nomem(error);
}

pprofc_status gate_read_raw(struct gate *gate, const pprofc_bench *set, pprofc_error *error) {
  return raw_read_set(gate, set, NULL, error);
}

pprofc_status gate_read_raw_and_free(struct gate *gate, pprofc_bench *set, pprofc_error *error) {
  return raw_read_set(gate, set, set, error);
}
