/* -fail_on: which changes of functions end the program with a status that says so. */
#include "noise/gate.h"

#include "common/terminal.h"
#include "regex/regex.h"
#include "unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* As parse_bench_regressions has them. */
enum noise_gate_exit { GATE_PASSED = 0, GATE_NO_RESULT = 1, GATE_REGRESSED = 2, GATE_DOUBTS = 3 };

/* With fewer runs a side the noise between runs is hardly known. */
#define GATE_RUNS 3

enum noise_measure {
  MEASURE_FLAT, /* change of flat, of the total of the base */
  MEASURE_CUM,
  MEASURE_SELF /* change of flat, of the function itself */
};

/* flat>5%,name=RE */
struct noise_condition {
  enum noise_measure measure;
  double threshold; /* a share when `unit` is empty */
  pprofc_str unit;  /* of an absolute threshold */
  pprofc_str name;  /* a regular expression, or empty */
};

/* ---- reading ----------------------------------------- */

static const struct noise_measure_name {
  const char *text;
  enum noise_measure measure;
} measure_names[] = {{"flat>", MEASURE_FLAT}, {"cum>", MEASURE_CUM}, {"self>", MEASURE_SELF}};

/* Takes "flat>" off the front. */
static bool noise_gate_measure(pprofc_str *text, enum noise_measure *measure) {
  for (size_t i = 0; i < sizeof measure_names / sizeof measure_names[0]; i++) {
    pprofc_str name = str_of(measure_names[i].text);
    if (!str_starts(*text, name)) continue;
    *measure = measure_names[i].measure;
    *text = str_slice(*text, name.size, text->size);
    return true;
  }
  return false;
}

/* "5%", "10ms", "1000". */
static bool noise_gate_threshold(pprofc_str text, struct noise_condition *c) {
  size_t digits = 0;
  while (digits < text.size && (strchr("0123456789.", text.data[digits]) && text.data[digits]))
    digits++;
  c->unit = str_slice(text, digits, text.size);
  if (!str_parse_float(str_slice(text, 0, digits), &c->threshold)) return false;
  if (str_equal(c->unit, STR("%"))) {
    c->threshold /= 100;
    c->unit = STR("");
    return true;
  }
  if (!c->unit.size) c->unit = STR("count");
  return c->measure != MEASURE_SELF;
}

static bool noise_gate_parse(const char *text, struct noise_condition *c) {
  pprofc_str rest = str_of(text);
  *c = (struct noise_condition){MEASURE_FLAT, 0, STR(""), STR("")};
  if (noise_gate_measure(&rest, &c->measure)) {
    size_t comma = str_find_char(rest, ',');
    if (!noise_gate_threshold(str_slice(rest, 0, comma), c)) return false;
    if (comma == rest.size) return true;
    rest = str_slice(rest, comma + 1, rest.size);
  }
  if (!str_starts(rest, STR("name=")) || rest.size == 5) return false;
  c->name = str_slice(rest, 5, rest.size);
  return true;
}

pprofc_status noise_condition_check(const char *text, pprofc_error *error) {
  struct noise_condition c;
  struct regex *regex = NULL;
  if (!noise_gate_parse(text, &c))
    return error_set(error, PPROFC_E_INVALID,
                     "-fail_on='%s' is none of flat>5%%, cum>5%%, self>10%%, flat>10ms and name=RE",
                     text);
  if (!c.name.size) return PPROFC_OK;
  pprofc_status status = regex_compile(&mem_default, c.name, &regex, error);
  regex_free(regex);
  if (status) error_prefix(error, "-fail_on='%s': ", text);
  return status;
}

pprofc_status noise_gate_check(const struct command *command, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < command->noise.fail_on.count && !status; i++)
    status = noise_condition_check(command->noise.fail_on.items[i], error);
  return status;
}

/* ---- judging ----------------------------------------- */

