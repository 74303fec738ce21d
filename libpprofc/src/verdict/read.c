/* Reads the runs of a comparison. Filters the runs and adds them up, checks that their types agree,
 * and fills in the matrices. */
#include "pipeline/pipeline.h"
#include "verdict/compare.h"

/* ---- exposures -------------------------------------- */

/* Returns the run at an index, as the caller of the library passed it. */
static const pprofc_verdict_run *comparison_given(const struct comparison *c, size_t run) {
  return run < c->bases ? &c->given_base[run] : &c->given_head[run - c->bases];
}

static bool exposure_known(const struct comparison *c, bool per_operation) {
  for (size_t r = 0; r < c->count; r++) {
    const pprofc_verdict_run *given = comparison_given(c, r);
    if (!((per_operation ? given->per_operation : given->operations) > 0)) return false;
  }
  return true;
}

/* ---- types of divisors ------------------------------- */

static double exposure_of_total(const struct comparison *c, size_t run) {
  return c->totals[run] / 100;
}

static double exposure_of_time(const struct comparison *c, size_t run) {
  return (double)c->runs[run].profile->duration_nanos / 1e9;
}

/* Returns the number of operations of a run. If the caller knows only the result per operation
 * (such as ns/op), divides the profile's total by this result. */
static double exposure_of_ops(const struct comparison *c, size_t run) {
  const pprofc_verdict_run *given = comparison_given(c, run);
  if (given->operations > 0) return given->operations;
  return given->per_operation > 0 ? c->totals[run] / given->per_operation : 0;
}

static double exposure_of_nothing(const struct comparison *c, size_t run) {
  (void)c;
  (void)run;
  return 1;
}

static const struct exposure_kind {
  double (*of)(const struct comparison *c, size_t run);
  const char *missing; /* reason in the error message if the divisor of a run is not above 0 */
} exposure_kinds[] = {
    [PPROFC_EXPOSURE_OPS] = {exposure_of_ops, "its number of operations is not known"},
    [PPROFC_EXPOSURE_TIME] = {exposure_of_time, "its duration is not known"},
    [PPROFC_EXPOSURE_TOTAL] = {exposure_of_total, "its total is 0"},
    [PPROFC_EXPOSURE_NONE] = {exposure_of_nothing, ""},
};

static bool exposure_all(const struct comparison *c, pprofc_verdict_exposure exposure) {
  for (size_t r = 0; r < c->count; r++)
    if (!(exposure_kinds[exposure].of(c, r) > 0)) return false;
  return true;
}

/* ---- the choice -------------------------------------- */

/* Chooses the divisor of each run's values, unless an option chooses it. Uses the number of
 * operations if it is known. Otherwise contention profiles use the duration, because waiting time
 * grows with the duration. Other profiles have no divisor. */
static pprofc_verdict_exposure exposure_choose(const struct comparison *c) {
  if (c->options.normalize_by != PPROFC_EXPOSURE_AUTO) return c->options.normalize_by;
  if (exposure_known(c, false) || exposure_known(c, true)) return PPROFC_EXPOSURE_OPS;
  bool events = c->quantum.sampling == SAMPLING_EVENTS;
  return events && exposure_all(c, PPROFC_EXPOSURE_TIME) ? PPROFC_EXPOSURE_TIME
                                                         : PPROFC_EXPOSURE_NONE;
}

/* True if values are divided by the total of their run before functions are judged. The verdicts do
 * not depend on this divisor, because the model removes the factor that all functions of a run
 * share. */
static bool exposure_by_shares(const struct comparison *c) {
  enum sampling_kind kind = c->quantum.sampling;
  bool sampled = kind == SAMPLING_PERIOD || kind == SAMPLING_COUNTS || kind == SAMPLING_UNKNOWN;
  if (c->exposure == PPROFC_EXPOSURE_TOTAL) return true;
  if (c->options.normalize_by != PPROFC_EXPOSURE_AUTO) return false;
  return c->exposure == PPROFC_EXPOSURE_NONE && comparison_settings(c).common && sampled &&
         exposure_all(c, PPROFC_EXPOSURE_TOTAL);
}

