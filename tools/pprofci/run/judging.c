/* Reads the runs of a pair of profiles and judges their functions. */
#include "run/judging.h"

#include "core/log_guard.h"
#include "noise/noise.h"
#include "pipeline/pipeline.h"
#include "run/code.h"
#include "run/profiles.h"
#include "run/text.h"

/* Maximum ratio between the value of a profile and the benchmark's measurement of the same work.
 * Above this ratio the profile has other work, such as set-up before the timer starts, waiting, or
 * work on several processors. */
#define AGREES_WITHIN 1.25

static pprofc_status judging_read(struct ci_run *run, const struct run_pair *pair, struct judged *j,
                                  pprofc_error *error) {
  size_t all = pair->run_count[SIDE_BASE] + pair->run_count[SIDE_HEAD];
  const pprofc_allocator *mem = budget_allocator(j->budget);
  pprofc_status status = PPROFC_OK;
  j->runs = arena_zero_array(&run->arena, all, sizeof *j->runs);
  if (!j->runs) return error_nomem(error);
  j->bases = pair->run_count[SIDE_BASE];
  while (j->count < all && status == PPROFC_OK) {
    int side = j->count < j->bases ? SIDE_BASE : SIDE_HEAD;
    pprofc_profile *profile;
    const char *path = pair->runs[side][j->count - (side == SIDE_HEAD ? j->bases : 0)];
    status = source_read(path, mem, &profile, error);
    if (status != PPROFC_OK) break;
    j->runs[j->count++] = (pprofc_verdict_run){.profile = profile, .name = path};
    status = run_check_stopped(error);
  }
  return status;
}

/* Sample types, and the benchmark units that measure the same quantity. Values have the unit of the
 * sample type. */
static const struct judged_measure {
  const char *type, *unit;
  size_t offset; /* offset of the measurement in struct run_measured, in bytes */
} judged_measures[] = {
    {"cpu", "nanoseconds", offsetof(struct run_measured, nanoseconds)},
    {"alloc_space", "bytes", offsetof(struct run_measured, bytes)},
    {"alloc_objects", "count", offsetof(struct run_measured, allocations)},
};

/* Finds the sample type that the option `index` selects, and its total. */
static bool judging_total(const pprofc_profile *profile, const char *index, double *total,
                          const struct judged_measure **measure) {
  size_t value;
  pprofc_samples_view samples;
  if (value_select(profile, str_of(index), &value, NULL) != PPROFC_OK) return false;
  pprofc_str type = profile_string(profile, profile->types[value].type);
  pprofc_str unit = profile_string(profile, profile->types[value].unit);
  *measure = NULL;
  for (size_t i = 0; i < sizeof judged_measures / sizeof *judged_measures; i++)
    if (str_equal(type, str_of(judged_measures[i].type)) &&
        str_equal(unit, str_of(judged_measures[i].unit)))
      *measure = &judged_measures[i];
  pprofc_profile_samples(profile, &samples);
  *total = 0;
  for (size_t i = 0; i < samples.count; i++)
    *total += (double)samples.values[i * samples.types + value];
  return true;
}

/* Returns the benchmark's measurement of a run. Returns 0 unless the profile has about the same
 * value per operation. */
static double judging_measured(const struct run_pair *pair, const struct judged *j, size_t index,
                               const char *sample_index) {
  int side = index < j->bases ? SIDE_BASE : SIDE_HEAD;
  size_t at = index - (side == SIDE_HEAD ? j->bases : 0);
  const struct judged_measure *of;
  double total, measured;
  if (!pair->measured[side] || !(pair->iterations > 0)) return 0;
  if (!judging_total(j->runs[index].profile, sample_index, &total, &of) || !of) return 0;
  memcpy(&measured, (const char *)&pair->measured[side][at] + of->offset, sizeof measured);
  double each = total / pair->iterations;
  bool agrees = measured > 0 && each > measured / AGREES_WITHIN && each < measured * AGREES_WITHIN;
  return agrees ? measured : 0;
}

/* Sets the divisors of the values. Prefers the values of -ops. Then prefers the benchmark's
 * measurements, if all runs have them. Otherwise uses the numbers of operations. */
static pprofc_status judging_expose(const struct ci_run *run, const struct run_pair *pair,
                                    struct judged *j, const char *index, pprofc_error *error) {
  const char *ops = run->options->ops;
  bool all = true;
  if (*ops) return noise_set_ops(ops, j->runs, j->count, j->bases, error);
  for (size_t i = 0; i < j->count; i++) {
    j->runs[i].per_operation = judging_measured(pair, j, i, index);
    j->runs[i].operations = 0;
    all &= j->runs[i].per_operation > 0;
  }
  if (all) return PPROFC_OK;
  for (size_t i = 0; i < j->count; i++) {
    j->runs[i].per_operation = 0;
    j->runs[i].operations = pair->iterations;
  }
  return PPROFC_OK;
}

