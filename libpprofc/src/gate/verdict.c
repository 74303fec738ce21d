/* Finds a row's verdict: the first condition that holds decides. docs/GATES.md explains the
 * conditions. */
#include "gate/judge.h"

/* If a cost falls by more than this share, the benchmark may no longer do its work. */
#define SUSPICIOUS 0.5
#define ROUNDING   1e-12 /* tolerance for the rounding of a division */

/* ---- sizes ------------------------------------------- */

/* Returns the size of a change for the worse. A negative size is a change for the better. */
static double worse_by(const struct gate_row *row) {
  return row->direction < 0 ? row->delta : -row->delta;
}

/* True if `change` is at least `limit`. */
static bool reaches(double change, double limit) {
  return change >= limit * (1 - ROUNDING);
}

/* True if `change` is more than `limit`. */
static bool exceeds(double change, double limit) {
  return change > limit * (1 + ROUNDING);
}

/* True if the change is at least the threshold. If noise has raised the threshold, the change must
 * be larger than the threshold. */
static bool reaches_threshold(const struct gate_row *row) {
  double change = fabs(row->delta);
  return row->noise > 0 ? exceeds(change, row->noise) : reaches(change, row->threshold);
}

static bool reaches_floor(const struct gate_row *row) {
  if (!(row->floor > 0) || isnan(row->base) || isnan(row->head)) return true;
  return reaches(fabs(row->head - row->base), row->floor);
}

/* ---- before the test --------------------------------- */

static bool is_time_of_zero(const struct gate_row *row) {
  if (row->base != 0 && row->head != 0) return false;
  return STR_ANY(str_equal, row->unit, "sec/op", "ns/op", "time/op");
}

pprofc_gate_verdict verdict_without_test(const struct gate_row *row,
                                         const struct gate_rule *decides) {
  if (decides && decides->ignore) return PPROFC_GATE_IGNORED;
  if (row->aside) return PPROFC_GATE_ASIDE;
  if (!row->in_head) return PPROFC_GATE_MISSING;
  if (!row->in_base) return PPROFC_GATE_NEW;
  if (is_time_of_zero(row)) return PPROFC_GATE_UNMEASURED;
  return row->direction ? PPROFC_GATE_UNCHANGED : PPROFC_GATE_INFORMATIONAL;
}

/* ---- the comparison ---------------------------------- */

static bool has_too_few_samples(const struct gate *gate, const struct gate_row *row) {
  size_t base = row->base_count, head = row->head_count;
  if (gate->settings.test == PPROFC_GATE_NONE || row->exact) return false;
  return (base < head ? base : head) < gate->settings.min_samples;
}

/* Returns the reason why a regression of the row does not count, or NULL. */
static const char *reason_for_doubt(const struct gate *gate, const struct gate_row *row) {
  if (row->excused) return "the machine code is the same, and only its addresses differ";
  /* Constant values have no noise between processes. */
  if (row->one_process && !row->constant)
    return "all samples of base or head come from one process";
  if (row->screened) return "the first rounds did not look worse";
  if (row->overloaded && !gate->settings.any_load && gate_unit_depends_on_load(row->unit))
    return "the machine was overloaded";
  return NULL;
}

static bool is_proven(const struct gate_row *row) {
  return row->significant && reaches_threshold(row) && reaches_floor(row);
}

const char *gate_doubt(const struct gate *gate, const struct gate_row *row) {
  bool doubted = row->verdict == PPROFC_GATE_INCONCLUSIVE && !row->aside && is_proven(row) &&
                 worse_by(row) > 0;
  return doubted ? reason_for_doubt(gate, row) : NULL;
}

/* Returns the verdict on a change that is large enough and significant. */
static pprofc_gate_verdict verdict_of_change(const struct gate *gate, const struct gate_row *row,
                                             const struct gate_rule *decides) {
  double worse = worse_by(row);
  if (worse > 0) {
    if (decides && decides->accept && !exceeds(worse, decides->accepted))
      return PPROFC_GATE_ACCEPTED;
    return reason_for_doubt(gate, row) ? PPROFC_GATE_INCONCLUSIVE : PPROFC_GATE_REGRESSED;
  }
  /* A cost, such as time, fell by more than half. */
  bool too_good = row->direction < 0 && worse < -SUSPICIOUS;
  return too_good ? PPROFC_GATE_SUSPICIOUS : PPROFC_GATE_IMPROVED;
}

static bool has_interval(const struct gate_row *row) {
  return !isnan(row->low) && !isnan(row->high);
}

