/* Reads the runs of a pair and has their functions judged. */
#include "run/judging.h"

#include "core/log_guard.h"
#include "pipeline/pipeline.h"
#include "run/profiles.h"
#include "run/text.h"

#include <math.h>

/* A profile is of what the benchmark measured when they differ by no more than this factor. What is
 * beyond it is set up before the timer starts, waits, or runs on several processors. */
#define AGREES_WITHIN 1.25

/* ---- reading ----------------------------------------- */

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

/* ---- what values are divided by ---------------------- */

/* What a benchmark measures of a sample type, in the unit of the type. */
static const struct judged_measure {
  const char *type, *unit, *measure;
  size_t offset; /* in struct run_measured */
} judged_measures[] = {
    {"cpu", "nanoseconds", "sec/op", offsetof(struct run_measured, nanoseconds)},
    {"alloc_space", "bytes", "B/op", offsetof(struct run_measured, bytes)},
    {"alloc_objects", "count", "allocs/op", offsetof(struct run_measured, allocations)},
};

/* The sample type with this index, as the pipeline chooses it, and its total. */
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

/* What the benchmark measured in a run, when the profile of the run holds about as much for each
 * operation; else 0. */
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

/* What was measured where all runs have it, else the number of operations. */
static void judging_expose(const struct run_pair *pair, struct judged *j, const char *index) {
  bool all = true;
  for (size_t i = 0; i < j->count; i++) {
    j->runs[i].per_operation = judging_measured(pair, j, i, index);
    j->runs[i].operations = 0;
    all &= j->runs[i].per_operation > 0;
  }
  if (all) return;
  for (size_t i = 0; i < j->count; i++) {
    j->runs[i].per_operation = 0;
    j->runs[i].operations = pair->iterations;
  }
}

/* ---- judging ----------------------------------------- */

static pprofc_status judging_once(struct judged *j, const pprofc_verdict_options *options,
                                  struct noise_report *report, pprofc_error *error) {
  pprofc_status status =
      pprofc_verdicts_new(j->runs, j->bases, j->runs + j->bases, j->count - j->bases, options,
                          &report->verdicts, error);
  if (status != PPROFC_OK) return status;
  pprofc_verdicts_summary_of(report->verdicts, &report->summary);
  report->rows = pprofc_verdicts_rows(report->verdicts, &report->row_count);
  return PPROFC_OK;
}

/* Judges, and once more without the common factor when that makes no sense. */
static pprofc_status judging_type(const struct ci_run *run, struct judged *j,
                                  const pprofc_report_options *options, const char *index,
                                  struct noise_report *report, pprofc_error *error) {
  pprofc_verdict_options how;
  pprofc_filter_options filter = noise_filter(options);
  pprofc_verdict_options_init(&how);
  filter.warn = NULL;
  how.filter = &filter;
  how.sample_index = index;
  if (run->noise_rules.data) {
    how.rules = run->noise_rules.data;
    how.rules_size = run->noise_rules.size;
    how.rules_name = run->options->noise_rules;
  }
  pprofc_status status = judging_once(j, &how, report, error);
  if (status != PPROFC_OK || !noise_refuses_common(&report->summary)) return status;
  pprofc_verdicts_free(report->verdicts);
  report->verdicts = NULL;
  report->common_refused = how.no_common = true;
  return judging_once(j, &how, report, error);
}

/* One comparison; that it cannot be judged is its note. */
static pprofc_status judging_add(struct ci_run *run, struct run_pair *pair, struct judged *j,
                                 const pprofc_report_options *options, const char *index,
                                 pprofc_error *error) {
  struct noise_report *report = &j->reports[pair->comparison_count];
  struct pair_verdicts *to = &pair->comparisons[pair->comparison_count];
  judging_expose(pair, j, index);
  pprofc_status status = judging_type(run, j, options, index, report, error);
  status = budget_status(budget_allocator(j->budget), status, error);
  if (status == PPROFC_E_NOMEM) return status;
  if (status != PPROFC_OK && pair->comparison_count) return PPROFC_OK;
  pair->comparison_count++;
  const struct judged_how how = {index, options->hide};
  if (status == PPROFC_OK) return judged_fill(run, pair, j, report, &how, to, error);
  *to = (struct pair_verdicts){.type = "", .unit = "", .sight = "", .command = ""};
  to->note = text_keep(&run->arena, escape_line_keep(str_of(error->message), &run->arena));
  return to->note ? PPROFC_OK : error_nomem(error);
}

/* The second comparison of a profile of memory. */
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
  return failing_find(run, pair, j, error);
}

void judging_free(struct judged *j) {
  for (size_t i = 0; i < JUDGED_TYPES; i++) pprofc_verdicts_free(j->reports[i].verdicts);
  for (size_t i = 0; i < j->count; i++) {
    /* const is of the run: verdicts do not change a profile. */
    pprofc_profile_release((pprofc_profile *)(uintptr_t)j->runs[i].profile);
  }
  if (j->budget) budget_release(j->budget);
}
