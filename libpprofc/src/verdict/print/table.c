/* Prints the table of -top -noise: values of base and head, their difference with half the width of
 * its interval, and the verdict. */
#include "verdict/print/print.h"

/* Maximum number of rows without -nodecount, as in -top. */
#define TABLE_ROWS 80

/* A line of the table: a function, or the sum of a domain. A domain is a group of functions between
 * which cost may have moved. */
struct noise_line {
  const pprofc_verdict_row *row; /* row of the function; for a domain, its first row */
  const pprofc_verdict_domain *domain;
};

struct noise_rows {
  const struct noise_report *report;
  struct noise_line *shown;
  size_t capacity;
  /* number of rows to print, of small rows dropped, and of rows dropped because of -nodecount */
  size_t count, dropped, left_out;
  double cutoff;
  bool by_cum;
  struct amount_grid grid;
};

static bool noise_row_changed(const pprofc_verdict_row *row) {
  return pprofc_verdict_is_certain(row->flat.verdict) || pprofc_verdict_is_change(row->cum.verdict);
}

/* ---- choice of rows ---------------------------------- */

static int noise_rows_by_cum(const void *a, const void *b) {
  const pprofc_verdict_row *x = ((const struct noise_line *)a)->row;
  const pprofc_verdict_row *y = ((const struct noise_line *)b)->row;
  double dx = fabs(x->cum.delta), dy = fabs(y->cum.delta);
  if (dx != dy) return dx < dy ? 1 : -1;
  return (x > y) - (x < y); /* If cum is equal, keep the order by flat. */
}

/* True if the table shows a row. A significant change is shown even if it is small. With -cum, also
 * shows functions that changed only as all functions did, because they can call the function that
 * caused the change. */
static bool noise_rows_keep(struct noise_rows *rows, const pprofc_verdict_row *row) {
  if (noise_hides(rows->report, row)) return false;
  if (noise_row_changed(row)) return true;
  if (rows->by_cum && pprofc_verdict_is_certain(row->cum.verdict)) return true;
  if (strcmp(rows->report->show, "changed") == 0) return false;
  if (row->flat.delta == 0 && row->cum.delta == 0) return false;
  if (fabs(row->cum.delta) > rows->cutoff || fabs(row->flat.delta) > rows->cutoff) return true;
  rows->dropped++;
  return false;
}

/* Adds a line for a domain (functions between which cost moved) and then a line for each row in it.
 * If cost only moved between the rows, adds their lines only with -noise=rows. */
static void noise_rows_add_domain(struct noise_rows *rows, const pprofc_verdict_domain *domain) {
  const pprofc_verdict_row *all = rows->report->rows;
  if (!rows->report->options->drop_negative || domain->net.delta >= 0)
    rows->shown[rows->count++] = (struct noise_line){&all[domain->rows[0]], domain};
  if (domain->moved && strcmp(rows->report->show, "rows") != 0) return;
  for (size_t i = 0; i < domain->row_count; i++)
    if (!noise_hides(rows->report, &all[domain->rows[i]]))
      rows->shown[rows->count++] = (struct noise_line){&all[domain->rows[i]], NULL};
}

static void noise_rows_fill(struct noise_rows *rows) {
  const struct noise_report *report = rows->report;
  bool groups = noise_lists_groups(report);
  for (size_t i = 0; i < report->row_count; i++) {
    const pprofc_verdict_row *row = &report->rows[i];
    const pprofc_verdict_domain *domain =
        groups ? pprofc_verdicts_domain_of(report->verdicts, row) : NULL;
    if (domain && domain->rows[0] == i)
      noise_rows_add_domain(rows, domain);
    else if (!domain && noise_rows_keep(rows, row))
      rows->shown[rows->count++] = (struct noise_line){row, NULL};
  }
}

static bool noise_rows_choose(struct noise_rows *rows) {
  const struct noise_report *report = rows->report;
  const pprofc_report_options *o = report->options;
  size_t domains;
  int most = o->nodecount == -1 ? TABLE_ROWS : o->nodecount;
  if (!o->trim) most = 0;
  rows->by_cum = noise_by_cum(report);
  rows->cutoff = o->trim ? o->nodefraction * fabs(report->summary.total_base) : 0;
  pprofc_verdicts_domains(report->verdicts, &domains);
  rows->capacity = report->row_count + domains;
  rows->shown = mem_array(mem_or_default(NULL), rows->capacity, sizeof *rows->shown);
  if (!rows->shown) return false;
  noise_rows_fill(rows);
  if (rows->by_cum) qsort(rows->shown, rows->count, sizeof *rows->shown, noise_rows_by_cum);
  if (most > 0 && rows->count > (size_t)most) {
    rows->left_out = rows->count - (size_t)most;
    rows->count = (size_t)most;
  }
  return true;
}