static bool exposure_fill_shares(struct comparison *c) {
  double sum = 0;
  c->shares = arena_array(&c->arena, c->count, sizeof *c->shares);
  for (size_t r = 0; r < c->count; r++) sum += c->totals[r];
  for (size_t r = 0; c->shares && r < c->count; r++)
    c->shares[r] = c->totals[r] / (sum / (double)c->count);
  return c->shares != NULL;
}

static bool exposure_any_total(const struct comparison *c) {
  for (size_t r = 0; r < c->count; r++)
    if (c->totals[r] > 0) return true;
  return false;
}

static pprofc_status exposure_refuse(const struct comparison *c, size_t run, const char *why,
                                     pprofc_error *error) {
  const char *name = comparison_given(c, run)->name;
  return error_set(error, PPROFC_E_INVALID, "cannot judge '%s': %s", name ? name : "a run", why);
}

/* Computes two divisors for each run: one for shown values (c->divisors), and one for judged values
 * (c->exposures). Both come from the total, duration or operations of the run. */
static pprofc_status exposure_find(struct comparison *c, pprofc_error *error) {
  if (!exposure_any_total(c)) return exposure_refuse(c, 0, "all totals are 0", error);
  c->exposure = exposure_choose(c);
  c->pooled = c->exposure == PPROFC_EXPOSURE_TIME;
  const struct exposure_kind *kind = &exposure_kinds[c->exposure];
  c->divisors = arena_array(&c->arena, c->count, sizeof *c->divisors);
  if (!c->divisors) return error_nomem(error);
  for (size_t r = 0; r < c->count; r++) {
    c->divisors[r] = kind->of(c, r);
    if (!(c->divisors[r] > 0 && isfinite(c->divisors[r])))
      return exposure_refuse(c, r, kind->missing, error);
  }
  if (exposure_all(c, PPROFC_EXPOSURE_TOTAL) && !exposure_fill_shares(c)) return error_nomem(error);
  c->exposures = exposure_by_shares(c) ? c->shares : c->divisors;
  return PPROFC_OK;
}

/* ---- one run ----------------------------------------- */

static pprofc_status read_filter(struct comparison *c, size_t run, pprofc_error *error) {
  const pprofc_profile *source = comparison_given(c, run)->profile;
  struct run *into = &c->runs[run];
  if (c->options.filter) return pprofc_filter(source, c->options.filter, &into->profile, error);
  into->profile = profile_edit(source);
  return into->profile ? PPROFC_OK : error_nomem(error);
}

/* Formats a type as "cpu/nanoseconds" for messages. Truncates long names. */
static void read_type_text(const pprofc_profile *p, struct value_type type, char out[160]) {
  pprofc_str name = str_slice(profile_string(p, type.type), 0, 70);
  pprofc_str unit = str_slice(profile_string(p, type.unit), 0, 70);
  snprintf(out, 160, "%.*s/%.*s", STR_ARG(name), STR_ARG(unit));
}

static bool read_same_type(const pprofc_profile *a, struct value_type x, const pprofc_profile *b,
                           struct value_type y) {
  return str_equal(profile_string(a, x.type), profile_string(b, y.type)) &&
         str_equal(profile_string(a, x.unit), profile_string(b, y.unit));
}

/* Returns PPROFC_E_INVALID if a run and the first run differ in type, unit or sampling. */
static pprofc_status read_check_alike(const struct comparison *c, size_t run, size_t value,
                                      pprofc_error *error) {
  const pprofc_profile *first = c->runs[0].profile, *p = c->runs[run].profile;
  struct value_type expected = first->types[c->quantum.value], found = p->types[value];
  char a[160], b[160];
  if (!read_same_type(first, expected, p, found)) {
    read_type_text(first, expected, a);
    read_type_text(p, found, b);
    return error_set(error, PPROFC_E_INVALID, "values are in %s, but in %s in the first run", b, a);
  }
  if (!read_same_type(first, first->period_type, p, p->period_type)) {
    read_type_text(first, first->period_type, a);
    read_type_text(p, p->period_type, b);
    return error_set(error, PPROFC_E_INVALID, "the period is in %s, but in %s in the first run", b,
                     a);
  }
  if (p->period == first->period) return PPROFC_OK;
  bool sampled =
      p->period > 0 && first->period > 0 && quantum_of(p, value).sampling == c->quantum.sampling;
  if (sampled) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the period is %lld, but %lld in the first run",
                   (long long)p->period, (long long)first->period);
}

