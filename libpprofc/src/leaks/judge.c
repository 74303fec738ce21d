/* Decides if a series of values is a leak, by its shape, size and significance. */
#include "leaks/leaks.h"
#include "stats/stats.h"

/* Smallest slope of the last third that counts as growth, as a share of the mean slope of the whole
 * series. */
#define LATE_SHARE 0.25
/* Largest fall that growing values may have, as a share of the growth. */
#define FALL_SHARE 0.25
/* Smallest fall and smallest rise of a sawtooth (values that rise and fall by similar amounts), as
 * a share of the range of the values. */
#define SAW_SHARE 0.5
#define TROUGHS   8 /* minimum number of low points of a sawtooth that can show a leak */
/* Smallest range of a sawtooth, as a share of its highest value. */
#define SAW_DEPTH 0.25
/* Growth has stopped if the slope of the last third is below the mean slope by more than this
 * number of standard errors. */
#define STOP_SIGMAS 2.0
#define SIGMAS      3.0 /* largest fall that sampling explains, in standard errors */

struct judging {
  const struct leak_series *s;
  const struct leak_rules *rules;
  const pprofc_allocator *mem;
  /* True while the low points of a sawtooth are judged. They are not split into low points again.
   */
  bool of_troughs;
  double *scratch; /* buffer for the slopes between all pairs of values */
  double sigma;    /* largest standard error that sampling causes in a value */
  double low, high, fall, rise;
  struct leak_fit *fit;
};

/* ---- shape ------------------------------------------- */

size_t leak_late(size_t count) {
  size_t third = (count + 2) / 3;
  if (third < LEAK_MIN) third = LEAK_MIN;
  return count > third ? count - third : 0;
}

/* True if the program kept at least the share rules->kept of what it allocated in the last third of
 * the series. */
static bool judging_keeps_late(const struct judging *j) {
  const struct leak_series *s = j->s;
  double growth = s->x[s->count - 1] - s->x[leak_late(s->count)];
  return s->late > 0 && growth >= j->rules->kept * s->late;
}

enum judging_late { LATE_GROWS, LATE_STOPPED, LATE_UNKNOWN };

/* Decides if the values still grow in the last third. They grow if the slope of this third exceeds
 * the noise, or if the program kept most of what it allocated in this third. If neither is true,
 * growth has stopped if the slope of this third is below the mean slope of the whole series by more
 * than the noise. Too few values cannot show that growth stopped. */
static enum judging_late judging_grows_late(const struct judging *j) {
  const struct leak_series *s = j->s;
  size_t last = s->count - 1, third = s->count - leak_late(s->count);
  double mean = j->fit->growth / (s->t[last] - s->t[0]);
  if (s->count < LEAK_FEW)
    return (s->x[last] - s->x[last - 1]) / (s->t[last] - s->t[last - 1]) > LATE_SHARE * mean
               ? LATE_GROWS
               : LATE_UNKNOWN;
  const double *t = s->t + s->count - third, *x = s->x + s->count - third;
  double slope = trend_theil_sen(t, x, third, j->scratch), spread = 0, middle = 0;
  for (size_t i = 0; i < third; i++) middle += t[i] / (double)third;
  for (size_t i = 0; i < third; i++) spread += (t[i] - middle) * (t[i] - middle);
  double error = trend_noise(s->x, s->count) / sqrt(spread);
  if (slope > LATE_SHARE * mean && (slope > error || judging_keeps_late(j))) return LATE_GROWS;
  error = fmax(trend_noise(x, third), j->sigma) / sqrt(spread);
  return slope + STOP_SIGMAS * error < mean ? LATE_STOPPED : LATE_UNKNOWN;
}

static bool judging_ascends(const struct leak_series *s) {
  for (size_t i = 1; i < s->count; i++)
    if (!(s->x[i] > s->x[i - 1])) return false;
  return true;
}

static bool judging_is_sawtooth(const struct judging *j) {
  double range = j->high - j->low;
  return range >= j->rules->floor && range >= SAW_DEPTH * j->high &&
         fmin(j->fall, j->rise) > SAW_SHARE * range && j->fall > SIGMAS * j->sigma;
}

