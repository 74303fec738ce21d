/* Estimates from the runs in a store of `pprofci` how much series (benchmarks in one unit) vary
 * without a change. */
#include "gate/read/read.h"

/* ---- records ---------------------------------------- */

/* True if file names and keys can contain the commit id. */
static bool record_is_commit(pprofc_str id) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
  if (!id.size || id.size > 100 || *id.data == '.' || *id.data == '-') return false;
  for (size_t i = 0; i < id.size; i++)
    if (!memchr(letters, id.data[i], sizeof letters - 1)) return false;
  return true;
}

pprofc_status record_parse(struct arena *arena, const char *path, pprofc_str data,
                           struct run_record *record, pprofc_error *error) {
  struct node *root;
  int64_t order = -1, time;
  pprofc_status status = json_tree_parse(arena, path, data, &root, error);
  if (status != PPROFC_OK) return status;
  if (node_integer(node_get(root, "version")) != 1)
    return error_set(error, PPROFC_E_FORMAT, "'%s' is not a run record of version 1", path);
  if (!node_to_integer(node_get(root, "order"), &order)) order = -1;
  *record = (struct run_record){.place = {order, 0, node_text(root, "commit")},
                                .branch = node_text(root, "branch"),
                                .machine = node_text(root, "machine"),
                                .verdict = node_text(root, "verdict"),
                                .headline = node_text(root, "headline"),
                                .status = node_integer(node_get(root, "status")),
                                .series = node_get(root, "series"),
                                .profiles = node_get(root, "profiles")};
  if (!record_is_commit(record->place.commit) || !node_to_integer(node_get(root, "time"), &time) ||
      !node_is(record->series, NODE_ARRAY) || !node_is(record->profiles, NODE_ARRAY))
    return error_set(error, PPROFC_E_FORMAT, "'%s' is an incomplete run record", path);
  record->place.time = time;
  return PPROFC_OK;
}

bool record_series_read(const struct node *item, const pprofc_allocator *mem,
                        struct record_series *series) {
  const struct node *list = node_get(item, "values");
  size_t size = node_size(list);
  double few[32], value;
  double *values = size <= 32 ? few : mem_array(mem, size, sizeof *values);
  *series = (struct record_series){.group = node_text(item, "group"),
                                   .name = node_text(item, "benchmark"),
                                   .unit = node_text(item, "unit"),
                                   .direction = (int)node_integer(node_get(item, "direction"))};
  if (!values) return false;
  for (const struct node *one = size ? list->first : NULL; one; one = one->next)
    if (node_is(one, NODE_NUMBER) && str_parse_float(one->text, &value) && isfinite(value))
      values[series->count++] = value;
  series->center = stats_median(values, series->count);
  if (values != few) mem_free(mem, values, size, sizeof *values);
  return true;
}

