/* Judges all rows. Applies the rules, chooses wall or CPU time, corrects p-values for the number of
 * tests, and sets the verdicts (verdict.c). Then warns about problems of the whole run. */
#include "gate/judge.h"

/* Default floor for memory: a change below this number of bytes per operation does not count. */
#define MEMORY_FLOOR 64
/* Smallest value of the default floor, in bytes per operation, if the results are whole numbers. Go
 * rounds these results down, so amounts that are nearly equal can differ by 1 B. The floor is just
 * above 1 B, so such a difference does not count. */
#define MEMORY_ROUNDING 1.001

/* ---- rules ------------------------------------------- */

/* True if a rule matches a row. Units match in any spelling: "ns/op" equals "sec/op". */
static bool rule_matches(const struct gate_rule *rule, const struct gate_row *row,
                         pprofc_str canonical_rule, pprofc_str canonical_row) {
  if (rule->pattern.size && !str_glob(rule->pattern, row->name)) return false;
  /* A rule for the time of a benchmark also applies if CPU time is judged instead of wall time. */
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

/* Applies the rules to a row. If several matching rules have a setting, the setting of the last
 * rule applies. Sets *decides to the last rule that ignores or accepts the row. */
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

/* True if whole numbers can have this median: it is a whole number or ends in .5. */
static bool is_whole_median(double median) {
  return 2 * median == floor(2 * median);
}

/* Sets the default floor for memory (the smallest absolute change that counts), unless the user set
 * one. Go divides one-time allocations by the number of operations, so results vary a little. */
static void set_memory_floor(struct gate_row *row) {
  static const struct gate_floor least = {.bytes = MEMORY_ROUNDING};
  struct gate_floor most = {.bytes = MEMORY_FLOOR};
  bool whole = is_whole_median(row->base) && is_whole_median(row->head);
  if (str_equal(row->unit, STR("allocs/op"))) most.plain = 1;
  if (row->floor == 0) {
    row->floor = fmin(row->range, gate_floor_of(&most, row->unit));
    if (whole) row->floor = fmax(row->floor, gate_floor_of(&least, row->unit));
  }
  row->floor = fmax(row->floor, 0); /* a negative value means that the user turned the floor off */
}

/* Considers noise that the samples do not show. Raises the threshold of counts to row->noise, if
 * row->noise is larger. Tests the change against the noise between earlier runs. */
static void apply_noise(struct gate *gate, struct gate_row *row, struct buffer *scratch) {
  if (row->noise < row->threshold) row->noise = 0;
  if (row->noise > 0) {
    row->wanted = row->threshold;
    row->threshold = row->noise;
  }
  if (!gate->noise_keys.count || !row->in_base || !row->in_head) return;
  buffer_clear(scratch);
  gate_noise_key(scratch, row->group, row->name, row->unit);
  if (!gate_test_earlier(gate, row, buffer_str(scratch))) gate->without_earlier += !row->aside;
}

/* Sets the direction that is better for the row: from the settings, else from the input, else from
 * the table of units. */
static void judge_set_direction(const struct gate *gate, struct gate_row *row) {
  int asked = gate_settings_direction(gate, row->unit);
  if (asked) row->direction = asked;
  if (!row->direction) row->direction = gate_direction(row->unit);
}

/* Sets the threshold, alpha and floor of the row, and its verdict if the row needs no test. */
static void judge_prepare(struct gate *gate, struct gate_row *row, struct buffer *scratch,
                          const struct gate_rule **decides) {
  const struct gate_settings *s = &gate->settings;
  if (isnan(row->threshold)) row->threshold = s->threshold;
  row->alpha = s->alpha;
  row->floor = gate_floor_of(&s->floor, row->unit);
  judge_set_direction(gate, row);
  apply_rules(gate, row, scratch, decides);
  set_memory_floor(row);
  apply_noise(gate, row, scratch);
  row->verdict = verdict_without_test(row, *decides);
}

/* ---- correction for the number of comparisons -------- */

/* A group of p-values that are corrected together. Each test has two groups: rows measured in all
 * rounds, and rows measured only in the first rounds (gate_row.screened). The first test also has a
 * group for times with gate_row.watched. */
struct family {
  size_t test; /* index of the test in gate_row.tests */
  /* factor for the p-values: 2 for the third test (trimmed t), else 1. Without this factor, more
   * than a share alpha of unchanged suites would fail at least one of the three tests. */
  double factor;
  bool screened, watched;
};

static const struct family families[] = {
    {0, 1, false, false}, {1, 1, false, false}, {2, 2, false, false}, {0, 1, true, false},
    {1, 1, true, false},  {2, 2, true, false},  {0, 1, false, true}};

static bool is_member(const struct gate_row *row, const struct family *family) {
  if (row->constant || !row->tests[family->test].tested || row->whole) return false;
  if (family->watched) return row->verdict == PPROFC_GATE_ASIDE && row->watched;
  return row->verdict == PPROFC_GATE_UNCHANGED && row->screened == family->screened;
}

/* Adjusts the p-values of a family (group of p-values that are corrected together). `p` has space
 * for one number per row. Returns false when out of memory. */
static bool adjust_family(struct gate *gate, const struct family *family, double *p) {
  static const corrections_fn corrections[] = {[PPROFC_GATE_BH] = corrections_benjamini_hochberg,
                                               [PPROFC_GATE_HOLM] = corrections_holm,
                                               [PPROFC_GATE_UNCORRECTED] = NULL};
  size_t members = 0, count = gate->row_count;
  for (size_t i = 0; i < count; i++) {
    p[i] = (double)NAN;
    if (!is_member(&gate->rows[i], family)) continue;
    p[i] = fmin(1, family->factor * gate->rows[i].tests[family->test].p);
    members++;
  }
  if (family == families) gate->family = members;
  if (!corrections_apply(corrections[gate->settings.correction], p, count, gate->mem)) return false;
  for (size_t i = 0; i < count; i++)
    if (!isnan(p[i])) gate->rows[i].tests[family->test].adjusted = p[i];
  return true;
}

static bool adjust_all(struct gate *gate) {
  double *p = mem_array(gate->mem, gate->row_count, sizeof *p);
  bool good = p != NULL;
  for (size_t i = 0; i < gate->row_count; i++) gate->rows[i].adjusted = gate->rows[i].p;
  for (size_t i = 0; i < COUNT(families) && good; i++) good = adjust_family(gate, &families[i], p);
  mem_free(gate->mem, p, gate->row_count, sizeof *p);
  return good;
}

/* ---- verdicts ---------------------------------------- */

static bool is_significant(const struct gate *gate, const struct gate_row *row) {
  if (!row->in_base || !row->in_head) return false;
  bool changed = fabs(row->delta) > 0;
  if (row->constant) return changed;
  if (gate->settings.test == PPROFC_GATE_NONE)
    return changed && (!(row->between > 0) || row->adjusted <= row->alpha);
  return row->tested && row->adjusted <= row->alpha;
}

/* Uses the result of test `which` if it found a change that counts and earlier tests did not. */
static void take_further(const struct gate *gate, struct gate_row *row, size_t which,
                         const struct gate_rule *decides) {
  if (!row->tests[which].tested || verdict_is_decided(row->verdict)) return;
  struct gate_row other = *row;
  other.tests[0] = row->tests[which];
  other.significant = is_significant(gate, &other);
  other.verdict = verdict_of(gate, &other, decides);
  if (verdict_is_decided(other.verdict)) *row = other;
}

/* True if the samples are so large that their mean is not finite. */
static bool overflowed(const struct gate_row *row) {
  return row->in_base && row->in_head && (!isfinite(row->base) || !isfinite(row->head));
}

static void judge_row(struct gate *gate, struct gate_row *row, const struct gate_rule *decides) {
  if (overflowed(row))
    gate_problem(gate, "%.*s:%zu: measurements of %.*s are too large to compare",
                 STR_ARG(row->file), row->line, STR_ARG(row->name));
  row->significant = is_significant(gate, row);
  if (row->verdict != PPROFC_GATE_UNCHANGED) return;
  row->verdict = verdict_of(gate, row, decides);
  for (size_t i = 1; i < GATE_TESTS; i++) take_further(gate, row, i, decides);
}

bool gate_is_significant(const struct gate_row *row) {
  return row->significant && (row->exact || (row->base_count != 1 && row->head_count != 1));
}

bool gate_was_judged(const struct gate_row *row) {
  return row->in_base && row->in_head && row->verdict != PPROFC_GATE_IGNORED &&
         row->verdict != PPROFC_GATE_INFORMATIONAL && row->verdict != PPROFC_GATE_UNMEASURED &&
         row->verdict != PPROFC_GATE_ASIDE && !row->aside;
}

bool gate_unit_depends_on_load(pprofc_str unit) {
  static const struct gate_floor times = {.seconds = 1};
  return gate_floor_of(&times, unit) > 0 || str_ends(unit, STR("/s")) ||
         str_ends(unit, STR("_per_second"));
}

bool gate_was_corrected(const struct gate *gate, const struct gate_row *row) {
  if (gate->settings.test == PPROFC_GATE_NONE) return false;
  return gate_was_judged(row) || row->watched;
}

/* True if the row that the gate judges instead of a time got worse. A row of counts must not have
 * the verdict "unchanged", because a few more instructions do not explain a longer time. */
static bool judged_got_worse(const struct gate_row *judged) {
  if (!judged->exact) return judged->significant && judged->delta > 0;
  return judged->delta > 0 && judged->verdict != PPROFC_GATE_UNCHANGED;
}

/* Makes a time inconclusive if the gate judges another row of the benchmark, such as the CPU time,
 * and only the time got worse. A wait, a busy machine or the memory system can cause this. Changes
 * only times with row->watched. */
static void watch_row(const struct gate *gate, struct gate_row *row) {
  if (row->verdict != PPROFC_GATE_ASIDE || !row->watched) return;
  if (judged_got_worse(&gate->rows[row->judged])) return;
  if (verdict_of(gate, row, NULL) == PPROFC_GATE_REGRESSED) row->verdict = PPROFC_GATE_INCONCLUSIVE;
}

static void judge_count_row(struct gate *gate, const struct gate_row *row) {
  bool compared = gate_was_judged(row);
  gate->doubted += gate_doubt(gate, row) != NULL;
  gate->one_process += compared && row->one_process;
  gate->compared += compared;
  gate->timed += compared && gate_unit_depends_on_load(row->unit);
  gate->significant += compared && gate_is_significant(row);
  gate->regressed += row->verdict == PPROFC_GATE_REGRESSED;
  gate->missing += row->verdict == PPROFC_GATE_MISSING;
  gate->improved += row->verdict == PPROFC_GATE_IMPROVED;
  gate->suspicious += row->verdict == PPROFC_GATE_SUSPICIOUS;
  gate->accepted += row->verdict == PPROFC_GATE_ACCEPTED;
  gate->unmeasured += row->verdict == PPROFC_GATE_UNMEASURED;
  gate->too_few += row->verdict == PPROFC_GATE_TOO_FEW;
  gate->inconclusive +=
      row->verdict == PPROFC_GATE_INCONCLUSIVE || row->verdict == PPROFC_GATE_TOO_FEW;
}

/* ---- the whole run ----------------------------------- */

static int shown_length(pprofc_str text) {
  return (int)(text.size < 200 ? text.size : 200);
}

static void describe_rule(const struct gate_rule *rule, char *out, size_t size) {
  snprintf(out, size, "rule of line %zu (%.*s%s%.*s)", rule->line, shown_length(rule->pattern),
           rule->pattern.data, rule->unit.size ? " " : "", shown_length(rule->unit),
           rule->unit.data);
}

/* Warns about rules that match no row, because their patterns are probably misspelt. */
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

/* Reasons why rows were not compared, by verdict. */
static const struct {
  pprofc_gate_verdict verdict;
  const char *why;
} uncompared[] = {
    {PPROFC_GATE_MISSING, "in base only"},
    {PPROFC_GATE_NEW, "in head only"},
    {PPROFC_GATE_UNMEASURED, "with a time of 0: nothing was measured"},
    {PPROFC_GATE_IGNORED, "ignored by rules"},
    {PPROFC_GATE_INFORMATIONAL, "in a unit of unknown direction (-direction)"},
    {PPROFC_GATE_ASIDE, "judged by the other time of the benchmark (-time)"},
};

static void explain_uncompared(const struct gate *gate, struct buffer *out) {
  const char *between = ": ";
  for (size_t r = 0; r < COUNT(uncompared); r++) {
    size_t n = 0;
    for (size_t i = 0; i < gate->row_count; i++)
      n += gate->rows[i].verdict == uncompared[r].verdict;
    if (!n) continue;
    buffer_printf(out, "%s%zu %s", between, n, uncompared[r].why);
    between = ", ";
  }
  if (!gate->row_count) buffer_add_text(out, ": no benchmarks found");
}

/* Warns about comparisons without earlier runs. Warns if only one process of base or of head was
 * measured, and earlier runs do not show the noise between processes. */
static void judge_check_processes(struct gate *gate) {
  if (gate->without_earlier)
    gate_warning(gate, "no earlier run has %zu of the comparisons (-noise-from)",
                 gate->without_earlier);
  if (!gate->one_process) return;
  gate_warning(gate,
               "all samples of %s from one process, so the noise between processes is unknown and "
               "every regression is inconclusive; measure several processes "
               "(scripts/bench_ab.sh), or allow one with -one-process",
               gate->alone ? gate->alone : "base or head come");
}

/* Adds a problem if no row was compared, or if every row has too few samples. */
static void judge_check_compared(struct gate *gate) {
  if (gate->problem_count) return;
  if (gate->compared && gate->too_few == gate->compared) {
    gate_problem(
        gate,
        "no benchmark has %zu samples of each version; run them more often (-count=10), or pass "
        "-test none",
        gate->settings.min_samples);
  } else if (!gate->compared) {
    struct buffer text = buffer_make(gate->mem, 4096);
    explain_uncompared(gate, &text);
    gate->problems.failed |= text.failed;
    gate_problem(gate, "nothing was compared%.*s", STR_ARG(buffer_str(&text)));
    buffer_free(&text);
  }
}

static void expire_rules(struct gate *gate, const char *today) {
  for (size_t i = 0; i < gate->settings.rule_count; i++) {
    struct gate_rule *rule = &gate->settings.rules[i];
    rule->expired = rule->until.size && str_compare(str_of(today), rule->until) > 0;
  }
}

/* Judges the rows. Stores in decides[i] the last rule that ignores or accepts row i. */
static pprofc_status judge_rows(struct gate *gate, const struct gate_rule **decides,
                                struct buffer *scratch, pprofc_error *error) {
  if (!gate_choose_times(gate)) return error_nomem(error);
  for (size_t i = 0; i < gate->row_count; i++)
    judge_prepare(gate, &gate->rows[i], scratch, &decides[i]);
  if (!adjust_all(gate)) return error_nomem(error);
  for (size_t i = 0; i < gate->row_count; i++) judge_row(gate, &gate->rows[i], decides[i]);
  for (size_t i = 0; i < gate->row_count; i++) {
    watch_row(gate, &gate->rows[i]);
    judge_count_row(gate, &gate->rows[i]);
  }
  return PPROFC_OK;
}

pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error) {
  const struct gate_rule **decides = mem_zero_array(gate->mem, gate->row_count, sizeof *decides);
  if (!decides) return error_nomem(error);
  struct buffer scratch = buffer_make(gate->mem, SIZE_MAX / 2);
  expire_rules(gate, today);
  pprofc_status status = judge_rows(gate, decides, &scratch, error);
  if (status == PPROFC_OK) {
    check_rules(gate);
    judge_check_processes(gate);
    judge_check_compared(gate);
    if (!gate_find_trends(gate) || !gate_find_visible(gate)) status = error_nomem(error);
  }
  bool failed = scratch.failed || gate->problems.failed || gate->warnings.failed;
  buffer_free(&scratch);
  mem_free(gate->mem, decides, gate->row_count, sizeof *decides);
  return status == PPROFC_OK && failed ? error_nomem(error) : status;
}

