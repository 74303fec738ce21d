/* Creates the view Compare. It has links that choose a base, the totals of all sample types, and
 * the largest changes. */
#include "unit/unit.h"
#include "web/views/page.h"

/* Maximum number of entries in the list of increases, and in the list of decreases. */
#define COMPARE_CHANGES 10

/* Lists links that choose the base, or with `head`, links that choose the head. A link changes no
 * other parameter. The current head is in the list of bases only if it is also the base. */
static void compare_choices(struct view_page *page, const char *words, bool head) {
  const struct web_info *info = page->in->info;
  struct fill *fill = &page->fill;
  fill_pack(fill, "choices:{words:s", words);
  for (size_t i = 0; i < info->profile_count; i++) {
    const struct web_choice *p = &info->profiles[i];
    char id[16];
    if (!head && p->is_head && !p->is_base) continue;
    snprintf(id, sizeof id, "%u", p->id);
    fill_begin(fill, "items");
    page_change_link(page, head ? "head" : "base", str_of(id));
    if (head ? p->is_head : p->is_base) fill_words(fill, "aria-current", "true");
    page_fill_choice(page, p);
    fill_end(fill);
  }
  fill_end(fill);
}

static size_t compare_find_type(const pprofc_profile *p, pprofc_str type) {
  for (size_t i = 0; i < p->type_count; i++)
    if (str_equal(profile_type(p, i), type)) return i;
  return SIZE_MAX;
}

static void compare_value(struct view_page *page, double value, pprofc_str unit, const char *sign) {
  char text[UNIT_LABEL_MAX];
  fill_pack(&page->fill, "values:{number:d plus:s text:S}", value, sign,
            html_mean_text(value, unit, STR("auto"), text));
}

static void compare_type(struct view_page *page, size_t type) {
  const pprofc_profile *head = page->in->head, *base = page->in->base;
  pprofc_str name = profile_type(head, type);
  pprofc_str unit = profile_unit(head, type);
  size_t other = compare_find_type(base, name);
  if (other == SIZE_MAX) return;
  double before = (double)value_total(base, other, false) / page_divisor(page, WEB_BASE);
  double after = (double)value_total(head, type, false) / page_divisor(page, WEB_HEAD);
  double change = after - before;
  const char *status = change > 0 ? "grew" : "shrank";
  const struct web_change choose = {"si", name};
  fill_begin(&page->fill, "types");
  page_link(page, "address", "top", &choose, 1);
  fill_str(&page->fill, "name", name);
  compare_value(page, before, unit, "");
  compare_value(page, after, unit, "");
  compare_value(page, change, unit, change > 0 ? "+" : "");
  fill_words(&page->fill, "status", change != 0 ? status : "same");
  page_change(page, before, after);
  fill_end(&page->fill);
}

static double compare_change(const struct view_row *row) {
  return row->total.head - row->total.base;
}

static int compare_by_total(const void *a, const void *b) {
  const struct view_row *x = a, *y = b;
  double change = compare_change(x) - compare_change(y);
  if (change != 0) return change > 0 ? -1 : 1;
  return str_compare(x->name, y->name);
}

/* Lists the largest increases if `grew`, or else the largest decreases. */
static void compare_list(struct view_page *page, const struct view_rows *rows, bool grew) {
  fill_pack(&page->fill, "tables:{words:s",
            grew ? "\xE2\x96\xB2 Grew most" : "\xE2\x96\xBC Shrank most");
  size_t shown = 0;
  for (; shown < rows->count && shown < COMPARE_CHANGES; shown++) {
    const struct view_row *row = &rows->items[grew ? shown : rows->count - 1 - shown];
    double change = compare_change(row);
    if (grew ? change <= 0 : change >= 0) break;
    page_difference_row(page, row, true);
  }
  fill_pack(&page->fill, "nothing:b}", !shown);
}

static void compare_fill(struct view_page *page, const struct view_rows *rows) {
  const struct web_info *info = page->in->info;
  fill_flag(&page->fill, "from-service", info->recordings);
  compare_choices(page, "Compare with", false);
  if (info->profile_count > 1) compare_choices(page, "Shown", true);
  if (page->in->base) {
    fill_words(&page->fill, "base", info->base.name ? info->base.name : "base");
    fill_words(&page->fill, "head", info->head.name ? info->head.name : "head");
    for (size_t i = 0; i < page->in->head->type_count; i++) compare_type(page, i);
  }
  if (!page_is_diff(page)) return;
  page_sentence(page);
  page_difference_head(page);
  if (rows->count) qsort(rows->items, rows->count, sizeof *rows->items, compare_by_total);
  compare_list(page, rows, true);
  compare_list(page, rows, false);
}

pprofc_status view_compare(struct view_page *page, struct buffer *out, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .all_nodes = true, .aggregates = true};
  struct view_report v;
  struct view_rows rows;
  pprofc_status status = view_rows_open(&rows, &v, page, &overrides, 0, error);
  if (!status) {
    page_note_report(page, &v);
    page->totals.has_shown = false;
    compare_fill(page, &rows);
    page_put(page, out, "compare");
  }
  view_report_close(&v);
  return status;
}
