/* Counts instructions of base and head for -simulate. Checks out both commits in the same folder,
 * one after the other, because a path of another length would change the heap and the counts.
 * Writes the counts as benchmark results for the gate, and adds the pairs of profiles. */
#include "simulate/counting.h"

#include "bench/set.h"
#include "core/child.h"

/* ---- results ----------------------------------------- */

/* Units of results. The gate judges only instructions, because only this unit declares that smaller
 * is better. Cache misses are not judged: a benchmark starts with cold caches, and any change of
 * the heap adds misses. */
static const struct {
  enum callgrind_type type;
  const char *unit;
} count_units[] = {{CALLGRIND_INSTRUCTIONS, "instructions"},
                   {CALLGRIND_CYCLES, "cycles-estimated"},
                   {CALLGRIND_FIRST_MISSES, "L1-missed"},
                   {CALLGRIND_LAST_MISSES, "LL-missed"}};

static const char *const allocated_units[] = {
    [ALLOCATED_CALLS] = "allocations", [ALLOCATED_BYTES] = "bytes-allocated"};

void csv_field(struct buffer *out, const char *text) {
  buffer_add_char(out, '"');
  for (; *text; text++) {
    if (*text == '"') buffer_add_char(out, '"');
    buffer_add_char(out, *text);
  }
  buffer_add_char(out, '"');
}

/* Returns the number of iterations in a profile of a Go benchmark. Returns 0 for other languages,
 * whose benchmarks run once. */
static double counted_iterations(const struct counting *c, const struct counted *item, int side) {
  double most = 0;
  for (size_t i = 0; i < c->runs[side]; i++)
    if (item->runs[side][i].iterations > 1) most = item->runs[side][i].iterations;
  return most;
}

static void csv_count(struct buffer *out, const struct counted *item, const char *unit,
                      double value) {
  csv_field(out, item->name);
  buffer_printf(out, ",%s,%.17g,exact\n", unit, value);
}

static void csv_counts(struct buffer *out, const struct counted *item,
                       const struct counted_run *run, const bool *allocated) {
  for (size_t u = 0; u < sizeof count_units / sizeof *count_units; u++)
    csv_count(out, item, count_units[u].unit,
              (double)run->totals[count_units[u].type] / run->iterations);
  for (size_t k = 0; k < ALLOCATED_KINDS; k++)
    if (allocated[k] && run->read[k])
      csv_count(out, item, allocated_units[k], (double)run->allocated[k] / run->iterations);
}

/* Sets allocated[kind] to true if a run of the benchmark has a count of this kind above 0. */
static void find_allocated(const struct counting *c, const struct counted *item, bool *allocated) {
  for (int side = 0; side < SIDES; side++)
    for (size_t r = 0; r < c->runs[side]; r++)
      for (size_t k = 0; k < ALLOCATED_KINDS; k++)
        allocated[k] |= item->runs[side][r].allocated[k] > 0;
}

void results_save(struct ci_run *run, int side, struct buffer *text) {
  bool first = !run_has(run->bench[side]);
  run->bench[side] = text_printf(&run->arena, "%s/bench_%s.csv", run->work, side_names[side]);
  if (first) ci_need(save_append(run->bench[side], STR("name,unit,value,assume\n"), &ci_error));
  ci_need(save_append(run->bench[side], buffer_str(text), &ci_error));
  buffer_free(text);
}

static void write_side(struct counting *c, int side) {
  struct buffer text = ci_buffer();
  for (size_t i = 0; i < c->count; i++) {
    bool allocated[ALLOCATED_KINDS] = {false};
    find_allocated(c, &c->items[i], allocated);
    for (size_t r = 0; r < c->runs[side]; r++)
      if (c->items[i].runs[side][r].path)
        csv_counts(&text, &c->items[i], &c->items[i].runs[side][r], allocated);
  }
  results_save(c->run, side, &text);
}

/* Returns a name, escaped for result files. */
static const char *counted_spell(struct ci_run *run, const char *name) {
  struct buffer text = ci_buffer();
  name_encode(&text, str_of(name), true);
  return buffer_take(&text, &run->arena).data;
}

/* Returns a regular expression for the frames of the benchmark's function. The function is the last
 * element of the name without parameters: test_parse for "bench.py::test_parse[4k]". */
static const char *counted_function(struct ci_run *run, pprofc_str name) {
  struct buffer text = ci_buffer();
  size_t colon = str_find_last_char(name, ':');
  if (colon < name.size) name = str_slice(name, colon + 1, name.size);
  name = str_slice(name, 0, str_find_char(name, '['));
  name = str_slice(name, 0, str_find_char(name, '/'));
  buffer_add_text(&text, "(^|[.:])");
  escape_regexp(&text, name);
  buffer_add_text(&text, "(\\.func.*)?$");
  return buffer_take(&text, &run->arena).data;
}