/* ---- chance ------------------------------------------ */

/* Returns the variance of the growth: the smaller of two sums. One sum adds the variances of the
 * first and last value. The other sum adds the variances of everything allocated and freed between
 * them. Objects that stay in memory count only once in this sum. */
static double judging_variance(const struct leak_series *s, const double ends[2]) {
  double both = ends[0] + ends[1], last = s->x[s->count - 1];
  double growth = last - s->x[0];
  if (!(s->allocated >= growth) || !(last > 0)) return both;
  return fmin(both, ends[1] / last * (2 * s->allocated - growth));
}

static double judging_p_of(double growth, double variance) {
  if (!(growth > 0)) return 1;
  return variance > 0 ? pprofc_normal_cdf(-growth / sqrt(variance)) : 0;
}

/* Fills p_trend and p. Returns false when out of memory. p comes from two tests that allow for
 * autocorrelated values. One test compares the first and last value, and assumes that without a
 * leak, objects come and go at random. The other is a t-test of the steps between values. Because
 * there are two tests, p is twice the smaller p-value. */
static bool judging_test(struct judging *j) {
  const struct leak_series *s = j->s;
  struct leak_fit *fit = j->fit;
  const double ends[2] = {s->sampling[0] + s->chance[0], s->sampling[1] + s->chance[1]};
  double chance = judging_p_of(fit->growth, judging_variance(s, ends));
  if (s->count < LEAK_FEW) {
    fit->p = judging_ascends(s) ? chance : 1;
    return true;
  }
  fit->p_trend = trend_kendall_p(s->x, s->count, j->mem);
  if (fit->p_trend < 0) return false;
  double sampled = judging_p_of(fit->growth, judging_variance(s, s->sampling));
  fit->p = fmin(1, 2 * fmin(chance, fmax(trend_drift(s->x, s->count), sampled)));
  if (fit->p_trend > j->rules->alpha) fit->p = 1;
  return true;
}

/* ---- the lowest points of a sawtooth ----------------- */

/* Copies the values that are below both neighbours. Drops a falling last value, because the next
 * values may be lower. Returns the number of values copied. */
static size_t judging_troughs(const struct leak_series *s, double *t, double *x) {
  size_t count = 0;
  for (size_t i = 1; i + 1 < s->count; i++) {
    if (!(s->x[i] < s->x[i - 1]) || s->x[i] > s->x[i + 1]) continue;
    t[count] = s->t[i];
    x[count++] = s->x[i];
  }
  return count;
}

static bool judging_one(struct judging *j);

/* Judges a sawtooth by its lowest points: if they rise like a leak, the sawtooth is a leak.
 * Otherwise its verdict is `otherwise`. Returns false when out of memory. */
static bool judging_by_troughs(struct judging *j, enum leak_verdict otherwise) {
  const struct leak_series *s = j->s;
  struct leak_fit below = {.verdict = LEAK_STEADY};
  double *points = mem_array(j->mem, 2 * s->count, sizeof *points);
  if (!points) return false;
  struct leak_series low = *s;
  low.t = points;
  low.x = points + s->count;
  low.allocated = (double)NAN;
  low.count = judging_troughs(s, points, points + s->count);
  struct judging again = *j;
  again.s = &low;
  again.of_troughs = true;
  again.fit = &below;
  bool done = j->of_troughs || low.count < TROUGHS || !judging_ascends(&low) || judging_one(&again);
  if (done && below.verdict == LEAK_LEAK) {
    below.of_troughs = true;
    *j->fit = below;
  } else {
    j->fit->verdict = otherwise;
  }
  mem_free(j->mem, points, 2 * s->count, sizeof *points);
  return done;
}

/* ---- one series -------------------------------------- */

/* Judges a series with growth. Growth is not a leak if it stopped, if the values fell in between,
 * if chance explains it, or if the program kept too little of what it allocated. Returns false when
 * out of memory. */
