/* Fills in the matrices of a comparison from sums instead of runs. A column has the sums over all
 * runs of base or of head. */
#include "verdict/compare.h"
#include "verdict/sums.h"

#include <math.h>

struct judge {
  struct comparison *c;
  const struct sums *const *sums;  /* sums of base and head */
  const struct sums_type *type[2]; /* sample type of base and head */
  bool whole;   /* judged cum includes the environment (rules.h): not separate in a file */
  bool shares;  /* true if rates are shares of the total */
  double scale; /* if rates are shares of the total: mean total; else 1 */
};

/* ---- the columns ------------------------------------- */

/* Returns the sums for the function `id` in base or head, or NULL. */
static const struct sums_cell *judge_cell(const struct judge *j, size_t side, uint32_t id) {
  const struct sums_type *type = j->type[side];
  return id != MAP_NONE && id < type->cell_capacity && type->cells[id].cum > 0 ? &type->cells[id]
                                                                               : NULL;
}

/* Fills in the cells of base or head with its sums, as if a single run had all values. */
static bool judge_column(const struct judge *j, size_t side) {
  struct names *names = &j->c->names;
  struct run *run = &j->c->runs[side];
  const struct interner *given = &j->sums[side]->names.texts;
  for (uint32_t id = 0; id < given->count; id++)
    if (judge_cell(j, side, id) && names_add(names, given->items[id]) == MAP_NONE) return false;
  run->cell_count = names->texts.count;
  run->cells = arena_zero_array(&j->c->arena, run->cell_count, sizeof *run->cells);
  for (uint32_t id = 0; run->cells && id < given->count; id++) {
    const struct sums_cell *cell = judge_cell(j, side, id);
    if (!cell) continue;
    double machine = j->whole ? 0 : cell->machine;
    run->cells[interner_find(&names->texts, given->items[id])] =
        (struct run_cell){cell->flat, cell->flat_noise, cell->cum, cell->cum_noise, machine, 0};
    run->has_machine |= machine > 0;
  }
  return run->cells != NULL;
}

/* Fills in `grouped` of a matrix: mean and squared deviations over each side's runs. */
static bool judge_group(const struct judge *j, enum sums_value value, struct matrix *m) {
  struct comparison *c = j->c;
  double *rates = arena_zero_array(&c->arena, 2 * m->rows, sizeof *rates);
  double *squares = arena_zero_array(&c->arena, 2 * m->rows, sizeof *squares);
  double *inverse = arena_array(&c->arena, 2, sizeof *inverse);
  struct grouped *grouped = arena_array(&c->arena, 1, sizeof *grouped);
  if (!rates || !squares || !inverse || !grouped) return false;
  for (size_t i = 0; i < 2 * m->rows; i++) {
    pprofc_str name = c->names.texts.items[c->order[i / 2]];
    size_t side = i % 2;
    const struct sums_cell *cell =
        judge_cell(j, side, interner_find(&j->sums[side]->names.texts, name));
    if (!cell) continue;
    double sum = cell->share[value].sum * j->scale, runs = c->side_runs[side];
    rates[i] = sum / runs;
    squares[i] = fmax(cell->share[value].squares * j->scale * j->scale - sum * sum / runs, 0);
  }
  for (size_t side = 0; side < 2; side++)
    inverse[side] = j->shares ? j->type[side]->inverse * j->scale : c->side_runs[side];
  *grouped = (struct grouped){c->side_runs, rates, squares, inverse};
  m->grouped = grouped;
  return true;
}

/* ---- sample types ------------------------------------ */

static const struct sums_type *judge_type(const struct sums *sums, pprofc_str wanted) {
  for (size_t i = 0; i < sums->type_count; i++) {
    const struct sums_type *type = &sums->types[i];
    if (wanted.size ? str_equal(type->type, wanted) : type->is_default) return type;
  }
  return NULL;
}

