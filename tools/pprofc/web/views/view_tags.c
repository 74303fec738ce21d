/* Creates the view Tags. It shows the labels of the samples with their values and costs. Links
 * filter by a value, or add a label to the stacks. */
#include "report/report.h"
#include "web/views/page.h"

struct tag_changes {
  struct view_report reports[2]; /* reports of base and head */
  struct tag_sums sums[2];       /* labels of base and head, sorted by text */
  size_t opened;
};

/* Collects the labels of base and head. The caller closes *c, even after an error. */
static pprofc_status tag_changes_open(struct tag_changes *c, struct view_page *page,
                                      pprofc_error *error) {
  static const struct pipeline_overrides overrides = {0};
  const pprofc_profile *const profiles[2] = {page->in->base, page_compared_head(page)};
  pprofc_status status = PPROFC_OK;
  for (size_t side = 0; !status && side < 2; side++) {
    struct tag_sums *sums = &c->sums[side];
    c->opened = side + 1;
    status = view_report_open(&c->reports[side], page, profiles[side], &overrides, error);
    if (!status) status = tag_sums_collect(sums, &c->reports[side].report, error);
    if (!status && sums->count)
      qsort(sums->items, sums->count, sizeof *sums->items, tag_sums_by_text);
  }
  return status;
}

static void tag_changes_close(struct tag_changes *c) {
  for (size_t side = 0; side < c->opened; side++) {
    tag_sums_free(&c->sums[side]);
    view_report_close(&c->reports[side]);
  }
}

static double tag_side_value(const struct tag_changes *c, const struct view_page *page,
                             const struct tag_value *tag, size_t side) {
  const struct tag_sums *sums = &c->sums[side];
  const struct tag_value *found = NULL;
  if (sums->count)
    found = bsearch(tag, sums->items, sums->count, sizeof *sums->items, tag_sums_by_text);
  double divisor = page_divisor(page, side ? WEB_HEAD : WEB_BASE);
  return found ? (double)found->sum / divisor : 0;
}

static pprofc_status tag_changes_judge(struct view_page *page, pprofc_str key,
                                       pprofc_error *error) {
  pprofc_report_options options = page->options;
  char root[256];
  noise_free(&page->judgement);
  page->judgement = (struct noise_report){.verdicts = NULL};
  bool plain = !options.tagroot || !*options.tagroot;
  if (!plain || key.size >= sizeof root || memchr(key.data, ',', key.size)) return PPROFC_OK;
  memcpy(root, key.data, key.size);
  root[key.size] = '\0';
  options.tagroot = root;
  options.granularity = "functions";
  return page_judge(page, &options, error);
}

/* Returns the verdict on the samples that have the row's label value, or NULL. Rejects a verdict
 * whose values differ from the row's values: it also counts a function with the same name. */
static const pprofc_verdict_row *tag_verdict(struct view_page *page, const struct view_row *row) {
  const pprofc_verdict_row *found = noise_find(&page->judgement, row->name);
  if (!found) return NULL;
  double slack = 1e-6 * fmax(fabs(row->total.base), fabs(row->total.head));
  bool same = fabs(found->cum.base - row->total.base) <= slack &&
              fabs(found->cum.head - row->total.head) <= slack;
  if (!same && !noise_rescales(&page->judgement)) return NULL;
  pprofc_verdict_row *own = arena_copy(&page->arena, found, sizeof *found);
  /* Drop the word "via callee", because the cost of a label value is always in deeper frames. */
  if (own) own->via_callee = false;
  return own;
}

/* Fills in the row of a label value: its verdict, and its values in base and head. */
static void tag_changes_row(const struct tag_changes *c, struct view_page *page,
                            const struct tag_value *tag, struct view_row *row) {
  *row = (struct view_row){.name = tag->value, .function = tag->value};
  row->total.base = tag_side_value(c, page, tag, 0);
  row->total.head = tag_side_value(c, page, tag, 1);
  row->verdict = tag_verdict(page, row);
  row->unscaled = !row->verdict && noise_rescales(&page->judgement);
  if (row->verdict)
    row->total = (struct view_sides){row->verdict->cum.base, row->verdict->cum.head};
  row->self = row->total;
}

/* Maximum number of values that are shown for a label key. */
#define TAG_VALUES 200
/* Maximum number of label keys whose values get verdicts. The verdicts for a key take as long as a
 * table of functions. */
#define TAG_JUDGED 8

struct tags_page {
  struct view_page *page;
  struct view_report v;
  struct tag_sums sums;
  struct tag_changes changes; /* labels of base and head in a difference */
  size_t key_count;
};

/* Appends text that a filter compares literally. Writes a comma as a character code, because a
 * comma separates expressions in a filter. */
static void tags_quote(struct buffer *out, pprofc_str text) {
  pprofc_str piece;
  for (bool first = true; str_next(&text, ',', &piece); first = false) {
    if (!first) buffer_add_text(out, "\\x2c");
    escape_regexp(out, piece);
  }
}

/* Appends a filter for a label value: "key=^value$", or "bytes=16bytes:32bytes" for numbers. */
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

static void tags_link(struct tags_page *t, const char *parameter, pprofc_str value,
                      const char *words) {
  fill_begin(&t->page->fill, "links");
  page_change_link(t->page, parameter, value);
  fill_pack(&t->page->fill, "words:s}", words);
}

/* Adds a row for a label value of a single profile: its cost, and its part of the profile's total.
 */
