/* Implements the public interface of verdicts (pprofc/verdict.h). */
#include "regex/regex.h"
#include "verdict/compare.h"
#include "verdict/sums.h"

/* If the squared coefficient of variation of the runs' divisors (such as their durations) is at
 * most this, the divisors count as equal. */
#define SAME_DIVISOR 1e-9

struct pprofc_verdicts {
  pprofc_allocator mem;
  struct budget *budget; /* budget of `mem`; the verdicts keep a reference to it */
  struct comparison c;
};

/* ---- words ------------------------------------------- */

const char *pprofc_verdict_name(pprofc_verdict verdict) {
  static const char *const names[] = {
      [PPROFC_VERDICT_RARE] = "rare",
      [PPROFC_VERDICT_ENVIRONMENT] = "environment",
      [PPROFC_VERDICT_UNKNOWN] = "unknown",
      [PPROFC_VERDICT_UNCHANGED] = "unchanged",
      [PPROFC_VERDICT_GREW_AS_ALL] = "grew, as everything did",
      [PPROFC_VERDICT_SHRANK_AS_ALL] = "shrank, as everything did",
      [PPROFC_VERDICT_GREW_LESS] = "grew less than the rest",
      [PPROFC_VERDICT_SHRANK_LESS] = "shrank less than the rest",
      [PPROFC_VERDICT_ROSE] = "rose against the rest",
      [PPROFC_VERDICT_FELL] = "fell against the rest",
      [PPROFC_VERDICT_GREW] = "grew",
      [PPROFC_VERDICT_SHRANK] = "shrank",
      [PPROFC_VERDICT_NEW] = "new",
      [PPROFC_VERDICT_GONE] = "gone",
      [PPROFC_VERDICT_DIFFERS] = "differs",
  };
  return names[verdict];
}

bool pprofc_verdict_is_change(pprofc_verdict verdict) {
  return verdict >= PPROFC_VERDICT_GREW_LESS;
}

bool pprofc_verdict_is_certain(pprofc_verdict verdict) {
  return verdict >= PPROFC_VERDICT_GREW_AS_ALL;
}

const char *pprofc_verdict_relation_name(pprofc_verdict_relation relation) {
  static const char *const names[] = {
      [PPROFC_RELATION_NONE] = "",
      [PPROFC_RELATION_MOVED] = "moved",
      [PPROFC_RELATION_RENAMED] = "renamed",
      [PPROFC_RELATION_INLINED] = "inlined",
  };
  return names[relation];
}

/* ---- options ----------------------------------------- */

void pprofc_verdict_options_init(pprofc_verdict_options *options) {
  *options = (pprofc_verdict_options){
      .struct_size = sizeof *options,
      .sample_index = "",
      .alpha = 0.05,
      .noise_cv = 0.05,
      .min_samples = 10,
      .rules_name = "rules",
  };
}

static pprofc_status verdicts_check(const pprofc_verdict_options *o, pprofc_error *error) {
  if (!(o->alpha > 0 && o->alpha < 1))
    return error_set(error, PPROFC_E_INVALID, "alpha must be between 0 and 1");
  if (!(o->noise_cv >= 0 && o->noise_cv <= 10))
    return error_set(error, PPROFC_E_INVALID, "noise_cv must be from 0 to 10: 0.05 is 5 %%");
  if (!((o->min_samples >= 1 || o->min_samples == 0) && isfinite(o->min_samples)))
    return error_set(error, PPROFC_E_INVALID, "min_samples must be 0 or at least 1");
  if (o->normalize_by < PPROFC_EXPOSURE_AUTO || o->normalize_by > PPROFC_EXPOSURE_NONE)
    return error_set(error, PPROFC_E_INVALID,
                     "normalize_by must be auto, ops, time, total or none");
  return PPROFC_OK;
}

/* ---- the steps --------------------------------------- */

static int verdicts_row_order(const void *a, const void *b) {
  const pprofc_verdict_row *x = a, *y = b;
  double dx = fabs(x->flat.delta), dy = fabs(y->flat.delta);
  if (dx != dy) return dx < dy ? 1 : -1;
  return str_compare(x->name, y->name);
}

/* Sorts the rows by the size of their change, largest first. Fills in row_of and line. */
static pprofc_status comparison_sort(struct comparison *c, pprofc_error *error) {
  size_t names = c->names.texts.count;
  c->row_of = arena_array(&c->arena, names, sizeof *c->row_of);
  c->line = arena_array(&c->arena, c->rows, sizeof *c->line);
  if (!c->row_of || !c->line) return error_nomem(error);
  qsort(c->row, c->rows, sizeof *c->row, verdicts_row_order);
  for (size_t i = 0; i < names; i++) c->row_of[i] = MAP_NONE;
  for (size_t i = 0; i < c->rows; i++)
    c->row_of[interner_find(&c->names.texts, c->row[i].name)] = (uint32_t)i;
  for (size_t i = 0; i < c->rows; i++) c->line[c->row_of[c->order[i]]] = i;
  return PPROFC_OK;
}

