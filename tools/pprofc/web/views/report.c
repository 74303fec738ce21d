/* Runs the first steps of a report and builds its graph, which the views print. */
#include "web/views/page.h"

#include "unit/unit.h"

double page_divisor(const struct view_page *page, enum web_side side) {
  double divisor = page->in->info->divisors[side];
  return divisor > 0 ? divisor : 1;
}

/* Returns the options with the divisor of the displayed profile. */
static pprofc_report_options page_divided(const struct view_page *page,
                                          const pprofc_report_options *options) {
  pprofc_report_options divided = *options;
  divided.divide_by *= page_divisor(page, page->in->side);
  return divided;
}

pprofc_status view_report_open(struct view_report *v, struct view_page *page,
                               const pprofc_profile *profile,
                               const struct pipeline_overrides *overrides, pprofc_error *error) {
  *v = (struct view_report){.options = page_divided(page, &page->options)};
  if (profile != page->in->profile) v->options.warn = NULL; /* The difference warns. */
  v->report.options = &v->options;
  v->report.mem = &profile->mem;
  pprofc_status status = pipeline_run(profile, &v->options, overrides, &v->report.result, error);
  v->report.output_unit = v->report.result.output_unit;
  return status;
}

pprofc_status view_report_graph(struct view_report *v, unsigned wanted, pprofc_error *error) {
  v->has_graph = true;
  return pipeline_graph(&v->report.result, wanted, &v->graph, &v->report.output_unit, error);
}

void view_report_close(struct view_report *v) {
  if (v->has_graph) graph_free(&v->graph);
  pipeline_free(&v->report.result);
}

bool page_type(const struct view_page *page, size_t *index) {
  const pprofc_profile *p = page->in->profile;
  return p && value_select(p, str_of(page->options.sample_index), index, NULL) == PPROFC_OK;
}

void page_fill_shown(struct view_page *page, const char *name, int64_t value) {
  page_fill_mean(page, name, (double)value / page_divisor(page, page->in->side));
}

void page_fill_mean(struct view_page *page, const char *name, double value) {
  const pprofc_profile *p = page->in->profile;
  double ratio = page->options.divide_by;
  char text[UNIT_LABEL_MAX];
  size_t index;
  if (!page_type(page, &index)) return;
  if (ratio > 0 && ratio != 1) value /= ratio;
  pprofc_str unit = page->unit.size ? page->unit : STR("auto");
  pprofc_str from = profile_string(p, p->types[index].unit);
  fill_str(&page->fill, name, html_mean_text(value, from, unit, text));
}

void page_fill_value(struct view_page *page, const char *name, const struct report *report,
                     int64_t value) {
  char text[UNIT_LABEL_MAX];
  fill_str(&page->fill, name, html_value_text(report, value, text));
}

void page_fill_share(struct view_page *page, const char *name, int64_t value, int64_t total) {
  char text[32];
  fill_str(&page->fill, name, unit_percentage_trimmed(value, total, text));
}

/* Adds a line about the profile, without percentages if values are divided. */
static void page_add_label(void *context, const char *prefix, pprofc_str text) {
  struct view_page *page = context;
  struct fill *fill = &page->fill;
  bool divided = page_divisor(page, page->in->side) != 1;
  if (divided && strcmp(prefix, "Duration: ") == 0 && str_ends(text, STR(")")))
    while (text.size && text.data[--text.size] != '(') continue;
  bool web = str_starts(text, STR("https://")) || str_starts(text, STR("http://"));
  bool link = web && strcmp(prefix, "Doc: ") == 0;
  fill_begin(fill, "about");
  fill_words(fill, "prefix", prefix);
  fill_str(fill, link ? "address" : "text", text);
  fill_end(fill);
}

void page_note_report(struct view_page *page, const struct view_report *v) {
  labels_profile(&v->report, page_add_label, page);
  page->unit = arena_str(&page->arena, v->report.output_unit);
  if (!page->unit.data) page->failed = true;
  const struct pipeline_result *r = &v->report.result;
  page->totals = (struct view_totals){
      .known = true, .total = r->total, .kept = r->total, .samples = r->profile->samples.count};
  if (filters_any(&r->options, FILTER_TOTAL))
    page->totals.kept = value_total(r->profile, r->value_index, r->mean);
  if (!v->has_graph) return;
  struct graph_summary summary = pipeline_summary(&v->graph);
  page->totals.has_shown = true;
  page->totals.shown = summary.shown;
  page->totals.nodes = summary.nodes;
  page->totals.nodes_before = summary.nodes_before;
  page->totals.dropped_nodes = summary.dropped_nodes;
}

pprofc_status page_report_text(struct view_page *page, const pprofc_report_options *options,
                               struct buffer *text, pprofc_error *error) {
  const pprofc_report_options divided = page_divided(page, options);
  pprofc_status status = pprofc_report(page->in->profile, &divided, buffer_write, text, error);
  if (!status && text->failed) status = error_nomem(error);
  return status;
}
