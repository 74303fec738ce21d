/* Fills in the summary: the total, counts of verdicts, and the share of the total's change that the
 * changed functions explain. */
#include "unit/unit.h"
#include "verdict/amount.h"
#include "verdict/compare.h"

/* Ratio of the mean durations of base and head above which they count as recordings of different
 * lengths. */
#define LENGTH_FACTOR 1.2

/* ---- the total --------------------------------------- */

/* Returns the sum of squared deviations of the totals of a side (base or head) from their mean. */
static double account_squares(const struct comparison *c, size_t side, double mean) {
  size_t from = comparison_from(c, side), end = comparison_from(c, side + 1);
  double sum = 0;
  if (c->flat_matrix.grouped) return c->total_spread[side] * mean * mean * (c->side_runs[side] - 1);
  for (size_t r = from; r < end; r++) {
    double d = c->wholes[r] / c->divisors[r] - mean;
    sum += d * d;
  }
  return sum;
}

/* Returns the variance that sampling alone causes in the mean total of base or head. */
static double account_sampling(const struct comparison *c, size_t side) {
  size_t from = comparison_from(c, side), end = comparison_from(c, side + 1);
  double sum = 0;
  for (size_t r = from; r < end; r++) sum += c->noises[r] / (c->divisors[r] * c->divisors[r]);
  return sum / (c->side_runs[side] * c->side_runs[side]);
}

/* Returns the variance of the difference between the mean totals of base and head. Estimates it
 * from the totals of the runs. Returns at least the sampling variance. With one run each of base
 * and head, uses the assumed noise between runs. */
static double account_variance(const struct comparison *c, double base, double head) {
  double nb = c->side_runs[0], nh = c->side_runs[1], cv = c->options.noise_cv;
  double sampling = account_sampling(c, 0) + account_sampling(c, 1);
  if (nb + nh == 2) return sampling + cv * cv * (base * base + head * head);
  double squares = account_squares(c, 0, base) + account_squares(c, 1, head);
  return fmax(squares / (nb + nh - 2) * (1 / nb + 1 / nh), sampling);
}

static void account_total_word(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  double floor = EXACT_FLOOR * fmax(s->total_base, s->total_head);
  floor = fmax(floor, comparison_range(c, c->wholes, c->divisors));
  s->total_verdict = recorded_word(s->total_delta, s->total_p);
  if (s->lone && fabs(s->total_delta) > floor) s->total_verdict = PPROFC_VERDICT_DIFFERS;
  if (family_is_blind(c)) s->total_verdict = PPROFC_VERDICT_UNKNOWN;
}

static void account_total(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  s->total_base = comparison_mean(c, c->wholes, 0);
  s->total_head = comparison_mean(c, c->wholes, 1);
  s->total_delta = s->total_head - s->total_base;
  s->total_low = s->total_high = s->total_p = (double)NAN;
  double degrees = c->side_runs[0] + c->side_runs[1] - 2;
  if (degrees == 0) degrees = (double)INFINITY;
  if (!s->lone && !family_is_blind(c)) {
    double error = sqrt(account_variance(c, s->total_base, s->total_head)) * comparison_stretch(c);
    double half = error > 0 ? recorded_quantile(MODEL_TAIL, degrees) * error : 0;
    s->total_low = s->total_delta - half;
    s->total_high = s->total_delta + half;
    s->total_p = s->total_delta == 0 ? 1 : 0;
    if (error > 0) s->total_p = pprofc_t_two_sided(s->total_delta / error, degrees);
  }
  account_total_word(c);
}

/* ---- the explained part ------------------------------ */

/* Stores for each run the sum of the flat values of the changed rows. */
static void account_chosen(const struct comparison *c, double *chosen) {
  const struct matrix *m = &c->flat_matrix;
  for (size_t r = 0; r < c->count; r++) chosen[r] = 0;
  for (size_t i = 0; i < m->rows; i++) {
    if (!pprofc_verdict_is_change(c->row[i].flat.verdict)) continue;
    for (size_t r = 0; r < c->count; r++)
      chosen[r] += m->values[c->line[i] * m->runs + r] / c->divisors[r];
  }
}

static void account_part(struct comparison *c, double *all, double *chosen) {
  pprofc_verdict_summary *s = &c->summary;
  s->part = s->part_low = s->part_high = (double)NAN;
  if (c->flat_matrix.grouped || !s->changed || c->count < 3) return;
  for (size_t r = 0; r < c->count; r++) all[r] = c->wholes[r] / c->divisors[r];
  account_chosen(c, chosen);
  struct ratio_interval part = stats_fieller(chosen, all, c->bases, c->count);
  s->part = part.ratio;
  s->part_low = part.low;
  s->part_high = part.high;
}