static int record_compare(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

int record_by_order(const void *a, const void *b) {
  const struct record_place *x = a, *y = b;
  int order = record_compare(x->order, y->order);
  if (!order) order = record_compare(x->time, y->time);
  return order ? order : str_compare(x->commit, y->commit);
}

int record_by_time(const void *a, const void *b) {
  const struct record_place *x = a, *y = b;
  int order = record_compare(x->time, y->time);
  if (!order) order = record_compare(x->order, y->order);
  return order ? order : str_compare(x->commit, y->commit);
}

bool record_trunk(const pprofc_allocator *mem, const pprofc_str *first, size_t count, size_t stride,
                  pprofc_str *trunk) {
  struct interner branches;
  size_t most = 0, *counts = mem_zero_array(mem, count, sizeof *counts);
  bool good = counts != NULL;
  *trunk = STR("");
  interner_init(&branches, mem);
  for (size_t i = 0; good && i < count; i++) {
    const void *at = (const char *)first + i * stride;
    const pprofc_str *branch = at;
    uint32_t id = interner_add(&branches, *branch);
    good = id != MAP_NONE;
    if (!good || ++counts[id] <= most) continue;
    most = counts[id];
    *trunk = *branch;
  }
  interner_free(&branches);
  mem_free(mem, counts, count, sizeof *counts);
  return good;
}

/* A run, and the index of its first value in history.points. */
struct history_run {
  struct record_place place; /* must be first: record_by_order casts a history_run * to a place */
  uint32_t branch;
  size_t first, count;
};

struct history_point {
  uint32_t series;
  double value;
};

struct history {
  struct gate *gate;
  struct arena arena; /* memory for the texts */
  struct interner branches, series;
  struct history_run *runs;
  size_t run_count, run_capacity;
  struct history_point *points;
  size_t point_count, point_capacity;
};

/* ---- reading ----------------------------------------- */

static bool history_add_points(struct history *h, const struct run_record *record) {
  struct record_series series;
  struct buffer key = buffer_make(h->gate->mem, SIZE_MAX / 2);
  bool good = true;
  const struct node *item = node_size(record->series) ? record->series->first : NULL;
  for (; item && good; item = item->next) {
    good = record_series_read(item, h->gate->mem, &series);
    if (!good || !series.count) continue;
    buffer_clear(&key);
    gate_noise_key(&key, series.group, series.name, series.unit);
    uint32_t id = interner_copy(&h->series, &h->arena, buffer_str(&key));
    good = !key.failed && id != MAP_NONE &&
           ARRAY_PUSH(h->gate->mem, h->points, h->point_count, h->point_capacity,
                      (struct history_point){id, series.center});
  }
  buffer_free(&key);
  return good;
}

static pprofc_status history_add_run(struct history *h, const struct run_record *record,
                                     pprofc_error *error) {
  uint32_t branch = interner_copy(&h->branches, &h->arena, record->branch);
  pprofc_str commit = arena_str(&h->arena, record->place.commit);
  if (branch == MAP_NONE || !commit.data ||
      !ARRAY_RESERVE(h->gate->mem, h->runs, h->run_capacity, h->run_count + 1))
    return error_nomem(error);
  struct history_run *run = &h->runs[h->run_count++];
  *run = (struct history_run){.place = record->place, .branch = branch, .first = h->point_count};
  run->place.commit = commit;
  if (!history_add_points(h, record)) return error_nomem(error);
  run->count = h->point_count - run->first;
  return PPROFC_OK;
}

static pprofc_status history_read_run(struct history *h, const char *path, pprofc_error *error) {
  struct run_record record;
  struct arena arena = arena_make(h->gate->mem);
  struct buffer data = buffer_make(h->gate->mem, GATE_FILE_MAX);
  h->gate->inputs++;
  pprofc_status status = gate_read_whole(path, &data, error);
  if (status == PPROFC_OK) status = record_parse(&arena, path, buffer_str(&data), &record, error);
  if (status == PPROFC_OK) status = history_add_run(h, &record, error);
  buffer_free(&data);
  arena_free(&arena);
  return gate_note_problem(h->gate, status, error);
}

static pprofc_status history_read_all(struct history *h, const char *folder, pprofc_error *error) {
  struct gate_paths commits, runs;
  struct arena names = arena_make(h->gate->mem);
  struct buffer path = buffer_make(h->gate->mem, 1 << 16);
  buffer_printf(&path, "%s/runs", folder);
  buffer_add_char(&path, '\0');
  pprofc_status status = path.failed
                             ? error_nomem(error)
                             : gate_list_folder(h->gate, path.data, "*", &names, &commits, error);
  for (size_t i = 0; status == PPROFC_OK && i < commits.count; i++) {
    status = gate_list_folder(h->gate, commits.items[i], "*.json", &names, &runs, error);
    for (size_t k = 0; status == PPROFC_OK && k < runs.count; k++)
      status = history_read_run(h, runs.items[k], error);
  }
  buffer_free(&path);
  arena_free(&names);
  return status;
}

/* ---- learning ---------------------------------------- */

/* Returns the branch that has the most runs. Changes are usually merged into this branch. */
static uint32_t history_trunk(const struct history *h) {
  uint32_t best = 0;
  size_t most = 0;
  for (uint32_t branch = 0; branch < h->branches.count; branch++) {
    size_t count = 0;
    for (size_t i = 0; i < h->run_count; i++) count += h->runs[i].branch == branch;
    if (count > most) best = branch;
    most = count > most ? count : most;
  }
  return best;
}

static void history_sort(struct history *h) {
  bool by_order = true;
  uint32_t trunk = history_trunk(h);
  for (size_t i = 0; i < h->run_count; i++)
    by_order = by_order && (h->runs[i].branch != trunk || h->runs[i].place.order >= 0);
  if (h->run_count)
    qsort(h->runs, h->run_count, sizeof *h->runs, by_order ? record_by_order : record_by_time);
}

/* Stores the noise of a series, computed from the values after its last change point. */
static bool history_keep(struct history *h, pprofc_str key, const double *values, size_t count) {
  struct steps_options options;
  struct step *steps;
  size_t step_count, first = 0;
  steps_defaults(&options);
  if (!steps_find(values, count, &options, h->gate->mem, &steps, &step_count)) return false;
  if (step_count) first = steps[step_count - 1].last;
  mem_free(h->gate->mem, steps, step_count, sizeof *steps);
  if (count - first > RECORD_NOISE_MAX) first = count - RECORD_NOISE_MAX;
  return gate_keep_earlier(h->gate, key, values + first, count - first);
}

/* Groups the values by series, in the order of the runs. Before the call, ends[i] is the index of
 * the first value of series i in `values`; after the call, the index after the last value. If
 * `values` is NULL, only counts the values of series i in ends[i + 1]. */
static void history_collect(const struct history *h, size_t *ends, double *values) {
  uint32_t trunk = history_trunk(h);
  for (size_t i = 0; i < h->run_count; i++) {
    const struct history_point *points = h->points + h->runs[i].first;
    size_t count = h->runs[i].branch == trunk ? h->runs[i].count : 0;
    for (size_t k = 0; k < count; k++) {
      if (values)
        values[ends[points[k].series]++] = points[k].value;
      else
        ends[points[k].series + 1]++;
    }
  }
}

static bool history_learn(struct history *h) {
  const pprofc_allocator *mem = h->gate->mem;
  size_t *ends = mem_zero_array(mem, h->series.count + 1, sizeof *ends);
  double *values = mem_array(mem, h->point_count, sizeof *values);
  bool good = ends && values;
  if (good) {
    history_collect(h, ends, NULL);
    for (size_t i = 0; i < h->series.count; i++) ends[i + 1] += ends[i];
    history_collect(h, ends, values);
  }
  for (size_t i = 0, first = 0; good && i < h->series.count; first = ends[i++])
    good = history_keep(h, h->series.items[i], values + first, ends[i] - first);
  mem_free(mem, values, h->point_count, sizeof *values);
  mem_free(mem, ends, h->series.count + 1, sizeof *ends);
  return good && gate_share_earlier(h->gate);
}

pprofc_status gate_read_history(struct gate *gate, const char *folder, pprofc_error *error) {
  struct history h = {.gate = gate};
  arena_init(&h.arena, gate->mem);
  interner_init(&h.branches, gate->mem);
  interner_init(&h.series, gate->mem);
  pprofc_status status = history_read_all(&h, folder, error);
  if (status == PPROFC_OK && h.run_count < 2)
    gate_problem(gate, "noise needs at least two runs, but '%s' has %zu", folder, h.run_count);
  history_sort(&h);
  if (status == PPROFC_OK && !history_learn(&h)) status = error_nomem(error);
  interner_free(&h.series);
  interner_free(&h.branches);
  ARRAY_FREE(gate->mem, h.runs, h.run_capacity);
  ARRAY_FREE(gate->mem, h.points, h.point_capacity);
  arena_free(&h.arena);
  return status;
}