static bool has_unjudged(const struct gate *gate, const struct gate_row *of) {
  for (size_t i = 0; i < gate->row_count; i++)
    if (gate->rows[i].unjudged && str_equal(gate->rows[i].name, of->name) &&
        str_equal(gate->rows[i].group, of->group))
      return true;
  return false;
}

void gate_excuse(struct gate *gate, struct gate_row *row) {
  if (row->verdict != PPROFC_GATE_REGRESSED) return;
  row->verdict = PPROFC_GATE_INCONCLUSIVE;
  row->excused = true;
  gate->regressed--;
  gate->doubted++;
  gate->inconclusive++;
  gate->unjudged += !has_unjudged(gate, row);
  row->unjudged = true;
}

/* A result is inconclusive if more than 1 / UNJUDGED_MAX of the benchmarks could not be judged. */
#define UNJUDGED_MAX 5

bool gate_is_inconclusive(const struct gate *gate) {
  if (gate_overload(gate) || gate->doubted) return true;
  return UNJUDGED_MAX * gate->unjudged > gate->benchmarks;
}

/* True if the result fails because of -strict. */
static bool fails_strict(const struct gate *gate) {
  return gate->inconclusive || gate->missing || gate->suspicious || gate->unmeasured ||
         gate->blind || gate->stale_inputs || gate_overload(gate);
}

int gate_exit_status(const struct gate *gate) {
  if (gate->problem_count || !gate->compared) return 1;
  if (gate->regressed) return 2;
  return gate->settings.strict && fails_strict(gate) ? 3 : 0;
}
