/* The tools on benchmark results: benchmarks (two sides) and history (runs in order of time). */
#include "core/array.h"
#include "core/output.h"
#include "mcp/call.h"
#include "stats/steps.h"

#include "pprofc/bench.h"
#include "pprofc/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RESULT_FILES 200
#define RESULT_MOST  ((size_t)64 << 20) /* bytes of one file */

static pprofc_status results_read(struct call *call, pprofc_str path, struct buffer *data,
                                  pprofc_error *error) {
  buffer_init(data, budget_allocator(call->budget), RESULT_MOST);
  return files_read(&call->mcp->files, path, data, error);
}

/* ---- benchmarks -------------------------------------- */

struct result_sides {
  struct call *call;
  pprofc_bench *set;
  pprofc_gate *gate;
  pprofc_bench_tables *tables;
};

static pprofc_status results_add(struct result_sides *s, const char *side, bool head,
                                 pprofc_str path, pprofc_error *error) {
  struct buffer data;
  const char *name = arena_str(s->call->arena, path).data;
  pprofc_status status = name ? results_read(s->call, path, &data, error) : error_nomem(error);
  if (!name) return status;
  if (!status) status = pprofc_bench_read(s->set, side, name, data.data, data.size, error);
  if (!status)
    status = pprofc_gate_read_memory(s->gate, head ? PPROFC_GATE_HEAD : PPROFC_GATE_BASE, name,
                                     data.data, data.size, error);
  buffer_free(&data);
  return status;
}

static pprofc_status results_add_side(struct result_sides *s, const char *side, bool head,
                                      pprofc_error *error) {
  const struct node *items[RESULT_FILES];
  size_t count = call_texts(s->call, side, items, RESULT_FILES);
  if (!count) return error_set(error, PPROFC_E_INVALID, "\"%s\" names no file", side);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = results_add(s, side, head, items[i]->text, error);
  return status;
}

static pprofc_status results_render_gate(const void *context, pprofc_write_fn write, void *to,
                                         pprofc_error *error) {
  const struct result_sides *s = context;
  return pprofc_gate_print(s->gate, "text", false, write, to, error);
}

static int results_no_warning(void *context, const void *data, size_t size) {
  (void)context, (void)data, (void)size;
  return 0;
}

static pprofc_status results_render_table(const void *context, pprofc_write_fn write, void *to,
                                          pprofc_error *error) {
  const struct result_sides *s = context;
  return pprofc_bench_print(s->tables, "text", write, to, results_no_warning, NULL, error);
}

/* The result and the totals stay. */
static int results_rank(pprofc_str line) {
  return str_starts(line, STR("result: ")) || str_starts(line, STR("problem: ")) ? BRIEF_FIXED : 0;
}

static pprofc_status results_show(struct result_sides *s, pprofc_error *error) {
  const struct brief lines = {.kind = BRIEF_LINES, .rank_of = results_rank};
  const struct brief rows = {.kind = BRIEF_ROWS};
  size_t room = call_room(s->call);
  buffer_add_text(&s->call->text, "verdicts:\n");
  pprofc_status status = call_report(s->call, &lines, room / 2, results_render_gate, s, error);
  buffer_add_text(&s->call->text, "\ntable:\n");
  if (!status)
    status = call_report(s->call, &rows, call_room(s->call), results_render_table, s, error);
  return status;
}

/* Fails without results: nothing compared is never a pass. */
static pprofc_status results_any(const struct result_sides *s, pprofc_error *error) {
  size_t count;
  pprofc_str problem = pprofc_gate_problems(s->gate), line = STR("");
  pprofc_bench_results(s->set, &count);
  if (count) return PPROFC_OK;
  str_next_line(&problem, &line);
  return error_set(error, PPROFC_E_FORMAT, "no benchmark results: %.*s", STR_ARG(line));
}

