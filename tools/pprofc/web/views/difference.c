/* The table of a difference: Base, Head, Change, Change %, Certain?, Function. Top and Compare
 * print it; the inspector prints the same numbers. */
#include "web/views/page.h"

#include "noise/domains.h"
#include "options.h"

#include <math.h>

/* ---- numbers ----------------------------------------- */

/* Chooses one unit and number of digits, so that base and change add up to the head, as in
 * -top -noise. */
void page_set_grid(struct view_page *page, const struct view_rows *rows, pprofc_str unit) {
  const struct command command = {.report = *page->in->options};
  struct noise_report report = {.command = &command};
  double largest = 0, smallest = (double)INFINITY;
  bool whole = true;
  for (size_t i = 0; i < rows->count; i++) {
    const struct view_row *r = &rows->items[i];
    double change = fabs(r->self.head - r->self.base);
    double total = fabs(r->total.head - r->total.base);
    largest = fmax(largest, fmax(fmax(r->self.base, r->self.head), total));
    if (change != 0) smallest = fmin(smallest, change);
    whole = whole && r->self.base == floor(r->self.base) && r->self.head == floor(r->self.head) &&
            total == floor(total);
  }
  report.summary.unit = unit;
  struct amount_unit amount = noise_unit_for(&report, largest);
  whole = whole && amount_is_count(&amount);
  page->grid = amount_grid_for(&amount, largest, isinf(smallest) ? 0 : smallest, whole);
}

void page_amount(struct output *out, const struct view_page *page, double value) {
  char text[AMOUNT_TEXT];
  html_name(out, amount_of_ticks(&page->grid, amount_ticks(&page->grid, value), false, text));
}

/* Returns the change in units of the last digit. */
static double amount_change(const struct view_page *page, const struct view_sides *sides) {
  return amount_ticks(&page->grid, sides->head) - amount_ticks(&page->grid, sides->base);
}

void page_amount_change(struct output *out, const struct view_page *page,
                        const struct view_sides *sides) {
  char text[AMOUNT_TEXT];
  html_name(out, amount_of_ticks(&page->grid, amount_change(page, sides), true, text));
}

/* Writes "±1.31s"; nothing for counts of single runs and for rows without a verdict. */
static void amount_half(struct output *out, const struct view_page *page,
                        const pprofc_verdict_estimate *e) {
  char text[AMOUNT_TEXT];
  double half = amount_ticks(&page->grid, (e->high - e->low) / 2);
  if (isnan(e->p) || page->judgement.summary.lone || half == 0) return;
  output_add_text(out, " \xC2\xB1");
  html_name(out, amount_of_ticks(&page->grid, half, false, text));
}

/* ---- a row ------------------------------------------- */

static const struct view_sides *difference_sides(const struct view_row *row, bool by_cum) {
  return by_cum ? &row->total : &row->self;
}

const char *page_status(const struct view_row *row, bool by_cum) {
  const struct view_sides *s = difference_sides(row, by_cum);
  if (row->total.base == 0 && row->total.head != 0) return "new";
  if (row->total.base != 0 && row->total.head == 0) return "gone";
  if (s->head == s->base) return "same";
  return s->head > s->base ? "grew" : "shrank";
}

void page_verdict_text(struct output *out, const struct view_page *page, const struct view_row *row,
                       bool by_cum) {
  const char *word = row->verdict ? judge_word(row->verdict, by_cum) : "";
  if (!*word) return;
  output_add_text(out, word);
  output_add_text(out, ": ");
  page_amount_change(out, page, difference_sides(row, by_cum));
  amount_half(out, page, judge_estimate(row->verdict, by_cum));
}

