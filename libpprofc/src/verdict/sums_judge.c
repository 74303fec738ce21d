/* Compares sums over runs: each side is one column of the matrices and stands for its runs. */
#include "verdict/sums_judge.h"

#include <math.h>
#include <stdlib.h>

struct judge {
  struct comparison *c;
  const struct sums *sums[2];      /* sums of base and head */
  const struct sums_type *type[2]; /* sample type of base and head */
  bool shares;                     /* rates are shares of the total */
  double scale;                    /* shares: the mean total; else 1 */
};

/* ---- the rows ---------------------------------------- */

static const struct sums_cell *judge_cell(const struct judge *j, size_t side, pprofc_str name) {
  const struct sums_type *type = j->type[side];
  uint32_t id = interner_find(&j->sums[side]->names.texts, name);
  return id != MAP_NONE && id < type->cell_capacity ? &type->cells[id] : NULL;
}

/* Arrays of a matrix while it is filled. */
struct judge_rows {
  double *values, *quantum, *rates, *squares, *inverse;
  bool *aside;
};

/* Fills one side of a row; adds value times quantum to *noise. */
static void judge_fill(const struct judge *j, const struct judge_rows *rows, size_t row,
                       size_t side, bool cum, double *noise) {
  const struct sums_cell *cell = judge_cell(j, side, j->c->names.texts.items[j->c->order[row]]);
  double runs = j->c->side_runs[side];
  size_t at = 2 * row + side;
  rows->values[at] = rows->rates[at] = rows->squares[at] = 0;
  if (!cell) return;
  double sum = (cum ? cell->cum_share : cell->flat_share) * j->scale;
  double squares = (cum ? cell->cum_squares : cell->flat_squares) * j->scale * j->scale;
  *noise += cum ? cell->cum_noise : cell->flat_noise;
  rows->values[at] = cum ? cell->cum : cell->flat;
  rows->rates[at] = sum / runs;
  rows->squares[at] = fmax(squares - sum * sum / runs, 0);
}

static bool judge_rows_alloc(struct judge *j, struct judge_rows *rows) {
  struct arena *arena = &j->c->arena;
  size_t count = j->c->rows;
  rows->values = arena_array(arena, 2 * count, sizeof(double));
  rows->quantum = arena_array(arena, count, sizeof(double));
  rows->rates = arena_array(arena, 2 * count, sizeof(double));
  rows->squares = arena_array(arena, 2 * count, sizeof(double));
  rows->inverse = arena_array(arena, 2, sizeof(double));
  rows->aside = arena_array(arena, count, sizeof(bool));
  return rows->values && rows->quantum && rows->rates && rows->squares && rows->inverse &&
         rows->aside;
}

static bool judge_matrix(struct judge *j, bool cum, struct matrix *m) {
  struct comparison *c = j->c;
  struct judge_rows rows;
  struct grouped *grouped = arena_array(&c->arena, 1, sizeof *grouped);
  if (!grouped || !judge_rows_alloc(j, &rows)) return false;
  for (size_t i = 0; i < c->rows; i++) {
    double noise = 0;
    for (size_t side = 0; side < 2; side++) judge_fill(j, &rows, i, side, cum, &noise);
    double sum = rows.values[2 * i] + rows.values[2 * i + 1];
    rows.quantum[i] = sum > 0 ? noise / sum : 0;
    rows.aside[i] = c->names.flags[c->order[i]] & NAME_ENVIRONMENT;
  }
  for (size_t side = 0; side < 2; side++)
    rows.inverse[side] = j->shares ? j->type[side]->inverse * j->scale : c->side_runs[side];
  *grouped = (struct grouped){c->side_runs, rows.rates, rows.squares, rows.inverse};
  *m = (struct matrix){c->rows,      2,          1,       rows.values, rows.quantum,
                       c->exposures, rows.aside, grouped, NULL};
  return true;
}

/* ---- names ------------------------------------------- */

struct judge_name {
  pprofc_str name;
  uint32_t id;
};

static int judge_name_order(const void *a, const void *b) {
  return str_compare(((const struct judge_name *)a)->name, ((const struct judge_name *)b)->name);
}

static bool judge_enter_names(struct judge *j, const struct sums *sums,
                              const struct sums_type *type) {
  for (uint32_t id = 0; id < sums->names.texts.count; id++) {
    if (id >= type->cell_capacity || !(type->cells[id].cum > 0)) continue;
    if (names_add(&j->c->names, sums->names.texts.items[id]) == MAP_NONE) return false;
  }
  return true;
}

static bool judge_order(struct judge *j) {
  struct comparison *c = j->c;
  bool entered =
      judge_enter_names(j, j->sums[0], j->type[0]) && judge_enter_names(j, j->sums[1], j->type[1]);
  c->rows = c->names.texts.count;
  struct judge_name *named = mem_array(c->mem, c->rows, sizeof *named);
  c->order = arena_array(&c->arena, c->rows, sizeof *c->order);
  bool done = entered && named && c->order;
  for (uint32_t id = 0; done && id < c->rows; id++)
    named[id] = (struct judge_name){c->names.texts.items[id], id};
  if (done) qsort(named, c->rows, sizeof *named, judge_name_order);
  for (size_t i = 0; done && i < c->rows; i++) c->order[i] = named[i].id;
  mem_free(c->mem, named, c->names.texts.count, sizeof *named);
  return done;
}

/* ---- what was compared ------------------------------- */

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
    return error_set(error, PPROFC_E_LIMIT, "sums of more than %d runs", SUMS_RUNS_MOST);
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
  return judge_check_alike(j->type[0], j->type[1], error);
}

/* Fills the divisors, and the totals with their variance between the runs of a side. */
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

pprofc_status sums_judge(struct comparison *c, const struct sums *base, const struct sums *head,
                         pprofc_error *error) {
  struct judge j = {.c = c, .sums = {base, head}};
  pprofc_status status = judge_pick(&j, error);
  if (status) return status;
  c->quantum.sampling = j.type[0]->sampling;
  c->exposure = PPROFC_EXPOSURE_NONE;
  c->type = arena_str(&c->arena, j.type[0]->type);
  c->unit = arena_str(&c->arena, j.type[0]->unit);
  c->bases = 1;
  c->count = 2;
  bool done = c->type.data && c->unit.data && judge_sides(&j) && judge_order(&j) &&
              judge_matrix(&j, false, &c->flat_matrix) && judge_matrix(&j, true, &c->cum_matrix);
  c->summary.seconds =
      (j.type[0]->seconds + j.type[1]->seconds) / (c->side_runs[0] + c->side_runs[1]);
  return done ? PPROFC_OK : error_nomem(error);
}
