/* Selects runs, collects the values of series (results of benchmarks or shares of functions), and
 * finds change points. */
#include "commands.h"
#include "pprofc/graph.h"
#include "run/files.h"
#include "trend/trend.h"

struct function_shares {
  struct past *past;
  const struct trend_query *query;
  struct past_point *points; /* shares of functions in all runs, sorted by run */
  size_t point_count, point_capacity;
};

pprofc_status trend_open_profile(struct backing *backing, const struct past_profile *profile,
                                 pprofc_profile **opened, pprofc_error *error) {
  char key[80];
  past_object_key(profile->sha256, key);
  struct buffer data = buffer_make(&ci_mem, BACKING_FILE_MAX);
  pprofc_status status = backing->kind->get(backing, key, &data, error);
  if (status == PPROFC_OK)
    status = pprofc_profile_read_memory(data.data, data.size, NULL, opened, error);
  buffer_free(&data);
  if (status != PPROFC_OK) error_prefix(error, "cannot read '%s': ", key);
  return status;
}

static void functions_graph(struct backing *backing, const struct past_profile *profile,
                            pprofc_graph **graph) {
  pprofc_report_options options;
  pprofc_profile *opened;
  ci_need(trend_open_profile(backing, profile, &opened, &ci_error));
  pprofc_report_options_init(&options);
  options.granularity = "functions";
  options.trim = false;
  ci_need(pprofc_graph_new(opened, &options, graph, &ci_error));
  pprofc_profile_release(opened);
}

/* Returns the series of a function, such as "Count/size=8-2: main.count" in "% of cpu". */
static uint32_t functions_series(struct function_shares *f, const struct past_profile *profile,
                                 pprofc_str function) {
  struct buffer name = ci_buffer(), unit = ci_buffer();
  if (profile->benchmark.size) {
    buffer_add_str(&name, profile->benchmark);
    buffer_add_text(&name, ": ");
  }
  buffer_add_str(&name, function);
  buffer_add_text(&unit, f->query->cum ? "% of " : "% flat of ");
  buffer_add_str(&unit, profile->kind);
  uint32_t id =
      past_add_series(f->past, profile->package, buffer_str(&name), buffer_str(&unit), -1);
  buffer_free(&name);
  buffer_free(&unit);
  return id;
}

static void shares_add(struct function_shares *f, uint32_t series, double value) {
  (void)ARRAY_PUSH(&ci_mem, f->points, f->point_count, f->point_capacity,
                   (struct past_point){series, value});
}

static void functions_of_graph(struct function_shares *f, const struct past_profile *profile,
                               const pprofc_graph *graph) {
  size_t count;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count);
  double total = (double)pprofc_graph_totals_of(graph).total;
  for (size_t i = 0; i < count && total > 0; i++) {
    if (!str_glob(str_of(f->query->function), nodes[i].name)) continue;
    double value = (double)(f->query->cum ? nodes[i].cum : nodes[i].flat);
    shares_add(f, functions_series(f, profile, nodes[i].name), 100 * value / total);
  }
}

static void functions_of_run(struct function_shares *f, struct backing *backing,
                             struct past_run *run) {
  size_t first = f->point_count;
  for (size_t i = 0; i < run->profiles; i++) {
    const struct past_profile profile = f->past->profiles[run->first_profile + i];
    pprofc_graph *graph;
    if (!str_glob(str_of(f->query->kind), profile.kind) ||
        !str_glob(str_of(f->query->bench), profile.benchmark))
      continue;
    functions_graph(backing, &profile, &graph);
    functions_of_graph(f, &profile, graph);
    pprofc_graph_free(graph);
  }
  run->first_point = first;
  run->points = f->point_count - first;
}

/* Adds a point with the share 0 for each function that the profiles of the run do not contain. */
static void functions_add_absent(struct function_shares *f, struct past_run *run) {
  size_t first = f->point_count, old_first = run->first_point, old_count = run->points;
  for (uint32_t series = 0; series < f->past->series_count; series++) {
    const struct past_series *s = &f->past->series[series];
    double value = 0;
    bool has_kind = false;
    for (size_t i = 0; i < old_count; i++)
      if (f->points[old_first + i].series == series) value = f->points[old_first + i].value;
    for (size_t i = 0; i < run->profiles; i++) {
      const struct past_profile *p = &f->past->profiles[run->first_profile + i];
      has_kind = has_kind || (str_ends(s->unit, p->kind) && str_equal(s->group, p->package) &&
                              (!p->benchmark.size || str_starts(s->name, p->benchmark)));
    }
    if (has_kind) shares_add(f, series, value);
  }
  run->first_point = first;
  run->points = f->point_count - first;
}

