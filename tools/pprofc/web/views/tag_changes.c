/* Lists the values of labels in base and head, with verdicts. For a verdict, the value of a label
 * is a frame at the root of the stacks of its samples. */
#include "web/views/tag_changes.h"

#include <math.h>
#include <stdlib.h>

static int tag_by_text(const void *a, const void *b) {
  const struct tag_value *x = a, *y = b;
  int order = str_compare(x->key, y->key);
  return order ? order : str_compare(x->value, y->value);
}

pprofc_status tag_changes_open(struct tag_changes *c, struct view_page *page, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {0};
  const pprofc_profile *const profiles[2] = {page->in->base, page->in->head};
  void (*warn)(void *, const char *) = page->options.warn;
  pprofc_status status = PPROFC_OK;
  page->options.warn = NULL; /* ignore the warnings, because the difference has the same */
  for (size_t side = 0; !status && side < 2; side++) {
    struct tag_sums *sums = &c->sums[side];
    c->opened = side + 1;
    status = view_report_open(&c->reports[side], page, profiles[side], &overrides, error);
    if (!status) status = tag_sums_collect(sums, &c->reports[side].report, error);
    if (!status && sums->count) qsort(sums->items, sums->count, sizeof *sums->items, tag_by_text);
  }
  page->options.warn = warn;
  return status;
}

void tag_changes_close(struct tag_changes *c) {
  for (size_t side = 0; side < c->opened; side++) {
    tag_sums_free(&c->sums[side]);
    view_report_close(&c->reports[side]);
  }
}

static double tag_side_value(const struct tag_changes *c, const struct view_page *page,
                             const struct tag_value *tag, size_t side) {
  const struct tag_sums *sums = &c->sums[side];
  const struct tag_value *found = NULL;
  if (sums->count) found = bsearch(tag, sums->items, sums->count, sizeof *sums->items, tag_by_text);
  double divisor = page_divisor(page, side ? WEB_HEAD : WEB_BASE);
  return found ? (double)found->sum / divisor : 0;
}

/* ---- verdicts ---------------------------------------- */

pprofc_status tag_changes_judge(struct view_page *page, pprofc_str key, pprofc_error *error) {
  const struct web_info *info = page->in->info;
  const struct judge_side sides[2] = {{page->in->base, info->base_runs, info->base_run_count},
                                      {page->in->head, info->head_runs, info->head_run_count}};
  pprofc_report_options options = page->options;
  char root[256];
  judge_free(&page->judgement);
  page->judgement = (struct judgement){.verdicts = NULL};
  bool plain = !options.tagroot || !*options.tagroot;
  if (!plain || key.size >= sizeof root || memchr(key.data, ',', key.size)) return PPROFC_OK;
  memcpy(root, key.data, key.size);
  root[key.size] = '\0';
  options.tagroot = root;
  options.granularity = "functions";
  return judge_sides(sides, &options, info->noise, &page->judgement, error);
}

/* Returns the verdict on the samples with the row's value, or NULL. Compares the amounts, because a
 * function with the same name would add its samples to the verdict. */
static const pprofc_verdict_row *tag_verdict(struct view_page *page, const struct view_row *row) {
  const pprofc_verdict_row *found = judge_find(&page->judgement, row->name);
  if (!found) return NULL;
  double slack = 1e-6 * fmax(fabs(row->total.base), fabs(row->total.head));
  bool same = fabs(found->cum.base - row->total.base) <= slack &&
              fabs(found->cum.head - row->total.head) <= slack;
  if (!same && !judge_rescales(&page->judgement)) return NULL;
  pprofc_verdict_row *own = arena_copy(&page->arena, found, sizeof *found);
  if (own) own->via_callee = false; /* all cost of a value is in deeper frames */
  return own;
}

void tag_changes_row(const struct tag_changes *c, struct view_page *page,
                     const struct tag_value *tag, struct view_row *row) {
  *row = (struct view_row){.name = tag->value, .function = tag->value};
  row->total.base = tag_side_value(c, page, tag, 0);
  row->total.head = tag_side_value(c, page, tag, 1);
  row->verdict = tag_verdict(page, row);
  row->unscaled = !row->verdict && judge_rescales(&page->judgement);
  if (row->verdict)
    row->total = (struct view_sides){row->verdict->cum.base, row->verdict->cum.head};
  row->self = row->total;
}
