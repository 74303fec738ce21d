/* Creates the table of a difference with the columns Base, Head, Change, Change %, Certain? and
 * Function. The views Top and Compare print the table. The inspector (the panel with the selected
 * function) prints the same values. */
#include "web/views/page.h"

/* Chooses the unit and the digits of all values, so that the rounded base plus the rounded change
 * is the rounded head. */
void page_set_grid(struct view_page *page, const struct view_rows *rows) {
  const pprofc_profile *p = page->in->profile;
  struct noise_report report = {.options = page->in->options, .summary = {.unit = STR("")}};
  struct noise_range range = {.largest = 0};
  for (size_t i = 0; i < rows->count; i++) {
    const struct view_row *r = &rows->items[i];
    if (!r->unscaled)
      noise_range_add(&range, r->self.base, r->self.head, fabs(r->total.head - r->total.base),
                      r->self.head - r->self.base);
  }
  size_t type;
  if (page->judgement.verdicts)
    report.summary.unit = page->judgement.summary.unit;
  else if (page_type(page, &type))
    report.summary.unit = profile_unit(p, type);
  page->grid = noise_grid(&report, &range);
}

void page_amount(struct view_page *page, const char *name, double value) {
  char text[AMOUNT_TEXT];
  fill_str(&page->fill, name,
           amount_of_ticks(&page->grid, amount_ticks(&page->grid, value), false, text));
}

/* Appends a change. Rounds the change so that base plus change equals the head. */
static void amount_add_change(const struct view_page *page, const struct view_sides *sides,
                              struct buffer *out) {
  char text[AMOUNT_TEXT];
  double ticks = amount_ticks(&page->grid, sides->head) - amount_ticks(&page->grid, sides->base);
  buffer_add_str(out, amount_of_ticks(&page->grid, ticks, true, text));
}

void page_amount_change(struct view_page *page, const char *name, const struct view_sides *sides) {
  amount_add_change(page, sides, fill_text(&page->fill, name));
}

/* Appends half the width of the interval, " ±1.31s". Appends nothing if there was no test, or if
 * exact counts of single runs were compared. */
static void amount_add_half(const struct view_page *page, const pprofc_verdict_estimate *e,
                            struct buffer *out) {
  char text[AMOUNT_TEXT];
  double half = amount_ticks(&page->grid, (e->high - e->low) / 2);
  if (isnan(e->p) || page->judgement.summary.lone || half == 0) return;
  buffer_add_text(out, " \xC2\xB1");
  buffer_add_str(out, amount_of_ticks(&page->grid, half, false, text));
}

const char *page_status(const struct view_row *row, bool by_cum) {
  const struct view_sides *s = by_cum ? &row->total : &row->self;
  return noise_direction(row->total.base, row->total.head, s->head - s->base);
}

void page_verdict(struct view_page *page, const char *name, const struct view_row *row,
                  bool by_cum) {
  const char *word = row->verdict ? noise_word(row->verdict, by_cum) : "";
  struct buffer *out = fill_text(&page->fill, name);
  if (!*word) return;
  buffer_printf(out, "%s: ", word);
  amount_add_change(page, by_cum ? &row->total : &row->self, out);
  amount_add_half(page, noise_estimate(row->verdict, by_cum), out);
}

/* Sets the word of a verdict, its tooltip and its sort key. If cost moved to or from another
 * function, the tooltip names that function. Changed rows sort first, and rows without a test sort
 * last. */
static void difference_verdict(struct view_page *page, const pprofc_verdict_row *row, bool by_cum) {
  const pprofc_verdict_estimate *e = noise_estimate(row, by_cum);
  bool moved = !by_cum && row->relation;
  long long rank = 0;
  if (!isnan(e->q))
    rank = 1 + (long long)(1e6 * (1 - e->q)) + (noise_is_change(row, by_cum) ? 1000000 : 0);
  size_t count;
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(page->judgement.verdicts, &count);
  fill_pack(&page->fill, "word:s rank:i", noise_word(row, by_cum), (int64_t)rank);
  struct buffer *title = fill_text(&page->fill, "title");
  if (moved && row->partner < count)
    buffer_printf(title, "%s %.*s, ", e->delta < 0 ? "to" : "from",
                  STR_ARG(rows[row->partner].name));
  if (isnan(e->q))
    buffer_add_text(title, "not tested");
  else
    buffer_printf(title, e->q < 1e-4 ? "q < 0.0001" : "q = %.4f", e->q);
}