/* Replaces the results of the runs by the shares of functions in the profiles of these runs. */
static void trend_take_functions(struct trend_view *t, struct backing *backing,
                                 const struct trend_query *query) {
  struct function_shares f = {.past = &t->past, .query = query};
  interner_free(&t->past.series_keys);
  interner_init(&t->past.series_keys, &ci_mem);
  t->past.series_count = 0;
  for (size_t i = 0; i < t->past.run_count; i++) t->past.runs[i].points = 0;
  for (size_t i = 0; i < t->past.run_count; i++) functions_of_run(&f, backing, &t->past.runs[i]);
  for (size_t i = 0; i < t->past.run_count; i++) functions_add_absent(&f, &t->past.runs[i]);
  ARRAY_FREE(&ci_mem, t->past.points, t->past.point_capacity);
  t->past.points = f.points;
  t->past.point_capacity = f.point_capacity;
  t->past.point_count = f.point_count;
}

/* Reads commit ids from a file, one per line, in the order of the file. */
static void trend_read_ids(struct interner *ids, struct arena *arena, const char *path) {
  struct buffer text = buffer_make(&ci_mem, (size_t)256 << 20);
  ci_need(file_read(path, &text, &ci_error));
  pprofc_str rest = buffer_str(&text), line;
  while (text.size && str_next_line(&rest, &line)) {
    line = str_trim(line);
    if (line.size) (void)interner_copy(ids, arena, line);
  }
  buffer_free(&text);
}

/* Numbers the runs by the position of their commits in a file. A run gets -1 if the file does not
 * list its commit. */
static void trend_list_commits(struct trend_view *t, const char *path) {
  struct interner ids;
  struct past *past = &t->past;
  interner_init(&ids, &ci_mem);
  trend_read_ids(&ids, &t->arena, path);
  for (size_t i = 0; i < past->run_count; i++) {
    uint32_t id = interner_find(&ids, past->runs[i].place.commit);
    past->runs[i].place.order = id == MAP_NONE ? -1 : (int64_t)id;
    t->unlisted += id == MAP_NONE;
  }
  if (past->run_count && t->unlisted == past->run_count)
    ci_fail("no commit of '%s' is in the store", path);
  interner_free(&ids);
}

/* Removes the runs that the query does not select, and sorts the other runs. */
static void trend_choose(struct trend_view *t, const struct trend_query *query) {
  struct past *past = &t->past;
  pprofc_str trunk = STR("");
  if (past->run_count)
    (void)record_trunk(&ci_mem, &past->runs->branch, past->run_count, sizeof *past->runs, &trunk);
  pprofc_str branch = *query->branch ? str_of(query->branch) : trunk;
  size_t kept = 0;
  t->branch = text_keep(&t->arena, branch);
  for (size_t i = 0; i < past->run_count; i++) {
    bool fits = *query->branch ? str_glob(branch, past->runs[i].branch)
                               : str_equal(branch, past->runs[i].branch);
    if (*query->commits) fits = past->runs[i].place.order >= 0;
    if (fits) past->runs[kept++] = past->runs[i];
  }
  past->run_count = kept;
  past_sort(past);
  if (!kept) ci_fail("the store has no run of '%s'", t->branch);
}

/* Allocates arrays for the values of the series that match the query. */
static void trend_make_room(struct trend_view *t, const struct trend_query *query,
                            struct trend_series *all) {
  const struct past *past = &t->past;
  size_t *counts = arena_zero_array(&t->arena, past->series_count + 1, sizeof *counts);
  for (size_t i = 0; i < t->past.run_count; i++) {
    const struct past_run *run = &past->runs[i];
    for (size_t k = 0; k < run->points; k++) counts[past->points[run->first_point + k].series]++;
  }
  for (size_t i = 0; i < past->series_count; i++) {
    if (!counts[i] || !str_glob(str_of(query->bench), past->series[i].name) ||
        !str_glob(str_of(query->unit), past->series[i].unit))
      continue;
    all[i].name = past->series[i];
    all[i].values = arena_array(&t->arena, counts[i], sizeof(double));
    all[i].runs = arena_array(&t->arena, counts[i], sizeof(uint32_t));
  }
}

static void trend_collect(struct trend_view *t, const struct trend_query *query) {
  const struct past *past = &t->past;
  struct trend_series *all = arena_zero_array(&t->arena, past->series_count + 1, sizeof *all);
  trend_make_room(t, query, all);
  for (size_t i = 0; i < t->past.run_count; i++) {
    const struct past_run *run = &past->runs[i];
    for (size_t k = 0; k < run->points; k++) {
      const struct past_point *point = &past->points[run->first_point + k];
      struct trend_series *series = &all[point->series];
      if (!series->values) continue;
      series->values[series->count] = point->value;
      series->runs[series->count++] = (uint32_t)i;
    }
  }
  for (size_t i = 0; i < past->series_count; i++)
    if (all[i].count) all[t->series_count++] = all[i];
  t->series = all;
}