static pprofc_status judging_type(const struct ci_run *run, struct judged *j,
                                  const pprofc_report_options *options, const char *index,
                                  struct noise_report *report, pprofc_error *error) {
  pprofc_verdict_options how;
  pprofc_verdict_options_init(&how);
  how.sample_index = index;
  how.normalize_by = (pprofc_verdict_exposure)run->options->normalize_by;
  if (run->noise_rules.data) {
    how.rules = run->noise_rules.data;
    how.rules_size = run->noise_rules.size;
    how.rules_name = run->options->noise_rules;
  }
  report->options = options;
  return noise_report_judge(report, j->runs, j->count, j->bases, &how, error);
}

/* Adds one comparison. If the comparison fails, adds a note with the reason. */
static pprofc_status judging_add(struct ci_run *run, struct run_pair *pair, struct judged *j,
                                 const pprofc_report_options *options, const char *index,
                                 pprofc_error *error) {
  struct noise_report *report = &j->reports[pair->comparison_count];
  struct pair_verdicts *to = &pair->comparisons[pair->comparison_count];
  pprofc_status status = judging_expose(run, pair, j, index, error);
  if (status != PPROFC_OK) return status;
  status = judging_type(run, j, options, index, report, error);
  status = budget_status(budget_allocator(j->budget), status, error);
  if (status == PPROFC_E_NOMEM) return status;
  if (status != PPROFC_OK && pair->comparison_count) return PPROFC_OK;
  pair->comparison_count++;
  if (status == PPROFC_OK) return judged_fill(run, pair, j, report, index, to, error);
  *to = (struct pair_verdicts){.type = "", .unit = "", .visible_text = "", .command = ""};
  to->note = text_keep(&run->arena, escape_line_keep(str_of(error->message), &run->arena));
  return to->note ? PPROFC_OK : error_nomem(error);
}

/* Returns the sample type for the second comparison of a memory profile. */
static const char *judging_second(const pprofc_report_options *options) {
  bool space = options->sample_index && strcmp(options->sample_index, "alloc_space") == 0;
  return space ? "alloc_objects" : NULL;
}

pprofc_status judging_run(struct ci_run *run, struct run_pair *pair,
                          const pprofc_report_options *options, struct judged *j,
                          pprofc_error *error) {
  pprofc_limits limits;
  *j = (struct judged){.count = 0};
  if (!pair->diff) return PPROFC_OK;
  pprofc_limits_init(&limits);
  j->budget = budget_new(run->mem, limits.memory_bytes);
  pair->comparisons = arena_zero_array(&run->arena, JUDGED_TYPES, sizeof *pair->comparisons);
  if (!j->budget || !pair->comparisons) return error_nomem(error);
  pprofc_status status = judging_read(run, pair, j, error);
  status = budget_status(budget_allocator(j->budget), status, error);
  const char *first = options->sample_index ? options->sample_index : "";
  const char *second = judging_second(options);
  if (status == PPROFC_OK) status = judging_add(run, pair, j, options, first, error);
  if (status == PPROFC_OK && second) status = judging_add(run, pair, j, options, second, error);
  if (status != PPROFC_OK) return status;
  run_show_comparison(pair);
  code_describe(run, pair, j);
  return failing_find(run, pair, j, error);
}

const pprofc_verdict_row *judged_row(const struct judged *judged, pprofc_str name) {
  const pprofc_verdicts *verdicts = judged->reports[0].verdicts;
  return verdicts ? pprofc_verdicts_find(verdicts, name) : NULL;
}

bool judged_grew(const struct judged *judged) {
  const pprofc_verdict_summary *s = &judged->reports[0].summary;
  return judged->reports[0].verdicts && s->total_delta > 0 &&
         pprofc_verdict_is_certain(s->total_verdict);
}

void judging_free(struct judged *j) {
  for (size_t i = 0; i < JUDGED_TYPES; i++) pprofc_verdicts_free(j->reports[i].verdicts);
  for (size_t i = 0; i < j->count; i++) {
    /* The cast drops const, which is safe because the run owns the profile. */
    pprofc_profile_release((pprofc_profile *)(uintptr_t)j->runs[i].profile);
  }
  if (j->budget) budget_release(j->budget);
}
