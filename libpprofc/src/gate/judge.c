/* The verdict on each row: direction, rules, threshold, floor, significance after correction for
 * the number of rows. */
#include "gate/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SUSPICIOUS 0.5 /* an improvement beyond this asks whether anything was measured */

/* ---- rules ------------------------------------------- */

/* Units match in any spelling: "ns/op" is "sec/op". */
static bool rule_matches(const struct gate_rule *rule, const struct gate_row *row,
                         pprofc_str canonical_rule, pprofc_str canonical_row) {
  if (rule->pattern.size && !str_glob(rule->pattern, row->name)) return false;
  /* What is said of a benchmark's time holds for its CPU time when that is what is judged. */
  if (row->is_cpu && str_glob(canonical_rule, STR("sec/op"))) return true;
  return !rule->unit.size || str_glob(rule->unit, row->unit) ||
         str_glob(canonical_rule, canonical_row);
}

static void apply_rule(struct gate_row *row, const struct gate_rule *rule) {
  if (rule->has_threshold) row->threshold = rule->threshold;
  if (rule->has_alpha) row->alpha = rule->alpha;
  if (rule->has_floor) row->floor = gate_floor_of(&rule->floor, row->unit);
  if (rule->direction) row->direction = rule->direction;
}

/* What rules say about one row; of several that match, the last one wins for each thing that it
 * sets. `decides` becomes the last one that ignores or accepts. */
static void apply_rules(struct gate *gate, struct gate_row *row, struct buffer *scratch,
                        const struct gate_rule **decides) {
  struct gate_settings *s = &gate->settings;
  *decides = NULL;
  for (size_t i = 0; i < s->rule_count; i++) {
    struct gate_rule *rule = &s->rules[i];
    buffer_clear(scratch);
    gate_unit_canonical(scratch, rule->unit);
    size_t middle = scratch->size;
    gate_unit_canonical(scratch, row->unit);
    pprofc_str both = buffer_str(scratch);
    if (!rule_matches(rule, row, str_slice(both, 0, middle), str_slice(both, middle, both.size)))
      continue;
    rule->used++;
    row->rule = i;
    if (rule->expired) continue;
    apply_rule(row, rule);
    if (rule->ignore || rule->accept) *decides = rule;
  }
}

/* A benchmark that swings by itself needs more than it swings. */
static void apply_noise(const struct gate *gate, struct gate_row *row, struct buffer *scratch) {
  buffer_clear(scratch);
  gate_noise_key(scratch, row->group, row->name, row->unit);
  uint32_t id = interner_find(&gate->noise_keys, buffer_str(scratch));
  if (id == MAP_NONE) return;
  double swing = ((const double *)(const void *)gate->noise.data)[id];
  if (swing < row->threshold) return;
  row->noise = swing;
  row->threshold = swing;
}

/* Nothing takes no time. */
static bool is_unmeasured(const struct gate_row *row) {
  bool time = str_equal(row->unit, STR("sec/op")) || str_equal(row->unit, STR("ns/op")) ||
              str_equal(row->unit, STR("time/op"));
  return time && row->in_base && row->in_head && (row->base == 0 || row->head == 0);
}

static void judge_settle(struct gate *gate, struct gate_row *row, struct buffer *scratch,
                         const struct gate_rule **decides) {
  const struct gate_settings *s = &gate->settings;
  row->threshold = s->threshold;
  row->alpha = s->alpha;
  row->floor = gate_floor_of(&s->floor, row->unit);
  /* What the user says of a unit goes before the files, the files before its form. */
  int asked = gate_asked_direction(gate, row->unit);
  if (asked) row->direction = asked;
  if (!row->direction) row->direction = gate_direction(gate, row->unit);
  apply_rules(gate, row, scratch, decides);
  apply_noise(gate, row, scratch);
  row->verdict = GATE_UNCHANGED;
  if (row->aside)
    row->verdict = GATE_ASIDE;
  else if (is_unmeasured(row))
    row->verdict = GATE_UNMEASURED;
  else if (!row->direction)
    row->verdict = GATE_INFORMATIONAL;
  if (*decides && (*decides)->ignore) row->verdict = GATE_IGNORED;
}

