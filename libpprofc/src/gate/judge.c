/* Judges all rows in order: rules, choice of time, correction for the number of tests,
 * verdicts (verdict.c), warnings about the whole run. */
#include "gate/verdict.h"
#include "stats/corrections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- rules ------------------------------------------- */

/* True if a rule matches a row. Units match in any spelling: "ns/op" equals "sec/op". */
static bool rule_matches(const struct gate_rule *rule, const struct gate_row *row,
                         pprofc_str canonical_rule, pprofc_str canonical_row) {
  if (rule->pattern.size && !str_glob(rule->pattern, row->name)) return false;
  /* A rule for the time of a benchmark also applies to its CPU time if that is judged instead. */
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

/* Applies the rules to one row. The last matching rule wins for each setting. *decides becomes
 * the last one that ignores or accepts. */
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

/* Returns the variation of a benchmark between earlier runs; 0 if it is not known. */
static double earlier_noise(const struct gate *gate, const struct gate_row *row,
                            struct buffer *scratch) {
  if (!gate->noise_keys.count) return 0;
  buffer_clear(scratch);
  gate_noise_key(scratch, row->group, row->name, row->unit);
  uint32_t id = interner_find(&gate->noise_keys, buffer_str(scratch));
  return id == MAP_NONE ? 0 : ((const double *)(const void *)gate->noise.data)[id];
}

/* Raises the threshold of a benchmark to its variation between runs of one commit. */
static void apply_noise(const struct gate *gate, struct gate_row *row, struct buffer *scratch) {
  double swing = fmax(row->noise, earlier_noise(gate, row, scratch));
  row->noise = swing > 0 && swing >= row->threshold ? swing : 0;
  if (row->noise > 0) row->threshold = swing;
}

/* Sets the direction: from the settings, else from the input, else from the table of units. */
static void judge_set_direction(const struct gate *gate, struct gate_row *row) {
  int asked = gate_settings_direction(gate, row->unit);
  if (asked) row->direction = asked;
  if (!row->direction) row->direction = gate_direction(gate, row->unit);
}

/* Sets the limits of the row, and the verdicts that need no test. */
static void judge_prepare(struct gate *gate, struct gate_row *row, struct buffer *scratch,
                          const struct gate_rule **decides) {
  const struct gate_settings *s = &gate->settings;
  row->threshold = s->threshold;
  row->alpha = s->alpha;
  row->floor = gate_floor_of(&s->floor, row->unit);
  judge_set_direction(gate, row);
  apply_rules(gate, row, scratch, decides);
  apply_noise(gate, row, scratch);
  row->verdict = verdict_without_test(gate, row, *decides);
}

/* ---- correction for the number of comparisons -------- */

/* A p-value, and the address of its adjusted value. */
struct judge_member {
  double p, *adjusted;
};

static int by_p(const void *a, const void *b) {
  const struct judge_member *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return (x->adjusted > y->adjusted) - (x->adjusted < y->adjusted);
}

/* Groups of p-values that are adjusted together: first tests, second tests, both of rows that
 * cannot regress, and first tests of times that are only watched. */
enum family { FIRST, SECOND, SCREENED_FIRST, SCREENED_SECOND, WATCHED, FAMILIES };

static bool is_member(const struct gate_row *row, enum family which) {
  bool screened = which == SCREENED_FIRST || which == SCREENED_SECOND;
  if (row->constant) return false;
  if (which == WATCHED) return row->verdict == GATE_ASIDE && row->watched && row->tested;
  if (row->verdict != GATE_UNCHANGED || row->screened != screened) return false;
  return which == SECOND || which == SCREENED_SECOND ? row->second.tested : row->tested;
}

static struct judge_member member_of(struct gate_row *row, enum family which) {
  if (which == SECOND || which == SCREENED_SECOND)
    return (struct judge_member){row->second.p, &row->second.adjusted};
  return (struct judge_member){row->p, &row->adjusted};
}

static size_t take_family(struct gate_row *rows, size_t count, enum family which,
                          struct judge_member *family) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (is_member(&rows[i], which)) family[n++] = member_of(&rows[i], which);
  return n;
}

