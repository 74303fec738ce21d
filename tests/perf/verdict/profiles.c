/* Repeats the comparisons through the public interface. The tables then also apply to users of the
 * library. */
#include "measure.h"
#include "rules.h"
#include "tables.h"

#include "pprofc/pprofc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sampling period in nanoseconds (119 Hz). With a power of two, times are rounded like counts. If
 * two functions have equal ratios to their means, the median then selects the same function. */
#define PERIOD 8388608

struct profiles_runs {
  pprofc_profile *profile[RUNS_MAX];
  pprofc_verdict_run run[RUNS_MAX];
};

static void profiles_name(size_t row, char name[16]) {
  snprintf(name, 16, "main.f%02u", (unsigned)row % 100);
}

/* Returns a CPU profile of one run: a caller without time of its own calls each function. */
static pprofc_profile *profiles_make(const struct noise_draw *draw, size_t run) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_profile *profile = NULL;
  pprofc_error error;
  rule_must(b != NULL, "out of memory");
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", PERIOD);
  uint32_t frames[2] = {0, pprofc_builder_frame(b, "main.op", "op.go", 1)};
  for (size_t i = 0; i < draw->rows; i++) {
    char name[16];
    int64_t count = (int64_t)draw->values[i * draw->runs + run];
    int64_t values[2] = {count, count * PERIOD};
    profiles_name(i, name);
    frames[0] = pprofc_builder_frame(b, name, "op.go", (int64_t)i + 2);
    if (count) pprofc_builder_sample(b, frames, 2, values);
  }
  rule_must(pprofc_builder_finish(b, &profile, &error) == PPROFC_OK, "cannot build a profile");
  pprofc_builder_free(b);
  return profile;
}

static bool profiles_near(double a, double b) {
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-8 * fmax(1, fabs(b));
}

/* True if p, q and the verdict of the function itself equal the results of the rule MODEL. The
 * displayed values must be the recorded values. */
static bool profiles_row_agrees(const pprofc_verdict_estimate *e, const struct noise_draw *draw,
                                const struct rule_answer *said, size_t i) {
  double mean[2] = {0, 0}, runs[2] = {(double)draw->bases, (double)(draw->runs - draw->bases)};
  for (size_t r = 0; r < draw->runs; r++)
    mean[r >= draw->bases] += draw->values[i * draw->runs + r] / runs[r >= draw->bases];
  return profiles_near(e->base / PERIOD, mean[0]) && profiles_near(e->head / PERIOD, mean[1]) &&
         profiles_near(e->p, said->p[i]) && profiles_near(e->q, said->q[i]) &&
         pprofc_verdict_is_change(e->own) == said->changed[i];
}

/* True if the report states the same smallest detectable change as the rule MODEL. */
static bool profiles_advice_agrees(const pprofc_verdicts *verdicts, const struct noise_draw *draw,
                                   const struct rule_answer *said) {
  pprofc_verdict_summary s;
  size_t count;
  pprofc_verdicts_summary_of(verdicts, &s);
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(verdicts, &count);
  if (s.largest >= count || rows[s.largest].name.size != 8) return false;
  const char *digits = rows[s.largest].name.data + 6;
  size_t row = (size_t)(digits[0] - '0') * 10 + (size_t)(digits[1] - '0');
  struct advice a = rule_advice(draw, said, row);
  return profiles_near(s.visible, advice_change(&a)) &&
         profiles_near(s.runs_for_5, advice_runs(&a)) &&
         profiles_near(s.samples_for_5, advice_samples(&a));
}

static size_t profiles_differences(const pprofc_verdicts *verdicts, const struct noise_draw *draw,
                                   const struct rule_answer *said, struct measure *covered) {
  size_t differences = !profiles_advice_agrees(verdicts, draw, said);
  for (size_t i = 0; i < draw->rows; i++) {
    char name[16];
    profiles_name(i, name);
    const pprofc_verdict_row *row =
        pprofc_verdicts_find(verdicts, (pprofc_str){name, strlen(name)});
    bool seen = said->delta[i] != 0 || !isnan(said->p[i]);
    differences += row ? !profiles_row_agrees(&row->flat, draw, said, i) : seen;
    if (!row || isnan(row->flat.p)) continue;
    double truth = draw->truth[i] * PERIOD;
    measure_add(covered, row->flat.low <= truth && truth <= row->flat.high);
  }
  return differences;
}

static size_t profiles_compare(struct random_source *r, const struct noise_case *what,
                               struct measure *covered) {
  struct noise_draw draw;
  struct rule_answer said;
  struct profiles_runs runs = {0};
  pprofc_verdicts *verdicts = NULL;
  pprofc_error error;
  pprofc_verdict_options options;
  pprofc_verdict_options_init(&options);
  options.normalize_by = PPROFC_EXPOSURE_NONE; /* the setting of the rule MODEL in the other
                                                  tables */
  noise_draw(r, what, &draw);
  rule_judge(MODEL, &draw, &said);
  for (size_t i = 0; i < draw.runs; i++) {
    runs.profile[i] = profiles_make(&draw, i);
    runs.run[i] = (pprofc_verdict_run){.profile = runs.profile[i], .operations = 0};
  }
  pprofc_status status = pprofc_verdicts_new(runs.run, draw.bases, runs.run + draw.bases,
                                             draw.runs - draw.bases, &options, &verdicts, &error);
  rule_must(status == PPROFC_OK, "cannot judge profiles");
  size_t differences = profiles_differences(verdicts, &draw, &said, covered);
  pprofc_verdicts_free(verdicts);
  for (size_t i = 0; i < draw.runs; i++) pprofc_profile_release(runs.profile[i]);
  return differences;
}

bool table_of_profiles(size_t count) {
  static const size_t sides[] = {1, 3, 10};
  size_t differences = 0, comparisons = 0;
  struct measure covered = {0};
  for (int model = 0; model < NOISE_MODELS; model++)
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
      struct random_source r = {5000 + 10 * (uint64_t)model + s};
      struct noise_case what = {.model = (enum noise_model)model,
                                .side = sides[s],
                                .samples = 7000,
                                .in_turns = true,
                                .rows = 80,
                                .changed = 8,
                                .effect = 0.3};
      for (size_t i = 0; i < count; i++) differences += profiles_compare(&r, &what, &covered);
      comparisons += count;
    }
  printf(
      "%zu comparisons as profiles through the public interface: %zu numbers differ; intervals of"
      " recorded differences hold the truth in %.3f\n\n",
      comparisons, differences, measure_mean(&covered));
  return differences == 0 && measure_mean(&covered) > 0.93;
}
