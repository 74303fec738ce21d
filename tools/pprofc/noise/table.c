/* The table of -top -noise: values of base and head, their difference with half of its
 * interval, and the verdict. */
#include "core/output.h"
#include "noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Default of -nodecount, as in -top. */
#define TABLE_ROWS 80

struct noise_rows {
  const struct noise_report *report;
  const pprofc_verdict_row **shown;
  size_t count, dropped, left_out; /* dropped: too small; left_out: exceed -nodecount */
  double cutoff;
  bool by_cum;
  struct amount_grid grid;
};

static bool noise_row_changed(const pprofc_verdict_row *row) {
  return pprofc_verdict_is_certain(row->flat.verdict) || pprofc_verdict_is_change(row->cum.verdict);
}

/* ---- choice of rows ---------------------------------- */

static int noise_rows_by_cum(const void *a, const void *b) {
  const pprofc_verdict_row *x = *(const pprofc_verdict_row *const *)a;
  const pprofc_verdict_row *y = *(const pprofc_verdict_row *const *)b;
  double dx = fabs(x->cum.delta), dy = fabs(y->cum.delta);
  if (dx != dy) return dx < dy ? 1 : -1;
  return (x > y) - (x < y); /* rows are sorted by flat */
}

/* Keeps a row that changed significantly, however small the change is. */
static bool noise_rows_keep(struct noise_rows *rows, const pprofc_verdict_row *row) {
  if (noise_row_changed(row)) return true;
  if (strcmp(rows->report->command->noise.show, "changed") == 0) return false;
  if (row->flat.delta == 0 && row->cum.delta == 0) return false;
  if (fabs(row->cum.delta) > rows->cutoff || fabs(row->flat.delta) > rows->cutoff) return true;
  rows->dropped++;
  return false;
}

static bool noise_rows_choose(struct noise_rows *rows) {
  const struct noise_report *report = rows->report;
  const pprofc_report_options *o = &report->command->report;
  int most = o->nodecount == -1 ? TABLE_ROWS : o->nodecount;
  if (!o->trim) most = 0;
  rows->by_cum = o->sort && strcmp(o->sort, "cum") == 0;
  rows->cutoff = o->trim ? o->nodefraction * fabs(report->summary.total_base) : 0;
  rows->shown = mem_array(&mem_default, report->row_count, sizeof *rows->shown);
  if (!rows->shown) return false;
  for (size_t i = 0; i < report->row_count; i++)
    if (noise_rows_keep(rows, &report->rows[i])) rows->shown[rows->count++] = &report->rows[i];
  if (rows->by_cum) qsort(rows->shown, rows->count, sizeof *rows->shown, noise_rows_by_cum);
  if (most > 0 && rows->count > (size_t)most) {
    rows->left_out = rows->count - (size_t)most;
    rows->count = (size_t)most;
  }
  return true;
}

/* ---- digits ------------------------------------------ */

/* True if all counts are whole numbers, because nothing divides them. */
static bool noise_rows_whole(const struct noise_rows *rows, const struct amount_unit *unit) {
  bool whole = str_equal(unit->to, STR("count")) && unit->ratio == 1;
  for (size_t i = 0; i < rows->count && whole; i++) {
    const pprofc_verdict_row *r = rows->shown[i];
    whole = r->flat.base == floor(r->flat.base) && r->flat.head == floor(r->flat.head) &&
            r->cum.delta == floor(r->cum.delta);
  }
  return whole;
}

/* Chooses one unit and number of digits, so that base and change add up to the head. */
static void noise_rows_grid(struct noise_rows *rows) {
  double largest = 0, smallest = (double)INFINITY;
  for (size_t i = 0; i < rows->count; i++) {
    const pprofc_verdict_row *r = rows->shown[i];
    largest = fmax(largest, fmax(fmax(r->flat.base, r->flat.head), fabs(r->cum.delta)));
    if (r->flat.delta != 0) smallest = fmin(smallest, fabs(r->flat.delta));
  }
  struct amount_unit unit = noise_unit_for(rows->report, largest);
  if (isinf(smallest)) smallest = 0;
  rows->grid = amount_grid_for(&unit, largest, smallest, noise_rows_whole(rows, &unit));
}

/* ---- cells ------------------------------------------- */

static void noise_put_padded(struct output *out, const char *text, size_t width) {
  output_add_char(out, ' ');
  output_add_padded(out, str_of(text), width);
}

/* Writes a q-value: "0.012", "<0.0001". */
static void noise_put_q(struct output *out, double q) {
  char text[32] = "";
  if (q < 1e-4)
    snprintf(text, sizeof text, "<0.0001");
  else if (!isnan(q))
    snprintf(text, sizeof text, q < 0.0995 ? "%.4f" : "%.2f", q);
  noise_put_padded(out, text, 7);
}

