/* Writes the numbers of benchmarks as tables. */
#include "page/details.h"

#include "page/html.h"
#include "page/numbers.h"
#include "page/tabs.h"

#include <math.h>
#include <stdio.h>

#define PICTURE_HEIGHT 180

const char *details_change_class(const struct gate_row *row) {
  if (row->verdict == GATE_REGRESSED) return "worse";
  if (row->verdict == GATE_IMPROVED || row->verdict == GATE_SUSPICIOUS) return "better";
  return "noise";
}

const char *details_verdict(const struct benchmark *b, const struct gate_row *row) {
  /* A benchmark that is faster by more than half is suspicious only if it may have measured
   * nothing. */
  if (row->verdict == GATE_SUSPICIOUS && b->state != STATE_BROKEN) return "improved";
  return gate_row_verdict(row);
}

/* ---- a row of a table -------------------------------- */

/* Returns the title of a unit, or NULL. */
static const char *unit_title(pprofc_str unit) {
  static const struct {
    const char *unit, *title;
  } titles[] = {{"sec/op", "time per op"},
                {"cpu-sec/op", "CPU time per op"},
                {"B/op", "allocated per op"},
                {"allocs/op", "allocations per op"},
                {"cycles-estimated", "cycles, estimated"},
                {"L1-missed", "misses of first-level caches"},
                {"LL-missed", "accesses to memory"}};
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    if (str_equal(unit, str_of(titles[i].unit))) return titles[i].title;
  return NULL;
}

static void put_unit(struct buffer *out, const struct gate_row *row) {
  const char *title = unit_title(row->unit);
  buffer_add_text(out, "<td>");
  if (title)
    buffer_add_text(out, title);
  else
    html_text(out, row->unit);
  buffer_add_text(out, "</td>");
}

static void put_side(struct buffer *out, bool there, double value, pprofc_str unit) {
  buffer_add_text(out, "<td>");
  if (there)
    number_amount(out, value, unit);
  else
    buffer_add_text(out, DASH);
  buffer_add_text(out, "</td>");
}

/* Writes the difference as an amount and in percent. */
static void put_delta(struct buffer *out, const struct gate_row *row) {
  bool both = row->in_base && row->in_head && row->base != row->head;
  buffer_add_text(out, "<td>");
  if (both) {
    buffer_add_text(out, row->head < row->base ? MINUS : "+");
    number_amount(out, fabs(row->head - row->base), row->unit);
  }
  buffer_add_text(out, "</td><td>");
  number_change(out, row);
  buffer_add_text(out, "</td>");
}

static void put_judged(struct buffer *out, const struct benchmark *b, const struct gate_row *row) {
  buffer_add_text(out, "<td>");
  if (row->constant)
    buffer_add_text(out, "exact");
  else
    number_interval(out, row);
  buffer_add_text(out, "</td><td>");
  if (row->tested && !row->constant) buffer_printf(out, "%.2g", row->adjusted);
  buffer_printf(out, "</td><td>%zu + %zu</td><td>%s</td>", row->base_count, row->head_count,
                details_verdict(b, row));
}

static void put_measurement(struct buffer *out, const struct benchmark *b,
                            const struct gate_row *row) {
  put_unit(out, row);
  put_side(out, row->in_base, row->base, row->unit);
  put_side(out, row->in_head, row->head, row->unit);
  put_delta(out, row);
  put_judged(out, b, row);
  buffer_add_text(out, "</tr>\n");
}

/* ---- tables ------------------------------------------ */

static void put_measured_head(struct buffer *out, const char *first) {
  static const char *const titles[] = {
      "Base",       "Head",   "\xCE\x94", "\xCE\x94" PERCENT, "Interval of \xCE\x94" PERCENT,
      "Adjusted p", "Rounds", "Verdict"};
  buffer_add_text(out, "<div class=\"scroll\" tabindex=\"0\"><table class=\"units\"><thead><tr>");
  if (*first) buffer_printf(out, "<th scope=\"col\">%s</th>", first);
  buffer_add_text(out, "<th scope=\"col\">Measured</th>");
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    buffer_printf(out, "<th scope=\"col\">%s</th>", titles[i]);
  buffer_add_text(out, "</tr></thead>\n<tbody>\n");
}

static void put_measured_end(struct buffer *out) {
  buffer_add_text(out, "</tbody></table></div>\n");
}

static void put_units(struct buffer *out, const struct page_model *m, const struct benchmark *b) {
  size_t count;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  put_measured_head(out, "");
  for (size_t i = 0; i < b->row_count; i++) {
    const struct gate_row *row = &rows[b->rows[i]];
    buffer_printf(out, "<tr class=\"%s\">", details_change_class(row));
    put_measurement(out, b, row);
  }
  put_measured_end(out);
}

void details_print(struct buffer *out, const struct page_model *m, const struct benchmark *b,
                   const struct run_pair *shown) {
  put_units(out, m, b);
  for (size_t i = 0; i < m->run->pair_count; i++) {
    const struct run_pair *pair = &m->run->pairs[i];
    if (!model_is_of(pair, b) || pair == shown) continue;
    buffer_printf(out, "<h3>%s profile", pair->kind);
    if (pair->iterations > 0) buffer_printf(out, " of %.0f iterations a side", pair->iterations);
    buffer_add_text(out, "</h3>\n");
    if (*pair->note) {
      buffer_add_text(out, "<p class=\"note\">");
      html_words(out, pair->note);
      buffer_add_text(out, "</p>\n");
    }
    html_because(out, m, pair);
    tabs_print(out, m, pair, PICTURE_HEIGHT, false);
  }
}

void details_print_all(struct buffer *out, const struct page_model *m) {
  size_t count;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  if (!m->count) return;
  buffer_printf(out, "<details><summary>all %zu measurements</summary>\n", count);
  put_measured_head(out, "Benchmark");
  for (size_t i = 0; i < m->count; i++) {
    const struct benchmark *b = &m->benchmarks[i];
    for (size_t k = 0; k < b->row_count; k++) {
      const struct gate_row *row = &rows[b->rows[k]];
      buffer_printf(out, "<tr class=\"%s\"><th scope=\"row\"><a href=\"#b-%zu\">",
                    details_change_class(row), b->number);
      html_text(out, b->name);
      buffer_add_text(out, "</a></th>");
      put_measurement(out, b, row);
    }
  }
  put_measured_end(out);
  buffer_add_text(out, "</details>\n");
}