pprofc_status tool_benchmarks(struct call *call, pprofc_error *error) {
  struct result_sides s = {.call = call};
  pprofc_bench_options options;
  pprofc_gate_options gate_options;
  pprofc_bench_options_init(&options);
  pprofc_gate_options_init(&gate_options);
  gate_options.allocator = budget_allocator(call->budget);
  s.set = pprofc_bench_new(budget_allocator(call->budget));
  pprofc_status status = s.set ? PPROFC_OK : error_nomem(error);
  if (!status) status = pprofc_gate_new(&gate_options, &s.gate, error);
  if (!status) status = results_add_side(&s, "base", false, error);
  if (!status) status = results_add_side(&s, "head", true, error);
  if (!status) status = pprofc_gate_judge(s.gate, error);
  if (!status) status = pprofc_bench_compare(s.set, &options, &s.tables, error);
  if (!status) status = results_any(&s, error);
  if (!status) {
    call_next(call, "compare", "base", "PROFILE OF THE BASE", "head", "PROFILE OF THE HEAD", NULL);
    status = results_show(&s, error);
  }
  pprofc_bench_tables_free(s.tables);
  pprofc_gate_free(s.gate);
  pprofc_bench_free(s.set);
  return status;
}

/* ---- history ----------------------------------------- */

/* Medians of one benchmark and unit. */
struct series {
  pprofc_str name, unit;
  double *values;  /* [files] NaN: not measured */
  double *samples; /* samples in the file being read */
  size_t sample_count, sample_capacity;
};

struct past_runs {
  struct call *call;
  const char *paths[RESULT_FILES];
  size_t count;
  struct series *series;
  size_t series_count, series_capacity;
};

static bool history_add_file(void *context, pprofc_str path, const struct stat *info) {
  struct past_runs *h = context;
  (void)info;
  if (h->count == RESULT_FILES) return false;
  h->paths[h->count] = arena_str(h->call->arena, path).data;
  return h->paths[h->count++] != NULL;
}

static struct series *history_series(struct past_runs *h, pprofc_str name, pprofc_str unit) {
  for (size_t i = 0; i < h->series_count; i++)
    if (str_equal(h->series[i].name, name) && str_equal(h->series[i].unit, unit))
      return &h->series[i];
  if (!ARRAY_RESERVE(&mem_default, h->series, h->series_capacity, h->series_count + 1)) return NULL;
  struct series *s = &h->series[h->series_count];
  *s = (struct series){.name = arena_str(h->call->arena, name),
                       .unit = arena_str(h->call->arena, unit),
                       .values = arena_array(h->call->arena, h->count, sizeof *s->values)};
  if (!s->name.data || !s->unit.data || !s->values) return NULL;
  for (size_t i = 0; i < h->count; i++) s->values[i] = (double)NAN;
  h->series_count++;
  return s;
}

static int series_by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Adds the samples of a file to their series. */
static bool history_take(struct past_runs *h, const pprofc_bench *set) {
  size_t count, values;
  const uint32_t *units;
  const pprofc_bench_result *results = pprofc_bench_results(set, &count);
  const double *value = pprofc_bench_values(set, &units, &values);
  for (size_t i = 0; i < count; i++)
    for (size_t v = results[i].first_value; v < results[i + 1].first_value; v++) {
      struct series *s = history_series(h, pprofc_bench_string(set, results[i].name),
                                        pprofc_bench_unit(set, units[v]));
      if (!s || !ARRAY_RESERVE(&mem_default, s->samples, s->sample_capacity, s->sample_count + 1))
        return false;
      if (isfinite(value[v])) s->samples[s->sample_count++] = value[v];
    }
  return true;
}

/* Ends a file: the value of each series is the median of its samples. */
static void history_close_file(struct past_runs *h, size_t file) {
  for (size_t i = 0; i < h->series_count; i++) {
    struct series *s = &h->series[i];
    size_t n = s->sample_count;
    if (!n) continue;
    qsort(s->samples, n, sizeof *s->samples, series_by_value);
    s->values[file] = (s->samples[n / 2] + s->samples[(n - 1) / 2]) / 2;
    s->sample_count = 0;
  }
}

static pprofc_status series_read(struct past_runs *h, size_t file, pprofc_error *error) {
  struct buffer data;
  pprofc_status status = results_read(h->call, str_of(h->paths[file]), &data, error);
  pprofc_bench *set = pprofc_bench_new(budget_allocator(h->call->budget));
  if (!set && !status) status = error_nomem(error);
  if (!status) status = pprofc_bench_read(set, "", h->paths[file], data.data, data.size, error);
  if (!status && !history_take(h, set)) status = error_nomem(error);
  history_close_file(h, file);
  pprofc_bench_free(set);
  buffer_free(&data);
  return status;
}