static void noise_rows_grid(struct noise_rows *rows) {
  struct noise_range range = {.largest = 0};
  for (size_t i = 0; i < rows->count; i++) {
    const pprofc_verdict_estimate *e =
        rows->shown[i].domain ? &rows->shown[i].domain->net : &rows->shown[i].row->flat;
    noise_range_add(&range, e->base, e->head, fabs(rows->shown[i].row->cum.delta), e->delta);
  }
  rows->grid = noise_grid(rows->report, &range);
}

/* ---- cells ------------------------------------------- */

static void noise_put_padded(struct output *out, const char *text, size_t width) {
  output_add_char(out, ' ');
  output_add_padded(out, str_of(text), width);
}

/* Writes an adjusted p-value (q): "0.012", "<0.0001". */
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

/* Writes half the width of the interval. Writes blanks if the row was not tested, or for exact
 * counts with one run of base or of head. */
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

/* ---- the table --------------------------------------- */

/* Writes base, head, change, interval, percentage and adjusted p-value (q). */
static void noise_put_numbers(const struct noise_rows *rows, const pprofc_verdict_estimate *e,
                              struct output *out) {
  const struct amount_grid *grid = &rows->grid;
  double base = amount_ticks(grid, e->base), head = amount_ticks(grid, e->head);
  char percent[AMOUNT_TEXT];
  noise_put_ticks(out, grid, base, false);
  noise_put_ticks(out, grid, head, false);
  noise_put_ticks(out, grid, head - base, true);
  noise_put_half(out, rows, e);
  amount_percent(e->base, e->delta, percent);
  noise_put_padded(out, e->delta != 0 ? percent : "", 8);
  noise_put_q(out, rows->report->summary.lone ? (double)NAN : e->q);
}

static void noise_put_row(const struct noise_rows *rows, const pprofc_verdict_row *row,
                          struct output *out) {
  const pprofc_verdict_estimate *sorted = rows->by_cum ? &row->cum : &row->flat;
  output_row(out, noise_row_changed(row), sorted->delta, (long double)row->flat.delta);
  noise_put_numbers(rows, &row->flat, out);
  noise_put_word(out, noise_word(row, false), 25);
  noise_put_ticks(out, &rows->grid, amount_ticks(&rows->grid, row->cum.delta), true);
  const char *of_cum =
      rows->by_cum && pprofc_verdict_is_certain(row->cum.verdict) ? "with all" : "";
  if (pprofc_verdict_is_change(row->cum.verdict)) of_cum = noise_word(row, true);
  noise_put_word(out, of_cum, 10);
  output_add_text(out, "  ");
  noise_put_text(out, row->name);
  if (row->relation) {
    output_add_text(out, row->flat.delta < 0 ? "  to " : "  from ");
    noise_put_text(out, rows->report->rows[row->partner].name);
  }
  output_add_char(out, '\n');
}

/* Writes the sum of a domain (a group of functions between which cost may have moved) and the names
 * of its functions. */
static void noise_put_domain(const struct noise_rows *rows, const pprofc_verdict_domain *domain,
                             struct output *out) {
  output_row(out, true, domain->net.delta, (long double)domain->net.delta);
  noise_put_numbers(rows, &domain->net, out);
  noise_put_word(out, noise_domain_word(domain), 25);
  noise_put_padded(out, "", 10);
  noise_put_word(out, "", 10);
  output_add_text(out, "  ");
  noise_put_domain_line(rows->report, domain, &rows->grid.unit, out);
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
  for (size_t i = 0; i < rows.count; i++) {
    if (rows.shown[i].domain)
      noise_put_domain(&rows, rows.shown[i].domain, out);
    else
      noise_put_row(&rows, rows.shown[i].row, out);
  }
  output_no_row(out);
  noise_footer(report, out);
  mem_free(mem_or_default(NULL), rows.shown, rows.capacity, sizeof *rows.shown);
  return PPROFC_OK;
}