struct run_pair *results_pair(struct ci_run *run, const char *benchmark, const char *kind,
                              const char *ending) {
  const char *name = run_take_name_of(run, str_of(benchmark));
  struct run_pair *pair = run_add_pair(run, NULL, NULL);
  pair->kind = kind;
  pair->package = "";
  pair->benchmark = counted_spell(run, benchmark);
  pair->function = counted_function(run, str_of(benchmark));
  pair->stems[SIDE_BASE] = text_printf(&run->arena, "%s_%s", name, ending);
  pair->stems[SIDE_HEAD] = pair->stems[SIDE_BASE];
  return pair;
}

static void add_counted_pair(struct counting *c, const struct counted *item) {
  struct ci_run *run = c->run;
  struct run_pair *pair = results_pair(run, item->name, "instructions", "count");
  for (int side = 0; side < SIDES; side++) {
    pair->iterations = fmax(pair->iterations, counted_iterations(c, item, side));
    pair->runs[side] = arena_array(&run->arena, c->runs[side], sizeof *pair->runs[side]);
    for (size_t r = 0; r < c->runs[side]; r++)
      if (item->runs[side][r].path)
        pair->runs[side][pair->run_count[side]++] = item->runs[side][r].path;
  }
}

/* Writes the counts as benchmark results, and adds a pair of profiles for each benchmark. */
static void count_results(struct counting *c) {
  for (int side = 0; side < SIDES; side++)
    if (c->runs[side]) write_side(c, side);
  for (size_t i = 0; i < c->count; i++) add_counted_pair(c, &c->items[i]);
}

/* ---- one commit -------------------------------------- */

struct count_run count_run_new(struct counting *c, int side, size_t number, const char *folder) {
  struct count_run run = {.side = side, .number = number, .folder = folder};
  run.place =
      text_printf(&c->run->arena, "%s/counts/%s%04zu", c->run->work, side_names[side], c->places++);
  return run;
}

/* Runs the command for base or head. The base runs several times. With -simulate-bytes,
 * as many runs follow that count bytes. */
static size_t count_command_side(struct counting *c, int side, const char *folder) {
  static const char *const nothing[] = {NULL};
  const char *const *words = program_words(c->run, "simulate", c->run->options->simulate);
  size_t found = 0;
  words = sides_node(c->run, folder, "instrumentation", words);
  size_t runs = c->runs[side] * (c->preload ? ALLOCATED_KINDS : 1);
  for (size_t i = 0; i < runs; i++) {
    struct count_run run = count_run_new(c, side, i % c->runs[side], folder);
    run.kind = i < c->runs[side] ? ALLOCATED_CALLS : ALLOCATED_BYTES;
    run_progress(++c->steps, c->all_steps, "counting %s (run %zu of %zu)", side_names[side], i + 1,
                 runs);
    count_command(c, &run, nothing, words);
    found += count_read(c, &run);
  }
  return found;
}

/* Counts the instructions of base or head in a checkout. Fails if there are no benchmarks. */
static void count_side(struct counting *c, int side, const char *folder) {
  const char *command = c->run->options->simulate;
  if ((count_is_go(command) ? count_go_side : count_command_side)(c, side, folder)) return;
  message_error_lines(c->printed);
  ci_fail("no benchmark was counted (%s): '%s' marked no benchmark for callgrind; %s",
          side_names[side], command, count_advice(command, c->printed));
}

/* ---- both commits ------------------------------------ */

static void count_commit(struct counting *c, int side, const struct sides_commits *commits) {
  const char *checkout = sides_tree(c->run);
  const char *folder = sides_check_out(c->run, side, commits, checkout);
  if (*c->run->options->setup)
    run_progress(++c->steps, c->all_steps, "setting up %s", side_names[side]);
  sides_set_up(c->run, side, folder);
  count_side(c, side, folder);
  tree_remove(checkout);
}

static void count_commits(struct counting *c) {
  const struct sides_commits commits = sides_find(c->run, "simulate");
  for (int side = 0; side < SIDES; side++) count_commit(c, side, &commits);
}

void count_benchmarks(struct ci_run *run) {
  const struct run_options *o = run->options;
  struct counting c = {.run = run, .runs = {0, 1}};
  if (!*o->simulate) return;
  if (!child_exists(callgrind_words[0]))
    ci_fail("cannot count '%s': valgrind is not installed", o->simulate);
  if (o->counts_base) c.runs[SIDE_BASE] = (size_t)o->simulated_runs;
  if (o->simulate_bytes && !count_is_go(o->simulate)) c.preload = count_preload(run);
  c.all_steps = c.runs[SIDE_BASE] + 1;
  if (c.preload) c.all_steps *= ALLOCATED_KINDS;
  if (*o->setup) c.all_steps += 2;
  interner_init(&c.names, run->mem);
  interner_init(&c.noted, run->mem);
  if (o->counts_base)
    count_commits(&c);
  else
    count_side(&c, SIDE_HEAD, files_here(run));
  count_results(&c);
  interner_free(&c.names);
  interner_free(&c.noted);
  ARRAY_FREE(run->mem, c.items, c.capacity);
  ARRAY_FREE(run->mem, c.packages.items, c.packages.capacity);
}
