/* Finds the verdict on a row. Each table lists conditions, and the first condition that holds for
 * the row decides. docs/GATES.md explains the conditions. */
#include "gate/judge.h"

#include <math.h>

/* Relative improvement above which the benchmark may measure nothing. */
#define SUSPICIOUS 0.5
#define ROUNDING   1e-12 /* tolerance for the rounding of a division */

/* A row, and the data for its conditions. */
struct verdict_case {
  const struct gate *gate;
  const struct gate_row *row;
  const struct gate_rule *decides; /* rule that ignores or accepts the row, or NULL */
};

struct verdict_line {
  bool (*applies)(const struct verdict_case *c);
  pprofc_gate_verdict verdict;
};

/* ---- sizes ------------------------------------------- */

/* Returns the size of a change in the worse direction. A negative size means better. */
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

/* True if the change reaches the threshold. A threshold that noise has raised must be exceeded. */
static bool reaches_threshold(const struct gate_row *row) {
  double change = fabs(row->delta);
  return row->noise > 0 ? exceeds(change, row->noise) : reaches(change, row->threshold);
}

static bool reaches_floor(const struct gate_row *row) {
  if (!(row->floor > 0) || isnan(row->base) || isnan(row->head)) return true;
  return reaches(fabs(row->head - row->base), row->floor);
}

/* ---- conditions before the test ---------------------- */

static bool is_ignored_by_rule(const struct verdict_case *c) {
  return c->decides && c->decides->ignore;
}

static bool has_other_time(const struct verdict_case *c) {
  return c->row->aside != NULL;
}

static bool is_in_head_only(const struct verdict_case *c) {
  return !c->row->in_base && c->row->in_head;
}

static bool is_in_base_only(const struct verdict_case *c) {
  return !c->row->in_head;
}

static bool is_time_of_zero(const struct verdict_case *c) {
  static const char *const units[] = {"sec/op", "ns/op", "time/op"};
  if (c->row->base != 0 && c->row->head != 0) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (str_equal(c->row->unit, str_of(units[i]))) return true;
  return false;
}

static bool has_no_direction(const struct verdict_case *c) {
  return c->row->direction == 0;
}

static bool is_any(const struct verdict_case *c) {
  (void)c;
  return true;
}

/* ---- conditions on the comparison -------------------- */

static bool has_too_few_samples(const struct verdict_case *c) {
  size_t base = c->row->base_count, head = c->row->head_count;
  const struct gate_settings *settings = &c->gate->settings;
  if (settings->test == PPROFC_GATE_NONE || c->row->exact) return false;
  return (base < head ? base : head) < settings->min_samples;
}

static bool has_no_size(const struct verdict_case *c) {
  return c->row->delta_kind == GATE_DELTA_UNKNOWN;
}

static bool is_significant_without_size(const struct verdict_case *c) {
  return has_no_size(c) && c->row->significant;
}

static bool has_equal_sides(const struct verdict_case *c) {
  return c->row->delta == 0;
}

/* True if the change is large enough and significant. */
static bool is_proven(const struct verdict_case *c) {
  return c->row->significant && reaches_threshold(c->row) && reaches_floor(c->row);
}

static bool is_proven_worse(const struct verdict_case *c) {
  return worse_by(c->row) > 0 && is_proven(c);
}

/* True if a row regressed and its samples come from one process. The noise between processes is
 * then unknown. Constant values have no noise. */
static bool is_worse_in_one_process(const struct verdict_case *c) {
  return c->row->one_process && !c->row->constant && is_proven_worse(c);
}

/* True for a time or a rate that got worse while other programs used the processors. */
static bool is_worse_under_load(const struct verdict_case *c) {
  return c->row->overloaded && !c->gate->settings.any_load &&
         gate_unit_depends_on_load(c->row->unit) && is_proven_worse(c);
}

/* True if the first stage did not choose the row for further rounds (screen.h). The gate then
 * reports no regression. */
static bool is_screened(const struct verdict_case *c) {
  return c->row->screened;
}

static bool is_screened_worse(const struct verdict_case *c) {
  return c->row->screened && is_proven_worse(c);
}

static bool is_accepted_by_rule(const struct verdict_case *c) {
  return c->decides && c->decides->accept && is_proven_worse(c) &&
         !exceeds(worse_by(c->row), c->decides->accepted);
}

/* True if a cost, such as time, fell by more than half. */
static bool is_too_good(const struct verdict_case *c) {
  return c->row->direction < 0 && worse_by(c->row) < -SUSPICIOUS && is_proven(c);
}

