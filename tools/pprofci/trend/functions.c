/* Creates series from the profiles of a store. The values of a series are a function's shares of
 * the total. */
#include "trend/trend.h"

#include "pprofc/graph.h"

#define FUNCTIONS_BENCH_MAX 4096 /* maximum length of the name of a series, in bytes */

struct function_shares {
  struct past *past;
  const struct trend_query *query;
  struct past_point *points; /* points of all runs, sorted by run */
  size_t point_count, point_capacity;
};

pprofc_status trend_open_profile(struct backing *backing, const struct past_profile *profile,
                                 pprofc_profile **opened, pprofc_error *error) {
  struct buffer data;
  char key[80];
  past_object_key(profile->sha256, key);
  buffer_init(&data, &mem_default, BACKING_FILE_MAX);
  pprofc_status status = backing->kind->get(backing, key, &data, error);
  if (status == PPROFC_OK)
    status = pprofc_profile_read_memory(data.data, data.size, NULL, opened, error);
  buffer_free(&data);
  if (status != PPROFC_OK) error_prefix(error, "cannot read '%s': ", key);
  return status;
}

static pprofc_status functions_graph(struct backing *backing, const struct past_profile *profile,
                                     pprofc_graph **graph, pprofc_error *error) {
  pprofc_report_options options;
  pprofc_profile *opened;
  pprofc_status status = trend_open_profile(backing, profile, &opened, error);
  if (status != PPROFC_OK) return status;
  pprofc_report_options_init(&options);
  options.granularity = "functions";
  options.trim = false;
  status = pprofc_graph_new(opened, &options, graph, error);
  pprofc_profile_release(opened);
  return status;
}

/* Returns the series of a function, such as "Count/size=8-2: main.count" in "% of cpu". */
static uint32_t functions_series(struct function_shares *f, const struct past_profile *profile,
                                 pprofc_str function) {
  struct buffer name, unit;
  buffer_init(&name, &mem_default, FUNCTIONS_BENCH_MAX + function.size);
  buffer_init(&unit, &mem_default, 4096);
  if (profile->benchmark.size) {
    buffer_add_str(&name, profile->benchmark);
    buffer_add_text(&name, ": ");
  }
  buffer_add_str(&name, function);
  buffer_add_text(&unit, f->query->cum ? "% of " : "% flat of ");
  buffer_add_str(&unit, profile->kind);
  uint32_t id =
      name.failed || unit.failed
          ? MAP_NONE
          : past_add_series(f->past, profile->package, buffer_str(&name), buffer_str(&unit), -1);
  buffer_free(&name);
  buffer_free(&unit);
  return id;
}

static bool shares_add(struct function_shares *f, uint32_t series, double value) {
  if (series == MAP_NONE ||
      !ARRAY_RESERVE(&mem_default, f->points, f->point_capacity, f->point_count + 1))
    return false;
  f->points[f->point_count++] = (struct past_point){series, value};
  return true;
}

static bool functions_of_graph(struct function_shares *f, const struct past_profile *profile,
                               const pprofc_graph *graph) {
  size_t count;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count);
  double total = (double)pprofc_graph_totals_of(graph).total;
  for (size_t i = 0; i < count && total > 0; i++) {
    if (!str_glob(str_of(f->query->function), nodes[i].name)) continue;
    double value = (double)(f->query->cum ? nodes[i].cum : nodes[i].flat);
    if (!shares_add(f, functions_series(f, profile, nodes[i].name), 100 * value / total))
      return false;
  }
  return true;
}

static pprofc_status functions_of_run(struct function_shares *f, struct backing *backing,
                                      struct past_run *run, pprofc_error *error) {
  size_t first = f->point_count;
  for (size_t i = 0; i < run->profiles; i++) {
    const struct past_profile profile = f->past->profiles[run->first_profile + i];
    pprofc_graph *graph;
    if (!str_glob(str_of(f->query->kind), profile.kind) ||
        !str_glob(str_of(f->query->bench), profile.benchmark))
      continue;
    pprofc_status status = functions_graph(backing, &profile, &graph, error);
    if (status != PPROFC_OK) return status;
    bool good = functions_of_graph(f, &profile, graph);
    pprofc_graph_free(graph);
    if (!good) return error_nomem(error);
  }
  run->first_point = first;
  run->points = f->point_count - first;
  return PPROFC_OK;
}

/* Adds the share 0 for each function that a profile does not contain. */
static bool functions_add_absent(struct function_shares *f, struct past_run *run, size_t old_first,
                                 size_t old_count) {
  size_t first = f->point_count;
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
    if (has_kind && !shares_add(f, series, value)) return false;
  }
  run->first_point = first;
  run->points = f->point_count - first;
  return true;
}

pprofc_status trend_take_functions(struct trend_view *t, struct backing *backing,
                                   const struct trend_query *query, pprofc_error *error) {
  struct function_shares f = {.past = &t->past, .query = query};
  pprofc_status status = PPROFC_OK;
  interner_free(&t->past.series_keys);
  interner_init(&t->past.series_keys, &mem_default);
  t->past.series_count = 0;
  for (size_t i = 0; i < t->past.run_count; i++) t->past.runs[i].points = 0;
  for (size_t i = 0; i < t->past.run_count && status == PPROFC_OK; i++)
    status = functions_of_run(&f, backing, &t->past.runs[i], error);
  for (size_t i = 0; i < t->past.run_count && status == PPROFC_OK; i++) {
    struct past_run *run = &t->past.runs[i];
    if (!functions_add_absent(&f, run, run->first_point, run->points)) status = error_nomem(error);
  }
  ARRAY_FREE(&mem_default, t->past.points, t->past.point_capacity);
  t->past.points = f.points;
  t->past.point_capacity = f.point_capacity;
  t->past.point_count = f.point_count;
  return status;
}
