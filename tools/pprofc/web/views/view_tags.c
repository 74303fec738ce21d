/* The view Tags: labels of the samples, their values and costs. Links filter by a value or add
 * a label to the stacks. */
#include "report/text/tag_sums.h"
#include "web/views/page.h"

#include <math.h>

/* Number of values shown for one key. */
#define TAG_VALUES 200

struct tags_page {
  struct view_page *page;
  struct view_report v;
  struct tag_sums sums;
  struct output *out;
};

/* ---- filters ----------------------------------------- */

/* Appends text that matches literally in a filter. Commas separate expressions there, so they
 * are written as character codes. */
static void tags_quote(struct buffer *out, pprofc_str text) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (c == ',') {
      buffer_add_text(out, "\\x2c");
      continue;
    }
    if (c && strchr("\\.+*?()|[]{}^$", c)) buffer_add_char(out, '\\');
    buffer_add_char(out, c);
  }
}

/* Appends a filter: "key=^value$", or "bytes=16bytes:32bytes" for numbers. */
static void tags_filter(const struct tags_page *t, const struct tag_value *tag,
                        struct buffer *out) {
  buffer_add_str(out, tag->key);
  buffer_add_char(out, '=');
  if (!tag->label.is_number) {
    buffer_add_char(out, '^');
    tags_quote(out, tag->value);
    buffer_add_char(out, '$');
    return;
  }
  pprofc_str unit = label_units_get(&t->v.report.result.units, tag->key);
  buffer_printf(out, "%lld%.*s:%lld%.*s", (long long)tag->low, STR_ARG(unit), (long long)tag->high,
                STR_ARG(unit));
}

static void tags_link(const struct tags_page *t, const char *parameter, pprofc_str value,
                      const char *words) {
  const struct web_change change = {parameter, value};
  output_add_text(t->out, "<a");
  page_link(t->out, t->page, "tags", &change, 1);
  output_printf(t->out, ">%s</a> ", words);
}

/* ---- tables ------------------------------------------ */

static void tags_row(const struct tags_page *t, const struct tag_value *tag, int64_t key_sum) {
  struct buffer filter;
  buffer_init(&filter, t->page->mem, (size_t)4 << 20);
  tags_filter(t, tag, &filter);
  output_printf(t->out, "<tr><td data-sort=\"%lld\">", (long long)tag->sum);
  html_report_value(t->out, &t->v.report, tag->sum);
  output_add_text(t->out, "</td><td class=share>");
  html_share(t->out, tag->sum, t->v.report.result.total);
  double share = key_sum ? fabs((double)tag->sum / (double)key_sum) : 0;
  if (share > 1) share = 1;
  output_printf(t->out,
                "</td><td class=meter><meter max=1 value=%.3f aria-label=\"part of the key\">"
                "</meter></td><td class=name>",
                share);
  html_name(t->out, tag->value);
  output_add_text(t->out, "</td><td class=actions>");
  if (!filter.failed) {
    tags_link(t, "tf", buffer_str(&filter), "only");
    tags_link(t, "ti", buffer_str(&filter), "without");
  }
  output_add_text(t->out, "</td></tr>\n");
  buffer_free(&filter);
}

static void tags_key_head(const struct tags_page *t, pprofc_str key, int64_t sum, size_t count) {
  output_add_text(t->out, "<h2>");
  html_name(t->out, key);
  output_printf(t->out, "</h2>\n<p>%zu value%s, ", count, count == 1 ? "" : "s");
  html_report_value(t->out, &t->v.report, sum);
  output_add_text(t->out, " of ");
  html_report_value(t->out, &t->v.report, t->v.report.result.total);
  output_add_text(t->out, " (");
  html_share(t->out, sum, t->v.report.result.total);
  output_add_text(t->out, "). ");
  tags_link(t, "tagroot", key, "As root of the stacks");
  tags_link(t, "tagleaf", key, "As leaf");
  tags_link(t, "th", key, "Hide in the graph");
  output_add_text(t->out, "</p>\n");
}

static void tags_key(const struct tags_page *t, const struct tag_value *items, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum = sum_add(sum, items[i].sum);
  output_add_text(t->out, "<section class=key>");
  tags_key_head(t, items[0].key, sum, count);
  output_add_text(
      t->out, "<div class=scroll><table class=\"rows tags\"><thead><tr><th scope=col><span>Cost"
              "</span></th><th scope=col><span>of all</span></th><th scope=col>Part</th>"
              "<th scope=col><span>Value</span></th><th scope=col>Show</th></tr></thead><tbody>\n");
  size_t shown = count < TAG_VALUES ? count : TAG_VALUES;
  if (strcmp(page_parameter(t->page, "rows"), "all") == 0) shown = count;
  for (size_t i = 0; i < shown; i++) tags_row(t, &items[i], sum);
  output_add_text(t->out, "</tbody></table></div>\n");
  if (shown < count) {
    const struct web_change all = {"rows", STR("all")};
    output_printf(t->out, "<p class=more>%zu of %zu values. <a", shown, count);
    page_link(t->out, t->page, "tags", &all, 1);
    output_add_text(t->out, ">Show all</a></p>\n");
  }
  output_add_text(t->out, "</section>\n");
}

static void tags_print(const struct tags_page *t) {
  const struct tag_sums *sums = &t->sums;
  if (!sums->count) output_add_text(t->out, "<p class=empty>The samples have no labels.</p>\n");
  for (size_t from = 0, to; from < sums->count; from = to) {
    to = tag_sums_end(sums, from);
    tags_key(t, sums->items + from, to - from);
  }
}

pprofc_status view_tags(struct view_page *page, struct output *out, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {0};
  struct tags_page t = {.page = page, .out = out};
  pprofc_status status = view_report_open(&t.v, page, page->in->profile, &overrides, error);
  if (!status) {
    page_note_report(page, &t.v);
    status = tag_sums_collect(&t.sums, &t.v.report, error);
    if (!status) tags_print(&t);
    tag_sums_free(&t.sums);
  }
  view_report_close(&t.v);
  return status;
}
