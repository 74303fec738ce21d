/* Runs: several profiles a side, which the page judges as -top -noise does. The page shows the
 * means of their sums. */
#include "web/state_parts.h"

#include "noise/runs.h"
#include "pprofc/transform.h"
#include "profile/profile.h"
#include "web/judge.h"
#include "web/text.h"

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

/* ---- reading ----------------------------------------- */

bool state_has_runs(const struct command *c) {
  bool folder = false;
  if (!*c->diff_base || c->report.normalize) return false;
  for (size_t i = 0; i < c->bases.count; i++) folder |= runs_is_folder(c->bases.items[i]);
  for (size_t i = 0; i < c->source_count; i++) folder |= runs_is_folder(c->sources[i]);
  return folder || c->bases.count + c->source_count > 2;
}

/* Makes a profile of the runs of a side. `other` is the first source of the other side. */
static pprofc_status state_make_side(const struct source_list *sources, const char *other,
                                     const pprofc_verdict_run *runs, size_t count,
                                     struct state_profile **made, pprofc_error *error) {
  pprofc_profile *sum;
  char name[256];
  pprofc_status status = runs_add_up(runs, count, &sum, error);
  if (status != PPROFC_OK) return status;
  state_short_name(name, sizeof name, sources->items[0], other, sources->count);
  *made = state_new(name, "", sum);
  return *made && state_set_runs(*made, runs, count) ? PPROFC_OK : error_nomem(error);
}

static pprofc_status state_make_sides(const struct command *command, const struct loaded_runs *runs,
                                      struct state_loaded *l, pprofc_error *error) {
  const struct source_list *bases = &command->bases;
  const struct source_list heads = {command->sources, command->source_count, 0};
  size_t head_runs = runs->count - runs->bases;
  pprofc_status status =
      state_make_side(bases, heads.items[0], runs->items, runs->bases, &l->base, error);
  if (status == PPROFC_OK)
    status = state_make_side(&heads, bases->items[0], runs->items + runs->bases, head_runs,
                             &l->head, error);
  if (status != PPROFC_OK) return status;
  l->head->is_command = true;
  return state_subtract(command, l->head, l->base, &mem_default, &l->difference, error);
}

pprofc_status state_read_runs(const struct command *command, struct state_loaded *l,
                              pprofc_error *error) {
  struct loaded_runs runs;
  *l = (struct state_loaded){NULL, NULL, NULL};
  pprofc_status status = runs_load(command, &runs, error);
  for (size_t i = 0; i < runs.count; i++) /* the profiles serve many reports */
    ((pprofc_profile *)runs.items[i].profile)->disposable = false;
  if (status == PPROFC_OK) status = state_make_sides(command, &runs, l, error);
  if (status != PPROFC_OK) state_free_loaded(l);
  runs_free(&runs);
  return status;
}

/* ---- differences ------------------------------------- */

static size_t state_runs_of(const struct state_profile *p) {
  return p && p->run_count ? p->run_count : 1;
}

double state_divisor(const struct state_choice *c) {
  size_t head = state_runs_of(c->head), base = state_runs_of(c->base);
  if (c->side == WEB_DIFF) return (double)judge_common_runs(base, head);
  return (double)(c->side == WEB_BASE ? base : head);
}

/* Returns `times` times a profile, which the caller releases. */
static pprofc_status state_times(const pprofc_profile *profile, size_t times,
                                 const pprofc_allocator *mem, pprofc_profile **made,
                                 pprofc_error *error) {
  pprofc_profile *lent = profile_lend(profile, mem);
  *made = lent;
  if (!lent) return error_nomem(error);
  if (times == 1) return PPROFC_OK;
  double *ratios = mem_array(mem, lent->type_count, sizeof *ratios);
  for (size_t i = 0; ratios && i < lent->type_count; i++) ratios[i] = (double)times;
  *made = NULL;
  pprofc_status status = ratios ? pprofc_scale(lent, ratios, made, error) : error_nomem(error);
  mem_free(mem, ratios, lent->type_count, sizeof *ratios);
  pprofc_profile_release(lent);
  return status;
}

pprofc_status state_subtract(const struct command *command, const struct state_profile *head,
                             const struct state_profile *base, const pprofc_allocator *mem,
                             pprofc_profile **difference, pprofc_error *error) {
  pprofc_diff_kind kind = *command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE;
  size_t heads = state_runs_of(head), bases = state_runs_of(base),
         common = judge_common_runs(heads, bases);
  pprofc_profile *more = NULL, *less = NULL;
  pprofc_status status = state_times(head->profile, common / heads, mem, &more, error);
  if (status == PPROFC_OK) status = state_times(base->profile, common / bases, mem, &less, error);
  if (status == PPROFC_OK)
    status = pprofc_diff(more, less, kind, command->report.normalize, difference, error);
  pprofc_profile_release(more);
  pprofc_profile_release(less);
  return status;
}
