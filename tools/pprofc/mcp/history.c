/* Implements the tool history. In result files or a store, finds the points in time at which a
 * benchmark changed. In profiles of one running program, finds the functions and stacks whose
 * values keep growing. */
#include "gate/read/read.h"
#include "leaks/leaks.h"
#include "mcp/mcp.h"
#include "stats/stats.h"
#include "transform/transform.h"
#include "unit/unit.h"

#include "pprofc/bench.h"

#define HISTORY_FILES 2000

struct series {
  pprofc_str name, unit;
  double *values;  /* for each file or run, the median of its samples; NaN without samples */
  double *samples; /* samples in the file that is being read */
  size_t sample_count, sample_capacity;
};

struct past_runs {
  struct call *call;
  const char *paths[HISTORY_FILES]; /* paths of result files, or commits of a store */
  size_t count;
  /* keys of the series, "NAME\nUNIT"; the id of a key is the index of its series */
  struct interner keys;
  struct series *series;
  size_t series_count, series_capacity;
};

/* Returns the id of the key for a benchmark and unit, or MAP_NONE when out of memory. */
static uint32_t history_key(struct past_runs *h, pprofc_str name, pprofc_str unit) {
  struct buffer key = buffer_make(&mem_default, SIZE_MAX);
  buffer_add_str(&key, name);
  buffer_add_char(&key, '\n');
  buffer_add_str(&key, unit);
  uint32_t id = key.failed ? MAP_NONE : interner_copy(&h->keys, h->call->arena, buffer_str(&key));
  buffer_free(&key);
  return id;
}

/* Returns the series of a benchmark and unit. Adds a new series if necessary. Returns NULL when out
 * of memory. */
