/* Creates the page of a trend: changes, newest first, with flame graphs, then a chart of each
 * series. A dot is a run. A line is the mean between two change points. */
#include "commands.h"
#include "page/model.h"
#include "page/numbers.h"
#include "page/plot.h"
#include "pipeline/pipeline.h"
#include "run/files.h"
#include "run/profiles.h"
#include "trend/trend.h"

#define GRAPHS_POINTS 40  /* maximum number of graphs on a page */
#define GRAPHS_TRIES  120 /* maximum number of pairs of profiles that are read for a page */

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

/* True if the profile and the series have the same benchmark, and the profile type fits the unit of
 * the series. For example, "cpu" fits a unit of time. */
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

/* Reads the profiles of base and head, and packs the difference. Sets *objects to the index of
 * "alloc_objects" in a heap profile. */
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

/* Returns the address of a graph: "#flame/words.Count-2%20cpu%200123456789ab.html". A commit with
 * several runs can have several graphs. The address of the second and later ones ends with
 * `number`. */
static const char *graphs_address(const struct trend_graphs *g, const struct past_profile *p,
                                  pprofc_str commit, size_t number) {
  struct arena *arena = &g->trend->arena;
  pprofc_str commit_start = str_slice(commit, 0, 12);
  const char *name =
      text_printf(arena, "%.*s%s%.*s %.*s %.*s", STR_ARG(p->package), p->package.size ? "." : "",
                  STR_ARG(p->benchmark), STR_ARG(p->kind), STR_ARG(commit_start));
  if (number > 1) name = text_printf(arena, "%s %zu", name, number);
  return text_printf(arena, "#flame/%s.html", text_url(arena, str_of(name), ""));
}

/* Returns an address that no other graph of the page has. */
static const char *graphs_new_address(const struct trend_graphs *g, const struct past_profile *p,
                                      pprofc_str commit) {
  const char *address = graphs_address(g, p, commit, 1);
  size_t i = 0, number = 1;
  while (i < g->count) {
    if (strcmp(g->made[i++].address, address) != 0) continue;
    address = graphs_address(g, p, commit, ++number);
    i = 0;
  }
  return address;
}

/* Returns the graph of the two profiles `sides`, or NULL if the page lacks this graph. Ignores
 * units, because series with different units can share a graph. */
static const struct trend_graph *graphs_known(const struct trend_graphs *g,
                                              const struct past_profile *const *sides) {
  for (size_t i = 0; i < g->count; i++)
    if (g->made[i].sides[SIDE_BASE] == sides[SIDE_BASE] &&
        g->made[i].sides[SIDE_HEAD] == sides[SIDE_HEAD])
      return &g->made[i];
  return NULL;
}

/* Adds the graph of two profiles if both are readable and the graph fits into the page. */
static pprofc_status graphs_make(struct trend_graphs *g, const struct past_profile *const *sides,
                                 pprofc_str commit, const struct trend_graph **graph,
                                 pprofc_error *error) {
  struct arena arena = ci_arena();
  pprofc_str packed;
  size_t objects;
  const char *made = graphs_new_address(g, sides[SIDE_HEAD], commit);
  g->tries++;
  pprofc_status status = graphs_pack(g, sides, &arena, &packed, &objects, error);
  if (status == PPROFC_OK && graphs_put(g->out, str_of(made), packed)) {
    *graph = &g->made[g->count];
    g->made[g->count++] = (struct trend_graph){{sides[SIDE_BASE], sides[SIDE_HEAD]}, made, objects};
  }
  arena_free(&arena);
  return status == PPROFC_E_NOMEM ? status : PPROFC_OK;
}

/* Links a change point to a graph. For a change of "allocs/op", the link selects the sample type
 * "alloc_objects". */
static void graphs_link(struct trend_graphs *g, struct trend_change *change, pprofc_str unit,
                        const struct trend_graph *graph) {
  bool objects = graph->objects != SIZE_MAX && str_equal(unit, STR("allocs/op"));
  change->graph = graph->address;
  change->graph_kind = graph->sides[SIDE_HEAD]->kind;
  change->graph_link = graph->address;
  if (objects)
    change->graph_link =
        text_printf(&g->trend->arena, "%s&type=%zu", graph->address, graph->objects);
}