void page_change(struct view_page *page, double base, double head) {
  double change = head - base;
  if (change != 0) fill_words(&page->fill, "sign", change > 0 ? "\xE2\x96\xB2" : "\xE2\x96\xBC");
  html_relative(fill_text(&page->fill, "relative"), base, head);
}

static void difference_amounts(struct view_page *page, const struct view_row *row, bool by_cum) {
  const struct view_sides *s = by_cum ? &row->total : &row->self;
  struct fill *fill = &page->fill;
  fill_pack(fill, "amounts:{base:d head:d change:d ratio:d", s->base, s->head, s->head - s->base,
            s->base != 0 ? (s->head - s->base) / s->base : 1e9);
  page_amount(page, "base-text", s->base);
  page_amount(page, "head-text", s->head);
  page_amount_change(page, "change-text", s);
  if (row->verdict)
    amount_add_half(page, noise_estimate(row->verdict, by_cum), fill_text(fill, "half"));
  page_change(page, s->base, s->head);
  fill_end(fill);
}

/* Returns the CSS class of a row. "quiet" means noise or no verdict. "shared" means that the value
 * changed by about the same factor as all functions together. "" means a change. */
static const char *difference_class(const struct view_page *page, const struct view_row *row,
                                    bool by_cum) {
  if (!page->judgement.verdicts || noise_is_change(row->verdict, by_cum)) return "";
  if (!row->verdict) return "quiet";
  return pprofc_verdict_is_certain(noise_estimate(row->verdict, by_cum)->verdict) ? "shared"
                                                                                  : "quiet";
}

void page_difference_cells(struct view_page *page, const struct view_row *row, bool by_cum) {
  fill_pack(&page->fill, "status:s quiet:s", page_status(row, by_cum),
            difference_class(page, row, by_cum));
  if (!row->unscaled) difference_amounts(page, row, by_cum);
  if (row->verdict && *noise_word(row->verdict, by_cum))
    difference_verdict(page, row->verdict, by_cum);
}

void page_difference_row(struct view_page *page, const struct view_row *row, bool by_cum) {
  fill_begin(&page->fill, "rows");
  view_row_fill_sides(page, row);
  page_difference_cells(page, row, by_cum);
  page_fill_name(page, row);
  fill_end(&page->fill);
}

void page_difference_head(struct view_page *page) {
  const char *per = noise_per(&page->judgement);
  buffer_printf(fill_text(&page->fill, "per"), "%s%s", *per ? " " : "", per);
  fill_flag(&page->fill, "judged", page->judgement.verdicts);
}

/* Adds the lines of `text` as rows of the template's list `list`. */
static void difference_lines(struct view_page *page, const char *list, pprofc_str text) {
  pprofc_str line;
  while (str_next(&text, '\n', &line) && line.size) {
    fill_begin(&page->fill, list);
    fill_pack(&page->fill, "line:S}", line);
  }
}

/* Adds a line for each group of functions that moved cost to each other. Adds the lines that -top
 * -noise prints above and below its table, except the sentence. */
static void difference_notes(struct view_page *page) {
  const struct noise_report *report = &page->judgement;
  struct output lines;
  size_t count;
  const pprofc_verdict_domain *domains = pprofc_verdicts_domains(report->verdicts, &count);
  struct buffer text = buffer_make(page->mem, (size_t)1 << 20);
  output_init(&lines, buffer_write, &text);
  for (size_t i = 0; i < count; i++)
    noise_put_domain_line(report, &domains[i], &page->grid.unit, &lines);
  output_flush(&lines, NULL);
  difference_lines(page, "places", buffer_str(&text));
  buffer_clear(&text);
  noise_conditions(report, &lines);
  noise_footer(report, &lines);
  output_flush(&lines, NULL);
  difference_lines(page, "notes", buffer_str(&text));
  buffer_free(&text);
}

static void difference_source(struct view_page *page, const char *side, size_t sources) {
  if (sources <= 1) return;
  fill_pack(&page->fill, "added:{side:s count:i}", side, (int64_t)sources);
}

void page_sentence(struct view_page *page) {
  const struct noise_report *j = &page->judgement;
  if (!j->verdicts) {
    fill_words(&page->fill, "reason", j->reason);
    return;
  }
  fill_str(&page->fill, "sentence", j->summary.sentence);
  difference_notes(page);
  difference_source(page, "base", page->in->info->base.sources);
  difference_source(page, "head", page->in->info->head.sources);
}
