/* Handles several runs as base or head. The page shows means of the runs, and judges the runs like
 * -top -noise. */
#include "web/state_parts.h"

#include "noise/noise.h"
#include "pipeline/pipeline.h"
#include "pprofc/transform.h"
#include "profile/profile.h"

bool state_set_runs(struct state_profile *p, const pprofc_verdict_run *runs, size_t count) {
  p->runs = mem_array(&mem_default, count, sizeof *p->runs);
  p->run_capacity = p->runs ? count : 0;
  for (size_t i = 0; i < p->run_capacity; i++) {
    pprofc_verdict_run *run = &p->runs[p->run_count];
    *run = runs[i];
    run->name = text_copy(str_of(runs[i].name));
    if (!run->name) return false;
    pprofc_profile_retain((pprofc_profile *)run->profile);
    p->run_count++;
  }
  return p->runs != NULL;
}

void state_free_runs(struct state_profile *p) {
  for (size_t i = 0; i < p->run_count; i++) {
    pprofc_profile_release((pprofc_profile *)p->runs[i].profile);
    text_free((char *)p->runs[i].name);
  }
  mem_free(&mem_default, p->runs, p->run_capacity, sizeof *p->runs);
}

bool state_has_runs(const struct command *c) {
  bool folder = false;
  if (!*c->diff_base || c->report.normalize) return false;
  for (size_t i = 0; i < c->bases.count; i++) folder |= runs_is_folder(c->bases.items[i]);
  for (size_t i = 0; i < c->source_count; i++) folder |= runs_is_folder(c->sources[i]);
  return folder || c->bases.count + c->source_count > 2;
}

static pprofc_status state_make_sum(const char *name, const pprofc_verdict_run *runs, size_t count,
                                    struct state_profile **made, pprofc_error *error) {
  pprofc_profile *sum;
  pprofc_status status = runs_add_up(runs, count, &sum, error);
  if (status != PPROFC_OK) return status;
  *made = state_new(name, "", sum);
  return *made && state_set_runs(*made, runs, count) ? PPROFC_OK : error_nomem(error);
}

static pprofc_status state_make_sides(const struct command *command, const struct noise_runs *runs,
                                      struct state_loaded *l, pprofc_error *error) {
  const char *base = command->bases.items[0], *head = command->sources[0];
  char base_name[256], head_name[256];
  state_short_name(base_name, sizeof base_name, base, head, command->bases.count);
  state_short_name(head_name, sizeof head_name, head, base, command->source_count);
  pprofc_status status = state_make_sum(base_name, runs->items, runs->bases, &l->base, error);
  if (status == PPROFC_OK)
    status = state_make_sum(head_name, runs->items + runs->bases, runs->count - runs->bases,
                            &l->head, error);
  if (status != PPROFC_OK) return status;
  l->head->is_command = true;
  return state_subtract(command, l->head, l->base, false, &mem_default, &l->difference, error);
}

pprofc_status state_read_runs(const struct command *command, struct state_loaded *l,
                              pprofc_error *error) {
  struct loaded_runs runs;
  *l = (struct state_loaded){NULL, NULL, NULL};
  pprofc_status status = runs_load(command, NULL, &runs, error);
  for (size_t i = 0; i < runs.list.count; i++) /* the runs are shared and must not change */
    ((pprofc_profile *)runs.list.items[i].profile)->disposable = false;
  if (status == PPROFC_OK) status = state_make_sides(command, &runs.list, l, error);
  if (status != PPROFC_OK) state_free_loaded(l);
  runs_free(&runs);
  return status;
}

/* Values are multiplied by this factor before they are divided by a duration. Rounding then changes
 * a value of 1 by at most 0.0005. */
#define STATE_STEPS 1000

static size_t state_runs_of(const struct state_profile *p) {
  return p && p->run_count ? p->run_count : 1;
}