/* ---- correction for the number of comparisons -------- */

/* One p-value, and where its adjusted value goes. */
struct judge_member {
  double p, *adjusted;
};

static int by_p(const void *a, const void *b) {
  const struct judge_member *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return (x->adjusted > y->adjusted) - (x->adjusted < y->adjusted);
}

void gate_adjust(const double *p, size_t count, enum gate_correction correction, double *adjusted) {
  double running = correction == GATE_BH ? 1 : 0;
  for (size_t k = 0; k < count; k++) {
    size_t i = correction == GATE_BH ? count - 1 - k : k;
    double value = p[i];
    if (correction == GATE_BH) {
      value *= (double)count / (double)(i + 1);
      if (value < running) running = value;
    } else if (correction == GATE_HOLM) {
      value *= (double)(count - i);
      if (value > running) running = value;
    } else {
      running = value;
    }
    adjusted[i] = running < 1 ? running : 1;
  }
}

/* p-values that are adjusted together: of the first test, of the second one, and of the first one
 * of times that are watched only. */
enum family { FIRST, SECOND, WATCHED, FAMILIES };

static size_t take_family(struct gate_row *rows, size_t count, enum family which,
                          struct judge_member *family) {
  size_t n = 0;
  bool second = which == SECOND;
  for (size_t i = 0; i < count; i++) {
    struct gate_row *row = &rows[i];
    enum gate_verdict wanted = which == WATCHED ? GATE_ASIDE : GATE_UNCHANGED;
    if (row->verdict != wanted || row->constant || (which == WATCHED && !row->watched)) continue;
    if (!(second ? row->second.tested : row->tested)) continue;
    family[n++] = second ? (struct judge_member){row->second.p, &row->second.adjusted}
                         : (struct judge_member){row->p, &row->adjusted};
  }
  return n;
}

/* Adjusted values go back into the rows. */
static pprofc_status adjust_all(struct gate *gate, struct gate_row *rows, size_t count,
                                pprofc_error *error) {
  struct judge_member *family = mem_array(gate->mem, count, sizeof *family);
  double *p = mem_array(gate->mem, count, 2 * sizeof *p);
  double *adjusted = p ? p + count : NULL;
  bool good = family && p;
  for (size_t i = 0; i < count && good; i++) rows[i].adjusted = rows[i].p;
  for (int which = FIRST; which < FAMILIES && good; which++) {
    size_t n = take_family(rows, count, (enum family)which, family);
    qsort(family, n, sizeof *family, by_p);
    for (size_t i = 0; i < n; i++) p[i] = family[i].p;
    gate_adjust(p, n, gate->settings.correction, adjusted);
    for (size_t i = 0; i < n; i++) *family[i].adjusted = adjusted[i];
    if (which == FIRST) gate->family = n;
  }
  mem_free(gate->mem, family, count, sizeof *family);
  mem_free(gate->mem, p, count, 2 * sizeof *p);
  return good ? PPROFC_OK : error_nomem(error);
}

/* ---- verdicts ---------------------------------------- */

/* The size of a change in the worse direction; negative is better. */
static double worse_by(const struct gate_row *row) {
  return row->direction < 0 ? row->delta : -row->delta;
}

/* "At least the threshold", whatever the last bits of a division are. */
static bool reaches(double change, double threshold) {
  return change >= threshold * (1 - 1e-12);
}

/* What swings by itself needs more than that. */
static bool is_beyond(const struct gate_row *row, double change) {
  if (row->noise > 0) return change > row->noise * (1 + 1e-12);
  return reaches(change, row->threshold);
}

static bool above_floor(const struct gate_row *row) {
  return !(row->floor > 0) || isnan(row->base) || isnan(row->head) ||
         reaches(fabs(row->head - row->base), row->floor);
}

static bool enough_samples(const struct gate *gate, const struct gate_row *row) {
  size_t least = row->base_count < row->head_count ? row->base_count : row->head_count;
  return gate->settings.test == GATE_NONE || row->exact || least >= gate->settings.min_samples;
}