size_t comparison_from(const struct comparison *c, size_t side) {
  const size_t from[] = {0, c->bases, c->count};
  return from[side];
}

double comparison_range(const struct comparison *c, const double *values, const double *divisors) {
  double range = 0;
  for (size_t side = 0; side < 2; side++) {
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (size_t r = comparison_from(c, side); r < comparison_from(c, side + 1); r++) {
      least = fmin(least, values[r] / divisors[r]);
      most = fmax(most, values[r] / divisors[r]);
    }
    range = fmax(range, most - least);
  }
  return range;
}

/* Returns the sum of the divisors (such as durations) of the runs of base or head, or with
 * `squared`, the sum of their squares. */
static double comparison_divisors(const struct comparison *c, size_t side, bool squared) {
  double sum = 0;
  for (size_t r = comparison_from(c, side); r < comparison_from(c, side + 1); r++)
    sum += squared ? c->divisors[r] * c->divisors[r] : c->divisors[r];
  return sum;
}

double comparison_mean(const struct comparison *c, const double *values, size_t side) {
  double sum = 0;
  for (size_t r = comparison_from(c, side); r < comparison_from(c, side + 1); r++)
    sum += c->pooled ? values[r] : values[r] / c->divisors[r];
  return sum / (c->pooled ? comparison_divisors(c, side, false) : c->side_runs[side]);
}

double comparison_stretch(const struct comparison *c) {
  double most = 1;
  for (size_t side = 0; c->pooled && side < 2; side++) {
    double sum = comparison_divisors(c, side, false);
    most = fmax(most, c->side_runs[side] * comparison_divisors(c, side, true) / (sum * sum));
  }
  return most > 1 + SAME_DIVISOR ? sqrt(most) : 1;
}

double comparison_weight(const struct comparison *c, size_t run) {
  size_t side = run >= c->bases;
  double all = c->side_runs[side] * c->divisors[run];
  if (c->pooled) all = comparison_divisors(c, side, false);
  return (side ? 1 : -1) * c->runs[run].scale / all;
}

struct model_settings comparison_settings(const struct comparison *c) {
  return (struct model_settings){
      .noise_cv = c->options.noise_cv,
      .min_samples = c->options.min_samples > 0 ? c->options.min_samples : LEAST_SAMPLES,
      .common = !c->options.no_common && quantum_has_speed(c->quantum.sampling),
  };
}

/* Largest plausible ratio between the common factors (the factors that all functions of a run
 * share) of base and head. A larger ratio occurs if base and head have hardly any function in
 * common. */
#define COMMON_BEYOND 50.0

/* True if the common factor (the factor that all functions of a run share) is implausible. Compares
 * it with the ratio of the totals, because both follow a change of the whole program. */
static bool comparison_common_fails(const struct comparison *c, const struct matrix *m,
                                    const struct fit *fit) {
  double logs[2] = {0, 0};
  for (size_t r = 0; r < c->count; r++) {
    size_t side = r >= c->bases, columns = side ? c->count - c->bases : c->bases;
    logs[side] += log(m->exposure[r] * fit->common[r] / c->totals[r]) / (double)columns;
  }
  return fit->has_common && !(fabs(logs[1] - logs[0]) < log(COMMON_BEYOND));
}

pprofc_status comparison_fit(struct comparison *c, struct matrix *m, struct arena *arena,
                             struct fit *fit, pprofc_error *error) {
  struct model_settings settings = comparison_settings(c);
  bool given = c->exposure == PPROFC_EXPOSURE_TOTAL || m->grouped;
  pprofc_status status = model_fit(m, &settings, arena, fit, error);
  if (status || !settings.common) return status;
  bool fails = comparison_common_fails(c, m, fit), totals = fails && c->shares;
  if (fit->has_common && !fails) return status;
  settings.common = false;
  if (!given) m->exposure = totals ? c->shares : c->divisors;
  status = model_fit(m, &settings, arena, fit, error);
  fit->has_common = totals;
  return status;
}

/* Runs the steps that need only the matrices of values. These steps also work if only sums over
 * runs are known. */
