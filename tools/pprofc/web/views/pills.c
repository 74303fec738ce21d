/* The row below the bar: totals, warnings, and the filters, each with a link that removes it. */
#include "web/views/page.h"

#include <math.h>

/* ---- totals ------------------------------------------ */

/* Returns the total of a whole profile, before filters. */
static bool pills_total_of(const struct view_page *page, const pprofc_profile *p, int64_t *total) {
  size_t index;
  if (value_select(p, str_of(page->options.sample_index), &index, NULL) != PPROFC_OK) return false;
  *total = value_total(p, index, page->options.mean);
  return true;
}

/* Writes "base 76.73s, head 5.33s: 71.40s less (-93.05%)". */
static void pills_both_totals(const struct view_page *page, struct output *out) {
  static const char *const opening[] = {"<b class=shrank>\xE2\x96\xBC ",
                                        "<b class=grew>\xE2\x96\xB2 "};
  static const char *const ending[] = {" less</b> (", " more</b> ("};
  int64_t base_sum, head_sum;
  if (!pills_total_of(page, page->in->base, &base_sum) ||
      !pills_total_of(page, page->in->head, &head_sum))
    return;
  double base = (double)base_sum / page_runs(page, WEB_BASE);
  double head = (double)head_sum / page_runs(page, WEB_HEAD), change = head - base;
  output_add_text(out, "<span class=totals>base <b>");
  page_write_mean(page, out, base);
  output_add_text(out, "</b>, head <b>");
  page_write_mean(page, out, head);
  output_add_text(out, "</b>: ");
  if (change != 0) {
    output_add_text(out, opening[change > 0]);
    page_write_mean(page, out, fabs(change));
    output_add_text(out, ending[change > 0]);
    html_relative(out, base, head);
    output_add_char(out, ')');
  } else {
    output_add_text(out, "no change");
  }
  output_add_text(out, "</span>");
}

/* Writes "mean of 5 + 5 runs", or "mean of 5 runs" for one side. */
static void pills_runs(const struct view_page *page, struct output *out) {
  double base = page_runs(page, WEB_BASE), head = page_runs(page, WEB_HEAD);
  if (page_is_diff(page) && base + head > 2)
    output_printf(out, "<span class=totals>mean of %.0f + %.0f runs</span>", base, head);
  else if (page_runs(page, page->in->side) > 1)
    output_printf(out, "<span class=totals>mean of %.0f runs</span>",
                  page_runs(page, page->in->side));
}

/* Writes "230 rows, 409 smaller left out". */
static void pills_rows(const struct view_totals *t, struct output *out) {
  output_printf(out, "%zu%s", t->nodes, t->nodes == 1 ? " row" : " rows");
  if (t->nodes_before < t->nodes) return;
  size_t left = t->nodes_before - t->nodes + t->dropped_nodes;
  if (left) output_printf(out, ", %zu smaller rows hidden", left);
}

/* Writes "73.2s of 76.73s shown (95.40%), 80 rows". */
static void pills_share(const struct view_page *page, struct output *out) {
  const struct view_totals *t = &page->totals;
  output_add_text(out, t->has_shown ? "<b>" : "total <b>");
  if (t->has_shown) {
    page_write_value(page, out, t->shown);
    output_add_text(out, "</b> of <b>");
  }
  page_write_value(page, out, t->total);
  output_add_text(out, "</b>");
  if (!t->has_shown) {
    output_printf(out, " in %zu stacks", page->in->profile->samples.count);
    return;
  }
  output_add_text(out, " shown (");
  html_share(out, t->shown, t->total);
  output_add_text(out, "), ");
}

static void pills_shown(const struct view_page *page, struct output *out) {
  output_add_text(out, "<span class=totals>");
  if (!page_is_diff(page)) pills_share(page, out);
  if (page->totals.has_shown) pills_rows(&page->totals, out);
  output_add_text(out, "</span>");
}

/* ---- filters ----------------------------------------- */