/* The interval holds no regression that matters: what may only be better leaves no doubt. */
static bool excludes_regression(const struct gate_row *row) {
  return (row->direction < 0 ? row->high : -row->low) < row->threshold;
}

static enum gate_verdict verdict_of(const struct gate *gate, const struct gate_row *row) {
  if (!enough_samples(gate, row)) return GATE_TOO_FEW;
  if (row->delta_kind == GATE_DELTA_UNKNOWN)
    return row->significant ? GATE_INCONCLUSIVE : GATE_UNCHANGED;
  if (row->delta == 0) return GATE_UNCHANGED;
  double worse = worse_by(row);
  bool beyond = is_beyond(row, fabs(worse)) && above_floor(row);
  if (beyond && row->significant) {
    if (worse > 0) return GATE_REGRESSED;
    return worse < -SUSPICIOUS && row->direction < 0 ? GATE_SUSPICIOUS : GATE_IMPROVED;
  }
  bool known = !isnan(row->low) && !isnan(row->high);
  if (row->constant || !above_floor(row) || (known && excludes_regression(row)))
    return GATE_UNCHANGED;
  return known || beyond ? GATE_INCONCLUSIVE : GATE_UNCHANGED;
}

static bool is_significant(const struct gate *gate, const struct gate_row *row) {
  if (!row->in_base || !row->in_head) return false;
  if (row->constant) return row->delta != 0;
  if (gate->settings.test == GATE_NONE)
    return row->delta != 0 && row->delta_kind != GATE_DELTA_UNKNOWN;
  return row->tested && row->adjusted <= row->alpha;
}

static bool judge_is_decided(enum gate_verdict verdict) {
  return verdict == GATE_REGRESSED || verdict == GATE_IMPROVED || verdict == GATE_SUSPICIOUS;
}

/* What the first test left open, the second may decide. Each calls half of alpha's share of
 * unchanged runs worse, so that together they keep to alpha. */
static void take_second(const struct gate *gate, struct gate_row *row) {
  const struct gate_second *s = &row->second;
  if (!s->tested || judge_is_decided(row->verdict)) return;
  struct gate_row other = *row;
  other.base = s->base;
  other.head = s->head;
  other.delta_kind = s->delta_kind;
  other.delta = s->delta;
  other.low = s->low;
  other.high = s->high;
  other.tested = true;
  other.p = s->p;
  other.adjusted = s->adjusted;
  other.test = s->test;
  other.significant = is_significant(gate, &other);
  other.verdict = verdict_of(gate, &other);
  if (judge_is_decided(other.verdict)) *row = other;
}

/* Sums of such numbers are infinite. */
static bool overflowed(const struct gate_row *row) {
  return row->in_base && row->in_head && (!isfinite(row->base) || !isfinite(row->head));
}

static void judge_row(struct gate *gate, struct gate_row *row, const struct gate_rule *decides) {
  if (overflowed(row))
    gate_problem(gate, "%.*s:%zu: measurements of %.*s are too large to compare",
                 STR_ARG(row->file), row->line, STR_ARG(row->name));
  row->significant = is_significant(gate, row);
  bool both = row->in_base && row->in_head;
  if (!both && row->verdict != GATE_IGNORED && row->verdict != GATE_ASIDE)
    row->verdict = row->in_head ? GATE_NEW : GATE_MISSING;
  if (row->verdict != GATE_UNCHANGED) return;
  row->verdict = verdict_of(gate, row);
  take_second(gate, row);
  if (row->verdict == GATE_REGRESSED && decides && decides->accept &&
      !(worse_by(row) > decides->accepted * (1 + 1e-12)))
    row->verdict = GATE_ACCEPTED;
}

bool gate_was_judged(const struct gate_row *row) {
  return row->in_base && row->in_head && row->verdict != GATE_IGNORED &&
         row->verdict != GATE_INFORMATIONAL && row->verdict != GATE_UNMEASURED &&
         row->verdict != GATE_ASIDE && !row->aside;
}

bool gate_was_corrected(const struct gate *gate, const struct gate_row *row) {
  if (gate->settings.test == GATE_NONE) return false;
  return gate_was_judged(row) || row->watched;
}

