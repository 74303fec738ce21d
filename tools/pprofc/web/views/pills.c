/* Creates the row below the bar: totals, warnings and active filters. Each filter has a link that
 * removes it. */
#include "web/views/page.h"

/* Finds the unfiltered total of a profile. */
static bool pills_total_of(const struct view_page *page, const pprofc_profile *p, int64_t *total) {
  size_t index;
  if (value_select(p, str_of(page->options.sample_index), &index, NULL) != PPROFC_OK) return false;
  *total = value_total(p, index, page->options.mean);
  return true;
}

/* Returns the CSS class of the total's change. A change within noise has no colour. */
static const char *pills_status(const struct view_page *page, double change) {
  const struct noise_report *j = &page->judgement;
  if (j->verdicts && !pprofc_verdict_is_certain(j->summary.total_verdict)) return "unsure";
  return change > 0 ? "grew" : "shrank";
}

/* Adds the totals of a difference: "base 76.73s, head 5.33s: 71.40s less (-93.05%)". */
static void pills_both_totals(struct view_page *page) {
  const struct web_info *info = page->in->info;
  struct fill *fill = &page->fill;
  int64_t base_sum, head_sum;
  if (!pills_total_of(page, page->in->base, &base_sum) ||
      !pills_total_of(page, page->in->head, &head_sum))
    return;
  double base = (double)base_sum / page_divisor(page, WEB_BASE);
  double head = (double)head_sum / page_divisor(page, WEB_HEAD), change = head - base;
  fill_pack(fill, "totals:{recorded:b base-name:s head-name:s",
            page->in->scaled || (!info->by_time && noise_rescales(&page->judgement)),
            info->base.name, info->head.name);
  page_fill_mean(page, "base", base);
  page_fill_mean(page, "head", head);
  page_change(page, base, head);
  if (change != 0) page_fill_mean(page, "change", fabs(change));
  fill_pack(fill, "status:s word:s}", pills_status(page, change), change > 0 ? "more" : "less");
}

/* Adds "mean of 5 + 5 runs", or without a base "mean of 5 runs". Adds "per second" if the page
 * shows such values. */
static void pills_runs(struct view_page *page) {
  const struct web_info *info = page->in->info;
  size_t base = info->base.run_count ? info->base.run_count : 1;
  size_t head = info->head.run_count ? info->head.run_count : 1;
  size_t one = page->in->side == WEB_BASE ? base : head;
  if (page_is_diff(page) && base + head > 2)
    buffer_printf(fill_text(&page->fill, "runs"), "%zu + %zu", base, head);
  else if (one > 1)
    buffer_printf(fill_text(&page->fill, "runs"), "%zu", one);
  fill_flag(&page->fill, "by-time", info->by_time);
}

/* Adds "73.2s of 76.73s shown (95.40%), 230 rows, 409 smaller rows hidden". A call graph has boxes
 * in place of rows. */
static void pills_shown(struct view_page *page) {
  static const char *const row_words[] = {"row", "rows"}, *const box_words[] = {"box", "boxes"};
  const char *const *words = page->view->body == view_graph ? box_words : row_words;
  const struct view_totals *t = &page->totals;
  struct fill *fill = &page->fill;
  fill_begin(fill, "shown-part");
  if (!page_is_diff(page)) {
    int64_t shown = t->has_shown ? t->shown : t->kept;
    fill_begin(fill, t->has_shown || t->kept != t->total ? "part" : "whole");
    page_fill_shown(page, "shown", shown);
    page_fill_shown(page, "total", t->total);
    page_fill_share(page, "share", shown, t->total);
    fill_pack(fill, "stacks:i}", (int64_t)page->in->profile->samples.count);
  }
  if (t->has_shown) {
    size_t all = t->nodes_before + t->dropped_nodes;
    fill_pack(fill, "row-count:i row-word:s rows-word:s", (int64_t)t->nodes, words[t->nodes != 1],
              words[1]);
    if (t->nodes_before >= t->nodes && all > t->nodes)
      fill_number(fill, "left", (int64_t)(all - t->nodes));
  }
  fill_end(fill);
}

/* Adds an entry for a filter or another option of the view: "show from ^main$". A link in the entry
 * removes the option, unless the option comes from the command line. A boolean option has no value
 * in its entry. */
static void pills_option(struct view_page *page, const pprofc_option_info *option) {
  const char *parameter = option->url ? option->url : option->name;
  bool in_address = *page_parameter(page, parameter) != '\0';
  const char *value = page_option(page, page->in->options, option->name);
  if (!value) return;
  if (strcmp(value, option->default_text) == 0 || (!*value && !in_address)) return;
  fill_begin(&page->fill, "given");
  if (in_address) page_change_link(page, parameter, STR(""));
  fill_words(&page->fill, "parameter", parameter);
  struct buffer *key = fill_text(&page->fill, "key");
  for (const char *c = option->name; *c; c++) buffer_add_char(key, *c == '_' ? ' ' : *c);
  if (option->kind != PPROFC_OPTION_BOOL || strcmp(value, "true") != 0)
    buffer_printf(fill_text(&page->fill, "value"), " %s", value);
  fill_end(&page->fill);
}

/* Adds an entry for the time range. Its link shows the whole recording. */
static void pills_range(struct view_page *page) {
  static const struct web_change whole[] = {{"t0", {"", 0}}, {"t1", {"", 0}}};
  const char *from = page_parameter(page, "t0"), *to = page_parameter(page, "t1");
  if (!page->in->profile || !page->in->profile->times || (!*from && !*to)) return;
  fill_begin(&page->fill, "given");
  page_link(page, "address", page->view->path, whole, 2);
  fill_pack(&page->fill, "parameter:s key:s", "t0", "time");
  if (!*from) from = "the start";
  if (!*to) to = "the end";
  buffer_printf(fill_text(&page->fill, "value"), " %s to %s", from, to);
  fill_end(&page->fill);
}

/* True for an option that menus or the bar show, or that has no effect on a page. */
static bool pills_is_quiet(const char *name) {
  return STR_ANY(str_equal, str_of(name), "sample_index", "sort", "source_path", "trim_path",
                 "intel_syntax", "title", "compact_labels", "normalize", "origin_rules", "width",
                 "minwidth", "colors", "inverted", "source_link");
}

void document_pills(struct view_page *page) {
  const struct web_info *info = page->in->info;
  const struct web_change back = {"view", str_of(page->view->path)};
  const pprofc_option_info *option;
  fill_begin(&page->fill, "pills");
  if (page->in->base && page->in->head) pills_both_totals(page);
  pills_runs(page);
  if (page->totals.known && page->in->profile->samples.count) pills_shown(page);
  web_query_link(fill_text(&page->fill, "reload"), page->in->query, "reload", &back, 1);
  fill_pack(&page->fill, "pending:s broken:s", info->pending, info->broken);
  for (size_t i = 0; i < page->warning_count; i++)
    fill_pack(&page->fill, "warnings:{text:s}", page->warnings[i]);
  pills_range(page);
  for (size_t i = 0; (option = pprofc_option_at(i)); i++)
    if (!pills_is_quiet(option->name)) pills_option(page, option);
  fill_end(&page->fill);
}