static pprofc_status judge_check_alike(const struct sums_type *base, const struct sums_type *head,
                                       pprofc_error *error) {
  if (!str_equal(base->unit, head->unit) || base->sampling != head->sampling)
    return error_set(error, PPROFC_E_INVALID, "base and head differ in unit or in sampling");
  if (base->mixed || head->mixed || base->period != head->period)
    return error_set(error, PPROFC_E_INVALID, "the sampling period differs between runs");
  if (base->runs < 2 || head->runs < 2)
    return error_set(error, PPROFC_E_INVALID, "sums need at least 2 runs per side");
  if (base->runs > SUMS_RUNS_MOST || head->runs > SUMS_RUNS_MOST)
    return error_set(error, PPROFC_E_LIMIT, "sums cover more than %d runs", SUMS_RUNS_MOST);
  return PPROFC_OK;
}

static pprofc_status judge_pick(struct judge *j, pprofc_error *error) {
  pprofc_str wanted = str_of(j->c->options.sample_index ? j->c->options.sample_index : "");
  j->type[0] = judge_type(j->sums[0], wanted);
  if (!wanted.size && j->type[0]) wanted = j->type[0]->type;
  j->type[1] = judge_type(j->sums[1], wanted);
  if (!j->type[0] || !j->type[1])
    return error_set(error, PPROFC_E_INVALID, "%s has no sample type %.*s",
                     j->type[0] ? "the head" : "the base", STR_ARG(wanted));
  j->whole = j->type[0]->whole || j->type[1]->whole;
  return judge_check_alike(j->type[0], j->type[1], error);
}

/* Fills in divisors, and totals with their variance between each side's runs. */
static bool judge_sides(struct judge *j) {
  struct comparison *c = j->c;
  c->divisors = arena_array(&c->arena, 2, sizeof *c->divisors);
  c->exposures = arena_array(&c->arena, 2, sizeof *c->exposures);
  c->shares = c->exposures;
  c->totals = arena_array(&c->arena, 2, sizeof *c->totals);
  c->wholes = c->totals;
  c->noises = arena_array(&c->arena, 2, sizeof *c->noises);
  if (!c->divisors || !c->exposures || !c->totals || !c->noises) return false;
  double total = j->type[0]->total + j->type[1]->total;
  j->shares = c->quantum.sampling != SAMPLING_HEAP;
  j->scale = j->shares ? total / (j->type[0]->runs + j->type[1]->runs) : 1;
  for (size_t s = 0; s < 2; s++) {
    const struct sums_type *type = j->type[s];
    double runs = type->runs, mean = type->total / runs;
    c->side_runs[s] = runs;
    c->divisors[s] = 1;
    c->totals[s] = type->total;
    c->exposures[s] = j->shares ? type->total / j->scale : runs;
    c->total_spread[s] = fmax(type->squares / runs / (mean * mean) - 1, 0) * runs / (runs - 1);
    c->noises[s] = 0;
    for (size_t i = 0; i < type->cell_capacity; i++) c->noises[s] += type->cells[i].flat_noise;
  }
  return true;
}

pprofc_status comparison_read_sums(struct comparison *c, const struct sums *const sums[2],
                                   pprofc_error *error) {
  struct judge j = {.c = c, .sums = sums};
  pprofc_status status = judge_pick(&j, error);
  if (status) return status;
  c->quantum.sampling = j.type[0]->sampling;
  c->exposure = PPROFC_EXPOSURE_NONE;
  c->type = arena_str(&c->arena, j.type[0]->type);
  c->unit = arena_str(&c->arena, j.type[0]->unit);
  bool done = c->type.data && c->unit.data && judge_sides(&j) && judge_column(&j, 0) &&
              judge_column(&j, 1) && comparison_matrices(c) &&
              judge_group(&j, SUMS_FLAT, &c->flat_matrix) &&
              judge_group(&j, SUMS_CUM, &c->cum_matrix) &&
              judge_group(&j, j.whole ? SUMS_CUM : SUMS_JUDGED, &c->cum_judged);
  c->summary.seconds =
      (j.type[0]->seconds + j.type[1]->seconds) / (c->side_runs[0] + c->side_runs[1]);
  return done ? PPROFC_OK : error_nomem(error);
}
