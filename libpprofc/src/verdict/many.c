/* Several runs: t-tests with variances that functions share, and that are never below sampling. */
#include "pprofc/stats.h"
#include "stats/moderated.h"
#include "verdict/model.h"

#include <math.h>

struct many_shape {
  double bases, heads, degrees;      /* degrees: bases + heads - 2 */
  double inverse_base, inverse_head; /* means of 1 / scaled */
  double scaled;                     /* sum */
};

static struct many_shape many_shape_of(const struct model *model) {
  const struct matrix *m = model->m;
  struct many_shape s = {(double)m->bases, (double)(m->runs - m->bases), 0, 0, 0, 0};
  s.degrees = s.bases + s.heads - 2;
  for (size_t r = 0; r < m->runs; r++) {
    double *inverse = r < m->bases ? &s.inverse_base : &s.inverse_head;
    *inverse += 1 / model->scaled[r];
    s.scaled += model->scaled[r];
  }
  s.inverse_base /= s.bases;
  s.inverse_head /= s.heads;
  return s;
}

static double many_mean(const double *values, const double *scaled, size_t from, size_t end) {
  double sum = 0;
  for (size_t r = from; r < end; r++) sum += values[r] / scaled[r];
  return sum / (double)(end - from);
}

/* Means of a row, and its variances: that of sampling, and what the runs of a side show. */
static struct variance many_row(const struct model *model, const struct many_shape *s, size_t row) {
  const struct matrix *m = model->m;
  const double *values = m->values + row * m->runs;
  struct estimate *e = &model->fit->of[row];
  double sum = 0, squares = 0;
  e->base = many_mean(values, model->scaled, 0, m->bases);
  e->head = many_mean(values, model->scaled, m->bases, m->runs);
  e->delta = e->head - e->base;
  for (size_t r = 0; r < m->runs; r++) {
    double d = values[r] / model->scaled[r] - (r < m->bases ? e->base : e->head);
    sum += values[r];
    squares += d * d;
  }
  double pooled = m->quantum[row] * (sum / s->scaled);
  double floor =
      pooled * (s->inverse_base * (s->bases - 1) + s->inverse_head * (s->heads - 1)) / s->degrees;
  return (struct variance){squares / s->degrees, floor, model->mean_samples[row]};
}

static double many_p(const struct estimate *e, double error, double degrees) {
  if (!e->tested) return (double)NAN;
  if (error > 0) return pprofc_t_two_sided(e->delta / error, degrees);
  return e->delta == 0 ? 1 : 0;
}

/* What the tested rows with sampling noise teach. */
static struct variance_prior many_prior(const struct model *model, const struct variance *all,
                                        double degrees) {
  size_t count = 0;
  for (size_t i = 0; i < model->m->rows; i++)
    if (model->fit->of[i].tested && all[i].floor > 0) model->variances[count++] = all[i];
  return stats_variance_prior(model->variances, count, degrees, model->medians);
}

void model_runs_test(struct model *model) {
  struct fit *fit = model->fit;
  struct many_shape s = many_shape_of(model);
  size_t rows = model->m->rows;
  struct variance *all = model->variances + rows;
  for (size_t i = 0; i < rows; i++) all[i] = many_row(model, &s, i);
  struct variance_prior prior = many_prior(model, all, s.degrees);
  fit->cv2 = prior.cv2;
  fit->prior = prior.degrees;
  fit->degrees = prior.degrees + s.degrees;
  double quantile = pprofc_t_quantile(MODEL_TAIL, fit->degrees);
  for (size_t i = 0; i < rows; i++) {
    struct estimate *e = &fit->of[i];
    double variance = stats_moderated_variance(&prior, &all[i], s.degrees);
    double error = sqrt(variance * (1 / s.bases + 1 / s.heads));
    e->low = e->delta - quantile * error;
    e->high = e->delta + quantile * error;
    e->p = many_p(e, error, fit->degrees);
  }
}
