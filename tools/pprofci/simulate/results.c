/* Writes counts as benchmark results for the gate, which judges them, and adds the pairs of
 * profiles. */
#include "bench/names.h"
#include "core/escape.h"
#include "run/files.h"
#include "run/text.h"
#include "simulate/counting.h"

#include <math.h>

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

void csv_field(struct buffer *out, const char *text) {
  buffer_add_char(out, '"');
  for (; *text; text++) {
    if (*text == '"') buffer_add_char(out, '"');
    buffer_add_char(out, *text);
  }
  buffer_add_char(out, '"');
}

/* Returns how many runs of base or head counted the benchmark. */
static size_t counted_runs(const struct counting *c, const struct counted *item, int side) {
  size_t count = 0;
  for (size_t i = 0; i < c->runs[side]; i++) count += item->runs[side][i].path != NULL;
  return count;
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
                       const struct counted_run *run, bool allocates) {
  for (size_t u = 0; u < sizeof count_units / sizeof *count_units; u++)
    csv_count(out, item, count_units[u].unit,
              (double)run->totals[count_units[u].type] / run->iterations);
  if (allocates) csv_count(out, item, "allocations", (double)run->allocations / run->iterations);
}

/* True if the benchmark called an allocator in any run. */
static bool counted_allocates(const struct counting *c, const struct counted *item) {
  bool found = false;
  for (int side = 0; side < SIDES; side++)
    for (size_t r = 0; r < c->runs[side]; r++) found |= item->runs[side][r].allocations > 0;
  return found;
}

pprofc_status results_save(struct ci_run *run, int side, struct buffer *text, pprofc_error *error) {
  const char *path = text_printf(&run->arena, "%s/bench_%s.csv", run->work, side_names[side]);
  pprofc_status status = text->failed || !path ? error_nomem(error) : PPROFC_OK;
  if (status == PPROFC_OK) status = save_append(path, buffer_str(text), error);
  buffer_free(text);
  run->bench[side] = path;
  return status;
}

static pprofc_status write_side(struct counting *c, int side, pprofc_error *error) {
  struct ci_run *run = c->run;
  struct buffer text;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  buffer_add_text(&text, "name,unit,value,assume\n");
  for (size_t i = 0; i < c->count; i++) {
    bool allocates = counted_allocates(c, &c->items[i]);
    for (size_t r = 0; r < c->runs[side]; r++)
      if (c->items[i].runs[side][r].path)
        csv_counts(&text, &c->items[i], &c->items[i].runs[side][r], allocates);
  }
  return results_save(run, side, &text, error);
}

/* Returns a name, escaped for result files. */
static const char *counted_spell(struct ci_run *run, const char *name) {
  struct buffer text;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  name_encode(&text, str_of(name), true);
  return buffer_take(&text, &run->arena).data;
}

/* Returns a regular expression for the frames of the benchmark's function. The function is the last
 * element of the name without parameters: "(^|[.:])test_parse$". */
static const char *counted_function(struct ci_run *run, pprofc_str name) {
  struct buffer text;
  size_t colon = str_find_last_char(name, ':');
  if (colon < name.size) name = str_slice(name, colon + 1, name.size);
  name = str_slice(name, 0, str_find_char(name, '['));
  name = str_slice(name, 0, str_find_char(name, '/'));
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  buffer_add_text(&text, "(^|[.:])");
  escape_regexp(&text, name);
  buffer_add_text(&text, "(\\.func.*)?$");
  return buffer_take(&text, &run->arena).data;
}

struct run_pair *results_pair(struct ci_run *run, const char *benchmark, const char *kind,
                              const char *ending) {
  const char *name = run_take_name_of(run, str_of(benchmark));
  const char *stem = name ? text_printf(&run->arena, "%s_%s", name, ending) : NULL;
  struct run_pair *pair = run_add_pair(run, NULL, NULL);
  if (!stem || !pair) return NULL;
  pair->kind = kind;
  pair->package = "";
  pair->benchmark = counted_spell(run, benchmark);
  pair->function = counted_function(run, str_of(benchmark));
  pair->stems[SIDE_BASE] = pair->stems[SIDE_HEAD] = stem;
  return pair->benchmark && pair->function ? pair : NULL;
}

static pprofc_status add_counted_pair(struct counting *c, const struct counted *item,
                                      pprofc_error *error) {
  struct ci_run *run = c->run;
  struct run_pair *pair = results_pair(run, item->name, "instructions", "count");
  if (!pair) return error_nomem(error);
  for (int side = 0; side < SIDES; side++) {
    pair->iterations = fmax(pair->iterations, counted_iterations(c, item, side));
    if (!counted_runs(c, item, side)) continue;
    pair->runs[side] = arena_array(&run->arena, c->runs[side], sizeof *pair->runs[side]);
    if (!pair->runs[side]) return error_nomem(error);
    for (size_t r = 0; r < c->runs[side]; r++)
      if (item->runs[side][r].path)
        pair->runs[side][pair->run_count[side]++] = item->runs[side][r].path;
    pair->paths[side] = pair->runs[side][0];
  }
  return PPROFC_OK;
}

pprofc_status count_results(struct counting *c, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++)
    if (c->runs[side]) status = write_side(c, side, error);
  for (size_t i = 0; i < c->count && status == PPROFC_OK; i++)
    status = add_counted_pair(c, &c->items[i], error);
  return status;
}