struct noise_gate {
  const struct noise_report *report;
  struct noise_condition c;
  struct regex *name; /* or NULL */
  double threshold;   /* in the unit of the profile, or a share */
  double alpha;       /* q has to be below it */
  char today[16];
};

static bool noise_gate_is_pair(const struct noise_report *report) {
  return report->summary.base_runs == 1 && report->summary.head_runs == 1;
}

static const pprofc_verdict_estimate *noise_gate_estimate(const struct noise_gate *g,
                                                          const pprofc_verdict_row *row) {
  return g->c.measure == MEASURE_CUM ? &row->cum : &row->flat;
}

/* What grew; with one run a side the lower end of the interval. Cost that came from another
 * function counts as well: the message names that function. */
static double noise_gate_growth(const struct noise_gate *g, const pprofc_verdict_row *row) {
  const pprofc_verdict_estimate *e = noise_gate_estimate(g, row);
  bool grew = e->verdict == PPROFC_VERDICT_GREW || e->verdict == PPROFC_VERDICT_NEW;
  if (!grew || e->q >= g->alpha) return -(double)INFINITY;
  double growth = noise_gate_is_pair(g->report) ? e->low : e->delta;
  if (g->c.unit.size) return growth;
  double whole = g->c.measure == MEASURE_SELF ? e->base : g->report->summary.total_base;
  if (whole > 0) return growth / whole;
  return growth > 0 ? (double)INFINITY : 0;
}

static bool noise_gate_fires(const struct noise_gate *g, const pprofc_verdict_row *row) {
  if (g->name && !regex_match(g->name, row->name)) return false;
  double growth = noise_gate_growth(g, row);
  return growth >= g->threshold && growth > 0;
}

/* An absolute threshold in the unit of the profile. */
static bool noise_gate_convert(struct noise_gate *g) {
  pprofc_str unit = g->report->summary.unit;
  g->threshold = g->c.threshold;
  if (!g->c.unit.size) return true;
  if (!unit_compatible(g->c.unit, unit)) return false;
  g->threshold = unit_scale_double(g->c.threshold, g->c.unit, unit).value;
  return true;
}

static void noise_gate_today(char out[16]) {
  time_t now = time(NULL);
  struct tm day;
  if (!gmtime_r(&now, &day) || !strftime(out, 16, "%Y-%m-%d", &day)) snprintf(out, 16, "9999");
}

/* One row that fires. */
static void noise_gate_report(const struct noise_gate *g, const pprofc_verdict_row *row,
                              noise_found_fn found, void *context) {
  struct noise_finding finding = {.row = row, .estimate = noise_gate_estimate(g, row)};
  finding.accepted = pprofc_verdicts_accepts(g->report->verdicts, row->name, g->today,
                                             &finding.reason, &finding.until);
  found(context, &finding);
}

enum noise_use noise_condition_find(const struct noise_report *report, const char *text,
                                    double alpha, noise_found_fn found, void *context) {
  struct noise_gate g = {.report = report, .alpha = alpha};
  pprofc_error error;
  noise_gate_today(g.today);
  if (!noise_gate_parse(text, &g.c)) return NOISE_FAILED;
  if (!noise_gate_convert(&g)) return NOISE_OTHER_UNIT;
  if (g.c.name.size && regex_compile(&mem_default, g.c.name, &g.name, &error) != PPROFC_OK)
    return NOISE_FAILED;
  for (size_t i = 0; i < report->row_count; i++)
    if (noise_gate_fires(&g, &report->rows[i]))
      noise_gate_report(&g, &report->rows[i], found, context);
  bool tripped = g.name && regex_tripped(g.name);
  regex_free(g.name);
  return tripped ? NOISE_FAILED : NOISE_USED;
}

/* ---- the command line -------------------------------- */

/* What is told of one condition. */
struct noise_telling {
  const struct noise_report *report;
  const char *text;
  size_t fired;
};

