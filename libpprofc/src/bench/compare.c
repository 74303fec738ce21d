/* Computes the statistics of the cells of comparison tables, and formats them for the printers. */
#include "bench/tables.h"

/* ---- sample sizes ------------------------------------ */

/* Makes a note such as "need >= 6 samples for confidence interval at level 0.95". If `found` is
 * false, the note has ">" in place of ">=". */
static const char *need_note(struct pprofc_bench_tables *t, bool found, size_t need,
                             const char *purpose, double level) {
  struct buffer text = buffer_make(&t->mem, 256);
  buffer_printf(&text, "need %s %zu samples %s ", found ? ">=" : ">", need, purpose);
  number_print(&text, level);
  return buffer_take(&text, &t->arena).data;
}

#define INTERVAL_SEARCH 50 /* largest number of samples that interval_note tries */

static const char *interval_note(struct pprofc_bench_tables *t) {
  double level = t->options.confidence;
  for (size_t need = 2; need <= INTERVAL_SEARCH; need++) {
    pprofc_median_interval interval = pprofc_median_interval_of(need, level);
    if (interval.low > 0 && interval.high <= need)
      return need_note(t, true, need, "for confidence interval at level", level);
  }
  return need_note(t, false, INTERVAL_SEARCH, "for confidence interval at level", level);
}

/* least_p[n - 1] is the smallest possible p-value of the U test with n values in base and in
 * head */
static const double least_p[] = {1,
                                 .3333333333333333,
                                 .1,
                                 .02857142857142857,
                                 .007936507936507936,
                                 .0021645021645021645,
                                 .0005827505827505828,
                                 .0001554001554001554,
                                 4.113533525298231e-05};
#define MIN_P COUNT(least_p)

/* Returns the number of values that base and head each need for a p-value of at most alpha. Returns
 * MIN_P + 1 if they need more than MIN_P. */
static size_t needed_for(double alpha) {
  size_t n = 0;
  while (n < MIN_P && least_p[n] > alpha) n++;
  return n + 1;
}

static const char *alpha_note(struct pprofc_bench_tables *t) {
  size_t need = needed_for(t->options.alpha);
  return need_note(t, need <= MIN_P, need, "to detect a difference at alpha level",
                   t->options.alpha);
}

/* ---- cells ------------------------------------------- */

struct computation {
  struct pprofc_bench_tables *t;
  const char *interval_note, *alpha_note;
  bool nomem;
};

static void cell_add_note(struct computation *c, pprofc_bench_cell *cell, bool comparison,
                          const char *note) {
  struct pprofc_bench_tables *t = c->t;
  size_t count = cell->sample_notes + cell->comparison_notes;
  const char **notes = arena_array(&t->arena, count + 1, sizeof *notes);
  if (!notes || !note) {
    c->nomem = true;
    return;
  }
  if (count) memcpy(notes, cell->notes, count * sizeof *notes);
  notes[count] = note;
  cell->notes = notes;
  *(comparison ? &cell->comparison_notes : &cell->sample_notes) += 1;
}

/* Computes the median of a cell, and the median's confidence interval from order statistics. */
static void summarize_median(struct computation *c, pprofc_bench_cell *cell) {
  size_t n = cell->count;
  pprofc_median_interval interval = pprofc_median_interval_of(n, c->t->options.confidence);
  cell->center = pprofc_quantile(cell->values, n, 0.5);
  cell->low = interval.low < 1 ? -(double)INFINITY : cell->values[interval.low - 1];
  cell->high = interval.high > n ? (double)INFINITY : cell->values[interval.high - 1];
  if (!isinf(cell->low) && !isinf(cell->high)) return;
  if (!c->interval_note) c->interval_note = interval_note(c->t);
  cell_add_note(c, cell, false, c->interval_note);
}

/* Computes the mean of a cell, and the mean's confidence interval by Student's t. */
static void summarize_mean(struct computation *c, pprofc_bench_cell *cell) {
  double level = c->t->options.confidence, width = (double)INFINITY;
  pprofc_moments m = pprofc_moments_of(cell->values, cell->count);
  if (level <= 0)
    width = 0;
  else if (level < 1 && cell->count > 1)
    width = pprofc_t_quantile((1 + level) / 2, (double)cell->count - 1) *
            sqrt(m.variance / (double)cell->count);
  cell->center = m.mean;
  cell->low = m.mean - width;
  cell->high = m.mean + width;
}

/* Uses the most frequent value of a cell as its center, and the whole range as its interval. If
 * several values are equally frequent, the smallest is the center. */
static void summarize_exact(struct computation *c, pprofc_bench_cell *cell) {
  size_t best = 0, best_count = 1, run = 0;
  for (size_t i = 1; i < cell->count; i++) {
    if (cell->values[i] != cell->values[run]) run = i;
    if (i - run + 1 > best_count) {
      best = run;
      best_count = i - run + 1;
    }
  }
  cell->center = cell->values[best];
  cell->low = cell->values[0];
  cell->high = cell->values[cell->count - 1];
  if (best_count == cell->count) return;
  struct buffer text = buffer_make(&c->t->mem, 256);
  buffer_add_text(&text, "exact distribution expected, but values range from ");
  number_print(&text, cell->low);
  buffer_add_text(&text, " to ");
  number_print(&text, cell->high);
  cell_add_note(c, cell, false, buffer_keep(&text, &c->t->arena).data);
  buffer_free(&text);
}