static pprofc_status comparison_rows(struct comparison *c, pprofc_error *error) {
  struct recorded_rows recorded;
  c->summary.exact = c->quantum.sampling == SAMPLING_EXACT;
  c->summary.lone = c->summary.exact && (c->side_runs[0] == 1 || c->side_runs[1] == 1);
  pprofc_status status = comparison_fit(c, &c->flat_matrix, &c->arena, &c->flat, error);
  if (!status) status = comparison_fit(c, &c->cum_judged, &c->arena, &c->cum, error);
  if (status) return status;
  c->cum_matrix.exposure = c->cum_judged.exposure;
  recorded_begin(&recorded, c, &c->flat_matrix, &c->flat);
  recorded_common(&recorded, &c->summary);
  status = family_judge(c, error);
  if (!status) status = comparison_sort(c, error);
  return status ? status : account_fill(c, error);
}

/* Runs the steps that need the stacks of each run. */
static pprofc_status comparison_stacks(struct comparison *c, pprofc_error *error) {
  pprofc_status status = places_find(c, error);
  return status ? status : stacks_judge(c, error);
}

/* Judges the runs. If `sums` is not NULL, judges these sums over runs, without the steps that need
 * stacks. */
static pprofc_status comparison_judge(struct comparison *c, const struct sums *const *sums,
                                      pprofc_error *error) {
  pprofc_status status = sums ? comparison_read_sums(c, sums, error) : comparison_read(c, error);
  if (!status) status = comparison_rows(c, error);
  bool related = !sums && !c->options.lines;
  if (!status && related) status = relations_find(c, error);
  if (!status && related) status = calls_find(c, error);
  if (!status) status = sentence_fill(c, error);
  if (!status) family_widen_rows(c);
  return status || sums ? status : comparison_stacks(c, error);
}

/* Frees the data that the results do not need. */
static void comparison_close(struct comparison *c) {
  for (size_t r = 0; c->runs && r < c->count; r++) run_free(&c->runs[r]);
  mem_free(c->mem, c->runs, c->count, sizeof *c->runs);
  c->runs = NULL;
  c->given_base = c->given_head = NULL;
  c->options.filter = NULL;
  c->options.rules = NULL;
}

static pprofc_status comparison_run(struct comparison *c, const struct sums *const *sums,
                                    pprofc_error *error) {
  pprofc_str text = {c->options.rules, c->options.rules_size};
  c->runs = mem_zero_array(c->mem, c->count, sizeof *c->runs);
  pprofc_status status = c->runs ? PPROFC_OK : error_nomem(error);
  if (!status) status = rules_init(&c->rules, c->mem, c->options.rules_name, text, error);
  if (!status) status = comparison_judge(c, sums, error);
  comparison_close(c);
  return status;
}

/* ---- the interface ----------------------------------- */

/* Copies and checks the options, and creates verdicts without rows. */
static pprofc_status verdicts_begin(const pprofc_allocator *mem, size_t bases, size_t heads,
                                    const pprofc_verdict_options *options, pprofc_verdicts **out,
                                    pprofc_error *error) {
  pprofc_verdict_options all;
  pprofc_status status = OPTIONS_COPY(pprofc_verdict_options, &all, options, error);
  if (!status) status = verdicts_check(&all, error);
  if (status) return status;
  pprofc_verdicts *made = *out = mem_zero_array(mem, 1, sizeof *made);
  if (!made) return error_nomem(error);
  made->mem = *mem;
  made->budget = budget_of(mem) ? budget_retain(budget_of(mem)) : NULL;
  made->c = (struct comparison){.mem = &made->mem,
                                .options = all,
                                .count = bases + heads,
                                .bases = bases,
                                .side_runs = {(double)bases, (double)heads}};
  arena_init(&made->c.arena, &made->mem);
  made->c.rules = (struct rules){.mem = &made->mem};
  arena_init(&made->c.rules.arena, &made->mem);
  names_init(&made->c.names, &made->mem, &made->c.rules);
  made->c.names.lines = made->c.options.lines;
  return PPROFC_OK;
}

/* Stores the verdicts in *out, or frees them if `status` is an error. */
static pprofc_status verdicts_end(pprofc_verdicts *made, pprofc_status status,
                                  pprofc_verdicts **out) {
  if (status)
    pprofc_verdicts_free(made);
  else
    *out = made;
  return status;
}

pprofc_status verdicts_of_sums(const struct sums *base, const struct sums *head,
                               const pprofc_verdict_options *options, pprofc_verdicts **verdicts,
                               pprofc_error *error) {
  const struct sums *const sums[2] = {base, head};
  pprofc_verdicts *made = NULL;
  pprofc_status status = verdicts_begin(base->mem, 1, 1, options, &made, error);
  if (!status) status = comparison_run(&made->c, sums, error);
  return verdicts_end(made, status, verdicts);
}