/* ---- counts ------------------------------------------ */

static void account_count(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  for (size_t i = 0; i < c->rows; i++) {
    const pprofc_verdict_estimate *e = &c->row[i].flat;
    bool changed = pprofc_verdict_is_change(e->verdict);
    s->tested += (size_t)!isnan(e->q);
    s->changed += changed;
    s->cum_changed += pprofc_verdict_is_change(c->row[i].cum.verdict);
    s->shared += !changed && pprofc_verdict_is_certain(e->verdict);
  }
}

/* ---- the rest ---------------------------------------- */

/* Returns the mean duration of the runs [from, end), in seconds. */
static double account_seconds(const struct comparison *c, size_t from, size_t end) {
  double sum = 0;
  if (c->flat_matrix.grouped) return c->summary.seconds;
  for (size_t r = from; r < end; r++) {
    double nanos = (double)c->runs[r].profile->duration_nanos;
    if (!(nanos > 0)) return (double)NAN;
    sum += nanos / 1e9;
  }
  return sum / (double)(end - from);
}

static bool account_same(double x, double y) {
  return fmax(x, y) <= LENGTH_FACTOR * fmin(x, y);
}

/* True if base and head were recorded for different durations, but have equal values per second. */
static bool account_other_length(const pprofc_verdict_summary *s) {
  double base = s->base_seconds, head = s->head_seconds;
  bool known = s->exposure == PPROFC_EXPOSURE_NONE && base > 0 && head > 0 && s->total_base > 0;
  return known && !account_same(base, head) &&
         account_same(s->total_base / base, s->total_head / head);
}

static void account_describe(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  bool pair = c->side_runs[0] + c->side_runs[1] == 2;
  bool known = c->quantum.sampling != SAMPLING_UNKNOWN;
  s->base_runs = (size_t)c->side_runs[0];
  s->head_runs = (size_t)c->side_runs[1];
  s->type = c->type;
  s->unit = c->exposure == PPROFC_EXPOSURE_TOTAL ? STR("%") : c->unit;
  s->exposure = c->exposure;
  s->mixed_periods = c->mixed_periods;
  s->lower_bound = c->quantum.sampling == SAMPLING_EVENTS;
  s->alpha = c->options.alpha;
  s->between_run_cv = pair || !known ? (double)NAN : sqrt(c->flat.cv2);
  s->prior_degrees = pair ? (double)NAN : c->flat.prior;
  s->dispersion = pair && known ? c->flat.dispersion : (double)NAN;
  s->noise_cv = c->options.noise_cv;
  s->interval_level = (double)NAN;
  s->seconds = account_seconds(c, 0, c->count);
  s->base_seconds = account_seconds(c, 0, c->bases);
  s->head_seconds = account_seconds(c, c->bases, c->count);
}

pprofc_status account_fill(struct comparison *c, pprofc_error *error) {
  double *scratch = mem_array(c->mem, 2 * c->count, sizeof *scratch);
  if (!scratch) return error_nomem(error);
  account_describe(c);
  account_count(c);
  account_total(c);
  c->summary.other_length = account_other_length(&c->summary);
  account_part(c, scratch, scratch + c->count);
  advice_fill(c);
  mem_free(c->mem, scratch, 2 * c->count, sizeof *scratch);
  return PPROFC_OK;
}

/* ---- the sentence ----------------------------------- */

static const char *sentence_each(const pprofc_verdict_summary *s) {
  if (s->exposure == PPROFC_EXPOSURE_OPS) return " per operation";
  return s->exposure == PPROFC_EXPOSURE_TIME ? " per second" : "";
}

/* Writes "71.4s less (-93%)." If values are shares of the total, writes "In percent of the total.",
 * because the total is always 100 %. */
static void sentence_total(const pprofc_verdict_summary *s, struct buffer *out) {
  struct amount_unit unit = amount_unit_for(s->unit, STR(""), 1, fabs(s->total_delta));
  char delta[AMOUNT_TEXT], percent[AMOUNT_TEXT];
  bool same = s->total_delta == 0, quiet = s->total_verdict == PPROFC_VERDICT_UNCHANGED;
  if (s->exposure == PPROFC_EXPOSURE_TOTAL) {
    buffer_add_text(out, "In percent of the total.");
  } else if (quiet || same) {
    buffer_add_text(out,
                    same ? "The total is the same." : "The total did not change beyond noise.");
  } else {
    amount_text(&unit, fabs(s->total_delta), false, delta);
    amount_percent(s->total_base, s->total_delta, percent);
    buffer_printf(out, "%s %s%s", delta, s->total_delta > 0 ? "more" : "less", sentence_each(s));
    buffer_printf(out, *percent ? " (%s)." : ".%s", percent);
  }
}