static void noise_put_ticks(struct output *out, const struct amount_grid *grid, double ticks,
                            bool plus) {
  char text[AMOUNT_TEXT];
  amount_of_ticks(grid, ticks, plus, text);
  noise_put_padded(out, text, 10);
}

/* Writes half of the interval, or nothing for counts of single runs and rows without a verdict. */
static void noise_put_half(struct output *out, const struct noise_rows *rows,
                           const pprofc_verdict_estimate *e) {
  double ticks = amount_ticks(&rows->grid, (e->high - e->low) / 2);
  if (isnan(e->p) || rows->report->summary.lone || ticks == 0)
    noise_put_padded(out, "", 10);
  else
    noise_put_ticks(out, &rows->grid, ticks, false);
}

static void noise_put_word(struct output *out, const char *word, size_t width) {
  output_add_text(out, "  ");
  output_add_text(out, word);
  output_add_fill(out, ' ', strlen(word) < width ? width - strlen(word) : 0);
}

/* Returns the verdict of flat, or "" for a row without own samples. */
static const char *noise_flat_word(const pprofc_verdict_row *row) {
  if (row->flat.samples <= 0) return "";
  if (row->relation) return pprofc_verdict_relation_name(row->relation);
  return pprofc_verdict_name(row->flat.verdict);
}

/* Returns the verdict of cum if it changed, else "". */
static const char *noise_cum_word(const pprofc_verdict_row *row) {
  if (!pprofc_verdict_is_change(row->cum.verdict)) return "";
  return row->via_callee ? "via callee" : pprofc_verdict_name(row->cum.verdict);
}

/* ---- the table --------------------------------------- */

static void noise_put_row(const struct noise_rows *rows, const pprofc_verdict_row *row,
                          struct output *out) {
  const struct amount_grid *grid = &rows->grid;
  const pprofc_verdict_estimate *sorted = rows->by_cum ? &row->cum : &row->flat;
  output_row(out, noise_row_changed(row), sorted->delta, (long double)row->flat.delta);
  double base = amount_ticks(grid, row->flat.base), head = amount_ticks(grid, row->flat.head);
  char percent[AMOUNT_TEXT];
  noise_put_ticks(out, grid, base, false);
  noise_put_ticks(out, grid, head, false);
  noise_put_ticks(out, grid, head - base, true);
  noise_put_half(out, rows, &row->flat);
  amount_percent(row->flat.base, row->flat.delta, percent);
  noise_put_padded(out, row->flat.delta != 0 ? percent : "", 8);
  noise_put_q(out, rows->report->summary.lone ? (double)NAN : row->flat.q);
  noise_put_word(out, noise_flat_word(row), 25);
  noise_put_ticks(out, grid, amount_ticks(grid, row->cum.delta), true);
  noise_put_word(out, noise_cum_word(row), 10);
  output_add_text(out, "  ");
  noise_put_text(out, row->name);
  if (row->relation) {
    output_add_text(out, row->flat.delta < 0 ? "  to " : "  from ");
    noise_put_text(out, rows->report->rows[row->partner].name);
  }
  output_add_char(out, '\n');
}

static void noise_put_dropped(const struct noise_rows *rows, struct output *out) {
  struct amount_unit unit = noise_unit_for(rows->report, rows->cutoff);
  char text[AMOUNT_TEXT];
  if (rows->dropped)
    output_printf(out, "Dropped %zu %s (change <= %.*s)\n", rows->dropped,
                  noise_functions(rows->dropped),
                  STR_ARG(amount_text(&unit, rows->cutoff, false, text)));
  if (rows->left_out)
    output_printf(out, "Showing top %zu functions out of %zu\n", rows->count,
                  rows->count + rows->left_out);
}

pprofc_status noise_table(const struct noise_report *report, struct output *out,
                          pprofc_error *error) {
  struct noise_rows rows = {.report = report};
  if (!noise_rows_choose(&rows)) return error_nomem(error);
  noise_rows_grid(&rows);
  noise_header(report, out);
  noise_put_dropped(&rows, out);
  output_add_text(out, "       base       head     change          \xc2\xb1  change%       q  "
                       "verdict                     cum change  of cum      function\n");
  for (size_t i = 0; i < rows.count; i++) noise_put_row(&rows, rows.shown[i], out);
  output_no_row(out);
  noise_footer(report, out);
  mem_free(&mem_default, rows.shown, report->row_count, sizeof *rows.shown);
  return PPROFC_OK;
}