/* Adjusts sorted p-values in place. */
static void judge_adjust(double *p, size_t count, enum gate_correction correction) {
  if (correction == GATE_BH)
    corrections_benjamini_hochberg(p, count, p);
  else if (correction == GATE_HOLM)
    corrections_holm(p, count, p);
}

/* Adjusts each family and stores the adjusted values in the rows. */
static pprofc_status adjust_all(struct gate *gate, struct gate_row *rows, size_t count,
                                pprofc_error *error) {
  struct judge_member *family = mem_array(gate->mem, count, sizeof *family);
  double *p = mem_array(gate->mem, count, sizeof *p);
  bool good = family && p;
  for (size_t i = 0; i < count && good; i++) rows[i].adjusted = rows[i].p;
  for (int which = FIRST; which < FAMILIES && good; which++) {
    size_t n = take_family(rows, count, (enum family)which, family);
    qsort(family, n, sizeof *family, by_p);
    for (size_t i = 0; i < n; i++) p[i] = family[i].p;
    judge_adjust(p, n, gate->settings.correction);
    for (size_t i = 0; i < n; i++) *family[i].adjusted = p[i];
    if (which == FIRST) gate->family = n;
  }
  mem_free(gate->mem, family, count, sizeof *family);
  mem_free(gate->mem, p, count, sizeof *p);
  return good ? PPROFC_OK : error_nomem(error);
}

/* ---- verdicts ---------------------------------------- */

static bool is_significant(const struct gate *gate, const struct gate_row *row) {
  if (!row->in_base || !row->in_head) return false;
  if (row->constant) return row->delta != 0;
  if (gate->settings.test == GATE_NONE)
    return row->delta != 0 && row->delta_kind != GATE_DELTA_UNKNOWN;
  return row->tested && row->adjusted <= row->alpha;
}

/* Returns the row with the numbers of its second test. */
static struct gate_row with_second(const struct gate_row *row) {
  const struct gate_second *s = &row->second;
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
  return other;
}

/* Lets the second test decide a row that the first test does not. Each test reports at most
 * alpha / 2 of unchanged benchmarks as worse, so both together stay below alpha. */
static void take_second(const struct gate *gate, struct gate_row *row,
                        const struct gate_rule *decides) {
  if (!row->second.tested || verdict_is_decided(row->verdict)) return;
  struct gate_row other = with_second(row);
  other.significant = is_significant(gate, &other);
  other.verdict = verdict_of(gate, &other, decides);
  if (verdict_is_decided(other.verdict)) *row = other;
}

/* True if the sum of the samples exceeded the range of double. */
static bool overflowed(const struct gate_row *row) {
  return row->in_base && row->in_head && (!isfinite(row->base) || !isfinite(row->head));
}

static void judge_row(struct gate *gate, struct gate_row *row, const struct gate_rule *decides) {
  if (overflowed(row))
    gate_problem(gate, "%.*s:%zu: measurements of %.*s are too large to compare",
                 STR_ARG(row->file), row->line, STR_ARG(row->name));
  row->significant = is_significant(gate, row);
  if (row->verdict != GATE_UNCHANGED) return;
  row->verdict = verdict_of(gate, row, decides);
  take_second(gate, row, decides);
}

bool gate_is_significant(const struct gate_row *row) {
  return row->significant && (row->exact || (row->base_count != 1 && row->head_count != 1));
}

bool gate_was_judged(const struct gate_row *row) {
  return row->in_base && row->in_head && row->verdict != GATE_IGNORED &&
         row->verdict != GATE_INFORMATIONAL && row->verdict != GATE_UNMEASURED &&
         row->verdict != GATE_ASIDE && !row->aside;
}

bool gate_depends_on_load(const struct gate_row *row) {
  static const struct gate_floor times = {.seconds = 1};
  return gate_floor_of(&times, row->unit) > 0 || str_ends(row->unit, STR("/s")) ||
         str_ends(row->unit, STR("_per_second"));
}

bool gate_was_corrected(const struct gate *gate, const struct gate_row *row) {
  if (gate->settings.test == GATE_NONE) return false;
  return gate_was_judged(row) || row->watched;
}

/* Marks a row inconclusive if wall time got worse but CPU time did not: the benchmark waits,
 * or the machine was busy. */