/* Writes a series without a change point: few runs cannot show one. */
static void history_put_level(const struct series *s, const double *values, size_t count,
                              size_t least, struct output *out) {
  struct buffer line;
  buffer_init(&line, &mem_default, SIZE_MAX);
  output_row(out, 0, 0, 0);
  call_put_name(&line, s->name);
  buffer_printf(&line, " %.*s: %.4g in the first of %zu runs, %.4g in the last; ", STR_ARG(s->unit),
                values[0], count, values[count - 1]);
  if (count < least)
    buffer_printf(&line, "not judged: a change point needs %zu runs\n", least);
  else
    buffer_add_text(&line, "no change point\n");
  output_add_str(out, buffer_str(&line));
  buffer_free(&line);
}

/* Writes the change points of a series as rows: the largest changes are the most important. */
static bool history_put_series(const struct past_runs *h, const struct series *s,
                               struct output *out) {
  struct steps_options options;
  struct step *steps = NULL;
  size_t count = 0, used = 0;
  double values[RESULT_FILES];
  size_t files[RESULT_FILES];
  steps_defaults(&options);
  for (size_t i = 0; i < h->count; i++)
    if (!isnan(s->values[i])) {
      values[used] = s->values[i];
      files[used++] = i;
    }
  if (used && !steps_find(values, used, &options, &mem_default, &steps, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    struct buffer line;
    buffer_init(&line, &mem_default, SIZE_MAX);
    double change = 100 * (steps[i].after / steps[i].before - 1);
    output_row(out, 1, isfinite(change) ? change : 1e9, 0);
    call_put_name(&line, s->name);
    buffer_printf(&line, " %.*s: %.4g -> %.4g (%+.1f%%), since ", STR_ARG(s->unit), steps[i].before,
                  steps[i].after, change);
    call_put_name(&line, str_of(h->paths[files[steps[i].index]]));
    buffer_printf(&line, ", p=%.2g\n", steps[i].p);
    output_add_str(out, buffer_str(&line));
    buffer_free(&line);
  }
  mem_free(&mem_default, steps, count, sizeof *steps);
  if (!count && used) history_put_level(s, values, used, 2 * options.least, out);
  return true;
}

static pprofc_status history_render(const void *context, pprofc_write_fn write, void *to,
                                    pprofc_error *error) {
  const struct past_runs *h = context;
  struct output out;
  bool good = true;
  output_init(&out, write, to);
  output_printf(&out, "%zu runs, %zu series\n", h->count, h->series_count);
  for (size_t i = 0; i < h->series_count && good; i++)
    good = history_put_series(h, &h->series[i], &out);
  return good ? output_flush(&out, error) : error_nomem(error);
}

static pprofc_status series_find_files(struct past_runs *h, pprofc_error *error) {
  const struct node *items[RESULT_FILES];
  size_t given = call_texts(h->call, "runs", items, RESULT_FILES);
  for (size_t i = 0; i < given; i++) {
    struct stat info;
    int fd = files_find(&h->call->mcp->files, items[i]->text, &info, error);
    if (fd >= 0) close(fd);
    bool good = fd >= 0 ? history_add_file(h, items[i]->text, &info)
                        : files_visit(&h->call->mcp->files, items[i]->text, RESULT_FILES,
                                      history_add_file, h);
    if (!good && h->count == RESULT_FILES)
      return error_set(error, PPROFC_E_LIMIT, "more than %d runs", RESULT_FILES);
    if (!good) return error->status ? error->status : error_nomem(error);
  }
  if (!h->count) return error_set(error, PPROFC_E_INVALID, "\"runs\" names no file");
  return PPROFC_OK;
}

pprofc_status tool_history(struct call *call, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_ROWS};
  struct past_runs *h = arena_zero_array(call->arena, 1, sizeof *h);
  if (!h) return error_nomem(error);
  h->call = call;
  pprofc_status status = series_find_files(h, error);
  bool found = status == PPROFC_OK;
  for (size_t i = 0; i < h->count && !status; i++) status = series_read(h, i, error);
  if (found && !h->series_count && (!status || status == PPROFC_E_FORMAT)) {
    status = history_leaks(call, h->paths, h->count, error);
  } else if (!status) {
    if (h->count > 1)
      call_next(call, "benchmarks", "base", h->paths[h->count - 2], "head", h->paths[h->count - 1],
                NULL);
    status = call_report(call, &kind, call_room(call), history_render, h, error);
  }
  for (size_t i = 0; i < h->series_count; i++)
    ARRAY_FREE(&mem_default, h->series[i].samples, h->series[i].sample_capacity);
  ARRAY_FREE(&mem_default, h->series, h->series_capacity);
  return status;
}