/* Adds the graph of a change point if its profiles are readable. */
static void graphs_add(struct trend_graphs *g, struct trend_change *change) {
  const struct trend_series *series = &g->trend->series[change->series];
  size_t index = change->step.index;
  if (!index) return;
  const struct past_profile *sides[SIDES] = {graphs_profile(g->trend, series, index - 1),
                                             graphs_profile(g->trend, series, index)};
  if (!sides[SIDE_BASE] || !sides[SIDE_HEAD]) return;
  const struct trend_graph *graph = graphs_known(g, sides);
  if (!graph && g->count < GRAPHS_POINTS && g->tries < GRAPHS_TRIES) {
    pprofc_str commit = trend_run(g->trend, series, index)->place.commit;
    ci_need(graphs_make(g, sides, commit, &graph, &ci_error));
  }
  if (graph) graphs_link(g, change, series->name.unit, graph);
}

/* Adds the flame graphs of change points to the page. The profiles are in the store. */
static void trend_fill_graphs(struct fill *out, struct trend_view *trend, struct backing *backing) {
  struct trend_graphs g = {.out = out, .trend = trend, .backing = backing};
  for (size_t i = 0; i < trend->series_count; i++) {
    const struct trend_series *series = &trend->series[i];
    for (size_t k = series->changes; k > 0; k--)
      graphs_add(&g, &trend->changes[series->first_change + k - 1]);
  }
  if (!g.count) return;
  graphs_put_style(fill_html(out, "graph_style"));
  graphs_put_scripts(out, false);
}

extern const unsigned char asset_trend_picture_css[];
extern const size_t asset_trend_picture_css_size;

#define CHART_COUNT 60 /* maximum number of charts in one SVG */

struct chart {
  struct plot plot;
  const struct trend_view *trend;
  const struct trend_series *series;
};

static void chart_level(struct plot *p, size_t first, size_t end, double mean) {
  if (first >= end) return;
  buffer_printf(plot_begin_line(p, "level"), "M%.1f %.1fH%.1f", plot_x(p, first), plot_y(p, mean),
                plot_x(p, end - 1));
  fill_end(p->out);
}

static double chart_mean(const struct trend_series *s, size_t first, size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; i++) sum += s->values[i];
  return end > first ? sum / (double)(end - first) : 0;
}

/* Draws a gradual change as a line from its first value to its last value. */
static void chart_slope(struct plot *p, const struct step *step) {
  buffer_printf(plot_begin_line(p, "level drift"), "M%.1f %.1fL%.1f %.1f", plot_x(p, step->index),
                plot_y(p, step->before), plot_x(p, step->last), plot_y(p, step->after));
  fill_end(p->out);
}

static void chart_mark(struct chart *c, const struct trend_change *change) {
  struct plot *p = &c->plot;
  static const char *const words[] = {"mark better", "mark other", "mark worse"};
  const struct past_run *run = trend_run(c->trend, c->series, change->step.index);
  buffer_printf(plot_begin_line(p, words[trend_worse(c->trend, change) + 1]), "M%.1f %.0fV%.0f",
                plot_x(p, change->step.index), p->top, p->bottom);
  struct buffer *note = fill_text(p->out, "note");
  buffer_printf(note, "%.*s: ", STR_ARG(str_slice(run->place.commit, 0, 12)));
  trend_put_size(note, c->trend, change);
  fill_end(p->out);
}

static void chart_levels(struct chart *c) {
  const struct trend_series *s = c->series;
  size_t begin = 0;
  for (size_t i = 0; i < s->changes; i++) {
    const struct trend_change *change = &c->trend->changes[s->first_change + i];
    size_t index = change->step.index;
    chart_level(&c->plot, begin, index, chart_mean(s, begin, index));
    if (change->step.drift) chart_slope(&c->plot, &change->step);
    begin = change->step.last;
    chart_mark(c, change);
  }
  chart_level(&c->plot, begin, s->count, chart_mean(s, begin, s->count));
}

