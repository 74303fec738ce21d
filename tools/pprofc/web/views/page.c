/* Runs the first steps of a report, and builds the graph that the views print. Formats values.
 * Writes relative URLs of views; the URLs keep filters and selection. */
#include "web/views/page.h"

#include "unit/unit.h"

/* ---- reports and values ------------------------------ */

double page_divisor(const struct view_page *page, enum web_side side) {
  double divisor = page->in->info->divisors[side];
  return divisor > 0 ? divisor : 1;
}

/* Returns a copy of the options, in which divide_by is multiplied by the divisor of the page. */
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
  /* Only the report on the displayed profile warns. Other reports would repeat its warnings. */
  if (profile != page->in->profile) v->options.warn = NULL;
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
  pprofc_str from = profile_unit(p, index);
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

void page_fill_choice(struct view_page *page, const struct web_choice *choice) {
  const pprofc_profile *p = choice->profile;
  fill_words(&page->fill, "name", choice->name);
  struct buffer *text = fill_text(&page->fill, "types");
  for (size_t i = 0; i < p->type_count; i++)
    buffer_printf(text, "%s%.*s", i ? ", " : "", STR_ARG(profile_type(p, i)));
}

/* Adds a line about the profile. If the page divides values, removes the percentage after the
 * duration. */
static void page_add_label(void *context, const char *prefix, pprofc_str text) {
  struct view_page *page = context;
  struct fill *fill = &page->fill;
  bool divided = page_divisor(page, page->in->side) != 1;
  if (divided && strcmp(prefix, "Duration: ") == 0 && str_ends(text, STR(")")))
    while (text.size && text.data[--text.size] != '(') continue;
  bool web = str_starts(text, STR("https://")) || str_starts(text, STR("http://"));
  bool link = web && strcmp(prefix, "Doc: ") == 0;
  fill_pack(fill, "about:{prefix:s", prefix);
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

/* ---- links and options ------------------------------- */

/* Parameters that only one view uses. Links to other views omit these parameters. */
static const char *const of_one_view[] = {"rows", "only", "p", "v"};

#define LINK_CHANGES 16

/* True if links of this view must drop the parameter. Only links of the flame graph keep `v`, the
 * state of the picture. */
static bool link_loses(const struct view_page *page, const char *parameter) {
  return strcmp(parameter, "v") == 0 && page->view->body != view_flame;
}

void page_link(struct view_page *page, const char *name, const char *view,
               const struct web_change *changes, size_t count) {
  struct web_change all[LINK_CHANGES];
  size_t n = 0;
  for (; n < count && n < LINK_CHANGES; n++) all[n] = changes[n];
  bool other = strcmp(view, page->view->path) != 0;
  for (size_t i = 0; i < sizeof of_one_view / sizeof *of_one_view; i++) {
    bool changed = !other && !link_loses(page, of_one_view[i]);
    for (size_t k = 0; k < count; k++) changed |= strcmp(changes[k].name, of_one_view[i]) == 0;
    if (!changed && n < LINK_CHANGES) all[n++] = (struct web_change){of_one_view[i], STR("")};
  }
  web_query_link(fill_text(&page->fill, name), page->in->query, view, all, n);
}

void page_change_link(struct view_page *page, const char *parameter, pprofc_str value) {
  const struct web_change change = {parameter, value};
  page_link(page, "address", page->view->path, &change, 1);
}

void page_name_link(struct view_page *page, const char *view, pprofc_str name, pprofc_str shown) {
  const struct web_change change = {"sel", name};
  page_link(page, "address", view, &change, 1);
  fill_str(&page->fill, "name", shown);
}

void page_cut(struct view_page *page, size_t shown, size_t count) {
  if (shown >= count) return;
  fill_pack(&page->fill, "shown:i count:i", (int64_t)shown, (int64_t)count);
}

void page_more(struct view_page *page, size_t shown, size_t count) {
  if (shown >= count) return;
  fill_begin(&page->fill, "more");
  page_cut(page, shown, count);
  page_change_link(page, "rows", STR("all"));
  fill_end(&page->fill);
}

void document_hidden_fields(struct view_page *page, const char *list, const char *const *without) {
  for (size_t i = 0; i < page->in->query->count; i++) {
    const struct web_parameter *p = &page->in->query->items[i];
    bool skipped = link_loses(page, p->name);
    for (size_t k = 0; without[k]; k++) skipped |= strcmp(p->name, without[k]) == 0;
    if (skipped) continue;
    fill_begin(&page->fill, list);
    fill_pack(&page->fill, "name:s value:s}", p->name, p->value);
  }
}

const char *page_option(struct view_page *page, const pprofc_report_options *options,
                        const char *name) {
  size_t size;
  if (pprofc_report_options_get(options, name, NULL, 0, &size, NULL)) return NULL;
  char *text = arena_array(&page->arena, size + 1, 1);
  if (text)
    pprofc_report_options_get(options, name, text, size + 1, NULL, NULL);
  else
    page->failed = true;
  return text;
}

/* ---- texts ------------------------------------------- */

pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text) {
  double whole = round(value);
  bool fraction = fabs(value - whole) > 1e-9 * fabs(value);
  /* A count has no unit, so the label of the number 1 is "1". */
  bool counts = unit_label(1, from, STR("auto"), text).size == 1;
  if (!fraction || !counts || fabs(value) >= 1000)
    return unit_label(number_from_double(whole), from, to, text);
  return (pprofc_str){text, (size_t)snprintf(text, UNIT_LABEL_MAX, "%.4g", value)};
}

pprofc_str html_value_text(const struct report *report, int64_t value, char *text) {
  double ratio = report->result.ratio;
  if (!(ratio > 0) || ratio == 1) return report_value(report, value, text);
  return html_mean_text((double)value * ratio, report->result.sample_unit, report->output_unit,
                        text);
}

void html_right(struct buffer *out, pprofc_str text, size_t width) {
  size_t length = utf8_length(text);
  if (length < width) buffer_add_fill(out, ' ', width - length);
  buffer_add_str(out, text);
}

void html_relative(struct buffer *out, double base, double head) {
  char text[AMOUNT_TEXT];
  if (base == head) return;
  buffer_add_str(out, base == 0 ? STR("new") : amount_percent(fabs(base), head - base, text));
}

const char *html_heat(double part, double whole) {
  static const char *const classes[2][5] = {{"h0", "h1", "h2", "h3", "h4"},
                                            {"h0", "h1 less", "h2 less", "h3 less", "h4 less"}};
  static const double steps[] = {0.0, 0.05, 0.2, 0.5};
  double share = whole != 0 ? fabs(part / whole) : 0;
  unsigned heat = 0;
  if (share > 0) heat = 1;
  for (unsigned i = 1; i < sizeof steps / sizeof *steps; i++)
    if (share >= steps[i]) heat = i + 1;
  return classes[part < 0][heat];
}

void html_exact_expression(struct buffer *out, pprofc_str name) {
  if (out->size) buffer_add_char(out, '|');
  buffer_add_char(out, '^');
  escape_regexp(out, name);
  buffer_add_char(out, '$');
}