/* Returns the factor that makes counts of samples comparable: the period of the run divided by the
 * period of the first run. Returns 1 for other types. */
static double read_scale(const struct comparison *c, size_t run, size_t value) {
  const pprofc_profile *first = c->runs[0].profile, *p = c->runs[run].profile;
  struct value_type type = p->types[value];
  bool samples = str_equal(profile_string(p, type.type), STR("samples")) &&
                 str_equal(profile_string(p, type.unit), STR("count"));
  if (!samples || p->period == first->period) return 1;
  return (double)p->period / (double)first->period;
}

static pprofc_status read_run(struct comparison *c, size_t run, pprofc_error *error) {
  const char *name = comparison_given(c, run)->name;
  struct run *r = &c->runs[run];
  size_t value;
  pprofc_status status = read_filter(c, run, error);
  if (!status) status = value_select(r->profile, str_of(c->options.sample_index), &value, error);
  if (!status && run == 0) c->quantum = quantum_of(r->profile, value);
  if (!status) status = read_check_alike(c, run, value, error);
  if (!status) {
    r->scale = read_scale(c, run, value);
    c->mixed_periods |= r->profile->period != c->runs[0].profile->period;
    status = run_sum(r, value, !c->options.noinlines, &c->names, error);
  }
  if (status && status != PPROFC_E_NOMEM && name) error_prefix(error, "cannot judge '%s': ", name);
  return status;
}

/* ---- the matrices ------------------------------------ */

struct row_name {
  pprofc_str name;
  uint32_t id;
};

static bool read_has_value(const struct comparison *c, uint32_t id) {
  for (size_t r = 0; r < c->count; r++)
    if (id < c->runs[r].cell_count && c->runs[r].cells[id].cum > 0) return true;
  return false;
}

/* Fills `rows` and `order` of the comparison with the names that have a value, in the order of
 * memcmp. */
static bool read_order(struct comparison *c) {
  size_t count = c->names.texts.count;
  struct row_name *named = mem_array(c->mem, count, sizeof *named);
  c->order = arena_array(&c->arena, count, sizeof *c->order);
  if (named && c->order) {
    for (uint32_t id = 0; id < count; id++)
      if (read_has_value(c, id)) named[c->rows++] = (struct row_name){c->names.texts.items[id], id};
    qsort(named, c->rows, sizeof *named, str_order);
    for (size_t i = 0; i < c->rows; i++) c->order[i] = named[i].id;
  }
  bool done = named && c->order;
  mem_free(c->mem, named, count, sizeof *named);
  return done;
}

static double read_cell(const struct run *run, uint32_t id, bool cum, double *noise) {
  if (id >= run->cell_count) return 0;
  const struct run_cell *cell = &run->cells[id];
  *noise += cum ? cell->cum_noise : cell->flat_noise;
  return cum ? cell->cum : cell->flat;
}

static double read_mean_period(const struct comparison *c, size_t from, size_t end) {
  double sum = 0;
  for (size_t r = from; r < end; r++) sum += (double)c->runs[r].profile->period;
  return sum / (double)(end - from);
}

/* Returns the quantum of a row (sampling variance per unit of value) for runs with different
 * periods. It is a weighted mean of the quanta of base and head, which gives the correct variance
 * for head minus base. An unweighted mean would underestimate the noise if base or head has few
 * runs and a long period. */
static double read_mixed_quantum(const struct comparison *c, const double sums[2],
                                 const double noises[2]) {
  double nb = (double)c->bases, nh = (double)(c->count - c->bases);
  double ratio = read_mean_period(c, 0, c->bases) / read_mean_period(c, c->bases, c->count);
  if (sums[0] <= 0 && sums[1] <= 0) return 0;
  double base = sums[0] > 0 ? noises[0] / sums[0] : noises[1] / sums[1] * ratio;
  double head = sums[1] > 0 ? noises[1] / sums[1] : base / ratio;
  return (base / nb + head / nh) / (1 / nb + 1 / nh);
}

double comparison_quantum(const struct comparison *c, const double sums[2],
                          const double noises[2]) {
  double sum = sums[0] + sums[1];
  if (c->mixed_periods) return read_mixed_quantum(c, sums, noises);
  return sum > 0 ? (noises[0] + noises[1]) / sum : 0;
}

