/* Tables of the power of Welch's test for designs that many rows share. */
#include "gate/rough.h"

#include "pprofc/stats.h"

#include <math.h>

#define WORTHWHILE 1000 /* rows of a design; a table costs as much as some two hundred of them */
#define MOST_ROUGH 0.5  /* the change up to which the noise of head grows slowly enough */
#define RIGHT      1.57079632679489662

/* ---- tables ------------------------------------------ */

/* The shift that is found where the angle gives the shares of both errors; the secant method. */
static double rough_solve(const struct rough_design *r, double angle, double start) {
  double goal = pprofc_normal_quantile(GATE_POWER), x = start, last_x = 0, last_y = 0;
  struct gate_design d = {
      cos(angle) * sqrt(r->n), sin(angle) * sqrt(r->m), r->n, r->m, 0, r->level, false};
  for (int i = 0; i < 60; i++) {
    double power = gate_power_shift(&d, x);
    if (!(power > 1e-12 && power < 1 - 1e-12)) {
      x = power < 0.5 ? x * 1.5 : x / 1.5;
      last_x = 0;
      continue;
    }
    double y = pprofc_normal_quantile(power) - goal;
    if (fabs(y) < 1e-7) return x;
    double next = last_x > 0 && y != last_y ? x - y * (x - last_x) / (y - last_y) : x - y;
    last_x = x;
    last_y = y;
    x = next > 0 ? next : x / 2;
  }
  return (double)NAN;
}

/* A table at equal steps from 0 to `most`: the cubic through the four values around x. */
static double rough_between(const double *table, double most, double x) {
  double place = x / most * ROUGH_STEPS;
  int i = (int)place - 1;
  if (i < 0) i = 0;
  if (i > ROUGH_STEPS - 3) i = ROUGH_STEPS - 3;
  double t = place - i;
  return -table[i] * (t - 1) * (t - 2) * (t - 3) / 6 + table[i + 1] * t * (t - 2) * (t - 3) / 2 -
         table[i + 2] * t * (t - 1) * (t - 3) / 2 + table[i + 3] * t * (t - 1) * (t - 2) / 6;
}

/* Fills the tables; they are usable when the values between theirs are as good. */
static void rough_make(struct rough_design *r) {
  double normal = -pprofc_normal_quantile(r->level / 2), near = normal;
  r->made = true;
  r->log_t[0] = log(normal);
  for (int i = 1; i <= ROUGH_STEPS; i++) {
    near = gate_power_critical(r->level, (double)ROUGH_STEPS / i, near);
    r->log_t[i] = log(near);
  }
  near = gate_power_critical(r->level, r->n + r->m - 2, normal) + 1;
  for (int i = 0; i <= ROUGH_STEPS; i++)
    r->found[i] = near = rough_solve(r, RIGHT * i / ROUGH_STEPS, near);
  r->usable = true;
  for (int i = 0; i < ROUGH_STEPS && r->usable; i++) {
    double angle = RIGHT * (i + 0.5) / ROUGH_STEPS;
    double exact = rough_solve(r, angle, r->found[i]);
    double error = rough_between(r->found, RIGHT, angle) / exact - 1;
    r->usable = fabs(error) < ROUGH_ERROR / 10;
  }
}

/* The tables of a design; NULL when it has none. */
static struct rough_design *rough_find(struct gate_rough *rough, const struct gate_design *d) {
  for (size_t i = 0; i < rough->count; i++) {
    struct rough_design *r = &rough->designs[i];
    if (r->n != d->base_count || r->m != d->head_count || r->level != d->level) continue;
    if (++r->uses > WORTHWHILE && !r->made) rough_make(r);
    return r->usable ? r : NULL;
  }
  if (rough->count < ROUGH_DESIGNS)
    rough->designs[rough->count++] =
        (struct rough_design){.n = d->base_count, .m = d->head_count, .level = d->level};
  return NULL;
}

/* ---- changes and samples ----------------------------- */

/* The noise of head grows with the change, so the change is found by repetition. */
double gate_rough_visible(struct gate_rough *rough, const struct gate_design *d) {
  if (d->ranks || !(d->level > 0) || d->base_count < 2 || d->head_count < 2) return (double)NAN;
  const struct rough_design *r = rough_find(rough, d);
  double x = d->base_noise / sqrt(d->base_count), y = d->head_noise / sqrt(d->head_count);
  if (!r || !(x + y > 0)) return (double)NAN;
  double change = 0, way = d->direction > 0 ? -1 : 1;
  for (int i = 0; i < 40; i++) {
    double grown = y * (1 + way * change);
    double next = rough_between(r->found, RIGHT, atan2(grown, x)) * sqrt(x * x + grown * grown);
    if (!(next < MOST_ROUGH)) return (double)NAN;
    if (fabs(next - change) <= 1e-6 * next) return next;
    change = next;
  }
  return (double)NAN;
}

double gate_rough_samples(struct gate_rough *rough, const struct gate_design *d, double change) {
  const struct rough_design *r = rough_find(rough, d);
  double head = d->head_noise * (d->direction > 0 ? 1 - change : 1 + change);
  double x = d->base_noise * d->base_noise, y = head * head;
  if (!r || !(x + y > 0)) return (double)INFINITY;
  double share = (x + y) * (x + y) / (x * x + y * y), ratio = (x + y) / (change * change);
  double goal = pprofc_normal_quantile(GATE_POWER), n = 2 + 30 * ratio;
  for (int i = 0; i < 30; i++) {
    double degrees = fmax(1, (n - 1) * share);
    double t = exp(rough_between(r->log_t, 1, 1 / degrees));
    double both = t + goal * sqrt(1 + t * t / (2 * degrees));
    n = fmax(2, (n + both * both * ratio) / 2);
  }
  return n;
}
