/* The view Compare: chooses a base, and shows the totals of every sample type and the largest
 * changes. */
#include "unit/unit.h"
#include "web/views/page.h"

#include <math.h>
#include <stdlib.h>

/* Number of changes listed in each direction. */
#define COMPARE_CHANGES 10

/* ---- choosing a base --------------------------------- */

/* Lists the choices for one side. Links keep the filters and the other side. */
static void compare_choices(const struct view_page *page, struct output *out, const char *words,
                            const char *parameter, const struct web_item *items, size_t count) {
  output_printf(out, "<h2>%s</h2>\n<ul>", words);
  for (size_t i = 0; i < count; i++) {
    const char *equal = strchr(items[i].query, '=');
    const struct web_change change = {parameter, str_of(equal ? equal + 1 : "")};
    output_add_text(out, "<li><a");
    page_link(out, page, page->view->path, &change, 1);
    output_add_text(out, items[i].current ? " aria-current=true>" : ">");
    html_put(out, items[i].name);
    output_add_text(out, "</a></li>");
  }
  if (!count) output_add_text(out, "<li>no other profile is loaded</li>");
  output_add_text(out, "</ul>\n");
}

static void compare_profiles(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  output_add_text(out, "<section class=choose>");
  compare_choices(page, out, "Compare with", "base", info->profiles, info->profile_count);
  if (info->head_count > 1)
    compare_choices(page, out, "Shown", "head", info->heads, info->head_count);
  output_add_text(out, "<div class=script><label class=file>Another profile from a file<input "
                       "type=file id=upload></label><p class=hint>Or drop a file anywhere on the "
                       "page. It is sent to this server only.</p></div></section>\n");
}

/* ---- totals ------------------------------------------ */

static size_t compare_find_type(const pprofc_profile *p, pprofc_str type) {
  for (size_t i = 0; i < p->type_count; i++)
    if (str_equal(profile_string(p, p->types[i].type), type)) return i;
  return SIZE_MAX;
}

static void compare_value(struct output *out, double value, pprofc_str unit, bool sign) {
  char text[UNIT_LABEL_MAX];
  output_printf(out, "<td data-sort=\"%.17g\">%s", value, sign && value > 0 ? "+" : "");
  html_name(out, html_mean_text(value, unit, STR("auto"), text));
  output_add_text(out, "</td>");
}

static void compare_type(const struct view_page *page, struct output *out, size_t type) {
  const pprofc_profile *head = page->in->head, *base = page->in->base;
  pprofc_str name = profile_string(head, head->types[type].type);
  pprofc_str unit = profile_string(head, head->types[type].unit);
  size_t other = compare_find_type(base, name);
  if (other == SIZE_MAX) return;
  double before = (double)value_total(base, other, false) / page_runs(page, WEB_BASE);
  double after = (double)value_total(head, type, false) / page_runs(page, WEB_HEAD);
  double change = after - before;
  const struct web_change choose = {"si", name};
  output_add_text(out, "<tr><td class=name><a");
  page_link(out, page, "top", &choose, 1);
  output_add_char(out, '>');
  html_name(out, name);
  output_add_text(out, "</a></td>");
  compare_value(out, before, unit, false);
  compare_value(out, after, unit, false);
  compare_value(out, change, unit, true);
  const char *status = change > 0 ? "grew" : "shrank";
  output_printf(out, "<td class=\"share %s\">%s", change != 0 ? status : "same", html_sign(change));
  html_relative(out, before, after);
  output_add_text(out, "</td></tr>\n");
}

static void compare_totals(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  output_add_text(out, "<section><h2>Totals</h2><div class=scroll><table class=rows><thead><tr><th "
                       "scope=col>Sample type</th><th scope=col>Base<small>");
  html_put(out, info->base_name ? info->base_name : "base");
  output_add_text(out, "</small></th><th scope=col>Head<small>");
  html_put(out, info->head_name ? info->head_name : "head");
  output_add_text(out, "</small></th><th scope=col>Change</th><th scope=col>Change %</th></tr>"
                       "</thead><tbody>\n");
  for (size_t i = 0; i < page->in->head->type_count; i++) compare_type(page, out, i);
  output_add_text(out, "</tbody></table></div></section>\n");
}

/* ---- changes ----------------------------------------- */

static double compare_change(const struct view_row *row) {
  return row->total.head - row->total.base;
}

static int compare_by_total(const void *a, const void *b) {
  const struct view_row *x = a, *y = b;
  double change = compare_change(x) - compare_change(y);
  if (change != 0) return change > 0 ? -1 : 1;
  return str_compare(x->name, y->name);
}

/* Lists rows by change: the largest increases first, the largest decreases last. */
static void compare_list(const struct view_page *page, struct output *out,
                         const struct view_rows *rows, bool grew) {
  output_add_text(out, grew ? "<section><h2>\xE2\x96\xB2 Grew most</h2>"
                            : "<section><h2>\xE2\x96\xBC Shrank most</h2>");
  page_difference_open(out, page, "");
  size_t shown = 0;
  for (size_t i = 0; i < rows->count && shown < COMPARE_CHANGES; i++) {
    const struct view_row *row = &rows->items[grew ? i : rows->count - 1 - i];
    double change = compare_change(row);
    if (grew ? change <= 0 : change >= 0) break;
    page_difference_row(out, page, row, true);
    shown++;
  }
  page_difference_close(out, !shown);
  output_add_text(out, "</section>\n");
}

static pprofc_status compare_changes(struct view_page *page, struct output *out,
                                     pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .all_nodes = true, .aggregates = true};
  struct view_report v;
  struct view_rows rows;
  pprofc_status status = view_report_open(&v, page, page->in->profile, &overrides, error);
  if (!status) status = view_report_graph(&v, 0, error);
  if (!status) status = view_rows_make(&rows, page, &v, error);
  if (!status) {
    page_note_report(page, &v);
    page->totals.has_shown = false;
    view_rows_select(&rows, page);
    if (page_is_diff(page)) page_sentence(out, page);
    compare_profiles(page, out);
    if (page->in->base) compare_totals(page, out);
    if (page_is_diff(page)) {
      qsort(rows.items, rows.count, sizeof *rows.items, compare_by_total);
      compare_list(page, out, &rows, true);
      compare_list(page, out, &rows, false);
    }
  }
  view_report_close(&v);
  return status;
}

pprofc_status view_compare(struct view_page *page, struct output *out, pprofc_error *error) {
  output_add_text(out, "<div class=compare>\n");
  pprofc_status status = compare_changes(page, out, error);
  output_add_text(out, "</div>\n");
  return status;
}