static bool judging_growth(struct judging *j) {
  struct leak_fit *fit = j->fit;
  bool falls = j->fall > FALL_SHARE * fit->growth + SIGMAS * j->sigma;
  if (falls) return judging_by_troughs(j, LEAK_STEADY);
  enum judging_late late = judging_grows_late(j);
  if (late != LATE_GROWS) {
    fit->verdict = late == LATE_STOPPED ? LEAK_STOPPED : LEAK_STEADY;
    return true;
  }
  if (!judging_test(j)) return false;
  fit->verdict = fit->kept < j->rules->kept ? LEAK_GROWS : LEAK_LEAK;
  return true;
}

/* Judges one series and fills in its fit. judging_correct corrects the p-value later. Returns false
 * when out of memory. */
static bool judging_one(struct judging *j) {
  const struct leak_series *s = j->s;
  struct leak_fit *fit = j->fit;
  size_t last = s->count - 1;
  *fit = (struct leak_fit){.verdict = LEAK_STEADY, .p_trend = (double)NAN, .p = 1, .adjusted = 1};
  j->sigma = sqrt(s->largest_variance);
  j->low = j->high = s->x[0];
  for (size_t i = 1; i < s->count; i++) {
    j->low = fmin(j->low, s->x[i]);
    j->high = fmax(j->high, s->x[i]);
  }
  j->fall = trend_fall(s->x, s->count);
  j->rise = trend_rise(s->x, s->count);
  fit->growth = s->x[last] - s->x[0];
  fit->slope = trend_theil_sen(s->t, s->x, s->count, j->scratch);
  fit->kept = s->allocated > 0 ? fit->growth / s->allocated : (double)NAN;
  fit->counted = !s->ignored && j->high >= j->rules->floor;
  if (s->ignored)
    fit->verdict = LEAK_IGNORED;
  else if (!fit->counted || (fit->growth > 0 && j->high - j->low < j->rules->floor))
    fit->verdict = LEAK_BELOW;
  else if (judging_is_sawtooth(j))
    return judging_by_troughs(j, LEAK_SAWTOOTH);
  else if (fit->growth >= j->rules->floor)
    return judging_growth(j);
  return true;
}

double leak_visible(const struct leak_rules *rules, size_t tested, double variance) {
  /* The growth g has the variance g * `variance`, so it is significant if g is at least z * z *
   * `variance`. Use half of alpha, because judging_test doubles the smaller of two p-values. */
  double z = pprofc_normal_quantile(1 - rules->alpha / (2 * (double)(tested + 1)));
  return fmax(rules->floor, z * z * variance);
}

/* ---- all series -------------------------------------- */

/* Applies Holm's correction. Growing series that are not significant get the verdict LEAK_STEADY.
 */
static bool judging_correct(struct leak_fit *fits, size_t count, double alpha,
                            const pprofc_allocator *mem) {
  double *p = mem_array(mem, count, sizeof *p);
  for (size_t i = 0; i < count && p; i++) p[i] = fits[i].counted ? fits[i].p : (double)NAN;
  bool done = p && corrections_apply(corrections_holm, p, count, mem);
  for (size_t i = 0; i < count && done; i++) {
    if (fits[i].counted) fits[i].adjusted = p[i];
    if (fits[i].verdict >= LEAK_GROWS && fits[i].adjusted > alpha) fits[i].verdict = LEAK_STEADY;
  }
  mem_free(mem, p, count, sizeof *p);
  return done;
}

bool leak_judge(const struct leak_series *series, size_t count, const struct leak_rules *rules,
                const pprofc_allocator *mem, struct leak_fit *fits) {
  size_t most = LEAK_MIN;
  for (size_t i = 0; i < count; i++)
    if (series[i].count > most) most = series[i].count;
  size_t pairs = most * (most - 1) / 2;
  double *scratch = mem_array(mem, pairs, sizeof *scratch);
  bool done = scratch != NULL;
  for (size_t i = 0; i < count && done; i++) {
    struct judging j = {.s = &series[i], .rules = rules, .mem = mem, .scratch = scratch};
    j.fit = &fits[i];
    done = judging_one(&j);
  }
  mem_free(mem, scratch, pairs, sizeof *scratch);
  return done && judging_correct(fits, count, rules->alpha, mem);
}
