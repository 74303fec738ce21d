/* Intervals of Welch's test. The quantile of t takes more time than the rest of a comparison, and a
 * row that is not shown needs it only where its interval ends near the threshold. */
#include "gate/interval.h"

#include "gate/compare.h"
#include "pprofc/stats.h"

#include <math.h>

/* The last digits of a quantile decide nothing. */
#define INTERVAL_ROUNDING 1e-9
#define INTERVAL_MOST     1e250 /* products of less than this are finite */

struct interval_bounds {
  double least, most;
};

static double interval_quantile(const struct gate *gate, double degrees) {
  double p = 1 - gate->settings.alpha / 2;
  return isinf(degrees) ? pprofc_normal_quantile(p) : pprofc_t_quantile(p, degrees);
}

/* The quantile of `degrees`, a whole number below INTERVAL_DEGREES; of 0 for infinitely many. */
static double interval_whole(const struct gate *gate, size_t degrees) {
  struct interval_known *known = &gate->known->interval;
  if (known->alpha != gate->settings.alpha)
    *known = (struct interval_known){.alpha = gate->settings.alpha};
  double *quantile = &known->quantile[degrees];
  if (*quantile == 0)
    *quantile = interval_quantile(gate, degrees ? (double)degrees : (double)INFINITY);
  return *quantile;
}

/* The quantile of t falls as the degrees grow: those of the whole numbers around are its bounds. */
static struct interval_bounds interval_bounds_of(const struct gate *gate, double degrees) {
  size_t below = degrees < INTERVAL_DEGREES ? (size_t)degrees : INTERVAL_DEGREES - 1;
  size_t above = below + 1 < INTERVAL_DEGREES ? below + 1 : 0;
  return (struct interval_bounds){interval_whole(gate, above), interval_whole(gate, below)};
}

static struct gate_interval interval_around(double delta, double half) {
  return (struct gate_interval){delta - half, delta + half};
}

void gate_interval_set(const struct gate *gate, struct gate_row *row, double error,
                       double degrees) {
  if (gate->known && degrees >= 1 && error < INTERVAL_MOST &&
      interval_bounds_of(gate, degrees).most < 1 / INTERVAL_ROUNDING) {
    row->deferred = true;
    row->low = error;
    row->high = degrees;
    return;
  }
  double half = error * pprofc_t_quantile(1 - gate->settings.alpha / 2, degrees);
  if (!isfinite(half)) return;
  struct gate_interval interval = interval_around(row->delta, half);
  row->low = interval.low;
  row->high = interval.high;
}

struct gate_interval gate_interval_of(const struct gate *gate, const struct gate_row *row) {
  if (!row->deferred) return (struct gate_interval){row->low, row->high};
  double quantile = pprofc_t_quantile(1 - gate->settings.alpha / 2, row->high);
  return interval_around(row->delta, row->low * quantile);
}

void gate_interval_settle(const struct gate *gate) {
  size_t count;
  struct gate_row *rows = gate_rows(gate, &count);
  for (size_t i = 0; i < count; i++) {
    struct gate_interval interval = gate_interval_of(gate, &rows[i]);
    rows[i].low = interval.low;
    rows[i].high = interval.high;
    rows[i].deferred = false;
  }
}

bool gate_interval_exists(const struct gate_row *row) {
  return row->deferred || (!isnan(row->low) && !isnan(row->high));
}

/* True when the bounds decide: *excludes is whether the interval is better than the threshold. */
static bool interval_is_clear(const struct gate *gate, const struct gate_row *row, bool *excludes) {
  struct interval_bounds bounds = interval_bounds_of(gate, row->high);
  double middle = row->direction < 0 ? row->delta : -row->delta;
  double least = middle + row->low * bounds.least, most = middle + row->low * bounds.most;
  double near = INTERVAL_ROUNDING * (fabs(middle) + row->low * bounds.most + fabs(row->threshold));
  *excludes = most < row->threshold - near;
  return *excludes || least > row->threshold + near;
}

bool gate_interval_excludes(const struct gate *gate, const struct gate_row *row) {
  bool excludes;
  if (!gate_interval_exists(row)) return false;
  if (row->deferred && interval_is_clear(gate, row, &excludes)) return excludes;
  struct gate_interval interval = gate_interval_of(gate, row);
  double worst = row->direction < 0 ? interval.high : -interval.low;
  return worst < row->threshold;
}