/* Wall time that got worse while CPU time did not: the benchmark waits, or the machine was busy. */
static void watch_row(const struct gate *gate, struct gate_row *row) {
  if (row->verdict != GATE_ASIDE || !row->watched) return;
  struct gate_row other = *row;
  if (verdict_of(gate, &other) == GATE_REGRESSED) row->verdict = GATE_INCONCLUSIVE;
}

static void judge_count_row(struct gate *gate, const struct gate_row *row) {
  bool compared = gate_was_judged(row);
  gate->compared += compared;
  gate->significant += compared && row->significant;
  gate->regressed += row->verdict == GATE_REGRESSED;
  gate->missing += row->verdict == GATE_MISSING;
  gate->improved += row->verdict == GATE_IMPROVED;
  gate->suspicious += row->verdict == GATE_SUSPICIOUS;
  gate->accepted += row->verdict == GATE_ACCEPTED;
  gate->unmeasured += row->verdict == GATE_UNMEASURED;
  gate->too_few += row->verdict == GATE_TOO_FEW;
  gate->inconclusive += row->verdict == GATE_INCONCLUSIVE || row->verdict == GATE_TOO_FEW;
}

/* ---- the whole --------------------------------------- */

static void describe_rule(const struct gate_rule *rule, char *out, size_t size) {
  snprintf(out, size, "rule of line %zu (%.*s%s%.*s)", rule->line,
           (int)(rule->pattern.size < 200 ? rule->pattern.size : 200), rule->pattern.data,
           rule->unit.size ? " " : "", (int)(rule->unit.size < 200 ? rule->unit.size : 200),
           rule->unit.data);
}

/* A rule that matches nothing is a misspelt one. */
static void check_rules(struct gate *gate) {
  char name[512];
  for (size_t i = 0; i < gate->settings.rule_count; i++) {
    const struct gate_rule *rule = &gate->settings.rules[i];
    describe_rule(rule, name, sizeof name);
    if (!rule->used)
      gate_problem(gate, "%s matches no benchmark", name);
    else if (rule->expired)
      gate_warning(gate, "%s expired on %.*s and has no effect: %.*s", name, STR_ARG(rule->until),
                   STR_ARG(rule->reason));
  }
}

pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error) {
  size_t count;
  struct gate_row *rows = gate_rows(gate, &count);
  const struct gate_rule **decides = mem_zero_array(gate->mem, count, sizeof *decides);
  struct buffer scratch;
  buffer_init(&scratch, gate->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < gate->settings.rule_count; i++) {
    struct gate_rule *rule = &gate->settings.rules[i];
    rule->expired = rule->until.size && str_compare(str_of(today), rule->until) > 0;
  }
  pprofc_status status = decides ? gate_choose_times(gate, error) : error_nomem(error);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++)
    judge_settle(gate, &rows[i], &scratch, &decides[i]);
  if (status == PPROFC_OK) status = adjust_all(gate, rows, count, error);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    judge_row(gate, &rows[i], decides[i]);
    watch_row(gate, &rows[i]);
    judge_count_row(gate, &rows[i]);
  }
  if (status == PPROFC_OK) {
    check_rules(gate);
    gate_check_compared(gate);
    gate_find_trends(gate);
    status = gate_find_visible(gate, error);
  }
  bool failed =
      scratch.failed || gate->rows.failed || gate->problems.failed || gate->warnings.failed;
  buffer_free(&scratch);
  mem_free(gate->mem, decides, count, sizeof *decides);
  return status == PPROFC_OK && failed ? error_nomem(error) : status;
}

/* What -strict does not let pass. */
static bool is_doubtful(const struct gate *gate) {
  return gate->inconclusive || gate->missing || gate->suspicious || gate->unmeasured ||
         gate->blind || gate->doubts;
}

int gate_exit_status(const struct gate *gate) {
  if (gate->problem_count || !gate->compared) return 1;
  if (gate->regressed) return 2;
  return gate->settings.strict && is_doubtful(gate) ? 3 : 0;
}
