/* The verdict on one row. Both tables are read from the top: the first condition that the row meets
 * decides. docs/GATES.md has them in words. */
#include "gate/verdict.h"

#include "gate/interval.h"

#include <math.h>

#define SUSPICIOUS 0.5   /* an improvement beyond this asks whether anything was measured */
#define ROUNDING   1e-12 /* the last bits of a division decide nothing */

/* What a condition looks at. */
struct verdict_case {
  const struct gate *gate;
  const struct gate_row *row;
  const struct gate_rule *decides; /* the rule that ignores or accepts the row, or NULL */
};

struct verdict_line {
  bool (*applies)(const struct verdict_case *c);
  enum gate_verdict verdict;
};

/* ---- sizes ------------------------------------------- */

/* The size of a change in the worse direction; negative is better. */
static double worse_by(const struct gate_row *row) {
  return row->direction < 0 ? row->delta : -row->delta;
}

/* `change` is `limit` or more. */
static bool reaches(double change, double limit) {
  return change >= limit * (1 - ROUNDING);
}

/* `change` is more than `limit`. */
static bool exceeds(double change, double limit) {
  return change > limit * (1 + ROUNDING);
}

/* The change reaches the threshold, or exceeds the swing of earlier runs, if that is greater. */
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
  if (settings->test == GATE_NONE || c->row->exact) return false;
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

/* The change is large enough, and it is no chance. */
static bool is_proven(const struct verdict_case *c) {
  return c->row->significant && reaches_threshold(c->row) && reaches_floor(c->row);
}

static bool is_proven_worse(const struct verdict_case *c) {
  return worse_by(c->row) > 0 && is_proven(c);
}

static bool is_accepted_by_rule(const struct verdict_case *c) {
  return c->decides && c->decides->accept && is_proven_worse(c) &&
         !exceeds(worse_by(c->row), c->decides->accepted);
}

/* Of a cost, such as time, more than half is gone. */
static bool is_too_good(const struct verdict_case *c) {
  return c->row->direction < 0 && worse_by(c->row) < -SUSPICIOUS && is_proven(c);
}

static bool is_constant_row(const struct verdict_case *c) {
  return c->row->constant;
}

static bool is_below_floor(const struct verdict_case *c) {
  return !reaches_floor(c->row);
}

static bool has_interval(const struct verdict_case *c) {
  return gate_interval_exists(c->row);
}

/* No value of the interval is a regression of the threshold or more. */
static bool excludes_regression(const struct verdict_case *c) {
  return gate_interval_excludes(c->gate, c->row);
}

static bool seems_changed(const struct verdict_case *c) {
  return reaches_threshold(c->row);
}

/* ---- tables ------------------------------------------ */

static const struct verdict_line before_test[] = {
    {is_ignored_by_rule, GATE_IGNORED}, {has_other_time, GATE_ASIDE},
    {is_in_head_only, GATE_NEW},        {is_in_base_only, GATE_MISSING},
    {is_time_of_zero, GATE_UNMEASURED}, {has_no_direction, GATE_INFORMATIONAL},
    {is_any, GATE_UNCHANGED}, /* to be compared */
};

static const struct verdict_line compared[] = {
    {has_too_few_samples, GATE_TOO_FEW},
    {is_significant_without_size, GATE_INCONCLUSIVE},
    {has_no_size, GATE_UNCHANGED},
    {has_equal_sides, GATE_UNCHANGED},
    {is_accepted_by_rule, GATE_ACCEPTED},
    {is_proven_worse, GATE_REGRESSED},
    {is_too_good, GATE_SUSPICIOUS},
    {is_proven, GATE_IMPROVED},
    /* From here on no change is proven. May there be a regression? */
    {is_constant_row, GATE_UNCHANGED},
    {is_below_floor, GATE_UNCHANGED},
    {excludes_regression, GATE_UNCHANGED},
    {has_interval, GATE_INCONCLUSIVE},
    {seems_changed, GATE_INCONCLUSIVE},
    {is_any, GATE_UNCHANGED},
};

static enum gate_verdict verdict_look_up(const struct verdict_line *lines,
                                         const struct verdict_case *c) {
  while (!lines->applies(c)) lines++; /* the last line applies to any row */
  return lines->verdict;
}

enum gate_verdict verdict_without_test(const struct gate *gate, const struct gate_row *row,
                                       const struct gate_rule *decides) {
  return verdict_look_up(before_test, &(struct verdict_case){gate, row, decides});
}

enum gate_verdict verdict_of(const struct gate *gate, const struct gate_row *row,
                             const struct gate_rule *decides) {
  return verdict_look_up(compared, &(struct verdict_case){gate, row, decides});
}

bool verdict_is_decided(enum gate_verdict verdict) {
  return verdict == GATE_REGRESSED || verdict == GATE_IMPROVED || verdict == GATE_SUSPICIOUS ||
         verdict == GATE_ACCEPTED;
}