/* Writes the tooltip of a verdict: "moved" and the other function. */
static void verdict_title(struct output *out, const struct view_page *page,
                          const pprofc_verdict_row *row, bool by_cum) {
  const pprofc_verdict_estimate *e = judge_estimate(row, by_cum);
  size_t count;
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(page->judgement.verdicts, &count);
  output_add_text(out, " title=\"");
  if (!by_cum && row->relation && row->partner < count) {
    output_add_text(out, e->delta < 0 ? "to " : "from ");
    html_name(out, rows[row->partner].name);
    output_add_text(out, ", ");
  }
  if (isnan(e->q))
    output_add_text(out, "not tested\"");
  else
    output_printf(out, e->q < 1e-4 ? "q &lt; 0.0001\"" : "q = %.4f\"", e->q);
}

/* Returns the sort key of a verdict: changed rows first, rows without a test last. */
static long long verdict_rank(const pprofc_verdict_row *row, bool by_cum) {
  const pprofc_verdict_estimate *e = judge_estimate(row, by_cum);
  if (isnan(e->q)) return 0;
  return 1 + (long long)(1e6 * (1 - e->q)) + (judge_is_change(row, by_cum) ? 1000000 : 0);
}

static void difference_verdict(struct output *out, const struct view_page *page,
                               const pprofc_verdict_row *row, bool by_cum) {
  const char *word = row ? judge_word(row, by_cum) : "";
  if (!*word) {
    output_add_text(out, "<td class=verdict data-sort=\"0\"></td>");
    return;
  }
  output_printf(out, "<td class=verdict data-sort=\"%lld\"", verdict_rank(row, by_cum));
  verdict_title(out, page, row, by_cum);
  output_printf(out, ">%s</td>", word);
}

/* ---- the table --------------------------------------- */

static void difference_amount(struct output *out, const struct view_page *page, double value) {
  output_printf(out, "<td data-sort=\"%.17g\">", value);
  page_amount(out, page, value);
  output_add_text(out, "</td>");
}

static void difference_change(struct output *out, const struct view_page *page,
                              const struct view_row *row, bool by_cum) {
  const struct view_sides *s = difference_sides(row, by_cum);
  const char *status = page_status(row, by_cum);
  output_printf(out, "<td class=\"change %s\" data-sort=\"%.17g\">", status, s->head - s->base);
  page_amount_change(out, page, s);
  if (row->verdict) {
    output_add_text(out, "<small>");
    amount_half(out, page, judge_estimate(row->verdict, by_cum));
    output_add_text(out, "</small>");
  }
  output_printf(out, "</td><td class=\"share %s\" data-sort=\"%.17g\">%s", status,
                s->base != 0 ? (s->head - s->base) / s->base : 1e9, html_sign(s->head - s->base));
  html_relative(out, s->base, s->head);
  output_add_text(out, "</td>");
}

/* Returns the CSS class of a row: grey for noise and rows without a verdict, pale for a change
 * that all functions share. */
static const char *difference_class(const struct view_page *page, const struct view_row *row,
                                    bool by_cum) {
  if (!page->judgement.verdicts || judge_is_change(row->verdict, by_cum)) return "";
  if (!row->verdict) return "quiet";
  return pprofc_verdict_is_certain(judge_estimate(row->verdict, by_cum)->verdict) ? "shared"
                                                                                  : "quiet";
}

void page_difference_row(struct output *out, const struct view_page *page,
                         const struct view_row *row, bool by_cum) {
  static const char *const marks[] = {"", " (inline)", " (partial-inline)"};
  pprofc_str selected = page->selected.function;
  bool chosen = selected.size && str_equal(selected, row->function);
  output_add_text(out, "<tr");
  view_row_attributes(out, page, NULL, row);
  output_printf(out, " data-status=%s class=\"%s%s\">", page_status(row, by_cum),
                difference_class(page, row, by_cum), chosen ? " selected" : "");
  difference_amount(out, page, difference_sides(row, by_cum)->base);
  difference_amount(out, page, difference_sides(row, by_cum)->head);
  difference_change(out, page, row, by_cum);
  if (page->judgement.verdicts) difference_verdict(out, page, row->verdict, by_cum);
  output_add_text(out, "<td class=name>");
  page_name_link(out, page, "peek", row->function, row->name);
  output_printf(out, "<span class=mark>%s</span></td></tr>\n", marks[row->inlined]);
}