/* True for a count that got worse by the threshold or more, but not by more than its noise. */
static bool is_worse_within_noise(const struct verdict_case *c) {
  return c->row->noise > 0 && reaches(worse_by(c->row), c->row->wanted);
}

static bool is_constant_row(const struct verdict_case *c) {
  return c->row->constant;
}

static bool is_below_floor(const struct verdict_case *c) {
  return !reaches_floor(c->row);
}

static bool has_interval(const struct verdict_case *c) {
  return !isnan(c->row->low) && !isnan(c->row->high);
}

/* True if the interval excludes every regression as large as the threshold. */
static bool excludes_regression(const struct verdict_case *c) {
  const struct gate_row *row = c->row;
  double worst = row->direction < 0 ? row->high : -row->low;
  return has_interval(c) && worst < row->threshold;
}

static bool seems_changed(const struct verdict_case *c) {
  return reaches_threshold(c->row);
}

/* ---- tables ------------------------------------------ */

static const struct verdict_line before_test[] = {
    {is_ignored_by_rule, PPROFC_GATE_IGNORED}, {has_other_time, PPROFC_GATE_ASIDE},
    {is_in_head_only, PPROFC_GATE_NEW},        {is_in_base_only, PPROFC_GATE_MISSING},
    {is_time_of_zero, PPROFC_GATE_UNMEASURED}, {has_no_direction, PPROFC_GATE_INFORMATIONAL},
    {is_any, PPROFC_GATE_UNCHANGED}, /* Any other row must be compared. */
};

static const struct verdict_line compared[] = {
    {has_too_few_samples, PPROFC_GATE_TOO_FEW},
    {is_significant_without_size, PPROFC_GATE_INCONCLUSIVE},
    {has_no_size, PPROFC_GATE_UNCHANGED},
    {has_equal_sides, PPROFC_GATE_UNCHANGED},
    {is_accepted_by_rule, PPROFC_GATE_ACCEPTED},
    {is_worse_in_one_process, PPROFC_GATE_INCONCLUSIVE},
    {is_screened_worse, PPROFC_GATE_INCONCLUSIVE},
    {is_worse_under_load, PPROFC_GATE_INCONCLUSIVE},
    {is_proven_worse, PPROFC_GATE_REGRESSED},
    {is_too_good, PPROFC_GATE_SUSPICIOUS},
    {is_proven, PPROFC_GATE_IMPROVED},
    /* The lines below are for rows without a proven change. A regression may still be possible. */
    {is_worse_within_noise, PPROFC_GATE_INCONCLUSIVE},
    {is_constant_row, PPROFC_GATE_UNCHANGED},
    {is_screened, PPROFC_GATE_UNCHANGED},
    {is_below_floor, PPROFC_GATE_UNCHANGED},
    {excludes_regression, PPROFC_GATE_UNCHANGED},
    {has_interval, PPROFC_GATE_INCONCLUSIVE},
    {seems_changed, PPROFC_GATE_INCONCLUSIVE},
    {is_any, PPROFC_GATE_UNCHANGED},
};

static pprofc_gate_verdict verdict_look_up(const struct verdict_line *lines,
                                           const struct verdict_case *c) {
  while (!lines->applies(c)) lines++; /* The last condition is always true. */
  return lines->verdict;
}

pprofc_gate_verdict verdict_without_test(const struct gate *gate, const struct gate_row *row,
                                         const struct gate_rule *decides) {
  return verdict_look_up(before_test, &(struct verdict_case){gate, row, decides});
}

pprofc_gate_verdict verdict_of(const struct gate *gate, const struct gate_row *row,
                               const struct gate_rule *decides) {
  return verdict_look_up(compared, &(struct verdict_case){gate, row, decides});
}

bool verdict_is_decided(pprofc_gate_verdict verdict) {
  return verdict == PPROFC_GATE_REGRESSED || verdict == PPROFC_GATE_IMPROVED ||
         verdict == PPROFC_GATE_SUSPICIOUS || verdict == PPROFC_GATE_ACCEPTED;
}

const char *gate_row_verdict(const struct gate_row *row) {
  const struct verdict_case c = {.row = row};
  bool up = row->low > 0, down = row->high < 0;
  if (row->verdict != PPROFC_GATE_UNCHANGED || (!up && !down))
    return pprofc_gate_verdict_name(row->verdict);
  if (up != (row->direction < 0)) return "not slower";
  return is_below_floor(&c) && !excludes_regression(&c) ? "below the floor" : "below the threshold";
}