static bool read_matrix(struct comparison *c, bool cum, struct matrix *m) {
  size_t runs = c->count;
  double *values = c->rows && runs > SIZE_MAX / c->rows
                       ? NULL
                       : arena_array(&c->arena, c->rows * runs, sizeof *values);
  double *quantum = arena_array(&c->arena, c->rows, sizeof *quantum);
  bool *aside = arena_array(&c->arena, c->rows, sizeof *aside);
  if (!values || !quantum || !aside) return false;
  for (size_t i = 0; i < c->rows; i++) {
    double sums[2] = {0, 0}, noises[2] = {0, 0};
    for (size_t r = 0; r < runs; r++) {
      size_t side = r >= c->bases;
      values[i * runs + r] = read_cell(&c->runs[r], c->order[i], cum, &noises[side]);
      sums[side] += values[i * runs + r];
    }
    quantum[i] = comparison_quantum(c, sums, noises);
    aside[i] = c->names.flags[c->order[i]] & NAME_ENVIRONMENT;
  }
  *m = (struct matrix){.rows = c->rows,
                       .runs = runs,
                       .bases = c->bases,
                       .values = values,
                       .quantum = quantum,
                       .exposure = c->exposures,
                       .aside = aside,
                       .nested = cum};
  return true;
}

/* True if cum values contain time of the environment (code such as the kernel or a scheduler). The
 * judged values exclude this time. */
static bool read_has_machine(const struct comparison *c) {
  bool any = false;
  for (size_t r = 0; r < c->count; r++) any |= c->runs[r].has_machine;
  return any && quantum_has_speed(c->quantum.sampling);
}

/* Fills in cum_judged: cum without the time of the environment, such as the kernel (walk.h).
 * Functions that have only such time are not judged. */
static bool read_judged(struct comparison *c) {
  struct matrix *m = &c->cum_judged;
  *m = c->cum_matrix;
  if (!read_has_machine(c)) return true;
  double *values = arena_array(&c->arena, m->rows * m->runs, sizeof *values);
  bool *aside = arena_array(&c->arena, m->rows, sizeof *aside);
  for (size_t i = 0; values && aside && i < m->rows; i++) {
    double sum = 0;
    for (size_t r = 0; r < m->runs; r++) {
      const struct run *run = &c->runs[r];
      size_t at = i * m->runs + r;
      bool known = c->order[i] < run->cell_count;
      values[at] = m->values[at] - (known ? run->cells[c->order[i]].machine : 0);
      sum += values[at];
    }
    aside[i] = m->aside[i] || !(sum > 0);
  }
  m->values = values;
  m->aside = c->cum_matrix.aside = aside;
  return values && aside;
}

bool comparison_matrices(struct comparison *c) {
  return read_order(c) && read_matrix(c, false, &c->flat_matrix) &&
         read_matrix(c, true, &c->cum_matrix) && read_judged(c);
}

static pprofc_status read_runs(struct comparison *c, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  c->totals = arena_array(&c->arena, c->count, sizeof *c->totals);
  c->noises = arena_array(&c->arena, c->count, sizeof *c->noises);
  c->wholes = arena_array(&c->arena, c->count, sizeof *c->wholes);
  if (!c->totals || !c->noises || !c->wholes) return error_nomem(error);
  for (size_t r = 0; r < c->count && !status; r++) {
    status = read_run(c, r, error);
    c->totals[r] = c->runs[r].total;
    c->wholes[r] = c->runs[r].whole;
    c->noises[r] = c->runs[r].noise;
  }
  return status;
}

pprofc_status comparison_read(struct comparison *c, pprofc_error *error) {
  pprofc_status status = read_runs(c, error);
  if (!status) status = exposure_find(c, error);
  if (status) return status;
  const pprofc_profile *first = c->runs[0].profile;
  struct value_type type = first->types[c->quantum.value];
  c->type = arena_str(&c->arena, profile_string(first, type.type));
  c->unit = arena_str(&c->arena, profile_string(first, type.unit));
  bool made = c->type.data && c->unit.data && comparison_matrices(c);
  return made ? PPROFC_OK : error_nomem(error);
}
