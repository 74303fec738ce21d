/* Adds the values of runs to sums (sums.h). */
#include "verdict/sums.h"
#include "pipeline/pipeline.h"
#include "verdict/compare.h"

pprofc_status sums_init(struct sums *sums, const pprofc_allocator *mem, pprofc_error *error) {
  *sums = (struct sums){.mem = mem};
  arena_init(&sums->arena, mem);
  sums->rules = (struct rules){.mem = mem};
  arena_init(&sums->rules.arena, mem);
  names_init(&sums->names, mem, &sums->rules);
  return rules_init(&sums->rules, mem, "rules", (pprofc_str){NULL, 0}, error);
}

void sums_free(struct sums *sums) {
  for (size_t i = 0; i < sums->type_count; i++)
    ARRAY_FREE(sums->mem, sums->types[i].cells, sums->types[i].cell_capacity);
  ARRAY_FREE(sums->mem, sums->types, sums->type_capacity);
  ARRAY_FREE(sums->mem, sums->files, sums->file_capacity);
  names_free(&sums->names);
  rules_free(&sums->rules);
  arena_free(&sums->arena);
}

/* ---- names, types, cells ----------------------------- */

static bool sums_set_file(struct sums *sums, uint32_t name, pprofc_str file) {
  size_t before = sums->file_capacity;
  if (!ARRAY_RESERVE(sums->mem, sums->files, sums->file_capacity, (size_t)name + 1)) return false;
  for (size_t i = before; i < sums->file_capacity; i++) sums->files[i] = STR("");
  if (!file.size || sums->files[name].size) return true;
  sums->files[name] = arena_str(&sums->arena, file);
  return sums->files[name].data != NULL;
}

uint32_t sums_name(struct sums *sums, pprofc_str name, pprofc_str file) {
  uint32_t id = names_add(&sums->names, name);
  return id != MAP_NONE && sums_set_file(sums, id, file) ? id : MAP_NONE;
}

struct sums_type *sums_type_at(struct sums *sums, pprofc_str type, pprofc_str unit) {
  for (size_t i = 0; i < sums->type_count; i++)
    if (str_equal(sums->types[i].type, type) && str_equal(sums->types[i].unit, unit))
      return &sums->types[i];
  if (!ARRAY_RESERVE(sums->mem, sums->types, sums->type_capacity, sums->type_count + 1))
    return NULL;
  struct sums_type made = {.type = arena_str(&sums->arena, type),
                           .unit = arena_str(&sums->arena, unit),
                           .sampling = SAMPLING_UNKNOWN};
  if (!made.type.data || !made.unit.data) return NULL;
  sums->types[sums->type_count] = made;
  return &sums->types[sums->type_count++];
}

struct sums_cell *sums_cell_at(struct sums *sums, struct sums_type *type, uint32_t name) {
  size_t before = type->cell_capacity;
  if (!ARRAY_RESERVE(sums->mem, type->cells, type->cell_capacity, (size_t)name + 1)) return NULL;
  for (size_t i = before; i < type->cell_capacity; i++) type->cells[i] = (struct sums_cell){0};
  return &type->cells[name];
}

/* ---- one run ----------------------------------------- */

/* Adds the values of a function in a run, and their shares. A share is the value divided by
 * `exposure`: the run's total, or 1 for heap profiles. */
static void sums_add_cell(struct sums_cell *into, const struct run_cell *cell, double exposure,
                          bool has_speed) {
  double machine = has_speed ? cell->machine : 0;
  const double values[SUMS_VALUES] = {cell->flat, cell->cum, cell->cum - machine};
  into->flat += cell->flat;
  into->cum += cell->cum;
  into->machine += machine;
  into->flat_noise += cell->flat_noise;
  into->cum_noise += cell->cum_noise;
  if (cell->cum_noise > 0) into->samples += cell->cum * cell->cum / cell->cum_noise;
  into->runs++;
  for (int i = 0; i < SUMS_VALUES; i++) {
    double share = values[i] / exposure;
    into->share[i].sum += share;
    into->share[i].squares += share * share;
  }
}

