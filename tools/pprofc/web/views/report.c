/* Reports for the views: the pipeline and the graph without a format. */
#include "web/views/page.h"

#include "unit/unit.h"

double page_runs(const struct view_page *page, enum web_side side) {
  const struct web_info *info = page->in->info;
  size_t base = info->base_run_count ? info->base_run_count : 1;
  size_t head = info->head_run_count ? info->head_run_count : 1;
  if (side == WEB_DIFF) return (double)judge_common_runs(base, head);
  return (double)(side == WEB_BASE ? base : head);
}

/* Returns the options of the page with the divisor of the displayed profile. */
static pprofc_report_options page_divided(const struct view_page *page,
                                          const pprofc_report_options *options) {
  pprofc_report_options divided = *options;
  divided.divide_by *= page_runs(page, page->in->side);
  return divided;
}

pprofc_status view_report_open(struct view_report *v, struct view_page *page,
                               const pprofc_profile *profile,
                               const struct pipeline_overrides *overrides, pprofc_error *error) {
  *v = (struct view_report){.options = page_divided(page, &page->options)};
  v->report.options = &v->options;
  v->report.mem = &profile->mem;
  const struct pipeline_options asked = report_pipeline_options(&v->options);
  pprofc_status status = pipeline_run(profile, &asked, overrides, &v->report.result, error);
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

/* ---- values ------------------------------------------ */

bool page_type(const struct view_page *page, size_t *index) {
  const pprofc_profile *p = page->in->profile;
  return p && value_select(p, str_of(page->options.sample_index), index, NULL) == PPROFC_OK;
}

void page_write_value(const struct view_page *page, struct output *out, int64_t value) {
  page_write_mean(page, out, (double)value / page_runs(page, page->in->side));
}

void page_write_mean(const struct view_page *page, struct output *out, double value) {
  const pprofc_profile *p = page->in->profile;
  double ratio = page->options.divide_by;
  char text[UNIT_LABEL_MAX];
  size_t index;
  if (!page_type(page, &index)) return;
  if (ratio > 0 && ratio != 1) value /= ratio;
  pprofc_str unit = page->unit.size ? page->unit : STR("auto");
  pprofc_str from = profile_string(p, p->types[index].unit);
  html_name(out, html_mean_text(value, from, unit, text));
}

/* ---- data for the frame ------------------------------ */

/* True if a browser may follow the URL. */
static bool page_is_web_address(pprofc_str text) {
  return str_starts(text, STR("https://")) || str_starts(text, STR("http://"));
}

static void page_write_label(void *context, const char *prefix, pprofc_str text) {
  struct output *out = context;
  bool link = strcmp(prefix, "Doc: ") == 0 && page_is_web_address(text);
  output_add_text(out, "<p>");
  html_put(out, prefix);
  if (link) {
    output_add_text(out, "<a target=_blank rel=\"noopener noreferrer\"");
    html_attribute(out, "href", text);
    output_add_char(out, '>');
  }
  html_name(out, text);
  output_add_text(out, link ? "</a></p>" : "</p>");
}

static int page_collect(void *buffer, const void *data, size_t size) {
  buffer_add(buffer, data, size);
  return ((struct buffer *)buffer)->failed;
}

static pprofc_str page_about(struct view_page *page, const struct report *report) {
  struct buffer text;
  struct output out;
  buffer_init(&text, page->mem, (size_t)16 << 20);
  output_init(&out, page_collect, &text);
  labels_profile(report, page_write_label, &out);
  output_flush(&out, NULL);
  pprofc_str about = buffer_keep(&text, &page->arena);
  if (text.failed || !about.data) page->failed = true;
  buffer_free(&text);
  return about;
}

void page_note_report(struct view_page *page, const struct view_report *v) {
  page->about = page_about(page, &v->report);
  page->unit = arena_str(&page->arena, v->report.output_unit);
  if (!page->unit.data) page->failed = true;
  page->totals = (struct view_totals){.known = true, .total = v->report.result.total};
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
  pprofc_status status = pprofc_report(page->in->profile, &divided, page_collect, text, error);
  if (!status && text->failed) status = error_nomem(error);
  return status;
}
