/* Computes the power of Welch's t-test and the Mann-Whitney U test for normal noise proportional to
 * the value. Finds the smallest change that a test detects, and the number of samples that detect a
 * given change. */
#include "gate/judge.h"

#define CHANGE_MAX  10.0  /* largest relative increase to check */
#define SAMPLES_MAX 10000 /* largest number of samples to check */
#define U_COUNTED   50    /* largest sample size for which U is simulated */
#define U_DRAWS     2000
/* sqrt(pi / 3): in large normal samples, the smallest change that the U test finds is this many
 * times the smallest change that the t test finds. */
#define U_EFFICIENCY 1.0233

/* ---- Welch ------------------------------------------- */

/* Returns the t that has the two-sided p-value `level`. Uses Newton's method for the logarithm of
 * the p-value, and begins at `near`. The error of a step is about the square of the error before
 * the step. */
static double power_critical(double level, double degrees, double near) {
  double t = near;
  double scale =
      lgamma((degrees + 1) / 2) - lgamma(degrees / 2) - log(degrees * 3.14159265358979324) / 2;
  for (int i = 0; i < 60; i++) {
    double tail = pprofc_t_two_sided(t, degrees);
    if (!(tail > 0)) break;
    double density = exp(scale - (degrees + 1) / 2 * log1p(t * t / degrees));
    double step = tail * log(tail / level) / (2 * density);
    t = fmax(t / 2, t + step);
    if (fabs(step) < 1e-3 * t) break;
  }
  return t;
}

/* Number of steps of the integrals. The integrands are nearly 0 at both ends, so a sum over equal
 * steps is as exact as any other rule. */
#define NODES 12
#define REACH 5.0 /* the integrals go from -REACH to REACH standard deviations */

/* Discrete approximation of the distribution of sqrt(chi-squared / degrees): its values and their
 * weights. */
struct chi {
  double value[NODES + 1], weight[NODES + 1];
};

static void chi_init(struct chi *chi, double degrees) {
  double width = REACH / sqrt(2 * degrees), low = fmax(1e-9, 1 - width), high = 1 + width;
  double peak = sqrt(fmax(degrees - 1, 1e-9) / degrees), all = 0;
  for (int i = 0; i <= NODES; i++) {
    double u = low + (high - low) * i / NODES;
    chi->value[i] = u;
    chi->weight[i] = exp((degrees - 1) * log(u / peak) - degrees / 2 * (u * u - peak * peak));
    all += chi->weight[i];
  }
  for (int i = 0; i <= NODES; i++) chi->weight[i] /= all;
}

/* Returns P(T > critical) of the noncentral t distribution. This is the mean of
 * Phi(shift - critical * u) over the values u in `chi`. */
static double power_of_t(const struct chi *chi, double shift, double critical) {
  double sum = 0;
  for (int i = 0; i <= NODES; i++)
    sum += chi->weight[i] * pprofc_normal_cdf(shift - critical * chi->value[i]);
  return sum;
}

/* Variance of the mean of a sample, and degrees of freedom of the estimated variance. */
struct mean_error {
  double variance, degrees;
};

#define SHARES 8

/* Returns the power of Welch's test. The estimates of both variances are chi-squared. Their sum is
 * independent of their ratio, and the test's degrees of freedom depend only on the ratio. The
 * function converts the ratio to an angle and integrates over it. */
static double power_of_welch(double change, struct mean_error x, struct mean_error y,
                             double level) {
  double degrees = x.degrees + y.degrees, true_error = sqrt(x.variance + y.variance);
  double middle = atan2(sqrt(x.degrees), sqrt(y.degrees)), width = REACH / sqrt(2 * degrees);
  double low = fmax(1e-9, middle - width), high = fmin(1.5707963, middle + width);
  double sum = 0, all = 0, t = -pprofc_normal_quantile(level / 2);
  struct chi chi;
  chi_init(&chi, degrees);
  for (int i = 0; i <= SHARES; i++) {
    double angle = low + (high - low) * i / SHARES;
    double a = degrees * pow(sin(angle), 2) * x.variance / x.degrees;
    double b = degrees * pow(cos(angle), 2) * y.variance / y.degrees;
    double taken = (a + b) * (a + b) / (a * a / x.degrees + b * b / y.degrees);
    double weight = exp((x.degrees - 1) * log(sin(angle) / sin(middle)) +
                        (y.degrees - 1) * log(cos(angle) / cos(middle)));
    t = power_critical(level, taken, t);
    sum += weight * power_of_t(&chi, change / true_error, t * sqrt(a + b) / true_error);
    all += weight;
  }
  return sum / all;
}