static void chart_labels(struct chart *c) {
  const struct trend_series *s = c->series;
  struct plot *p = &c->plot;
  for (int last = 0; last < 2; last++) {
    trend_put_value(plot_begin_tick(p, last == 1), last ? p->high : p->low, s->name.unit);
    fill_end(p->out);
    pprofc_str commit = trend_run(c->trend, s, last ? s->count - 1 : 0)->place.commit;
    buffer_add_str(plot_begin_end(p, last == 1), str_slice(commit, 0, 12));
    fill_end(p->out);
  }
}

/* Adds the template values of the chart of a series. The chart has `width` x `height` pixels, and
 * `top` is the y coordinate of its upper end. */
static void trend_fill_chart(struct fill *out, const struct trend_view *trend,
                             const struct trend_series *series, double width, double top,
                             double height) {
  struct chart c = {.plot = {.out = out,
                             .values = series->values,
                             .runs = series->runs,
                             .count = series->count,
                             .last_place = (double)(trend->past.run_count - 1)},
                    .trend = trend,
                    .series = series};
  trend_put_name(fill_text(out, "label"), series);
  plot_place(&c.plot, width, top, height);
  plot_axis(&c.plot);
  plot_dots(&c.plot);
  chart_levels(&c);
  chart_labels(&c);
}

void trend_print_svg(struct buffer *out, const struct trend_view *trend) {
  const unsigned width = 960, height = 180, head = 22;
  size_t count = 0, wanted = 0;
  struct fill fill = fill_make(out->mem);
  for (size_t i = 0; i < trend->series_count; i++) wanted += trend->series[i].changes > 0;
  bool all = wanted == 0 || trend->series_count <= 4;
  if (all) wanted = trend->series_count;
  wanted = wanted < CHART_COUNT ? wanted : CHART_COUNT;
  fill_pack(&fill, "width:i height:i left:i", (int64_t)width, (int64_t)(wanted * (height + head)),
            (int64_t)PLOT_MARGIN);
  buffer_add(fill_html(&fill, "style"), asset_trend_picture_css, asset_trend_picture_css_size);
  for (size_t i = 0; i < trend->series_count && count < wanted; i++) {
    const struct trend_series *series = &trend->series[i];
    if (!all && !series->changes) continue;
    double top = (double)(count++ * (height + head));
    fill_begin(&fill, "charts");
    buffer_printf(fill_text(&fill, "top"), "%.0f", top + 16);
    trend_fill_chart(&fill, trend, series, width, top + head, height);
    fill_end(&fill);
  }
  template_put(out, plot_template(), "picture", &fill);
  fill_free(&fill);
}

#define PAGE_WIDTH      960 /* width of a chart in pixels */
#define PAGE_HEIGHT     160
#define PAGE_FOLDED_MAX 100 /* maximum number of charts of series without a change point */

void trend_put_url(struct buffer *out, const char *url, pprofc_str commit) {
  pprofc_str text = str_of(url);
  size_t place = str_find(text, STR("{}"));
  buffer_add_str(out, str_slice(text, 0, place));
  escape_url(out, commit, "");
  buffer_add_str(out, str_slice(text, place + 2, text.size));
}

static void page_put_change(struct fill *out, const struct trend_view *trend,
                            const struct trend_query *query, const struct trend_change *change) {
  static const char *const words[] = {"better", "other", "worse"};
  static const char *const signs[] = {"\xE2\x9C\x93 better", "changed", "\xE2\x9C\x97 worse"};
  const struct trend_series *series = &trend->series[change->series];
  const struct past_run *run = trend_run(trend, series, change->step.index);
  int worse = trend_worse(trend, change) + 1;
  fill_pack(out, "changes:{word:s sign:s", words[worse], signs[worse]);
  trend_put_size(fill_text(out, "size"), trend, change);
  trend_put_interval(fill_text(out, "interval"), trend, change);
  trend_put_value(fill_text(out, "before"), change->step.before, series->name.unit);
  trend_put_value(fill_text(out, "after"), change->step.after, series->name.unit);
  fill_words(out, "since", change->step.drift ? "from" : "since");
  if (*query->commit_url)
    trend_put_url(fill_text(out, "commit_url"), query->commit_url, run->place.commit);
  if (*query->page_url)
    trend_put_url(fill_text(out, "page_url"), query->page_url, run->place.commit);
  fill_pack(out, "data-shows:s graph_link:s graph_kind:S commit:S", change->graph,
            change->graph_link, change->graph_kind, str_slice(run->place.commit, 0, 12));
  times_put(fill_text(out, "time"), run->place.time);
  trend_put_notes(fill_text(out, "notes"), trend, change);
  fill_end(out);
}

