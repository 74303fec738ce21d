/* Computes the verdicts of -noise for the page. */
#include "web/judge.h"

#include "noise/noise.h"
#include "profile/profile.h"

const char *judge_obstacle(const pprofc_report_options *o) {
  const char *g = o->granularity;
  if (g && *g && strcmp(g, "functions") != 0)
    return "verdicts are per function: choose the granularity functions";
  if (o->mean) return "verdicts need sums, and these values are means";
  return NULL;
}

static size_t judge_count(const struct judge_side *side) {
  return side->count ? side->count : 1;
}

/* Lists the base runs, then the head runs, as copies in the request's memory. */
static pprofc_status judge_lend_runs(const struct judge_side sides[2], const pprofc_allocator *mem,
                                     struct loaded_runs *runs, pprofc_error *error) {
  runs->bases = judge_count(&sides[0]);
  runs->capacity = runs->bases + judge_count(&sides[1]);
  runs->items = mem_zero_array(mem, runs->capacity, sizeof *runs->items);
  if (!runs->items) return error_nomem(error);
  for (size_t i = 0; i < runs->capacity; i++) {
    bool head = i >= runs->bases;
    const struct judge_side *side = &sides[head];
    pprofc_verdict_run *run = &runs->items[i];
    *run = (pprofc_verdict_run){.profile = side->profile, .name = head ? "head" : "base"};
    if (side->count) *run = side->runs[i - (head ? runs->bases : 0)];
    run->profile = profile_lend(run->profile, mem);
    if (!run->profile) return error_nomem(error);
    runs->count++;
  }
  return PPROFC_OK;
}

static void judge_free_runs(struct loaded_runs *runs, const pprofc_allocator *mem) {
  for (size_t i = 0; i < runs->count; i++)
    pprofc_profile_release((pprofc_profile *)runs->items[i].profile);
  mem_free(mem, runs->items, runs->capacity, sizeof *runs->items);
}

/* Computes the verdicts of -noise. If that fails, stores the message as the reason why there are no
 * verdicts. Returns an error only if memory or time ran out. */
static pprofc_status judge_runs(const pprofc_report_options *options,
                                const struct noise_options *flags, struct loaded_runs *runs,
                                const pprofc_allocator *mem, struct judgement *j,
                                pprofc_error *error) {
  struct noise_report report = noise_report_of(options, flags);
  pprofc_error why = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = noise_judge(&report, flags, runs, &why);
  j->verdicts = report.verdicts;
  j->summary = report.summary;
  if (!status) return PPROFC_OK;
  if (status == PPROFC_E_NOMEM || budget_stopped(mem))
    return error_set(error, status, "%s", why.message);
  snprintf(j->reason, sizeof j->reason, "%s", why.message);
  return PPROFC_OK;
}

static struct noise_options judge_defaults(void) {
  struct noise_options flags = {.ops = "", .rules = "", .bench_base = ""};
  pprofc_verdict_options_init(&flags.how);
  return flags;
}

pprofc_status judge_sides(const struct judge_side sides[2], const pprofc_report_options *options,
                          const struct noise_options *noise, struct judgement *j,
                          pprofc_error *error) {
  pprofc_report_options report = *options;
  struct noise_options flags = noise ? *noise : judge_defaults();
  struct loaded_runs runs = {.count = 0};
  const pprofc_allocator *mem = &sides[0].profile->mem;
  *j = (struct judgement){.verdicts = NULL};
  const char *obstacle = judge_obstacle(options);
  if (obstacle) {
    snprintf(j->reason, sizeof j->reason, "%s", obstacle);
    return PPROFC_OK;
  }
  report.warn = NULL; /* the report of the page already gives these warnings */
  if (options->normalize) flags.how.normalize_by = PPROFC_EXPOSURE_TOTAL;
  pprofc_status status = judge_lend_runs(sides, mem, &runs, error);
  if (!status) status = judge_runs(&report, &flags, &runs, mem, j, error);
  judge_free_runs(&runs, mem);
  return status;
}

bool judge_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options) {
  return judge_obstacle(options) || noise_hide_folded(difference, arena, options);
}

void judge_free(struct judgement *j) {
  pprofc_verdicts_free(j->verdicts);
  j->verdicts = NULL;
}

const char *judge_per(const struct judgement *j) {
  static const char *const per[] = {
      [PPROFC_EXPOSURE_OPS] = "per operation", [PPROFC_EXPOSURE_TIME] = "per second"};
  size_t exposure = (size_t)j->summary.exposure;
  const char *text = exposure < sizeof per / sizeof *per ? per[exposure] : NULL;
  return j->verdicts && text ? text : "";
}

bool judge_rescales(const struct judgement *j) {
  return *judge_per(j) || (j->verdicts && j->summary.exposure == PPROFC_EXPOSURE_TOTAL);
}

const pprofc_verdict_row *judge_find(const struct judgement *j, pprofc_str function) {
  return j->verdicts ? pprofc_verdicts_find(j->verdicts, function) : NULL;
}

bool judge_is_change(const pprofc_verdict_row *row, bool by_cum) {
  return row && pprofc_verdict_is_change(noise_estimate(row, by_cum)->verdict);
}