/* Writes "Nearly everything is faster." if the verdict on the common factor (the factor that all
 * functions of a run share) is a change. */
static void sentence_common(const pprofc_verdict_summary *s, struct buffer *out) {
  bool grew = s->common_verdict == PPROFC_VERDICT_GREW;
  if (!grew && s->common_verdict != PPROFC_VERDICT_SHRANK) return;
  if (unit_is_time(s->unit))
    buffer_printf(out, " Nearly everything is %s.", grew ? "slower" : "faster");
  else
    buffer_printf(out, " Nearly everything %s.", grew ? "grew" : "shrank");
}

/* Writes "3 functions grew." */
static void sentence_count(size_t count, const char *verb, struct buffer *out) {
  if (count) buffer_printf(out, " %zu %s %s.", count, count == 1 ? "function" : "functions", verb);
}

static void sentence_functions(const pprofc_verdict_summary *s, struct buffer *out) {
  if (s->common_verdict != PPROFC_VERDICT_GREW) sentence_count(s->grew, "grew", out);
  if (s->common_verdict != PPROFC_VERDICT_SHRANK) sentence_count(s->shrank, "shrank", out);
  sentence_count(s->new_rows, s->new_rows == 1 ? "is new" : "are new", out);
  sentence_count(s->gone_rows, s->gone_rows == 1 ? "is gone" : "are gone", out);
  sentence_count(s->rose, "rose against the rest", out);
  sentence_count(s->fell, "fell against the rest", out);
  if (!s->changed) sentence_count(s->cum_changed, "changed with what they call", out);
}

/* Writes "Cost moved inside svc." For several domains (groups of functions between which cost may
 * have moved), writes "Cost moved inside 3 places." */
static void sentence_moved(const struct comparison *c, struct buffer *out) {
  size_t moved = 0, last = 0;
  for (size_t i = 0; i < c->domain_count; i++) {
    moved += c->domains[i].moved;
    if (c->domains[i].moved) last = i;
  }
  if (!moved) return;
  const pprofc_verdict_domain *one = &c->domains[last];
  if (moved > 1)
    buffer_printf(out, " Cost moved inside %zu places.", moved);
  else if (one->kind == PPROFC_DOMAIN_RENAMED)
    buffer_printf(out, " %.*s was renamed.", STR_ARG(one->name));
  else
    buffer_printf(out, " Cost moved inside %.*s.", STR_ARG(one->name));
}

/* Counts the changed functions by verdict. Skips functions whose changes cancel each other. */
static void sentence_fill_counts(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  for (size_t i = 0; i < c->rows; i++) {
    const pprofc_verdict_row *row = &c->row[i];
    pprofc_verdict verdict = row->flat.verdict;
    const pprofc_verdict_domain *domain = comparison_domain(c, i);
    if (row->relation || (domain && domain->moved) || !pprofc_verdict_is_change(verdict)) continue;
    size_t *const counts[] = {
        [PPROFC_VERDICT_ROSE] = &s->rose,    [PPROFC_VERDICT_FELL] = &s->fell,
        [PPROFC_VERDICT_NEW] = &s->new_rows, [PPROFC_VERDICT_GONE] = &s->gone_rows,
        [PPROFC_VERDICT_DIFFERS] = NULL,
    };
    size_t *signs = row->flat.delta > 0 ? &s->grew : &s->shrank;
    ++*(counts[verdict] ? counts[verdict] : signs);
  }
}

static bool sentence_is_quiet(const pprofc_verdict_summary *s) {
  bool total = s->total_verdict == PPROFC_VERDICT_UNCHANGED;
  return total && !s->changed && !s->cum_changed && !pprofc_verdict_is_certain(s->common_verdict);
}

pprofc_status sentence_fill(struct comparison *c, pprofc_error *error) {
  pprofc_verdict_summary *s = &c->summary;
  sentence_fill_counts(c);
  struct buffer out = buffer_make(c->mem, SIZE_MAX / 2);
  if (!s->tested && s->total_verdict == PPROFC_VERDICT_UNCHANGED) {
    buffer_add_text(&out, "Nothing could be judged: there are too few samples.");
  } else if (sentence_is_quiet(s)) {
    buffer_add_text(&out, "Nothing changed beyond noise.");
  } else {
    sentence_total(s, &out);
    sentence_common(s, &out);
    sentence_functions(s, &out);
    sentence_moved(c, &out);
  }
  s->sentence = buffer_keep(&out, &c->arena);
  buffer_free(&out);
  return s->sentence.data ? PPROFC_OK : error_nomem(error);
}