static void page_put_series(struct fill *out, const char *list, const struct trend_view *trend,
                            const struct trend_query *query, size_t place) {
  const struct trend_series *series = &trend->series[place];
  fill_begin(out, list);
  fill_pack(out, "number:i name:S group:S unit:S values:i points:i", (int64_t)place + 1,
            series->name.name, series->name.group, series->name.unit, (int64_t)series->count,
            (int64_t)series->changes);
  trend_fill_chart(out, trend, series, PAGE_WIDTH, 0, PAGE_HEIGHT);
  for (size_t i = series->changes; i > 0; i--)
    page_put_change(out, trend, query, &trend->changes[series->first_change + i - 1]);
  fill_end(out);
}

/* Lists the series that have changes. The series with the latest change comes first. Returns their
 * number. */
static size_t page_order(const struct trend_view *trend, struct ranked *places) {
  size_t count = 0;
  for (size_t i = 0; i < trend->series_count; i++) {
    const struct trend_series *series = &trend->series[i];
    if (!series->changes) continue;
    const struct trend_change *last = &trend->changes[series->first_change + series->changes - 1];
    places[count++] = (struct ranked){-(double)series->runs[last->step.index], i};
  }
  ranked_sort(places, count);
  return count;
}

static void page_put_head(struct fill *out, const struct trend_view *trend, const char *title,
                          size_t changed) {
  size_t worse = 0, decided = trend->change_count - trend->suspected;
  for (size_t i = 0; i < trend->change_count; i++)
    worse += trend_worse(trend, &trend->changes[i]) > 0;
  plot_put_style(out);
  fill_words(out, "title", title);
  enum run_verdict found = trend->suspected ? RUN_INCONCLUSIVE : RUN_PASSED;
  if (worse) found = RUN_REGRESSED;
  fill_pack(out,
            "result:s verdict_sign:s decided:i decided_many:b changed:i all:i worse:i runs:i "
            "branch:s order:s",
            verdict_class(found), verdict_sign(found), (int64_t)decided, decided != 1,
            (int64_t)changed, (int64_t)trend->series_count, (int64_t)worse,
            (int64_t)trend->past.run_count, trend->branch,
            trend->past.by_order ? "number" : "time");
}

static void page_put_unchanged(struct fill *out, const struct trend_view *trend,
                               const struct trend_query *query, size_t changed) {
  size_t count = 0, unchanged = trend->series_count - changed;
  if (!unchanged) return;
  fill_pack(out, "unchanged:{count:i", (int64_t)unchanged);
  for (size_t i = 0; i < trend->series_count && count < PAGE_FOLDED_MAX; i++) {
    if (trend->series[i].changes) continue;
    page_put_series(out, "quiet", trend, query, i);
    count++;
  }
  if (count < unchanged) fill_number(out, "left_out", (int64_t)(unchanged - count));
  fill_end(out);
}

void trend_print_page(struct buffer *out, struct trend_view *trend, struct backing *backing,
                      const struct trend_query *query, const char *title) {
  struct ranked *places = mem_array(out->mem, trend->series_count, sizeof *places);
  size_t changed = page_order(trend, places);
  struct fill fill = fill_make(out->mem);
  page_put_head(&fill, trend, title, changed);
  trend_fill_graphs(&fill, trend, backing);
  for (size_t i = 0; i < changed; i++)
    page_put_series(&fill, "series", trend, query, places[i].index);
  page_put_unchanged(&fill, trend, query, changed);
  template_put(out, plot_template(), "page", &fill);
  fill_free(&fill);
  mem_free(out->mem, places, trend->series_count, sizeof *places);
}