/* True if the interval excludes a regression by the threshold or more. */
static bool excludes_regression(const struct gate_row *row) {
  double worst = row->direction < 0 ? row->high : -row->low;
  return has_interval(row) && worst < row->threshold;
}

/* Returns the verdict on a row without a proven change. A regression may still be possible. */
static pprofc_gate_verdict verdict_unproven(const struct gate_row *row) {
  /* A count got worse by the threshold or more, but not by more than its noise. */
  if (row->noise > 0 && reaches(worse_by(row), row->wanted)) return PPROFC_GATE_INCONCLUSIVE;
  if (row->constant || row->screened || !reaches_floor(row) || excludes_regression(row))
    return PPROFC_GATE_UNCHANGED;
  bool possible = has_interval(row) || reaches_threshold(row);
  return possible ? PPROFC_GATE_INCONCLUSIVE : PPROFC_GATE_UNCHANGED;
}

pprofc_gate_verdict verdict_of(const struct gate *gate, const struct gate_row *row,
                               const struct gate_rule *decides) {
  if (has_too_few_samples(gate, row)) return PPROFC_GATE_TOO_FEW;
  if (isnan(row->delta)) return row->significant ? PPROFC_GATE_INCONCLUSIVE : PPROFC_GATE_UNCHANGED;
  if (row->delta == 0) return PPROFC_GATE_UNCHANGED;
  return is_proven(row) ? verdict_of_change(gate, row, decides) : verdict_unproven(row);
}

bool verdict_is_decided(pprofc_gate_verdict verdict) {
  return verdict == PPROFC_GATE_REGRESSED || verdict == PPROFC_GATE_IMPROVED ||
         verdict == PPROFC_GATE_SUSPICIOUS || verdict == PPROFC_GATE_ACCEPTED;
}

const char *gate_row_verdict(const struct gate_row *row) {
  bool up = row->low > 0, down = row->high < 0;
  if (row->verdict != PPROFC_GATE_UNCHANGED || (!up && !down))
    return pprofc_gate_verdict_name(row->verdict);
  if (up != (row->direction < 0)) return "not slower";
  return !reaches_floor(row) && !excludes_regression(row) ? "below the floor"
                                                          : "below the threshold";
}

/* ---- two stages ------------------------------------- */

/* Significance level of the first stage (the first rounds of all benchmarks). If a benchmark is
 * worse by the threshold, the stage selects it in four of five cases. */
#define SCREEN_ALPHA 0.4
/* Maximum number of rounds of a benchmark, as a multiple of the requested number. */
#define SCREEN_MAX 4

/* Limits for the significance levels of looks (early judgements, see judge.h), as shares of the
 * row's level: LOOK_SHARE for one look, LOOKS_SUM for all looks together. */
#define LOOK_SHARE 0.01
#define LOOKS_SUM  0.07

void gate_screen_settings(struct gate_settings *settings) {
  settings->alpha = SCREEN_ALPHA;
  settings->test = PPROFC_GATE_WELCH;
  settings->correction = PPROFC_GATE_UNCORRECTED;
  settings->min_samples = 2;
  settings->screening = true;
}

bool gate_screen_selects(const struct gate_row *row) {
  return row->verdict == PPROFC_GATE_REGRESSED || row->verdict == PPROFC_GATE_INCONCLUSIVE ||
         row->verdict == PPROFC_GATE_TOO_FEW || row->verdict == PPROFC_GATE_ACCEPTED;
}

bool gate_look_decides(const struct gate_row *row, size_t rounds) {
  bool worse = row->verdict == PPROFC_GATE_REGRESSED || row->verdict == PPROFC_GATE_ACCEPTED;
  double looks = (double)((rounds - 1) / GATE_LOOK_ROUNDS);
  double share = LOOK_SHARE * looks > LOOKS_SUM ? LOOKS_SUM / looks : LOOK_SHARE;
  if (worse) return row->constant || row->adjusted <= share * row->alpha;
  return !gate_screen_selects(row);
}

struct gate_screen_plan gate_screen_plan_of(size_t selected, size_t count, size_t rounds) {
  struct gate_screen_plan plan = {false, 0};
  size_t left = rounds - GATE_SCREEN_ROUNDS;
  if (!selected) return plan;
  plan.all = 2 * selected > count;
  plan.rounds = plan.all ? left : left * count / selected;
  if (plan.rounds > SCREEN_MAX * rounds) plan.rounds = SCREEN_MAX * rounds;
  return plan;
}