void page_difference_open(struct output *out, const struct view_page *page, const char *id) {
  output_printf(out, "<div class=scroll><table%s class=\"rows diff%s\"><thead><tr>", id,
                page->judgement.verdicts ? " judged" : "");
  output_add_text(out,
                  "<th scope=col><span>Base</span></th><th scope=col><span>Head</span></th>"
                  "<th scope=col aria-sort=descending title=\"head - base, and half of its "
                  "95 % interval\"><span>Change</span></th><th scope=col title=\"of the base\">"
                  "<span>Change %</span></th>");
  if (page->judgement.verdicts)
    output_add_text(out, "<th scope=col title=\"is the change more than noise\">"
                         "<span>Certain?</span></th>");
  output_add_text(out, "<th scope=col><span>Function</span></th></tr></thead>\n<tbody>\n");
}

void page_difference_close(struct output *out, bool empty) {
  if (empty) output_add_text(out, "<tr><td colspan=6>nothing</td></tr>\n");
  output_add_text(out, "</tbody></table></div>\n");
}

/* ---- sentence and notes ------------------------------ */

static int difference_collect(void *buffer, const void *data, size_t size) {
  buffer_add(buffer, data, size);
  return ((struct buffer *)buffer)->failed;
}

/* Writes lines of -top -noise as text. */
typedef void (*difference_write_fn)(const struct noise_report *report, const struct view_page *page,
                                    struct output *lines);

/* Writes the lines above and below the table. */
static void difference_write_notes(const struct noise_report *report, const struct view_page *page,
                                   struct output *lines) {
  (void)page;
  noise_header(report, lines);
  noise_footer(report, lines);
}

/* Writes the places inside which cost moved or grew. */
static void difference_write_places(const struct noise_report *report, const struct view_page *page,
                                    struct output *lines) {
  size_t count;
  const pprofc_verdict_domain *domains = pprofc_verdicts_domains(report->verdicts, &count);
  for (size_t i = 0; i < count; i++)
    noise_put_domain_line(report, &domains[i], &page->grid.unit, lines);
}

/* Writes each line as a paragraph, without the first `skip` lines. */
static void difference_lines(struct output *out, const struct view_page *page,
                             difference_write_fn write, size_t skip) {
  const struct command command = {.report = *page->in->options};
  struct noise_report report = {.command = &command, .verdicts = page->judgement.verdicts};
  struct buffer text;
  struct output lines;
  buffer_init(&text, page->mem, (size_t)1 << 20);
  output_init(&lines, difference_collect, &text);
  noise_take(&report);
  write(&report, page, &lines);
  output_flush(&lines, NULL);
  pprofc_str rest = buffer_str(&text), line;
  for (size_t i = 0; str_next(&rest, '\n', &line) && line.size; i++) {
    if (i < skip) continue;
    output_add_text(out, "<p>");
    html_name(out, line);
    output_add_text(out, "</p>");
  }
  buffer_free(&text);
}

static void difference_sources(struct output *out, const char *side, size_t sources) {
  if (sources > 1)
    output_printf(out, "<p>The %s is %zu profiles added up, judged as one run.</p>", side, sources);
}

void page_sentence(struct output *out, const struct view_page *page) {
  const struct judgement *j = &page->judgement;
  if (!j->verdicts) {
    output_add_text(out, "<p id=judged>No verdicts for these rows: ");
    html_put(out, j->reason);
    output_add_text(out, ".</p>\n");
    return;
  }
  const pprofc_verdict_summary *s = &j->summary;
  output_add_text(out, "<section id=judged><p id=sentence>");
  html_name(out, s->sentence);
  output_add_text(out, "</p>");
  difference_lines(out, page, difference_write_places, 0);
  output_add_text(out, "<details><summary>How sure is this?</summary>");
  difference_lines(out, page, difference_write_notes, 1); /* the sentence is above */
  difference_sources(out, "base", page->in->info->base_sources);
  difference_sources(out, "head", page->in->info->head_sources);
  output_add_text(out, "</details></section>\n");
}