static void compare_cell_ranks(struct computation *c, pprofc_bench_cell *cell,
                               const pprofc_bench_cell *baseline) {
  const pprofc_bench_options *o = &c->t->options;
  pprofc_u_result u = pprofc_u_test(baseline->values, baseline->count, cell->values, cell->count,
                                    o->exact_ties ? PPROFC_U_CORRECT : 0, &c->t->mem);
  cell->p = u.p;
  if (u.status == PPROFC_TEST_NO_MEMORY) c->nomem = true;
  if (u.status != PPROFC_TEST_OK) {
    cell_add_note(c, cell, true, pprofc_test_message(u.status));
    return;
  }
  size_t need = needed_for(o->alpha);
  if (!(cell->p > cell->alpha) || cell->count >= need || baseline->count >= need) return;
  if (!c->alpha_note) c->alpha_note = alpha_note(c->t);
  cell_add_note(c, cell, true, c->alpha_note);
}

static void compare_cell_means(struct computation *c, pprofc_bench_cell *cell,
                               const pprofc_bench_cell *baseline) {
  pprofc_t_result t =
      pprofc_welch_test(baseline->values, baseline->count, cell->values, cell->count);
  cell->p = t.p;
  if (t.status != PPROFC_TEST_OK) cell_add_note(c, cell, true, pprofc_test_message(t.status));
}

static void compute_cell(struct computation *c, const struct table *table,
                         pprofc_bench_cell *cell) {
  pprofc_bench_test test = c->t->options.test;
  if (table->exact)
    summarize_exact(c, cell);
  else if (test == PPROFC_BENCH_TTEST)
    summarize_mean(c, cell);
  else
    summarize_median(c, cell);
  cell->p = 0;
  cell->alpha = 0;
  cell->nan = isnan(cell->values[0]);
  const pprofc_bench_cell *baseline = cell_baseline(table, cell);
  if (!baseline) return;
  cell->nan |= isnan(baseline->values[0]);
  if (table->exact || (test == PPROFC_BENCH_NONE && !cell->nan)) return;
  cell->alpha = c->t->options.alpha;
  if (cell->nan) {
    cell->p = 1;
    cell_add_note(c, cell, true, pprofc_test_message(PPROFC_TEST_NAN));
  } else if (test == PPROFC_BENCH_TTEST) {
    compare_cell_means(c, cell, baseline);
  } else {
    compare_cell_ranks(c, cell, baseline);
  }
}

/* ---- summaries --------------------------------------- */

/* Centers (medians or means) of a column and their ratios to the baseline, for the column's summary
 * row. */
struct column_numbers {
  double *centers, *ratios;
  size_t center_count, ratio_count;
  bool bad_ratio; /* true if a ratio is undefined: a value other than 0 with a baseline of 0 */
};

static void column_numbers_add(struct column_numbers *n, const struct table *table,
                               const pprofc_bench_cell *cell) {
  n->centers[n->center_count++] = cell->center;
  const pprofc_bench_cell *baseline = cell_baseline(table, cell);
  if (!baseline) return;
  double ratio = 1; /* A change from 0 to 0 counts as unchanged. */
  if (cell->center != baseline->center) {
    ratio = baseline->center == 0 ? 0 : cell->center / baseline->center;
    n->bad_ratio |= baseline->center == 0;
  }
  n->ratios[n->ratio_count++] = ratio;
}

static void summarize_column(struct table *table, size_t column, size_t baselines,
                             const struct column_numbers *n) {
  struct table_summary *s = &table->summaries[column];
  if (column > 0 && baselines != n->ratio_count)
    s->notes[s->note_count++] =
        "benchmark set differs from baseline; geomeans may not be comparable";
  s->center = pprofc_geomean(n->centers, n->center_count);
  s->has_center = !isnan(s->center);
  if (!s->has_center) s->notes[s->note_count++] = "summaries must be >0 to compute geomean";
  if (column == 0 || n->bad_ratio) return;
  s->ratio = pprofc_geomean(n->ratios, n->ratio_count);
  s->has_ratio = !isnan(s->ratio);
  if (!s->has_ratio) s->notes[s->note_count++] = "ratios must be >0 to compute geomean";
}

/* Summarizes all columns in one loop over the cells. This works because the cells of each column
 * are in row order. */
static bool summarize_table(struct pprofc_bench_tables *t, struct table *table) {
  size_t columns = table->column_count, baselines = 0;
  struct column_numbers *n = mem_zero_array(&t->mem, columns, sizeof *n);
  double *numbers = mem_array(&t->mem, 2 * table->cell_count, sizeof *numbers);
  if (n && numbers) {
    for (size_t i = 0; i < table->cell_count; i++) n[table->cells[i].column].center_count++;
    double *next = numbers;
    for (size_t i = 0; i < columns; i++) {
      n[i].centers = next;
      n[i].ratios = next + n[i].center_count;
      next += 2 * n[i].center_count;
      n[i].center_count = 0;
    }
    for (size_t i = 0; i < table->cell_count; i++)
      column_numbers_add(&n[table->cells[i].column], table, &table->cells[i]);
    baselines = n[0].center_count;
    for (size_t i = 0; i < columns; i++) summarize_column(table, i, baselines, &n[i]);
  }
  bool good = n && numbers;
  mem_free(&t->mem, n, columns, sizeof *n);
  mem_free(&t->mem, numbers, 2 * table->cell_count, sizeof *numbers);
  return good;
}

bool tables_compute(struct pprofc_bench_tables *t) {
  struct computation c = {.t = t};
  for (size_t i = 0; i < t->table_count && !c.nomem; i++) {
    struct table *table = &t->tables[i];
    for (size_t j = 0; j < table->cell_count; j++) compute_cell(&c, table, &table->cells[j]);
    if (!summarize_table(t, table)) c.nomem = true;
  }
  return !c.nomem;
}