static void noise_gate_tell(void *context, const struct noise_finding *found) {
  struct noise_telling *t = context;
  const pprofc_verdict_estimate *e = found->estimate;
  const pprofc_verdict_row *row = found->row;
  struct noise_unit unit = noise_unit_for(t->report, fabs(e->delta));
  char delta[NOISE_TEXT], relation[160] = "";
  noise_change(&unit, e->delta, delta);
  if (found->accepted) {
    message_note("accepted until %.*s: %.*s %s by %s: %.*s", STR_ARG(found->until),
                 STR_ARG(row->name), pprofc_verdict_name(e->verdict), delta,
                 STR_ARG(found->reason));
    return;
  }
  t->fired++;
  if (row->relation) {
    pprofc_str from = str_slice(t->report->rows[row->partner].name, 0, 120);
    snprintf(relation, sizeof relation, ", %s from %.*s",
             pprofc_verdict_relation_name(row->relation), STR_ARG(from));
  }
  message_error("pprofc: -fail_on='%s': %.*s %s by %s (q=%.2g)%s", t->text, STR_ARG(row->name),
                pprofc_verdict_name(e->verdict), delta, e->q, relation);
}

/* Whether the condition fires, or cannot be used. */
static bool noise_gate_run(const struct noise_report *report, const char *text) {
  struct noise_telling t = {report, text, 0};
  enum noise_use use = noise_condition_find(report, text, (double)INFINITY, noise_gate_tell, &t);
  if (use == NOISE_OTHER_UNIT)
    message_error("pprofc: -fail_on='%s': values are in %.*s", text, STR_ARG(report->summary.unit));
  return use != NOISE_USED || t.fired;
}

/* Rules that have ended, and rules that are misspelt. */
static void noise_gate_tell_rules(const struct noise_report *report) {
  pprofc_verdict_accepted rule;
  char today[16];
  noise_gate_today(today);
  for (size_t i = 0; pprofc_verdicts_accepted_at(report->verdicts, i, &rule); i++) {
    if (!rule.rows)
      message_note("the rule that accepts %.*s matches no function", STR_ARG(rule.function));
    else if (str_compare(str_of(today), rule.until) > 0)
      message_note("the rule that accepts %.*s expired on %.*s and has no effect: %.*s",
                   STR_ARG(rule.function), STR_ARG(rule.until), STR_ARG(rule.reason));
  }
}

/* Whether there is a verdict: rows of types that a pair cannot judge have none. */
static bool noise_gate_judged(const struct noise_report *report) {
  for (size_t i = 0; i < report->row_count; i++)
    if (report->rows[i].flat.verdict >= PPROFC_VERDICT_NOISE ||
        report->rows[i].cum.verdict >= PPROFC_VERDICT_NOISE)
      return true;
  return false;
}

int noise_gate(const struct noise_report *report) {
  const struct noise_options *o = &report->command->noise;
  const pprofc_verdict_summary *s = &report->summary;
  bool fired = false;
  if (!o->fail_on.count) return GATE_PASSED;
  if (noise_gate_is_pair(report))
    message_note("-fail_on with one run a side is weak: it counts changes whose whole interval is "
                 "beyond the threshold");
  for (size_t i = 0; i < o->fail_on.count; i++)
    fired |= noise_gate_run(report, o->fail_on.items[i]);
  noise_gate_tell_rules(report);
  if (fired) return GATE_REGRESSED;
  if (!noise_gate_judged(report)) {
    message_error(s->tested ? "pprofc: -fail_on: one run a side cannot judge this sample type"
                            : "pprofc: -fail_on: no function has enough samples to be judged");
    return GATE_NO_RESULT;
  }
  bool few = s->base_runs < GATE_RUNS || s->head_runs < GATE_RUNS;
  if (!o->strict || !few) return GATE_PASSED;
  message_error("pprofc: -strict: %zu + %zu runs; %d a side are needed", s->base_runs, s->head_runs,
                GATE_RUNS);
  return GATE_DOUBTS;
}
