/* The table of -top -noise: what changed, by how much at least and at most, and what is said of it.
 */
#include "core/output.h"
#include "noise.h"
#include "unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows that are shown when -nodecount is not given, as in -top. */
#define TABLE_ROWS 80

struct noise_rows {
  const struct noise_report *report;
  const pprofc_verdict_row **shown;
  size_t count, dropped, left_out; /* dropped: small; left out: beyond -nodecount */
  double cutoff;
  bool by_cum;
};

static bool noise_row_changed(const pprofc_verdict_row *row) {
  return pprofc_verdict_is_change(row->flat.verdict) || pprofc_verdict_is_change(row->cum.verdict);
}

/* ---- which rows -------------------------------------- */

static int noise_rows_by_cum(const void *a, const void *b) {
  const pprofc_verdict_row *x = *(const pprofc_verdict_row *const *)a;
  const pprofc_verdict_row *y = *(const pprofc_verdict_row *const *)b;
  double dx = fabs(x->cum.delta), dy = fabs(y->cum.delta);
  if (dx != dy) return dx < dy ? 1 : -1;
  return (x > y) - (x < y); /* rows are sorted by flat */
}

/* A verdict of change is shown whatever its size. */
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

/* ---- cells ------------------------------------------- */

static void noise_put_padded(struct output *out, const char *text, size_t width) {
  output_add_padded(out, str_of(text), width);
}

static void noise_put_percent(struct output *out, double part, double whole) {
  char text[32] = "";
  if (whole != 0 && isfinite(part / whole)) {
    double percent = 100 * fabs(part) / fabs(whole);
    snprintf(text, sizeof text, "%.2f%%", percent);
  }
  output_add_char(out, ' ');
  noise_put_padded(out, text, 6);
}

/* "0.012", "<0.0001". */
static void noise_put_q(struct output *out, double q) {
  char text[32] = "";
  if (q < 1e-4)
    snprintf(text, sizeof text, "<0.0001");
  else if (!isnan(q))
    snprintf(text, sizeof text, q < 0.0995 ? "%.4f" : "%.2f", q);
  output_add_char(out, ' ');
  noise_put_padded(out, text, 7);
}

static void noise_put_value(struct output *out, const struct noise_unit *unit, double value) {
  char text[NOISE_TEXT];
  output_add_padded(out, noise_value(unit, value, text), 10);
}

/* Half the interval; none where nothing was judged. */
static void noise_put_half(struct output *out, const struct noise_unit *unit,
                           const pprofc_verdict_estimate *e) {
  double half = (e->high - e->low) / 2;
  output_add_char(out, ' ');
  if (isnan(e->p))
    noise_put_padded(out, "", 10);
  else /* equal counts have a mean that is rounded */
    noise_put_value(out, unit, half > 1e-12 * fmax(e->base, e->head) ? half : 0);
}

static void noise_put_word(struct output *out, const char *word, size_t width) {
  output_add_text(out, "  ");
  output_add_text(out, word);
  output_add_fill(out, ' ', strlen(word) < width ? width - strlen(word) : 0);
}

/* A caller without samples of its own gets no word. */
static const char *noise_flat_word(const pprofc_verdict_row *row) {
  if (row->flat.samples <= 0) return "";
  if (row->relation) return pprofc_verdict_relation_name(row->relation);
  return pprofc_verdict_name(row->flat.verdict);
}

/* The word of cum where it changed. */
static const char *noise_cum_word(const pprofc_verdict_row *row) {
  if (!pprofc_verdict_is_change(row->cum.verdict)) return "";
  return row->via_callee ? "via callee" : pprofc_verdict_name(row->cum.verdict);
}

/* ---- the table --------------------------------------- */

static void noise_put_row(const struct noise_rows *rows, const struct noise_unit *unit,
                          const pprofc_verdict_row *row, double running, struct output *out) {
  double total = rows->report->summary.total_base;
  noise_put_value(out, unit, row->flat.delta);
  noise_put_percent(out, row->flat.delta, total);
  noise_put_half(out, unit, &row->flat);
  noise_put_q(out, row->flat.q);
  noise_put_word(out, noise_flat_word(row), 11);
  noise_put_percent(out, running, total);
  output_add_char(out, ' ');
  noise_put_value(out, unit, row->cum.delta);
  noise_put_percent(out, row->cum.delta, total);
  noise_put_word(out, noise_cum_word(row), 10);
  output_add_text(out, "  ");
  noise_put_text(out, row->name);
  if (row->relation) {
    output_add_text(out, row->flat.delta < 0 ? "  to " : "  from ");
    noise_put_text(out, rows->report->rows[row->partner].name);
  }
  output_add_char(out, '\n');
}

/* The largest number of the table chooses its unit. */
static double noise_rows_largest(const struct noise_rows *rows) {
  double largest = 0;
  for (size_t i = 0; i < rows->count; i++)
    largest =
        fmax(largest, fmax(fabs(rows->shown[i]->flat.delta), fabs(rows->shown[i]->cum.delta)));
  return largest;
}

static void noise_put_dropped(const struct noise_rows *rows, struct output *out) {
  struct noise_unit unit = noise_unit_for(rows->report, rows->cutoff);
  char text[NOISE_TEXT];
  if (rows->dropped)
    output_printf(out, "Dropped %zu %s (change <= %.*s)\n", rows->dropped,
                  noise_functions(rows->dropped), STR_ARG(noise_value(&unit, rows->cutoff, text)));
  if (rows->left_out)
    output_printf(out, "Showing top %zu functions out of %zu\n", rows->count,
                  rows->count + rows->left_out);
}

pprofc_status noise_table(const struct noise_report *report, struct output *out,
                          pprofc_error *error) {
  struct noise_rows rows = {.report = report};
  if (!noise_rows_choose(&rows)) return error_nomem(error);
  struct noise_unit unit = noise_unit_for(report, noise_rows_largest(&rows));
  double running = 0;
  noise_header(report, out);
  noise_put_dropped(&rows, out);
  output_add_text(out,
                  "      flat  flat%          \xc2\xb1       q  verdict        sum%        cum   "
                  "cum%  \n");
  for (size_t i = 0; i < rows.count; i++) {
    running += rows.shown[i]->flat.delta;
    noise_put_row(&rows, &unit, rows.shown[i], running, out);
  }
  mem_free(&mem_default, rows.shown, report->row_count, sizeof *rows.shown);
  return PPROFC_OK;
}