/* Returns the factor by which a change for the worse multiplies the value and the noise of head. */
static double growth(const struct gate_design *d, double change) {
  return d->direction > 0 ? 1 - change : 1 + change;
}

double gate_power_welch(const struct gate_design *d, double change) {
  double head = d->head_noise * growth(d, change);
  struct mean_error x = {d->base_noise * d->base_noise / d->base_count, d->base_count - 1};
  struct mean_error y = {head * head / d->head_count, d->head_count - 1};
  if (!(x.variance + y.variance > 0)) return change > 0 ? 1 : 0;
  return power_of_welch(change, x, y, d->level);
}

/* Returns the normal quantile of a power. The quantile is nearly linear in the change, so the
 * secant method converges fast. */
static double probit_of(double power) {
  return pprofc_normal_quantile(fmin(fmax(power, 1e-15), 1 - 1e-15));
}

static double most_change(const struct gate_design *d) {
  return d->direction > 0 ? 1 - 1e-9 : CHANGE_MAX;
}

/* Finds the smallest change that the test detects, by the secant method. Begins at the value for
 * large samples. Keeps each step between a change that is too small and a change that is large
 * enough. */
static double visible_welch(const struct gate_design *d) {
  double goal = pprofc_normal_quantile(GATE_POWER), low = 0, high = most_change(d);
  double noise = sqrt(d->base_noise * d->base_noise / d->base_count +
                      d->head_noise * d->head_noise / d->head_count);
  double degrees = d->base_count + d->head_count - 2;
  double t = power_critical(d->level, degrees, -pprofc_normal_quantile(d->level / 2));
  double slope = noise * sqrt(1 + t * t / (2 * degrees));
  double x = noise * t + slope * goal, last_x = 0, last_y = 0;
  if (x >= high && gate_power_welch(d, high) < GATE_POWER) return (double)INFINITY;
  for (int i = 0; i < 60 && high - low > 1e-6 * high; i++) {
    if (!(x > low && x < high)) x = low > 0 ? sqrt(low * high) : high / 2;
    double y = probit_of(gate_power_welch(d, x)) - goal;
    if (fabs(y) < 1e-4) return x;
    *(y < 0 ? &low : &high) = x;
    double next = x - y * (i == 0 ? slope : (x - last_x) / (y - last_y));
    last_x = x;
    last_y = y;
    x = next;
  }
  return gate_power_welch(d, high) < GATE_POWER * 0.999 ? (double)INFINITY : high;
}

/* ---- U ----------------------------------------------- */

static double draw_normal(uint64_t *state) {
  return pprofc_normal_quantile(((double)(stats_random(state) >> 11) + 0.5) / 9007199254740992.0);
}

/* Implements Hoare's selection algorithm. */
double gate_power_select(double *values, size_t count, size_t k) {
  size_t first = 0, last = count - 1;
  while (first < last) {
    double pivot = values[first + (last - first) / 2];
    size_t i = first, j = last;
    for (;;) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i >= j) break;
      double value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (k <= j)
      last = j;
    else
      first = j + 1;
  }
  return values[k];
}

/* Returns the smallest shift of the head that makes two simulated samples differ significantly. U
 * changes only when a shifted value passes a value of the other sample, so this shift is a
 * difference between two values. */
static double shift_of_draw(uint64_t *state, size_t n, size_t m, size_t cut, double *scratch) {
  double *x = scratch, *y = x + n, *differences = y + m;
  for (size_t i = 0; i < n + m; i++) scratch[i] = draw_normal(state);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) differences[i * m + j] = x[i] - y[j];
  return gate_power_select(differences, n * m, n * m - cut);
}

/* Computes the shift, in standard deviations, that a share GATE_POWER of simulations detects. */
static bool simulate_u(size_t n, size_t m, double level, double *shift,
                       const pprofc_allocator *mem) {
  size_t cut, size = n + m + n * m;
  *shift = (double)INFINITY;
  if (!gate_u_cut(n, m, level, &cut, mem)) return false;
  if (cut == 0) return true;
  double *scratch = mem_array(mem, size, sizeof *scratch);
  double *shifts = mem_array(mem, U_DRAWS, sizeof *shifts);
  uint64_t state = 20261122;
  for (size_t i = 0; i < U_DRAWS && scratch && shifts; i++)
    shifts[i] = shift_of_draw(&state, n, m, cut, scratch);
  bool good = scratch && shifts;
  if (good) *shift = gate_power_select(shifts, U_DRAWS, (size_t)(GATE_POWER * U_DRAWS));
  mem_free(mem, scratch, size, sizeof *scratch);
  mem_free(mem, shifts, U_DRAWS, sizeof *shifts);
  return good;
}