static void tags_cost(struct tags_page *t, const struct tag_value *tag) {
  struct fill *fill = &t->page->fill;
  int64_t total = t->v.report.result.total;
  double share = total ? fabs((double)tag->sum / (double)total) : 0;
  fill_number(fill, "sum", tag->sum);
  page_fill_value(t->page, "cost", &t->v.report, tag->sum);
  page_fill_share(t->page, "share", tag->sum, total);
  buffer_printf(fill_text(fill, "part"), "%.3f", share > 1 ? 1 : share);
}

static void tags_row(struct tags_page *t, const struct tag_value *tag, const struct view_row *row) {
  struct fill *fill = &t->page->fill;
  struct buffer filter = buffer_make(t->page->mem, (size_t)4 << 20);
  tags_filter(t, tag, &filter);
  fill_begin(fill, "rows");
  if (row)
    page_difference_cells(t->page, row, true);
  else
    tags_cost(t, tag);
  fill_str(fill, "value", tag->value);
  if (!filter.failed) {
    tags_link(t, "tf", buffer_str(&filter), "only");
    tags_link(t, "ti", buffer_str(&filter), "without");
  }
  fill_end(fill);
  buffer_free(&filter);
}

static void tags_anchor(struct tags_page *t, size_t number) {
  buffer_printf(fill_text(&t->page->fill, "anchor"), "key-%zu", number);
}

static void tags_title(struct tags_page *t, const struct tag_value *items, size_t count) {
  struct fill *fill = &t->page->fill;
  tags_anchor(t, t->key_count);
  fill_pack(fill, "key:S values:i plural:s", items[0].key, (int64_t)count, count == 1 ? "" : "s");
  tags_link(t, "tagroot", items[0].key, "As root of the stacks");
  tags_link(t, "tagleaf", items[0].key, "As leaf");
  tags_link(t, "th", items[0].key, "Hide in the graph");
}

/* Adds the values of a label key in a single profile. */
static void tags_costs(struct tags_page *t, const struct tag_value *items, size_t shown,
                       size_t count) {
  int64_t sum = 0, total = t->v.report.result.total;
  for (size_t i = 0; i < count; i++) sum = sum_add(sum, items[i].sum);
  page_fill_value(t->page, "cost", &t->v.report, sum);
  page_fill_value(t->page, "total", &t->v.report, total);
  page_fill_share(t->page, "share", sum, total);
  for (size_t i = 0; i < shown; i++) tags_row(t, &items[i], NULL);
}

/* Adds the values of a label key in a difference, with verdicts. */
static pprofc_status tags_changes(struct tags_page *t, const struct tag_value *items, size_t shown,
                                  pprofc_error *error) {
  struct view_page *page = t->page;
  struct view_rows rows = {arena_zero_array(&page->arena, shown, sizeof *rows.items), shown};
  if (!rows.items) return error_nomem(error);
  if (t->key_count < TAG_JUDGED) {
    pprofc_status status = tag_changes_judge(page, items[0].key, error);
    if (status) return status;
  }
  for (size_t i = 0; i < shown; i++) tag_changes_row(&t->changes, page, &items[i], &rows.items[i]);
  page_set_grid(page, &rows);
  fill_begin(&page->fill, "changed");
  page_difference_head(page);
  for (size_t i = 0; i < shown; i++) tags_row(t, &items[i], &rows.items[i]);
  fill_end(&page->fill);
  noise_free(&page->judgement);
  return PPROFC_OK;
}

static pprofc_status tags_key(struct tags_page *t, const struct tag_value *items, size_t count,
                              pprofc_error *error) {
  struct fill *fill = &t->page->fill;
  pprofc_status status = PPROFC_OK;
  size_t shown = count < TAG_VALUES ? count : TAG_VALUES;
  bool compared = page_is_diff(t->page);
  if (compared && str_equal(items[0].key, BASE_LABEL)) return PPROFC_OK;
  if (strcmp(page_parameter(t->page, "rows"), "all") == 0) shown = count;
  fill_begin(fill, "keys");
  tags_title(t, items, count);
  if (compared)
    status = tags_changes(t, items, shown, error);
  else
    tags_costs(t, items, shown, count);
  page_more(t->page, shown, count);
  fill_end(fill);
  t->key_count++;
  return status;
}

/* Adds links to all label keys if there are several. */
static void tags_index(struct tags_page *t) {
  struct fill *fill = &t->page->fill;
  size_t number = 0;
  if (t->key_count < 2) return;
  fill_begin(fill, "several");
  for (size_t from = 0, to; from < t->sums.count; from = to) {
    to = tag_sums_end(&t->sums, from);
    pprofc_str key = t->sums.items[from].key;
    if (page_is_diff(t->page) && str_equal(key, BASE_LABEL)) continue;
    fill_begin(fill, "names");
    tags_anchor(t, number++);
    fill_pack(fill, "name:S values:i}", key, (int64_t)(to - from));
  }
  fill_end(fill);
}

pprofc_status view_tags(struct view_page *page, struct buffer *out, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {0};
  struct tags_page t = {.page = page};
  pprofc_status status = view_report_open(&t.v, page, page->in->profile, &overrides, error);
  if (!status) {
    page_note_report(page, &t.v);
    status = tag_sums_collect(&t.sums, &t.v.report, error);
    if (!status && page_is_diff(page)) status = tag_changes_open(&t.changes, page, error);
    for (size_t from = 0, to; !status && from < t.sums.count; from = to) {
      to = tag_sums_end(&t.sums, from);
      status = tags_key(&t, t.sums.items + from, to - from, error);
    }
    tags_index(&t);
    if (!status) page_put(page, out, "tags");
    tag_changes_close(&t.changes);
    tag_sums_free(&t.sums);
  }
  view_report_close(&t.v);
  return status;
}
