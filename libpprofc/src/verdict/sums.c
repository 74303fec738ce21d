/* Adds the values of runs to sums (sums.h). */
#include "verdict/sums.h"

#include "core/array.h"
#include "pipeline/pipeline.h"
#include "verdict/runs.h"

#include <math.h>

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

/* Adds a function's values in a run / `exposure`: the run's total, or 1 for heap profiles. */
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

/* Stores the source file of each function of the run that has a file. */
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