static void watch_row(const struct gate *gate, struct gate_row *row) {
  if (row->verdict != GATE_ASIDE || !row->watched) return;
  if (verdict_of(gate, row, NULL) == GATE_REGRESSED) row->verdict = GATE_INCONCLUSIVE;
}

static void judge_count_row(struct gate *gate, const struct gate_row *row) {
  bool compared = gate_was_judged(row);
  gate->compared += compared;
  gate->significant += compared && gate_is_significant(row);
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

static int shown_length(pprofc_str text) {
  return (int)(text.size < 200 ? text.size : 200);
}

static void describe_rule(const struct gate_rule *rule, char *out, size_t size) {
  snprintf(out, size, "rule of line %zu (%.*s%s%.*s)", rule->line, shown_length(rule->pattern),
           rule->pattern.data, rule->unit.size ? " " : "", shown_length(rule->unit),
           rule->unit.data);
}

/* Warns about rules that match nothing, which are probably misspelt. */
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

static void expire_rules(struct gate *gate, const char *today) {
  for (size_t i = 0; i < gate->settings.rule_count; i++) {
    struct gate_rule *rule = &gate->settings.rules[i];
    rule->expired = rule->until.size && str_compare(str_of(today), rule->until) > 0;
  }
}

/* Judges the rows. `decides` has the last rule that ignores or accepts each row. */
static pprofc_status judge_rows(struct gate *gate, const struct gate_rule **decides,
                                struct buffer *scratch, pprofc_error *error) {
  size_t count;
  struct gate_row *rows = gate_rows(gate, &count);
  pprofc_status status = gate_choose_times(gate, error);
  if (status != PPROFC_OK) return status;
  for (size_t i = 0; i < count; i++) judge_prepare(gate, &rows[i], scratch, &decides[i]);
  status = adjust_all(gate, rows, count, error);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    judge_row(gate, &rows[i], decides[i]);
    watch_row(gate, &rows[i]);
    judge_count_row(gate, &rows[i]);
  }
  return status;
}

static pprofc_status judge_run(struct gate *gate, pprofc_error *error) {
  check_rules(gate);
  gate_check_compared(gate);
  pprofc_status status = gate_find_trends(gate, error);
  return status == PPROFC_OK ? gate_find_visible(gate, error) : status;
}

pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error) {
  size_t count;
  (void)gate_rows(gate, &count);
  const struct gate_rule **decides = mem_zero_array(gate->mem, count, sizeof *decides);
  if (!decides) return error_nomem(error);
  struct buffer scratch;
  buffer_init(&scratch, gate->mem, SIZE_MAX / 2);
  expire_rules(gate, today);
  pprofc_status status = judge_rows(gate, decides, &scratch, error);
  if (status == PPROFC_OK) status = judge_run(gate, error);
  bool failed =
      scratch.failed || gate->rows.failed || gate->problems.failed || gate->warnings.failed;
  buffer_free(&scratch);
  mem_free(gate->mem, decides, count, sizeof *decides);
  return status == PPROFC_OK && failed ? error_nomem(error) : status;
}

void gate_excuse(struct gate *gate, struct gate_row *row) {
  if (row->verdict != GATE_REGRESSED) return;
  row->verdict = GATE_INCONCLUSIVE;
  gate->regressed--;
  gate->inconclusive++;
  gate->unjudged += !row->blind;
}

#define UNJUDGED_MAX 5 /* a pass has at most one unjudged row per this many compared rows */

bool gate_is_inconclusive(const struct gate *gate) {
  if (gate_overload(gate)) return true;
  return UNJUDGED_MAX * gate->unjudged > gate->compared;
}

/* True if a result fails the gate with -strict. */
static bool fails_strict(const struct gate *gate) {
  return gate->inconclusive || gate->missing || gate->suspicious || gate->unmeasured ||
         gate->blind || gate->stale_inputs || gate_overload(gate);
}

int gate_exit_status(const struct gate *gate) {
  if (gate->problem_count || !gate->compared) return 1;
  if (gate->regressed) return 2;
  return gate->settings.strict && fails_strict(gate) ? 3 : 0;
}
