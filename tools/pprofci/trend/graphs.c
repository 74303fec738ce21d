/* Adds flame graphs to the page of a trend. The graph of a change point compares the last run
 * before the change with the first run after the change. */
#include "trend/trend.h"

#include "core/escape.h"
#include "page/graphs.h"
#include "page/numbers.h"
#include "pipeline/pipeline.h"
#include "run/graph.h"
#include "run/text.h"

#define GRAPHS_POINTS 40  /* maximum number of graphs on a page */
#define GRAPHS_TRIES  120 /* maximum number of pairs of profiles that are read for a page */

/* Data for the graphs of a page. */
struct trend_graphs {
  struct fill *out;
  struct trend_view *trend;
  struct backing *backing;
  struct trend_graph {
    const struct past_profile *sides[SIDES];
    const char *address;
    size_t objects; /* index of the sample type "alloc_objects"; SIZE_MAX: there is no such type */
  } made[GRAPHS_POINTS];
  size_t count, tries;
};

/* True if a profile has the benchmark of a series and a type for its unit. */
static bool graphs_explains(const struct past_profile *p, const struct past_series *s) {
  bool share = str_starts(s->unit, STR("%"));
  pprofc_str kind = str_of(number_kind(s->unit));
  if (share ? !str_ends(s->unit, p->kind) : !str_equal(p->kind, kind)) return false;
  if (!p->benchmark.size || !str_equal(p->package, s->group)) return false;
  if (!str_starts(s->name, p->benchmark)) return false;
  pprofc_str rest = str_slice(s->name, p->benchmark.size, s->name.size);
  return !rest.size || (share && str_starts(rest, STR(": ")));
}

static const struct past_profile *graphs_profile(const struct trend_view *trend,
                                                 const struct trend_series *series, size_t value) {
  const struct past_run *run = trend_run(trend, series, value);
  for (size_t i = 0; i < run->profiles; i++) {
    const struct past_profile *p = &trend->past.profiles[run->first_profile + i];
    if (graphs_explains(p, &series->name)) return p;
  }
  return NULL;
}

static size_t graphs_type(const pprofc_profile *profile, pprofc_str name) {
  size_t index;
  return value_select(profile, name, &index, NULL) == PPROFC_OK ? index : SIZE_MAX;
}

/* Reads both profiles and packs their difference. Sets *objects to the index of "alloc_objects" in
 * a heap profile. */
static pprofc_status graphs_pack(struct trend_graphs *g, const struct past_profile *const *sides,
                                 struct arena *arena, pprofc_str *packed, size_t *objects,
                                 pprofc_error *error) {
  bool memory = str_equal(sides[SIDE_HEAD]->kind, STR("mem"));
  pprofc_profile *base, *head, *both;
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  pprofc_status status = trend_open_profile(g->backing, sides[SIDE_BASE], &base, error);
  if (status != PPROFC_OK) return status;
  status = trend_open_profile(g->backing, sides[SIDE_HEAD], &head, error);
  if (status == PPROFC_OK) {
    status = pprofc_diff(head, base, PPROFC_COMPARE, false, &both, error);
    pprofc_profile_release(head);
  }
  pprofc_profile_release(base);
  if (status != PPROFC_OK) return status;
  *objects = memory ? graphs_type(both, STR("alloc_objects")) : SIZE_MAX;
  if (memory && graphs_type(both, STR("alloc_space")) != SIZE_MAX)
    options.sample_index = "alloc_space";
  status = graph_pack(both, &options, arena, packed, error);
  pprofc_profile_release(both);
  return status;
}

/* Returns the address of a graph: "#flame/words.Count-2%20cpu%200123456789ab.html". A commit can
 * have several runs. The address of another graph of the same commit ends with a number. */
static const char *graphs_address(const struct trend_graphs *g, const struct past_profile *p,
                                  pprofc_str commit, size_t number) {
  struct buffer text;
  struct arena *arena = &g->trend->arena;
  pprofc_str commit_start = str_slice(commit, 0, 12);
  const char *name =
      text_printf(arena, "%.*s%s%.*s %.*s %.*s", STR_ARG(p->package), p->package.size ? "." : "",
                  STR_ARG(p->benchmark), STR_ARG(p->kind), STR_ARG(commit_start));
  if (!name) return NULL;
  buffer_init(&text, arena->mem, SIZE_MAX / 2);
  buffer_add_text(&text, "#flame/");
  escape_url(&text, str_of(name), "");
  if (number > 1) buffer_printf(&text, "%%20%zu", number);
  buffer_add_text(&text, ".html");
  return buffer_take(&text, arena).data;
}