/* Returns the duration of all runs together in seconds, or 0 if it is unknown. */
static double state_seconds(const struct state_profile *p) {
  double nanos = 0;
  for (size_t i = 0; i < state_runs_of(p); i++) {
    const pprofc_profile *run = p->run_count ? p->runs[i].profile : p->profile;
    if (run->duration_nanos <= 0) return 0;
    nanos += (double)run->duration_nanos;
  }
  return nanos / 1e9;
}

bool state_by_time(const struct command *c, const struct state_profile *head,
                   const struct state_profile *base) {
  if (!base || c->report.normalize) return false;
  const pprofc_profile *p = base->profile;
  bool waits = p->type_count && str_equal(profile_type(p, 0), STR("contentions"));
  bool chosen = waits && !*c->noise.ops && !*c->noise.bench_base;
  if (c->noise.normalize_by != PPROFC_EXPOSURE_AUTO)
    chosen = c->noise.normalize_by == PPROFC_EXPOSURE_TIME;
  return chosen && state_seconds(head) > 0 && state_seconds(base) > 0;
}

/* Returns the number by which the page divides the values of base or head. It is the duration in
 * seconds if `by_time` is true, and the number of runs otherwise. */
static double state_weight(const struct state_profile *p, bool by_time) {
  return by_time ? state_seconds(p) : (double)state_runs_of(p);
}

/* Returns the least common multiple of two numbers of runs. */
static double state_common_runs(size_t a, size_t b) {
  size_t x = a, y = b;
  while (y) {
    size_t rest = x % y;
    x = y;
    y = rest;
  }
  return (double)(a / x) * (double)b;
}

/* Returns the largest total among the sample types of a profile. */
static double state_most(const pprofc_profile *p) {
  double most = 0;
  for (size_t i = 0; i < p->type_count; i++)
    most = fmax(most, fabs((double)value_total(p, i, false)));
  return most;
}

/* Returns the number of seconds to which head and base are scaled: the longer duration. If the
 * durations differ, multiplies it by STATE_STEPS, unless a value would overflow. */
static double state_common_seconds(const struct state_profile *head,
                                   const struct state_profile *base) {
  double a = state_seconds(head), b = state_seconds(base), most = fmax(a, b);
  if (fabs(a - b) <= 0) return a;
  double total = fmax(state_most(head->profile), state_most(base->profile));
  bool fits = total * STATE_STEPS * most / fmin(a, b) < 0x1p62;
  return fits ? STATE_STEPS * most : most;
}

/* Returns the number by which the page divides the values of a difference. */
static double state_common(const struct state_profile *head, const struct state_profile *base,
                           bool by_time) {
  return by_time ? state_common_seconds(head, base)
                 : state_common_runs(state_runs_of(head), state_runs_of(base));
}

double state_divisor(const struct state_choice *c, enum web_side side) {
  if (c->mean) return 1;
  if (side == WEB_DIFF && c->base) return state_common(c->head, c->base, c->by_time);
  return state_weight(side == WEB_BASE ? c->base : c->head, c->by_time);
}

pprofc_status state_subtract(const struct command *command, const struct state_profile *head,
                             const struct state_profile *base, bool mean,
                             const pprofc_allocator *mem, pprofc_profile **difference,
                             pprofc_error *error) {
  pprofc_diff_kind kind = *command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE;
  bool by_time = state_by_time(command, head, base);
  double heads = state_weight(head, by_time), bases = state_weight(base, by_time),
         common = state_common(head, base, by_time);
  if (mean) heads = bases = common = 1;
  pprofc_profile *more = NULL, *less = NULL;
  pprofc_status status = runs_scale(head->profile, common / heads, mem, &more, error);
  if (status == PPROFC_OK) status = runs_scale(base->profile, common / bases, mem, &less, error);
  if (status == PPROFC_OK)
    status = pprofc_diff(more, less, kind, command->report.normalize, difference, error);
  pprofc_profile_release(more);
  pprofc_profile_release(less);
  return status;
}