static pprofc_status sums_add_cells(struct sums *sums, struct sums_type *type,
                                    const struct run *run, pprofc_error *error) {
  double exposure = type->sampling == SAMPLING_HEAP ? 1 : run->total;
  for (uint32_t name = 0; name < run->cell_count; name++) {
    if (!(run->cells[name].cum > 0)) continue;
    struct sums_cell *cell = sums_cell_at(sums, type, name);
    if (!cell) return error_nomem(error);
    sums_add_cell(cell, &run->cells[name], exposure, quantum_has_speed(type->sampling));
  }
  return PPROFC_OK;
}

/* Stores the source files of the run's functions. */
static bool sums_add_files(struct sums *sums, const struct run *run) {
  const pprofc_profile *p = run->profile;
  for (size_t i = 0; i < p->functions.count; i++)
    if (!sums_set_file(sums, run->walk.ids[i], profile_string(p, p->functions.filename[i])))
      return false;
  return true;
}

static void sums_add_total(struct sums_type *type, const struct run *run) {
  const pprofc_profile *p = run->profile;
  double nanos = (double)p->duration_nanos;
  if (type->runs + type->empty == 0) {
    type->sampling = run->walk.quantum.sampling;
    type->period = (double)p->period;
  }
  bool alike = type->period == (double)p->period && type->sampling == run->walk.quantum.sampling;
  if (!alike) type->mixed = true;
  type->seconds += nanos > 0 ? nanos / 1e9 : (double)NAN;
  if (!(run->total > 0)) {
    type->empty++;
    return;
  }
  type->runs++;
  type->total += run->total;
  type->squares += run->total * run->total;
  type->inverse += 1 / run->total;
}

static pprofc_status sums_add_value(struct sums *sums, pprofc_profile *profile, size_t value,
                                    bool is_default, pprofc_error *error) {
  struct value_type t = profile->types[value];
  struct run run = {.profile = pprofc_profile_retain(profile), .scale = 1};
  pprofc_status status = run_sum(&run, value, true, &sums->names, error);
  struct sums_type *type = NULL;
  if (!status) {
    type = sums_type_at(sums, profile_string(profile, t.type), profile_string(profile, t.unit));
    if (!type) status = error_nomem(error);
  }
  if (!status) {
    if (type->runs + type->empty == 0) type->is_default = is_default;
    sums_add_total(type, &run);
    status = sums_add_files(sums, &run) ? PPROFC_OK : error_nomem(error);
  }
  if (!status && run.total > 0) status = sums_add_cells(sums, type, &run, error);
  run_free(&run);
  return status;
}

pprofc_status sums_add(struct sums *sums, pprofc_profile *profile, pprofc_error *error) {
  size_t chosen;
  pprofc_status status = value_select(profile, STR(""), &chosen, error);
  for (size_t v = 0; v < profile->type_count && !status; v++)
    status = sums_add_value(sums, profile, v, v == chosen, error);
  return status;
}

/* ---- the matrices of a comparison ------------------- */

/* State while the matrices of a comparison are filled from sums instead of runs. A column has the
 * sums over all runs of base or of head. */

struct judge {
  struct comparison *c;
  const struct sums *const *sums;  /* sums of base and head */
  const struct sums_type *type[2]; /* sample type of base and head */
  bool whole;   /* true if judged cum includes time in code such as the kernel, because a file of an
                   older version does not separate this time */
  bool shares;  /* true if judged values are shares of the total */
  double scale; /* mean total of a run if `shares` is true, else 1 */
};

/* ---- the columns ------------------------------------- */

/* Returns the sums for the function `id` in base or head, or NULL. */
static const struct sums_cell *judge_cell(const struct judge *j, size_t side, uint32_t id) {
  const struct sums_type *type = j->type[side];
  return id != MAP_NONE && id < type->cell_capacity && type->cells[id].cum > 0 ? &type->cells[id]
                                                                               : NULL;
}

/* Fills in the run that stands for base or head: its values are the sums over all runs. */
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

/* Fills in `grouped` of a matrix: for each row, means and squared deviations in base and head. */
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
    return error_set(error, PPROFC_E_INVALID, "sums need at least 2 runs of each version");
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

/* Fills in the divisors, the totals, and the variance of the totals between the runs of base and of
 * head. */
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