static int trend_by_name(const void *a, const void *b) {
  const struct trend_series *x = a, *y = b;
  int order = str_compare(x->name.group, y->name.group);
  if (!order) order = str_compare(x->name.name, y->name.name);
  return order ? order : str_compare(x->name.unit, y->name.unit);
}

/* Returns the number of commits between the run of the value `index` and the run of the value
 * before it. Returns -1 if the number is unknown. */
static int64_t trend_unmeasured(const struct trend_view *t, const struct trend_series *s,
                                size_t index) {
  const struct past_run *run = trend_run(t, s, index), *before = trend_run(t, s, index - 1);
  if (!t->past.by_order || before->place.order < 0) return -1;
  int64_t between = run->place.order - before->place.order - 1;
  return between > 0 ? between : 0;
}

static bool trend_is_small(const struct step *step, double threshold) {
  double relative =
      isnan(step->ratio) ? fabs(step->difference) / fabs(step->before) : fabs(step->ratio - 1);
  return relative < threshold;
}

static void trend_add_change(struct trend_view *t, uint32_t series, const struct step *step,
                             size_t needed) {
  const struct trend_series *s = &t->series[series];
  const struct past_run *run = trend_run(t, s, step->index);
  const struct past_run *before = trend_run(t, s, step->index - 1);
  const struct trend_change change = {.step = *step,
                                      .series = series,
                                      .needed = needed,
                                      .machine = !str_equal(run->machine, before->machine),
                                      .unmeasured = trend_unmeasured(t, s, step->index)};
  (void)ARRAY_PUSH_IN(&t->arena, t->changes, t->change_count, t->change_capacity, change);
}

/* Adds a suspected change, about which later values will decide. */
static void trend_add_suspect(struct trend_view *t, uint32_t series, size_t first,
                              const struct trend_query *query) {
  const struct trend_series *s = &t->series[series];
  struct step step;
  if (!steps_suspect(s->values, first, s->count, &query->steps, &step) ||
      trend_is_small(&step, query->threshold))
    return;
  t->suspected++;
  trend_add_change(t, series, &step, query->steps.least - (s->count - step.index));
}

static void trend_find(struct trend_view *t, const struct trend_query *query) {
  for (size_t i = 0; i < t->series_count; i++) {
    struct trend_series *s = &t->series[i];
    struct step *steps;
    size_t count;
    (void)steps_find(s->values, s->count, &query->steps, &ci_mem, &steps, &count);
    s->first_change = t->change_count;
    for (size_t k = 0; k < count; k++)
      if (!trend_is_small(&steps[k], query->threshold))
        trend_add_change(t, (uint32_t)i, &steps[k], 0);
    trend_add_suspect(t, (uint32_t)i, count ? steps[count - 1].last : 0, query);
    s->changes = t->change_count - s->first_change;
    mem_free(&ci_mem, steps, count, sizeof *steps);
  }
}

int trend_worse(const struct trend_view *trend, const struct trend_change *change) {
  int direction = trend->series[change->series].name.direction;
  int sign = (change->step.difference > 0) - (change->step.difference < 0);
  return -direction * sign;
}

bool trend_is_recent(const struct trend_view *trend, const struct trend_query *query,
                     const struct trend_change *change) {
  size_t after = trend->series[change->series].count - change->step.last;
  return trend_worse(trend, change) > 0 && after <= 2 * query->steps.least;
}

bool trend_got_worse(const struct trend_view *trend, const struct trend_query *query) {
  for (size_t i = 0; i < trend->change_count; i++)
    if (!trend->changes[i].needed && trend_is_recent(trend, query, &trend->changes[i])) return true;
  return false;
}

void trend_make(struct trend_view *t, struct backing *backing, const struct trend_query *query) {
  *t = (struct trend_view){.branch = "", .arena = ci_arena()};
  past_init(&t->past);
  past_load(&t->past, backing);
  if (*query->commits) trend_list_commits(t, query->commits);
  trend_choose(t, query);
  if (*query->function) trend_take_functions(t, backing, query);
  trend_collect(t, query);
  if (!t->series_count)
    ci_fail("no result of the %zu runs of '%s' matches", t->past.run_count, t->branch);
  qsort(t->series, t->series_count, sizeof *t->series, trend_by_name);
  trend_find(t, query);
}

void trend_free(struct trend_view *t) {
  past_free(&t->past);
  arena_free(&t->arena);
}