/* Returns an address that no other graph of the page has. */
static const char *graphs_new_address(const struct trend_graphs *g, const struct past_profile *p,
                                      pprofc_str commit) {
  const char *address = graphs_address(g, p, commit, 1);
  size_t i = 0, number = 1;
  while (address && i < g->count) {
    bool taken = strcmp(g->made[i++].address, address) == 0;
    if (!taken) continue;
    address = graphs_address(g, p, commit, ++number);
    i = 0;
  }
  return address;
}

/* Returns the graph that the page already has for the same profiles, from another unit of the
 * benchmark. Returns NULL if there is no such graph. */
static const struct trend_graph *graphs_known(const struct trend_graphs *g,
                                              const struct past_profile *const *sides) {
  for (size_t i = 0; i < g->count; i++)
    if (g->made[i].sides[SIDE_BASE] == sides[SIDE_BASE] &&
        g->made[i].sides[SIDE_HEAD] == sides[SIDE_HEAD])
      return &g->made[i];
  return NULL;
}

/* Adds the graph of two profiles if both are readable and the graph fits. */
static pprofc_status graphs_make(struct trend_graphs *g, const struct past_profile *const *sides,
                                 pprofc_str commit, const struct trend_graph **graph,
                                 pprofc_error *error) {
  struct arena arena;
  pprofc_str packed;
  size_t objects;
  const char *made = graphs_new_address(g, sides[SIDE_HEAD], commit);
  if (!made) return error_nomem(error);
  g->tries++;
  arena_init(&arena, g->out->mem);
  pprofc_status status = graphs_pack(g, sides, &arena, &packed, &objects, error);
  if (status == PPROFC_OK && graphs_put(g->out, str_of(made), packed)) {
    *graph = &g->made[g->count];
    g->made[g->count++] = (struct trend_graph){{sides[SIDE_BASE], sides[SIDE_HEAD]}, made, objects};
  }
  arena_free(&arena);
  return status == PPROFC_E_NOMEM ? status : PPROFC_OK;
}

/* Links a change point to a graph, for allocations with their sample type. */
static pprofc_status graphs_link(struct trend_graphs *g, struct trend_change *change,
                                 pprofc_str unit, const struct trend_graph *graph,
                                 pprofc_error *error) {
  bool objects = graph->objects != SIZE_MAX && str_equal(unit, STR("allocs/op"));
  change->graph = graph->address;
  change->graph_kind = graph->sides[SIDE_HEAD]->kind;
  change->graph_link = graph->address;
  if (objects)
    change->graph_link =
        text_printf(&g->trend->arena, "%s&type=%zu", graph->address, graph->objects);
  return change->graph_link ? PPROFC_OK : error_nomem(error);
}

/* Adds the graph of a change point if its profiles are readable. */
static pprofc_status graphs_add(struct trend_graphs *g, struct trend_change *change,
                                pprofc_error *error) {
  const struct trend_series *series = &g->trend->series[change->series];
  size_t index = change->step.index;
  if (!index) return PPROFC_OK;
  const struct past_profile *sides[SIDES] = {graphs_profile(g->trend, series, index - 1),
                                             graphs_profile(g->trend, series, index)};
  if (!sides[SIDE_BASE] || !sides[SIDE_HEAD]) return PPROFC_OK;
  const struct trend_graph *graph = graphs_known(g, sides);
  pprofc_status status = PPROFC_OK;
  if (!graph && g->count < GRAPHS_POINTS && g->tries < GRAPHS_TRIES) {
    pprofc_str commit = trend_run(g->trend, series, index)->place.commit;
    status = graphs_make(g, sides, commit, &graph, error);
  }
  if (status != PPROFC_OK || !graph) return status;
  return graphs_link(g, change, series->name.unit, graph, error);
}

pprofc_status trend_fill_graphs(struct fill *out, struct trend_view *trend, struct backing *backing,
                                pprofc_error *error) {
  struct trend_graphs g = {.out = out, .trend = trend, .backing = backing};
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < trend->series_count && status == PPROFC_OK; i++) {
    const struct trend_series *series = &trend->series[i];
    for (size_t k = series->changes; k > 0 && status == PPROFC_OK; k--)
      status = graphs_add(&g, &trend->changes[series->first_change + k - 1], error);
  }
  if (!g.count) return status;
  graphs_put_style(fill_html(out, "graph_style"));
  graphs_put_scripts(out, false);
  return status;
}
