/* Adds up flat and cum of each function of a run, reading each sample once. */
#include "verdict/runs.h"

/* True if the leaf belongs to the environment (rules.h). Also true if the stack contains a function
 * with NAME_MACHINE, because its callees also belong to the environment. */
static bool run_is_machine(const struct walk *walk) {
  if (walk->names->flags[walk->frames[0]] & NAME_ENVIRONMENT) return true;
  for (size_t i = 0; i < walk->depth; i++)
    if (walk->names->flags[walk->frames[i]] & NAME_MACHINE) return true;
  return false;
}

static void run_add_sample(struct run *run, size_t stamp) {
  const struct walk *walk = &run->walk;
  double value = (double)walk->values[walk->quantum.value] * run->scale;
  double noise = value * (quantum_of_sample(&walk->quantum, walk->values) * run->scale);
  struct run_cell *leaf = &run->cells[walk->frames[0]];
  bool machine = run_is_machine(walk);
  run->has_machine |= machine;
  run->total += value;
  run->noise += noise;
  leaf->flat += value;
  leaf->flat_noise += noise;
  for (size_t i = 0; i < walk->depth; i++) {
    struct run_cell *cell = &run->cells[walk->frames[i]];
    if (cell->seen == stamp) continue;
    cell->seen = stamp;
    cell->cum += value;
    cell->cum_noise += noise;
    if (machine) cell->machine += value;
  }
}

/* Returns the sum of all samples, even of samples without a function. */
static double run_whole(const struct run *run, size_t value) {
  const struct samples *s = &run->profile->samples;
  double sum = 0;
  for (size_t i = 0; i < s->count; i++)
    sum += (double)s->values[i * run->profile->type_count + value] * run->scale;
  return sum;
}

/* Rejects negative values, because they have no sampling variance. They occur in differences and in
 * damaged files. */
static pprofc_status run_check(const struct walk *walk, pprofc_error *error) {
  if (walk->values[walk->quantum.value] >= 0 && walk->values[0] >= 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID,
                   "negative values cannot be judged: the profile is a difference already");
}

pprofc_status run_sum(struct run *run, size_t value, bool inlines, struct names *names,
                      pprofc_error *error) {
  const pprofc_allocator *mem = &run->profile->mem;
  pprofc_status status = walk_init(&run->walk, run->profile, value, inlines, names, error);
  if (status) return status;
  run->cells = mem_zero_array(mem, names->texts.count, sizeof *run->cells);
  if (!run->cells) return error_nomem(error);
  run->cell_count = names->texts.count;
  run->whole = run_whole(run, value);
  for (size_t stamp = 1; !status && walk_next(&run->walk); stamp++) {
    status = run_check(&run->walk, error);
    if (!status) run_add_sample(run, stamp);
  }
  return run->walk.failed ? error_nomem(error) : status;
}

void run_free(struct run *run) {
  if (!run->profile) return;
  mem_free(&run->profile->mem, run->cells, run->cell_count, sizeof *run->cells);
  walk_free(&run->walk);
  pprofc_profile_release(run->profile);
  *run = (struct run){.profile = NULL};
}
