/* Writes the rows of the page. A slower benchmark gets a row with the reason and a picture,
 * and a doubtful benchmark gets a row. The others are collapsed. */
#include "page/rows.h"

#include "page/details.h"
#include "page/html.h"
#include "page/numbers.h"
#include "page/tabs.h"

#include <math.h>

#define PICTURE_HEIGHT 180 /* pixels; height of a picture in a row */
#define UNSURE_MOST                                                                                \
  6                  /* rows of benchmarks that could not be judged; further ones are              \
                        collapsed */
#define NAMED_MOST 3 /* names in the line of a collapsed table */

/* ---- cells ------------------------------------------- */

/* Appends the text of a tooltip: "p 0.0001, adjusted 0.0003, n 10+10, Welch, alpha 0.05". */
static void put_statistics(struct buffer *out, const struct benchmark *b,
                           const struct gate_row *row) {
  number_phrase(out, row);
  buffer_printf(out, "; %s", details_verdict(b, row));
  if (row->noise > 0) {
    buffer_add_text(out, "; swings by ");
    number_size(out, row->noise);
    buffer_add_text(out, " without a change");
  }
  if (row->constant)
    buffer_add_text(out, row->exact ? "; counted" : "; constant");
  else if (row->tested)
    buffer_printf(out, "; %s p %.2g, adjusted %.2g, alpha %.3g", row->test, row->p, row->adjusted,
                  row->alpha);
  if (row->base_count || row->head_count)
    buffer_printf(out, "; n %zu+%zu", row->base_count, row->head_count);
}

static void put_interval(struct buffer *out, const struct gate_row *row) {
  size_t before = out->size;
  buffer_add_text(out, " <span class=\"interval\">(");
  size_t open = out->size;
  number_interval(out, row);
  if (out->size == open)
    out->size = before;
  else
    buffer_add_text(out, ")</span>");
}

/* Appends "2.05 µs → 10.1 µs +392 % (+371 to +414)", or only the value if it did not change. */
static void put_metric(struct buffer *out, const struct benchmark *b, const struct gate_row *row) {
  const char *name = details_change_class(row);
  buffer_add_text(out, " title=\"");
  put_statistics(out, b, row);
  buffer_add_text(out, "\">");
  if (row->in_base && row->in_head && row->base == row->head) {
    number_amount(out, row->head, row->unit);
    return;
  }
  buffer_add_text(out, "<span class=\"sides\">");
  number_sides(out, row);
  buffer_printf(out, "</span> <b class=\"%s\">", name);
  number_change(out, row);
  buffer_add_text(out, "</b>");
  if (row->verdict == GATE_REGRESSED && number_is_time(row->unit)) put_interval(out, row);
}

static void put_metric_cell(struct buffer *out, const struct page_model *m,
                            const struct benchmark *b, int metric) {
  const struct gate_row *row = b->metrics[metric];
  buffer_printf(out, "<td role=\"cell\" data-label=\"%s\"><div", m->columns[metric].label);
  if (row)
    put_metric(out, b, row);
  else
    buffer_add_text(out, ">" DASH);
  buffer_add_text(out, "</div></td>");
}

static void put_strip_cell(struct buffer *out, const struct page_model *m,
                           const struct benchmark *b) {
  const struct gate_row *row = b->metrics[METRIC_TIME] ? b->metrics[METRIC_TIME] : b->worst;
  if (m->counted) {
    buffer_add_text(out, "<td role=\"cell\" class=\"rounds\" data-label=\"change\">");
    html_gauge(out, row);
    buffer_add_text(out, "</td>");
    return;
  }
  struct run_samples base = model_samples(m, row, SIDE_BASE);
  struct run_samples head = model_samples(m, row, SIDE_HEAD);
  buffer_add_text(out, "<td role=\"cell\" class=\"rounds\" data-label=\"rounds, base | head\">");
  html_strip(out, &base, &head, row->unit);
  buffer_add_text(out, "</td>");
}

static const struct {
  const char *sign, *css;
} state_marks[STATES] = {[STATE_SLOWER] = {"\xE2\x9C\x97", "worse"},
                         [STATE_MISSING] = {"\xE2\x88\x85", "doubt"},
                         [STATE_BROKEN] = {"!", "doubt"},
                         [STATE_UNSURE] = {"?", "noise"},
                         [STATE_FASTER] = {"\xE2\x96\xBC", "better"},
                         [STATE_ACCEPTED] = {"\xE2\x96\xB2", "noise"},
                         [STATE_NEW] = {"+", "noise"},
                         [STATE_UNCHANGED] = {"=", "noise"}};