/* Writes an option, "show from ^main$". A switch that is on has only its name. */
static void pills_words(struct output *out, const pprofc_option_info *option, const char *value) {
  output_add_text(out, "<span class=key>");
  for (const char *c = option->name; *c; c++) output_add_char(out, *c == '_' ? ' ' : *c);
  output_add_text(out, "</span>");
  if (option->kind == PPROFC_OPTION_BOOL && strcmp(value, "true") == 0) return;
  output_add_char(out, ' ');
  html_put(out, value);
}

/* Writes a link that removes an option. */
static void pills_link(const struct view_page *page, struct output *out,
                       const pprofc_option_info *option, const char *parameter, const char *value) {
  const struct web_change change = {parameter, STR("")};
  output_add_text(out, "<a class=pill");
  page_link(out, page, page->view->path, &change, 1);
  output_printf(out, " title=\"remove\" data-parameter=\"%s\">", parameter);
  pills_words(out, option, value);
  output_add_text(out,
                  " <span aria-hidden=true>\xC3\x97</span><span class=hidden>, remove</span></a>");
}

/* Writes a filter, or another option that changes the view, as a pill. */
static void pills_option(const struct view_page *page, struct output *out,
                         const pprofc_option_info *option) {
  char value[4096];
  const char *parameter = option->url ? option->url : option->name;
  bool in_address = *web_query_get(page->in->query, parameter) != '\0';
  if (pprofc_report_options_get(page->in->options, option->name, value, sizeof value, NULL, NULL))
    return;
  if (strcmp(value, option->default_text) == 0 || (!*value && !in_address)) return;
  if (in_address) {
    pills_link(page, out, option, parameter, value);
    return;
  }
  output_add_text(out, "<span class=pill title=\"given on the command line\">");
  pills_words(out, option, value);
  output_add_text(out, "</span>");
}

/* True for options that the menus and the bar already show, or that have no effect on a page. */
static bool pills_is_quiet(const char *name) {
  static const char *const quiet[] = {"sample_index", "sort",       "source_path",    "trim_path",
                                      "intel_syntax", "title",      "compact_labels", "normalize",
                                      "origin_rules", "width",      "minwidth",       "colors",
                                      "inverted",     "source_link"};
  for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
    if (strcmp(quiet[i], name) == 0) return true;
  return false;
}

static void pills_options(const struct view_page *page, struct output *out) {
  const pprofc_option_info *option;
  for (size_t i = 0; (option = pprofc_option_at(i)); i++)
    if (!pills_is_quiet(option->name)) pills_option(page, out, option);
}

/* ---- warnings ---------------------------------------- */

static void pills_warning(struct output *out, const char *text) {
  output_add_text(out, "<span class=\"pill warning\"><span aria-hidden=true>\xE2\x9A\xA0</span> ");
  html_put(out, text);
  output_add_text(out, "</span>");
}

static void pills_pending(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  const struct web_change back = {"view", str_of(page->view->path)};
  output_add_text(out, "<form id=pending method=post action=\"");
  web_query_link(out, page->in->query, "reload", &back, 1);
  output_printf(out, "\"%s><span>", info->pending && *info->pending ? "" : " hidden");
  html_put(out, info->pending ? info->pending : "");
  output_add_text(out, "</span> <button>Load</button></form>");
  output_printf(out, "<span id=broken class=\"pill warning\"%s>", info->broken ? "" : " hidden");
  html_put(out, info->broken ? info->broken : "");
  output_add_text(out, "</span>");
}

void document_pills(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  output_add_text(out, "<div id=pills>\n");
  if (page->in->base && page->in->head) pills_both_totals(page, out);
  pills_runs(page, out);
  if (page->totals.known) pills_shown(page, out);
  pills_pending(page, out);
  for (size_t i = 0; i < info->warning_count; i++) pills_warning(out, info->warnings[i]);
  for (size_t i = 0; i < page->warning_count; i++) pills_warning(out, page->warnings[i]);
  pills_options(page, out);
  output_add_text(out, "</div>\n");
}
