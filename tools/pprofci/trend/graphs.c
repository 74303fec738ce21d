/* Adds flame graphs to the page of a trend. The graph of a change point compares the last run
 * before the change with the first run after the change. */
#include "trend/trend.h"

#include "core/escape.h"
#include "page/graphs.h"
#include "page/numbers.h"
#include "pprofc/transform.h"
#include "run/graph.h"
#include "run/text.h"

#define GRAPHS_POINTS 40 /* maximum number of graphs on a page */

/* Data for the graphs of a page. */
struct trend_graphs {
  struct fill *out;
  struct trend_view *trend;
  struct backing *backing;
  size_t count;
};

/* ---- profiles ---------------------------------------- */

/* True if the profile is of the benchmark of a series, and of the kind that explains its unit. */
static bool graphs_explains(const struct past_profile *p, const struct past_series *s) {
  bool share = str_starts(s->unit, STR("%"));
  pprofc_str kind = number_is_time(s->unit) ? STR("cpu") : STR("mem");
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

/* Reads both profiles and packs their difference. */
static pprofc_status graphs_pack(struct trend_graphs *g, const struct past_profile *const *sides,
                                 struct arena *arena, pprofc_str *packed, pprofc_error *error) {
  pprofc_profile *base, *head, *both;
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  if (str_equal(sides[SIDE_HEAD]->kind, STR("mem"))) options.sample_index = "alloc_space";
  pprofc_status status = trend_open_profile(g->backing, sides[SIDE_BASE], &base, error);
  if (status != PPROFC_OK) return status;
  status = trend_open_profile(g->backing, sides[SIDE_HEAD], &head, error);
  if (status == PPROFC_OK) {
    status = pprofc_diff(head, base, PPROFC_COMPARE, false, &both, error);
    pprofc_profile_release(head);
  }
  pprofc_profile_release(base);
  if (status != PPROFC_OK) return status;
  status = graph_pack(both, &options, arena, packed, error);
  pprofc_profile_release(both);
  return status;
}

/* ---- change points ----------------------------------- */

/* Returns the address of a graph: "#flame/words.Count-2%20cpu%200123456789ab.html". */
static const char *graphs_address(struct arena *arena, const struct past_profile *p,
                                  pprofc_str commit) {
  struct buffer text;
  pprofc_str commit_start = str_slice(commit, 0, 12);
  const char *name =
      text_printf(arena, "%.*s%s%.*s %.*s %.*s", STR_ARG(p->package), p->package.size ? "." : "",
                  STR_ARG(p->benchmark), STR_ARG(p->kind), STR_ARG(commit_start));
  if (!name) return NULL;
  buffer_init(&text, arena->mem, SIZE_MAX / 2);
  buffer_add_text(&text, "#flame/");
  escape_url(&text, str_of(name), "");
  buffer_add_text(&text, ".html");
  return buffer_take(&text, arena).data;
}

/* Returns true if the page has the graph already, for another unit of the benchmark. */
static bool graphs_has(const struct trend_view *trend, const char *address) {
  for (size_t i = 0; i < trend->change_count; i++)
    if (trend->changes[i].graph && strcmp(trend->changes[i].graph, address) == 0) return true;
  return false;
}

/* Adds the graph of a change point. A change whose profiles are missing or unreadable gets no
 * graph. */
static pprofc_status graphs_add(struct trend_graphs *g, struct trend_change *change,
                                pprofc_error *error) {
  const struct trend_series *series = &g->trend->series[change->series];
  size_t index = change->step.index;
  if (!index || g->count >= GRAPHS_POINTS) return PPROFC_OK;
  const struct past_profile *sides[SIDES] = {graphs_profile(g->trend, series, index - 1),
                                             graphs_profile(g->trend, series, index)};
  struct arena arena;
  pprofc_str packed;
  if (!sides[SIDE_BASE] || !sides[SIDE_HEAD]) return PPROFC_OK;
  pprofc_str commit = trend_run(g->trend, series, index)->place.commit;
  const char *address = graphs_address(&g->trend->arena, sides[SIDE_HEAD], commit);
  if (!address) return error_nomem(error);
  bool known = graphs_has(g->trend, address);
  arena_init(&arena, g->out->mem);
  pprofc_status status = known ? PPROFC_OK : graphs_pack(g, sides, &arena, &packed, error);
  if (known || (status == PPROFC_OK && graphs_put(g->out, str_of(address), packed)))
    change->graph = address;
  g->count += !known && change->graph;
  arena_free(&arena);
  return status == PPROFC_E_NOMEM ? status : PPROFC_OK;
}

pprofc_status trend_fill_graphs(struct fill *out, struct trend_view *trend, struct backing *backing,
                                pprofc_error *error) {
  struct trend_graphs g = {out, trend, backing, 0};
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