/* Appends the smallest detectable change, and the rounds needed to detect the threshold. */
static void rows_put_noise(struct buffer *out, const struct gate_row *row) {
  buffer_add_text(out, "noise: ");
  if (isfinite(row->visible)) {
    buffer_add_text(out, "changes below ");
    number_size(out, row->visible);
    buffer_add_text(out, " could not be seen");
  } else {
    buffer_add_text(out, "no change could be seen");
  }
  if (!isfinite(row->needed)) return;
  buffer_printf(out, ", %.0f rounds would show ", row->needed);
  number_size(out, row->threshold);
}

/* Appends why a benchmark could not be judged, in place of an interval. */
static void rows_put_doubt(struct buffer *out, const struct benchmark *b) {
  const struct gate_row *row = b->worst;
  if (b->state == STATE_MISSING) buffer_add_text(out, "missing in the head");
  if (b->state == STATE_BROKEN) buffer_add_text(out, "suspiciously fast: was anything measured?");
  if (b->state != STATE_UNSURE) return;
  if (row->significant && !row->aside)
    buffer_printf(out, "near the threshold of %.3g" PERCENT_FORMAT, 100 * row->threshold);
  else if (row->verdict == GATE_TOO_FEW)
    buffer_printf(out, "too few rounds: %zu and %zu", row->base_count, row->head_count);
  else
    rows_put_noise(out, row);
}

/* Appends metrics that have no column but got worse. */
static void put_other_metrics(struct buffer *out, const struct page_model *m,
                              const struct benchmark *b) {
  size_t count;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  for (size_t i = 0; i < b->row_count; i++) {
    const struct gate_row *row = &rows[b->rows[i]];
    bool column = false;
    for (int k = 0; k < METRICS; k++) column |= b->metrics[k] == row;
    if (column || row->verdict != GATE_REGRESSED) continue;
    buffer_add_text(out, "<span class=\"other\">");
    html_text(out, row->unit);
    buffer_add_char(out, ' ');
    number_sides(out, row);
    buffer_add_text(out, " <b class=\"worse\">");
    number_change(out, row);
    buffer_add_text(out, "</b></span>");
  }
}

/* ---- rows -------------------------------------------- */

static void put_name_cell(struct buffer *out, const struct page_model *m,
                          const struct benchmark *b) {
  buffer_printf(out,
                "<th role=\"rowheader\" scope=\"row\"><a class=\"anchor\" href=\"#b-%zu\"><span "
                "class=\"mark\">%s</span> ",
                b->number, state_marks[b->state].sign);
  html_text(out, b->name);
  if (!m->one_group) {
    buffer_add_text(out, " <small>");
    html_text(out, b->group);
    buffer_add_text(out, "</small>");
  }
  buffer_add_text(out, "</a>");
  put_other_metrics(out, m, b);
  buffer_add_text(out, "</th>");
}

static void put_head(struct buffer *out, const struct page_model *m) {
  buffer_add_text(out,
                  "<table class=\"bench\" role=\"table\"><thead role=\"rowgroup\"><tr role=\"row\">"
                  "<th role=\"columnheader\" scope=\"col\">Benchmark");
  if (m->one_group) {
    buffer_add_text(out, " <small>");
    html_text(out, m->benchmarks[0].group);
    buffer_add_text(out, "</small>");
  }
  buffer_add_text(out, "</th>");
  for (int metric = 0; metric < METRICS; metric++)
    buffer_printf(out, "<th role=\"columnheader\" scope=\"col\">%s</th>", m->columns[metric].title);
  buffer_printf(out, "<th role=\"columnheader\" scope=\"col\">%s</th></tr></thead>\n",
                m->counted ? "Change" : "Rounds <small>base | head</small>");
}

/* Begins a row that spans all columns. */
static void begin_wide(struct buffer *out, const char *name) {
  buffer_printf(out, "<tr role=\"row\" class=\"%s\"><td role=\"cell\" colspan=\"5\">", name);
}

static void end_wide(struct buffer *out) {
  buffer_add_text(out, "</td></tr>\n");
}

/* Appends the explanation of a row: functions, and the flame graph at that function. */
static void put_reason(struct buffer *out, const struct page_model *m,
                       const struct run_pair *pair) {
  if (html_has_because(pair)) {
    begin_wide(out, "because");
    buffer_add_text(out, "<div><span class=\"lead\">because</span><div>\n");
    html_because(out, m, pair);
    buffer_add_text(out, "</div></div>");
    end_wide(out);
  }
  begin_wide(out, "flame");
  tabs_print(out, m, pair, PICTURE_HEIGHT, false);
  end_wide(out);
}