static struct series *history_series(struct past_runs *h, pprofc_str name, pprofc_str unit) {
  uint32_t key = history_key(h, name, unit);
  if (key == MAP_NONE) return NULL;
  if (key < h->series_count) return &h->series[key];
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

/* Ends a file: for each series, stores the median of the samples in this file. */
static void history_close_file(struct past_runs *h, size_t file) {
  for (size_t i = 0; i < h->series_count; i++) {
    struct series *s = &h->series[i];
    if (s->sample_count) s->values[file] = stats_median(s->samples, s->sample_count);
    s->sample_count = 0;
  }
}

static pprofc_status series_read(struct past_runs *h, size_t file, pprofc_error *error) {
  struct buffer data;
  pprofc_status status = call_read(h->call, str_of(h->paths[file]), &data, error);
  pprofc_bench *set = pprofc_bench_new(budget_allocator(h->call->budget));
  if (!set && !status) status = error_nomem(error);
  if (!status) status = pprofc_bench_read(set, "", h->paths[file], data.data, data.size, error);
  if (!status && !history_take(h, set)) status = error_nomem(error);
  history_close_file(h, file);
  pprofc_bench_free(set);
  buffer_free(&data);
  return status;
}

/* Returns STORE/runs if the argument "runs" names one store (a folder of run records), else NULL.
 */
static const char *store_records(struct call *call) {
  const struct node *items[2];
  struct stat info;
  const char *records = NULL;
  if (call_texts(call, "runs", items, 2) != 1) return NULL;
  pprofc_str folder = items[0]->text;
  while (str_ends(folder, STR("/"))) folder = str_slice(folder, 0, folder.size - 1);
  struct buffer path = buffer_make(&mem_default, SIZE_MAX);
  buffer_printf(&path, "%.*s/" RECORD_MARK, STR_ARG(folder));
  int fd = files_find(&call->mcp->files, buffer_str(&path), &info, NULL);
  buffer_clear(&path);
  buffer_printf(&path, "%.*s/runs", STR_ARG(folder));
  if (fd >= 0) {
    close(fd);
    records = arena_str(call->arena, buffer_str(&path)).data;
  }
  buffer_free(&path);
  return records;
}

static bool store_add_path(void *context, pprofc_str path, const struct stat *info) {
  struct past_runs *h = context;
  (void)info;
  if (!str_ends(path, STR(".json")) || h->count == HISTORY_FILES) return true;
  h->paths[h->count] = arena_str(h->call->arena, path).data;
  return h->paths[h->count++] != NULL;
}

/* Sorts the runs like `pprofci trend`: by commit number if all runs have a number, else by time. */
static void store_sort(struct run_record *runs, size_t count) {
  bool numbered = true;
  for (size_t i = 0; i < count; i++) numbered &= runs[i].place.order >= 0;
  if (count) qsort(runs, count, sizeof *runs, numbered ? record_by_order : record_by_time);
}

static bool store_take(struct past_runs *h, size_t run, const struct run_record *record) {
  for (size_t i = 0; i < node_size(record->series); i++) {
    struct record_series from;
    if (!record_series_read(node_at(record->series, i), &mem_default, &from)) return false;
    if (!from.count) continue;
    struct buffer name = buffer_make(&mem_default, SIZE_MAX);
    buffer_printf(&name, "%.*s%s", STR_ARG(from.group), from.group.size ? "." : "");
    buffer_add_str(&name, from.name);
    struct series *s = name.failed ? NULL : history_series(h, buffer_str(&name), from.unit);
    buffer_free(&name);
    if (!s) return false;
    s->values[run] = from.center;
  }
  return true;
}

/* Adds all runs of the branch that has the most runs. */
static bool store_take_all(struct past_runs *h, struct run_record *runs, size_t count) {
  pprofc_str branch;
  size_t used = 0;
  if (!record_trunk(&mem_default, &runs->branch, count, sizeof *runs, &branch)) return false;
  for (size_t i = 0; i < count; i++)
    if (str_equal(runs[i].branch, branch)) runs[used++] = runs[i];
  store_sort(runs, used);
  h->count = used;
  bool good = true;
  for (size_t i = 0; i < used && good; i++) {
    h->paths[i] = arena_str(h->call->arena, runs[i].place.commit).data;
    good = h->paths[i] && store_take(h, i, &runs[i]);
  }
  buffer_add_text(&h->call->head, "branch ");
  call_put_name(&h->call->head, branch);
  buffer_add_char(&h->call->head, '\n');
  return good;
}

static pprofc_status store_read_run(struct past_runs *h, const char *path, struct run_record *run,
                                    pprofc_error *error) {
  struct buffer data;
  pprofc_status status = call_read(h->call, str_of(path), &data, error);
  pprofc_str text = status ? STR("") : buffer_keep(&data, h->call->arena);
  buffer_free(&data);
  if (!status && !text.data) return error_nomem(error);
  return status ? status : record_parse(h->call->arena, path, text, run, error);
}

/* Reads the run records below a folder. Skips invalid records. */
static pprofc_status store_read(struct past_runs *h, const char *records, pprofc_error *error) {
  const struct mcp *mcp = h->call->mcp;
  size_t count = 0;
  bool listed = files_visit(&mcp->files, str_of(records), HISTORY_FILES, store_add_path, h);
  struct run_record *runs = arena_array(h->call->arena, h->count, sizeof *runs);
  if (!runs) return error_nomem(error);
  for (size_t i = 0; i < h->count && listed; i++) {
    pprofc_status status = store_read_run(h, h->paths[i], &runs[count], error);
    if (status == PPROFC_E_NOMEM) return status;
    count += status == PPROFC_OK;
  }
  if (!count) return error_set(error, PPROFC_E_INVALID, "the store '%s' has no runs", records);
  return store_take_all(h, runs, count) ? PPROFC_OK : error_nomem(error);
}

/* Writes a series (the values of a benchmark over time) that has no change point, or too few runs
 * to show a change. */
static void history_put_level(const struct series *s, const double *values, size_t count,
                              size_t least, struct output *out) {
  struct buffer line = buffer_make(&mem_default, SIZE_MAX);
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

/* Writes each change point as a row. When the answer is shortened, the rows with the largest
 * changes stay. */
static bool history_put_series(const struct past_runs *h, const struct series *s,
                               struct output *out) {
  struct steps_options options;
  struct step *steps = NULL;
  size_t count = 0, used = 0;
  double values[HISTORY_FILES];
  size_t files[HISTORY_FILES];
  steps_defaults(&options);
  for (size_t i = 0; i < h->count; i++)
    if (!isnan(s->values[i])) {
      values[used] = s->values[i];
      files[used++] = i;
    }
  if (used && !steps_find(values, used, &options, &mem_default, &steps, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    struct buffer line = buffer_make(&mem_default, SIZE_MAX);
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

/* Reads result files. Returns PPROFC_E_FORMAT if no file has results, because the files may then be
 * profiles. */
static pprofc_status history_read_results(struct past_runs *h, pprofc_error *error) {
  pprofc_status status =
      call_files(h->call, "runs", "runs", h->paths, &h->count, HISTORY_FILES, error);
  bool found = status == PPROFC_OK;
  for (size_t i = 0; i < h->count && !status; i++) status = series_read(h, i, error);
  if (found && !h->series_count && (!status || status == PPROFC_E_FORMAT)) return PPROFC_E_FORMAT;
  if (!status && h->count > 1)
    call_next(h->call, "benchmarks", "base", h->paths[h->count - 2], "head", h->paths[h->count - 1],
              NULL);
  return status == PPROFC_E_FORMAT ? PPROFC_E_INVALID : status;
}

struct growth {
  struct call *call;
  struct leak_input inputs[PROFILES_OPEN];
  size_t count;
  bool unsupported; /* true if a profile has an expression drop_frames that cannot be applied */
  struct leaks leaks;
};

/* Adds a profile if its type (heap or goroutine) can show leaks. Skips other profiles. */
static pprofc_status growth_add(struct growth *g, const char *path, pprofc_error *error) {
  struct leak_source source;
  pprofc_profile *opened, *profile = NULL;
  pprofc_status status = call_profile(g->call, str_of(path), &opened, error);
  if (status) return status;
  bool unsupported = false;
  if (leak_source_of(opened, &source))
    status = transform_drop_frames(opened, &profile, &unsupported, error);
  g->unsupported |= unsupported;
  pprofc_profile_release(opened);
  if (profile) g->inputs[g->count++] = (struct leak_input){path, profile};
  return status;
}

static void growth_put_value(struct buffer *to, double value, pprofc_str unit) {
  char text[UNIT_LABEL_MAX];
  int64_t whole = fabs(value) < 0x1p62 ? (int64_t)llround(value) : 0;
  buffer_add_str(to, unit_label(whole, unit, STR("auto"), text));
}

static void growth_put_row(struct output *out, const struct leak_kind *kind,
                           const struct leak_row *row) {
  pprofc_str unit = kind->stacks.source.unit;
  struct buffer line = buffer_make(&mem_default, SIZE_MAX);
  output_row(out, (int)row->fit.verdict, row->fit.growth, 0);
  buffer_printf(&line, "%s: ", leak_verdict_name(row->fit.verdict));
  call_put_name(&line, kind->stacks.source.kind);
  buffer_add_char(&line, ' ');
  growth_put_value(&line, row->first, unit);
  buffer_add_text(&line, " -> ");
  growth_put_value(&line, row->last, unit);
  if (isfinite(row->per_interval)) {
    buffer_add_text(&line, ", ");
    growth_put_value(&line, row->per_interval, unit);
    buffer_add_text(&line, " from profile to profile");
  }
  buffer_add_text(&line, ", in ");
  call_put_name(&line, row->where->function);
  if (row->where->file.size) {
    buffer_add_text(&line, ", ");
    call_put_name(&line, row->where->file);
    buffer_printf(&line, ":%lld", (long long)row->where->line);
  }
  buffer_add_char(&line, '\n');
  output_add_str(out, buffer_str(&line));
  buffer_free(&line);
}

static pprofc_status growth_render(const void *context, pprofc_write_fn write, void *to,
                                   pprofc_error *error) {
  const struct growth *g = context;
  struct output out;
  output_init(&out, write, to);
  for (size_t k = 0; k < g->leaks.kind_count; k++) {
    const struct leak_kind *kind = &g->leaks.kinds[k];
    for (size_t i = 0; i < kind->row_count; i++)
      if (kind->rows[i].fit.verdict > LEAK_BELOW) growth_put_row(&out, kind, &kind->rows[i]);
  }
  return output_flush(&out, error);
}

/* Appends the number of leaks, and for each profile type how many profiles were judged. A type with
 * too few profiles is not judged. */
static void growth_put_head(struct growth *g) {
  struct buffer *to = &g->call->head;
  const struct leaks *leaks = &g->leaks;
  if (leaks->leaks)
    buffer_printf(to, "LEAK: %zu %s without end\n", leaks->leaks,
                  leaks->leaks == 1 ? "place grows" : "places grow");
  else
    buffer_add_text(to, leaks->judged ? "no leak\n" : "nothing to judge\n");
  for (size_t k = 0; k < leaks->kind_count; k++) {
    const struct leak_kind *kind = &leaks->kinds[k];
    call_put_name(to, kind->stacks.source.kind);
    if (kind->judged)
      buffer_printf(to, ": %zu profiles\n", kind->judged);
    else
      buffer_printf(to, ": not judged, %d profiles are needed\n", LEAK_MIN);
  }
  if (g->unsupported) buffer_add_text(to, "warning: " DROP_FRAMES_UNSUPPORTED "\n");
}

/* Finds leaks in the profiles, which must be sorted by time. */
static pprofc_status history_leaks(struct call *call, const char *const *paths, size_t count,
                                   pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_ROWS};
  struct leak_options options;
  struct growth *g = arena_zero_array(call->arena, 1, sizeof *g);
  pprofc_status status = PPROFC_OK;
  if (!g) return error_nomem(error);
  if (count > PROFILES_OPEN)
    return error_set(error, PPROFC_E_LIMIT, "more than %d profiles", PROFILES_OPEN);
  g->call = call;
  leak_options_init(&options);
  for (size_t i = 0; i < count && !status; i++) status = growth_add(g, paths[i], error);
  if (!status && !g->count)
    status = error_set(error, PPROFC_E_INVALID,
                       "\"runs\" names neither benchmark results nor heap or goroutine profiles");
  if (!status) {
    status = leaks_judge(&g->leaks, budget_allocator(call->budget), &options, g->inputs, g->count,
                         error);
    if (!status) growth_put_head(g);
    if (!status) {
      call_next(call, "top", "profile", paths[count - 1], "base", paths[0], NULL);
      status = call_report(call, &kind, call_room(call), growth_render, g, error);
    }
    leaks_free(&g->leaks);
  }
  for (size_t i = 0; i < g->count; i++) pprofc_profile_release(g->inputs[i].profile);
  return status;
}

pprofc_status tool_history(struct call *call, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_ROWS};
  struct past_runs *h = arena_zero_array(call->arena, 1, sizeof *h);
  if (!h) return error_nomem(error);
  h->call = call;
  interner_init(&h->keys, &mem_default);
  const char *records = store_records(call);
  pprofc_status status = records ? store_read(h, records, error) : history_read_results(h, error);
  if (status == PPROFC_E_FORMAT)
    status = history_leaks(call, h->paths, h->count, error);
  else if (!status)
    status = call_report(call, &kind, call_room(call), history_render, h, error);
  for (size_t i = 0; i < h->series_count; i++)
    ARRAY_FREE(&mem_default, h->series[i].samples, h->series[i].sample_capacity);
  ARRAY_FREE(&mem_default, h->series, h->series_capacity);
  interner_free(&h->keys);
  return status;
}