pprofc_status pprofc_verdicts_new(const pprofc_verdict_run *base, size_t base_count,
                                  const pprofc_verdict_run *head, size_t head_count,
                                  const pprofc_verdict_options *options, pprofc_verdicts **verdicts,
                                  pprofc_error *error) {
  pprofc_verdicts *made = NULL;
  if (!base_count || !head_count)
    return error_set(error, PPROFC_E_INVALID, "base and head need at least one run each");
  const pprofc_allocator *mem = &base[0].profile->mem;
  pprofc_status status = verdicts_begin(mem, base_count, head_count, options, &made, error);
  if (!status) {
    made->c.given_base = base;
    made->c.given_head = head;
    status = comparison_run(&made->c, NULL, error);
  }
  return budget_status(mem, verdicts_end(made, status, verdicts), error);
}

void pprofc_verdicts_free(pprofc_verdicts *verdicts) {
  if (!verdicts) return;
  pprofc_allocator mem = verdicts->mem;
  struct budget *budget = verdicts->budget;
  names_free(&verdicts->c.names);
  rules_free(&verdicts->c.rules);
  arena_free(&verdicts->c.arena);
  mem_free(&mem, verdicts, 1, sizeof *verdicts);
  if (budget) budget_release(budget);
}

const pprofc_verdict_row *pprofc_verdicts_rows(const pprofc_verdicts *verdicts, size_t *count) {
  *count = verdicts->c.rows;
  return verdicts->c.row;
}

const pprofc_verdict_row *pprofc_verdicts_find(const pprofc_verdicts *verdicts, pprofc_str name) {
  const struct comparison *c = &verdicts->c;
  uint32_t id = interner_find(&c->names.texts, name);
  if (id == MAP_NONE || c->row_of[id] == MAP_NONE) return NULL;
  return &c->row[c->row_of[id]];
}

const pprofc_verdict_domain *pprofc_verdicts_domains(const pprofc_verdicts *verdicts,
                                                     size_t *count) {
  *count = verdicts->c.domain_count;
  return verdicts->c.domains;
}

const pprofc_verdict_domain *pprofc_verdicts_domain_of(const pprofc_verdicts *verdicts,
                                                       const pprofc_verdict_row *row) {
  return comparison_domain(&verdicts->c, (size_t)(row - verdicts->c.row));
}

const pprofc_verdict_domain *pprofc_verdicts_calls_of(const pprofc_verdicts *verdicts,
                                                      const pprofc_verdict_row *row) {
  const struct comparison *c = &verdicts->c;
  return c->calls_of ? c->calls_of[row - c->row] : NULL;
}

bool pprofc_verdicts_row_runs(const pprofc_verdicts *verdicts, const pprofc_verdict_row *row,
                              bool cum, double *values) {
  const struct comparison *c = &verdicts->c;
  const struct matrix *m = cum ? &c->cum_matrix : &c->flat_matrix;
  if (m->grouped) return false;
  for (size_t r = 0; r < m->runs; r++)
    values[r] = m->values[c->line[row - c->row] * m->runs + r] / c->divisors[r];
  return true;
}

double verdicts_cum_change(const pprofc_verdicts *verdicts, const pprofc_verdict_row *row) {
  const struct comparison *c = &verdicts->c;
  const struct recorded_rows rows = {.c = c, .m = &c->cum_judged, .fit = &c->cum};
  return recorded_judged(&rows, c->line[row - c->row]);
}

const pprofc_verdict_stack *pprofc_verdicts_stacks(const pprofc_verdicts *verdicts, size_t *count) {
  *count = verdicts->c.stack_count;
  return verdicts->c.stacks;
}

size_t pprofc_verdicts_stack_find(const pprofc_verdicts *verdicts, size_t parent, pprofc_str name) {
  return stacks_find(&verdicts->c, parent, name);
}

bool pprofc_verdicts_accepts(const pprofc_verdicts *verdicts, pprofc_str name, const char *today,
                             pprofc_str *reason, pprofc_str *until) {
  const struct accepted *row = rules_accept(&verdicts->c.rules, name, str_of(today));
  if (!row) return false;
  *reason = row->reason;
  *until = row->until;
  return true;
}

bool pprofc_verdicts_accepted_at(const pprofc_verdicts *verdicts, size_t index,
                                 pprofc_verdict_accepted *rule) {
  const struct comparison *c = &verdicts->c;
  if (index >= c->rules.accepted_count) return false;
  const struct accepted *row = &c->rules.accepted[index];
  *rule = (pprofc_verdict_accepted){row->pattern, row->reason, row->until, 0};
  for (size_t i = 0; i < c->rows; i++) rule->rows += regex_match(row->function, c->row[i].name);
  return true;
}

void pprofc_verdicts_summary_of(const pprofc_verdicts *verdicts, pprofc_verdict_summary *summary) {
  *summary = verdicts->c.summary;
}
