/* The verdict on each row: direction, rules, threshold, floor, significance after correction for
 * the number of rows. */
#include "bench/gate.h"

#include <math.h>
#include <stdlib.h>

#define SUSPICIOUS 0.5 /* an improvement beyond this asks whether anything was measured */

bool gate_glob(pprofc_str pattern, pprofc_str text) {
  size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
  while (t < text.size) {
    if (p < pattern.size && pattern.data[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
      p++;
      t++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size && pattern.data[p] == '*') p++;
  return p == pattern.size;
}

/* ---- rules
 * ------------------------------------------------------------------------------------------- */

static bool rule_matches(const struct gate_rule *rule, const struct gate_row *row) {
  return (!rule->pattern.size || gate_glob(rule->pattern, row->name)) &&
         (!rule->unit.size || gate_glob(rule->unit, row->unit));
}

/* What rules say about one row; of several that match, the last one wins for each thing that it
 * sets. */
static void apply_rules(struct gate *gate, struct gate_row *row, const struct gate_rule **decides) {
  const struct gate_settings *s = &gate->settings;
  row->threshold = s->threshold;
  row->alpha = s->alpha;
  row->floor = 0;
  *decides = NULL;
  for (size_t i = 0; i < s->rule_count; i++) {
    struct gate_rule *rule = &s->rules[i];
    if (!rule_matches(rule, row)) continue;
    rule->used++;
    if (rule->expired) continue;
    if (rule->has_threshold) row->threshold = rule->threshold;
    if (rule->has_alpha) row->alpha = rule->alpha;
    if (rule->has_floor) row->floor = rule->floor;
    if (rule->direction) row->direction = rule->direction;
    row->rule = i;
    if (rule->ignore || rule->accept) *decides = rule;
  }
}

/* ---- correction for the number of comparisons
 * ---------------------------------------------------------- */

static int by_p(const void *a, const void *b) {
  const struct gate_row *x = *(struct gate_row *const *)a, *y = *(struct gate_row *const *)b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return (x > y) - (x < y);
}

/* Benjamini-Hochberg 1995, and Holm 1979: adjusted p-values, monotone in p. `family` is sorted by
 * p. */
static void adjust(struct gate_row **family, size_t count, enum gate_correction correction) {
  double running = correction == GATE_BH ? 1 : 0;
  for (size_t k = 0; k < count; k++) {
    size_t i = correction == GATE_BH ? count - 1 - k : k;
    double value = family[i]->p;
    if (correction == GATE_BH) {
      value *= (double)count / (double)(i + 1);
      if (value < running) running = value;
    } else {
      value *= (double)(count - i);
      if (value > running) running = value;
    }
    family[i]->adjusted = running < 1 ? running : 1;
  }
}

static pprofc_status adjust_all(struct gate *gate, struct gate_row *rows, size_t count,
                                pprofc_error *error) {
  struct gate_row **family = mem_array(gate->mem, count, sizeof *family);
  if (!family) return error_nomem(error);
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    rows[i].adjusted = rows[i].p;
    bool judged = rows[i].verdict != GATE_IGNORED && rows[i].verdict != GATE_INFORMATIONAL;
    if (rows[i].tested && !rows[i].constant && judged) family[n++] = &rows[i];
  }
  qsort(family, n, sizeof *family, by_p);
  if (gate->settings.correction != GATE_UNCORRECTED) adjust(family, n, gate->settings.correction);
  mem_free(gate->mem, family, count, sizeof *family);
  return PPROFC_OK;
}

/* ---- verdicts
 * --------------------------------------------------------------------------------------------- */

/* The size of a change in the worse direction; negative is better. */
static double worse_by(const struct gate_row *row) {
  if (row->delta_kind == GATE_DELTA_FROM_ZERO) return row->direction < 0 ? HUGE_VAL : -HUGE_VAL;
  return row->direction < 0 ? row->delta : -row->delta;
}

static bool above_floor(const struct gate_row *row) {
  return !(row->floor > 0) || isnan(row->base) || isnan(row->head) ||
         fabs(row->head - row->base) >= row->floor;
}

/* Base or head is not there. */
static bool one_sided(struct gate_row *row) {
  if (!row->base_count && row->head_count)
    row->verdict = GATE_NEW;
  else if (row->base_count && !row->head_count)
    row->verdict = GATE_MISSING;
  else
    return false;
  return true;
}

static bool enough_samples(const struct gate *gate, const struct gate_row *row) {
  size_t least = row->base_count < row->head_count ? row->base_count : row->head_count;
  return gate->settings.test == GATE_NONE || least >= gate->settings.min_samples ||
         row->base_count + row->head_count == 0; /* a table without counts */
}

static enum gate_verdict verdict_of(const struct gate *gate, const struct gate_row *row) {
  bool zero = row->delta_kind == GATE_DELTA_NUMBER && row->delta == 0;
  if (row->delta_kind == GATE_DELTA_UNKNOWN || zero)
    return !enough_samples(gate, row) && !row->constant ? GATE_TOO_FEW : GATE_UNCHANGED;
  if (!enough_samples(gate, row) && !row->constant) return GATE_TOO_FEW;
  double worse = worse_by(row);
  bool beyond = fabs(worse) >= row->threshold && above_floor(row);
  if (!row->significant) {
    /* An interval that does not reach the threshold says: no change that matters. */
    bool inside =
        !isnan(row->low) && fabs(row->low) < row->threshold && fabs(row->high) < row->threshold;
    return inside || (!beyond && isnan(row->low)) ? GATE_UNCHANGED : GATE_INCONCLUSIVE;
  }
  if (!beyond) return GATE_UNCHANGED;
  if (worse > 0) return GATE_REGRESSED;
  return worse < -SUSPICIOUS && row->direction < 0 ? GATE_SUSPICIOUS : GATE_IMPROVED;
}

static void count_row(struct gate *gate, const struct gate_row *row) {
  bool compared = row->verdict != GATE_MISSING && row->verdict != GATE_NEW;
  gate->compared += compared;
  gate->significant += compared && row->significant;
  gate->regressed += row->verdict == GATE_REGRESSED;
  gate->missing += row->verdict == GATE_MISSING;
  gate->improved += row->verdict == GATE_IMPROVED;
  gate->suspicious += row->verdict == GATE_SUSPICIOUS;
  gate->accepted += row->verdict == GATE_ACCEPTED;
  gate->inconclusive += row->verdict == GATE_INCONCLUSIVE || row->verdict == GATE_TOO_FEW;
}

static void judge_row(struct gate *gate, struct gate_row *row, const struct gate_rule *decides) {
  row->significant = row->constant ? row->delta_kind == GATE_DELTA_FROM_ZERO || row->delta != 0
                                   : gate->settings.test == GATE_NONE ||
                                         (row->tested && row->adjusted <= row->alpha);
  if (row->verdict == GATE_IGNORED || row->verdict == GATE_INFORMATIONAL) return;
  if (one_sided(row)) return;
  row->verdict = verdict_of(gate, row);
  if (row->verdict == GATE_REGRESSED && decides && decides->accept) {
    bool within = !decides->has_threshold || worse_by(row) <= decides->threshold;
    if (within) row->verdict = GATE_ACCEPTED;
  }
}

/* A rule that matches nothing is a misspelt one. */
static void check_rules(struct gate *gate) {
  for (size_t i = 0; i < gate->settings.rule_count; i++)
    if (!gate->settings.rules[i].used)
      gate_problem(gate, "rule %zu (%.*s) matches no benchmark", i + 1,
                   STR_ARG(gate->settings.rules[i].text));
}

pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error) {
  size_t count;
  struct gate_row *rows = gate_rows(gate, &count);
  const struct gate_rule **decides = mem_zero_array(gate->mem, count, sizeof *decides);
  if (!decides || gate->rows.failed) {
    mem_free(gate->mem, decides, count, sizeof *decides);
    return error_nomem(error);
  }
  for (size_t i = 0; i < gate->settings.rule_count; i++) {
    struct gate_rule *rule = &gate->settings.rules[i];
    rule->expired = rule->until.size && str_compare(str_of(today), rule->until) > 0;
  }
  for (size_t i = 0; i < count; i++) {
    rows[i].direction = gate_direction(gate, rows[i].unit);
    apply_rules(gate, &rows[i], &decides[i]);
    rows[i].verdict = decides[i] && decides[i]->ignore ? GATE_IGNORED
                      : rows[i].direction == 0         ? GATE_INFORMATIONAL
                                                       : GATE_UNCHANGED;
  }
  pprofc_status status = adjust_all(gate, rows, count, error);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    judge_row(gate, &rows[i], decides[i]);
    count_row(gate, &rows[i]);
  }
  mem_free(gate->mem, decides, count, sizeof *decides);
  if (status != PPROFC_OK) return status;
  check_rules(gate);
  if (!gate->compared && !gate->missing) gate_problem(gate, "nothing was compared");
  return PPROFC_OK;
}

int gate_exit_status(const struct gate *gate) {
  if (gate->problem_count) return 1;
  if (gate->regressed) return 2;
  bool doubtful = gate->inconclusive || gate->missing || gate->suspicious;
  return gate->settings.strict && doubtful ? 3 : 0;
}