/* Returns the result of simulate_u for samples of n and m values. Simulates each pair of sizes only
 * once, because a suite has few different sizes. */
static bool shift_for_u(struct gate_power *power, size_t n, size_t m, double level, double *shift) {
  struct gate_power_known *known = (struct gate_power_known *)(void *)power->known.data;
  size_t count = power->known.size / sizeof *known;
  for (size_t i = 0; i < count; i++)
    if (known[i].n == n && known[i].m == m && known[i].level == level) {
      *shift = known[i].shift;
      return true;
    }
  if (!simulate_u(n, m, level, shift, power->known.mem)) return false;
  buffer_add(&power->known, &(struct gate_power_known){n, m, level, *shift}, sizeof *known);
  return !power->known.failed;
}

/* Converts a shift in standard deviations to a relative change. A change scales head's noise. */
static double change_of_shift(const struct gate_design *d, double shift) {
  double change = 0, most = most_change(d);
  for (int i = 0; i < 200; i++) {
    double head = d->head_noise * growth(d, change);
    double next = shift * sqrt((d->base_noise * d->base_noise + head * head) / 2);
    if (!(next <= most)) return (double)INFINITY;
    if (fabs(next - change) <= 1e-7 * next) return next;
    change = next;
  }
  return change;
}

static bool visible_u(struct gate_power *power, const struct gate_design *d, double *change) {
  size_t n = (size_t)d->base_count, m = (size_t)d->head_count;
  if (n > U_COUNTED || m > U_COUNTED) {
    *change = visible_welch(d) * U_EFFICIENCY;
    return true;
  }
  double shift;
  if (!shift_for_u(power, n, m, d->level, &shift)) return false;
  *change = change_of_shift(d, shift);
  return true;
}

/* ---- changes and samples ----------------------------- */

bool gate_power_visible(struct gate_power *power, const struct gate_design *d, double *change) {
  *change = (double)INFINITY;
  if (d->base_count < 2 || d->head_count < 2 || !(d->level > 0)) return true;
  if (d->ranks) return visible_u(power, d, change);
  *change = visible_welch(d);
  return true;
}

static bool is_enough(struct gate_power *power, struct gate_design *d, double samples,
                      double change, bool *enough) {
  double visible;
  d->base_count = d->head_count = samples;
  if (!d->ranks) {
    *enough = gate_power_welch(d, change) >= GATE_POWER;
    return true;
  }
  if (!gate_power_visible(power, d, &visible)) return false;
  *enough = visible <= change;
  return true;
}

/* Estimates how many samples base and head each need: first by the normal distribution, then by the
 * t distribution for this number of samples. */
static double guess_samples(double level, double ratio) {
  double goal = pprofc_normal_quantile(GATE_POWER), t = -pprofc_normal_quantile(level / 2);
  double n = 2 + (t + goal) * (t + goal) * ratio;
  for (int i = 0; i < 4 && n < SAMPLES_MAX; i++) {
    double degrees = 2 * n - 2;
    t = power_critical(level, degrees, t);
    double both = t + goal * sqrt(1 + t * t / (2 * degrees));
    n = fmax(2, (n + both * both * ratio) / 2);
  }
  return ceil(n);
}

/* Goes from guess_samples down or up to the smallest number that detects the change. */
bool gate_power_samples(struct gate_power *power, const struct gate_design *design, double change,
                        double *samples) {
  struct gate_design d = *design;
  double head = d.head_noise * growth(&d, change);
  double ratio = (d.base_noise * d.base_noise + head * head) / (change * change);
  double n = guess_samples(d.level, ratio);
  bool enough, fewer;
  *samples = (double)INFINITY;
  if (!(d.level > 0) || !(change > 0) || !(n <= SAMPLES_MAX)) return true;
  if (!is_enough(power, &d, n, change, &enough)) return false;
  for (fewer = enough; fewer && n > 2; n -= fewer)
    if (!is_enough(power, &d, n - 1, change, &fewer)) return false;
  while (!enough && n < SAMPLES_MAX)
    if (!is_enough(power, &d, ++n, change, &enough)) return false;
  if (enough) *samples = n;
  return true;
}

void gate_power_init(struct gate_power *power, const pprofc_allocator *mem) {
  buffer_init(&power->known, mem, SIZE_MAX / 2);
}

void gate_power_free(struct gate_power *power) {
  buffer_free(&power->known);
}