/* Appends all other details, collapsed under a line that says why the benchmark could not be
 * judged. */
static void put_details(struct buffer *out, const struct page_model *m, const struct benchmark *b,
                        const struct run_pair *shown) {
  begin_wide(out, "more");
  buffer_add_text(out, "<details><summary>");
  size_t before = out->size;
  rows_put_doubt(out, b);
  if (out->size > before) buffer_add_text(out, " " DOT " ");
  buffer_add_text(out, "all numbers of ");
  html_text(out, b->name);
  buffer_add_text(out, "</summary>\n");
  details_print(out, m, b, shown);
  buffer_add_text(out, "</details>");
  end_wide(out);
}

static void put_row(struct buffer *out, const struct page_model *m, const struct benchmark *b) {
  buffer_printf(out, "<tbody role=\"rowgroup\" class=\"item %s\" id=\"b-%zu\">\n<tr role=\"row\">",
                state_marks[b->state].css, b->number);
  put_name_cell(out, m, b);
  for (int metric = 0; metric < METRICS; metric++) put_metric_cell(out, m, b, metric);
  put_strip_cell(out, m, b);
  buffer_add_text(out, "</tr>\n");
  const struct run_pair *shown = b->state == STATE_SLOWER ? model_pair(m, b) : NULL;
  if (shown) put_reason(out, m, shown);
  put_details(out, m, b, shown);
  buffer_add_text(out, "</tbody>\n");
}

/* ---- the tables -------------------------------------- */

/* Returns the first benchmark with a result; benchmarks with the same result are adjacent. */
static size_t first_of(const struct page_model *m, enum page_state state) {
  size_t first = 0;
  for (int before = 0; before < (int)state; before++) first += m->states[before];
  return first;
}

static bool is_shown(const struct page_model *m, enum page_state state) {
  if (state == STATE_UNSURE) return m->states[STATE_UNSURE] <= UNSURE_MOST;
  return state < STATE_UNSURE;
}

static const char *const fold_titles[STATES] = {
    [STATE_SLOWER] = "slower",     [STATE_MISSING] = "missing",
    [STATE_BROKEN] = "suspicious", [STATE_UNSURE] = "could not be judged",
    [STATE_FASTER] = "faster",     [STATE_ACCEPTED] = "slower, which a rule accepts",
    [STATE_NEW] = "new",           [STATE_UNCHANGED] = "unchanged"};

/* Appends "3 faster (Title −12 %, ...)". */
static void put_fold_title(struct buffer *out, const struct page_model *m, enum page_state state) {
  size_t first = first_of(m, state), count = m->states[state];
  buffer_printf(out, "%zu %s", count, fold_titles[state]);
  if (state == STATE_UNCHANGED) return;
  buffer_add_text(out, " <span class=\"some\">(");
  for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
    const struct benchmark *b = &m->benchmarks[first + i];
    buffer_add_text(out, i ? ", " : "");
    html_text(out, b->name);
    if (state != STATE_FASTER) continue;
    buffer_add_char(out, ' ');
    number_change(out, b->worst);
  }
  buffer_add_text(out, count > NAMED_MOST ? ", ...)</span>" : ")</span>");
}

static void put_fold(struct buffer *out, const struct page_model *m, enum page_state state) {
  size_t first = first_of(m, state);
  buffer_printf(out, "<details class=\"fold %s\" id=\"fold-%d\"><summary>", state_marks[state].css,
                (int)state);
  put_fold_title(out, m, state);
  buffer_add_text(out, "</summary>\n");
  put_head(out, m);
  for (size_t i = 0; i < m->states[state]; i++) put_row(out, m, &m->benchmarks[first + i]);
  buffer_add_text(out, "</table>\n</details>\n");
}

void rows_print(struct buffer *out, const struct page_model *m) {
  bool any = false;
  for (int state = 0; state < STATES; state++) {
    if (!m->states[state] || !is_shown(m, (enum page_state)state)) continue;
    if (!any) put_head(out, m);
    any = true;
    for (size_t i = 0; i < m->states[state]; i++)
      put_row(out, m, &m->benchmarks[first_of(m, (enum page_state)state) + i]);
  }
  if (any) buffer_add_text(out, "</table>\n");
  for (int state = 0; state < STATES; state++)
    if (m->states[state] && !is_shown(m, (enum page_state)state))
      put_fold(out, m, (enum page_state)state);
}
