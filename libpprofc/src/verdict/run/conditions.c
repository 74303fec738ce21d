/* Parses and checks conditions: limits for the growth of functions and of the total. */
#include "regex/regex.h"
#include "unit/unit.h"
#include "verdict/run/run.h"
#include "verdict/sums.h"

/* Largest common growth of all functions, as a factor, that a slower machine may explain. If all
 * functions grew by a larger factor, the growth of each function counts. */
#define GATE_MACHINE 1.5

enum noise_measure {
  MEASURE_FLAT,  /* change of flat, as a share of the base's total */
  MEASURE_CUM,   /* change of cum, as a share of the base's total */
  MEASURE_SELF,  /* change of flat, as a share of the function's value in the base */
  MEASURE_TOTAL, /* change of the total */
  MEASURE_COMMON /* factor by which all functions changed together */
};

/* A parsed condition, such as "flat>5%,name=RE". */
struct noise_condition {
  enum noise_measure measure;
  double threshold; /* threshold in `unit`; a share if `unit` is empty */
  pprofc_str unit;  /* unit of an absolute threshold */
  pprofc_str name;  /* regular expression for names of functions, or empty */
  /* true if the condition begins with "row:"; it then also tests a function whose cost only moved
   * from other functions */
  bool rows;
};

/* ---- reading ----------------------------------------- */

static const struct noise_measure_name {
  const char *text;
  enum noise_measure measure;
} measure_names[] = {{"flat>", MEASURE_FLAT},
                     {"cum>", MEASURE_CUM},
                     {"self>", MEASURE_SELF},
                     {"total>", MEASURE_TOTAL},
                     {"common>", MEASURE_COMMON}};

/* Parses the measure of a condition, such as "flat>", and removes it from the text. */
static bool noise_gate_measure(pprofc_str *text, enum noise_measure *measure) {
  for (size_t i = 0; i < COUNT(measure_names); i++) {
    pprofc_str name = str_of(measure_names[i].text);
    if (!str_starts(*text, name)) continue;
    *measure = measure_names[i].measure;
    *text = str_slice(*text, name.size, text->size);
    return true;
  }
  return false;
}

/* Parses the threshold of a condition: "5%", "10ms" or "1000". */
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
  return c->measure != MEASURE_SELF && c->measure != MEASURE_COMMON;
}

static bool noise_gate_parse(const char *text, struct noise_condition *c) {
  pprofc_str rest = str_of(text);
  *c = (struct noise_condition){MEASURE_FLAT, 0, STR(""), STR(""), str_starts(rest, STR("row:"))};
  if (c->rows) rest = str_slice(rest, 4, rest.size);
  if (noise_gate_measure(&rest, &c->measure)) {
    size_t comma = str_find_char(rest, ',');
    if (!noise_gate_threshold(str_slice(rest, 0, comma), c)) return false;
    if (c->rows && c->measure >= MEASURE_TOTAL) return false;
    if (comma == rest.size) return true;
    if (c->measure >= MEASURE_TOTAL) return false;
    rest = str_slice(rest, comma + 1, rest.size);
  }
  if (!str_starts(rest, STR("name=")) || rest.size == 5) return false;
  c->name = str_slice(rest, 5, rest.size);
  return true;
}

pprofc_status noise_condition_check(const char *flag, const char *text, pprofc_error *error) {
  struct noise_condition c;
  struct regex *regex = NULL;
  if (!noise_gate_parse(text, &c))
    return error_set(error, PPROFC_E_INVALID,
                     "-%s='%s' is not a condition: total>5%%, common>5%%, flat>5%%, cum>5%%, "
                     "self>10%%, flat>10ms, row:flat>5%% or name=RE",
                     flag, text);
  if (!c.name.size) return PPROFC_OK;
  pprofc_status status = regex_compile(mem_or_default(NULL), c.name, &regex, error);
  regex_free(regex);
  if (status) error_prefix(error, "-%s='%s': ", flag, text);
  return status;
}

bool noise_condition_is_self(const char *text) {
  struct noise_condition c;
  return noise_gate_parse(text, &c) && (c.measure == MEASURE_FLAT || c.measure == MEASURE_SELF);
}

/* ---- judging ----------------------------------------- */

struct noise_gate {
  const struct noise_report *report;
  struct noise_condition c;
  struct regex *name; /* compiled expression for names; NULL matches every function */
  double threshold;   /* limit in the unit of the profile; a share if the condition has '%' */
  double alpha;       /* upper limit of the adjusted p-value (q) */
  char today[16];
};

/* True for a significant increase. If all functions increased by the same factor, the increase
 * counts only if the factor is too large for a slower machine. The condition common>5% checks
 * smaller factors. */
static bool noise_gate_grew(const struct noise_gate *g, const pprofc_verdict_estimate *e) {
  const pprofc_verdict_summary *s = &g->report->summary;
  if (!pprofc_verdict_is_certain(e->verdict) || !(e->delta > 0)) return false;
  if (e->verdict != PPROFC_VERDICT_GREW_AS_ALL) return !(e->q >= g->alpha);
  return s->common_low >= GATE_MACHINE - 1 && s->common_p < g->alpha;
}

/* Returns the growth that is compared with the threshold: the difference of head and base. With one
 * sampled run each of base and head, returns the lower end of the interval of this difference. */
static double noise_gate_least(const struct noise_gate *g, const pprofc_verdict_estimate *e) {
  bool weak = noise_is_pair(&g->report->summary) && !g->report->summary.lone;
  return weak ? e->low : e->delta;
}

/* True if the growth of the estimate by `growth` is at least the threshold. */
static bool noise_gate_reaches(const struct noise_gate *g, const pprofc_verdict_estimate *e,
                               double growth) {
  double whole = g->c.measure == MEASURE_SELF ? e->base : g->report->summary.total_base;
  if (!(growth > 0)) return false;
  if (!g->c.unit.size) growth = whole > 0 ? growth / whole : (double)INFINITY;
  return growth >= g->threshold;
}

/* True if the growth of the estimate exceeds the threshold and is significant. */
static bool noise_gate_fires(const struct noise_gate *g, const pprofc_verdict_estimate *e) {
  return noise_gate_grew(g, e) && noise_gate_reaches(g, e, noise_gate_least(g, e));
}

/* True if noise may hide a growth by the threshold: the estimate did not change by more than noise,
 * but its interval reaches the threshold. */
static bool noise_gate_hides(const struct noise_gate *g, const pprofc_verdict_estimate *e) {
  return g->threshold > 0 && !pprofc_verdict_is_certain(e->verdict) &&
         noise_gate_reaches(g, e, e->high);
}

/* Converts the condition's threshold to the profile's unit. Returns false if the units are not
 * compatible. */
static bool noise_gate_convert(struct noise_gate *g) {
  pprofc_str unit = g->report->summary.unit;
  g->threshold = g->c.threshold;
  if (!g->c.unit.size) return true;
  if (!unit_compatible(g->c.unit, unit)) return false;
  g->threshold = unit_scale_double(g->c.threshold, g->c.unit, unit).value;
  return true;
}

void noise_gate_today(char out[16]) {
  time_t now = time(NULL);
  struct tm day;
  if (!gmtime_r(&now, &day) || !strftime(out, 16, "%Y-%m-%d", &day)) snprintf(out, 16, "9999");
}

static void noise_gate_report(const struct noise_gate *g, const pprofc_verdict_row *row,
                              const pprofc_verdict_domain *domain, noise_found_fn found,
                              void *context) {
  bool cum = g->c.measure == MEASURE_CUM;
  const pprofc_verdict_estimate *own = noise_estimate(row, cum);
  /* If the domain grew less than the row, the row also took over calls or work of other functions.
   * In this case, report the growth of the domain; in other cases, report the growth of the row. */
  if (cum && domain && domain->net.delta >= own->delta) domain = NULL;
  struct noise_finding finding = {
      .row = row, .name = row->name, .estimate = *own, .change = (double)NAN};
  if (domain) finding.estimate = domain->net;
  if (!cum) finding.domain = domain;
  finding.accepted = pprofc_verdicts_accepts(g->report->verdicts, row->name, g->today,
                                             &finding.reason, &finding.until);
  found(context, &finding);
}

/* Returns the estimate of a row that the condition checks. Subtracts the growth of the environment
 * (code such as the kernel, verdict/walk.h) from cum. */
static pprofc_verdict_estimate noise_gate_growth(const struct noise_gate *g,
                                                 const pprofc_verdict_row *row) {
  pprofc_verdict_estimate e = *noise_estimate(row, g->c.measure == MEASURE_CUM);
  if (g->c.measure != MEASURE_CUM) return e;
  double machine = e.delta - verdicts_cum_change(g->report->verdicts, row);
  if (!(machine > 0)) return e;
  e.delta -= machine;
  e.low -= machine;
  e.high -= machine;
  return e;
}

/* Returns the domain that is judged instead of a row, or NULL. A domain is a group of functions
 * between which cost may have moved. */
static const pprofc_verdict_domain *noise_gate_domain(const struct noise_gate *g,
                                                      const pprofc_verdict_row *row) {
  if (g->c.rows) return NULL;
  if (g->c.measure == MEASURE_CUM) return pprofc_verdicts_calls_of(g->report->verdicts, row);
  return pprofc_verdicts_domain_of(g->report->verdicts, row);
}

/* True if an earlier row already reported the domain (a group of functions between which cost may
 * have moved). */
static bool noise_gate_reported(const struct noise_gate *g, const pprofc_verdict_domain *domain,
                                const pprofc_verdict_row *row) {
  for (size_t i = 0; i < domain->row_count; i++) {
    const pprofc_verdict_row *before = &g->report->rows[domain->rows[i]];
    if (before >= row) return false;
    if ((!g->name || regex_match(g->name, before->name)) && noise_gate_fires(g, &before->flat))
      return true;
  }
  return false;
}

/* Checks a condition on functions. Returns true if noise may hide the growth of a function. */
static bool noise_gate_rows(const struct noise_gate *g, noise_found_fn found, void *context) {
  bool hidden = false;
  for (size_t i = 0; i < g->report->row_count; i++) {
    const pprofc_verdict_row *row = &g->report->rows[i];
    if (g->name && !regex_match(g->name, row->name)) continue;
    const pprofc_verdict_estimate judged = noise_gate_growth(g, row);
    hidden |= noise_gate_hides(g, &judged);
    if (!noise_gate_fires(g, &judged)) continue;
    const pprofc_verdict_domain *domain = noise_gate_domain(g, row);
    hidden |= domain && noise_gate_hides(g, &domain->net);
    if (domain && (!noise_gate_fires(g, &domain->net) || noise_gate_reported(g, domain, row)))
      continue;
    noise_gate_report(g, row, domain, found, context);
  }
  return hidden;
}

static pprofc_verdict_estimate noise_gate_total(const pprofc_verdict_summary *s) {
  return (pprofc_verdict_estimate){.verdict = s->total_verdict,
                                   .own = s->total_verdict,
                                   .base = s->total_base,
                                   .head = s->total_head,
                                   .delta = s->total_delta,
                                   .low = s->total_low,
                                   .high = s->total_high,
                                   .p = s->total_p,
                                   .q = s->total_p};
}

/* Checks a condition on the total, or on the change of all functions (common>5%). */
static enum noise_use noise_gate_whole(const struct noise_gate *g, noise_found_fn found,
                                       void *context) {
  const pprofc_verdict_summary *s = &g->report->summary;
  struct noise_finding finding = {
      .name = STR("the total"), .estimate = noise_gate_total(s), .change = (double)NAN};
  bool common = g->c.measure == MEASURE_COMMON, fires, hides;
  pprofc_verdict verdict = common ? s->common_verdict : s->total_verdict;
  if (verdict < PPROFC_VERDICT_UNCHANGED) return NOISE_UNJUDGED;
  if (common) {
    double least = noise_is_pair(&g->report->summary) ? s->common_low : s->common_change;
    finding.name = STR("all functions");
    finding.change = s->common_change;
    finding.estimate.verdict = verdict;
    finding.estimate.q = s->common_p;
    fires = verdict == PPROFC_VERDICT_GREW && s->common_p < g->alpha && least >= g->threshold;
    hides = !pprofc_verdict_is_certain(verdict) && s->common_high >= g->threshold;
  } else {
    fires = noise_gate_fires(g, &finding.estimate);
    hides = noise_gate_hides(g, &finding.estimate);
  }
  if (fires) found(context, &finding);
  return hides ? NOISE_HIDDEN : NOISE_USED;
}

enum noise_use noise_condition_find(const struct noise_report *report, const char *text,
                                    double alpha, noise_found_fn found, void *context) {
  struct noise_gate g = {.report = report, .alpha = alpha};
  pprofc_error error;
  noise_gate_today(g.today);
  if (!noise_gate_parse(text, &g.c)) return NOISE_FAILED;
  if (!noise_gate_convert(&g)) return NOISE_OTHER_UNIT;
  if (g.c.measure >= MEASURE_TOTAL) return noise_gate_whole(&g, found, context);
  if (g.c.name.size && regex_compile(mem_or_default(NULL), g.c.name, &g.name, &error) != PPROFC_OK)
    return NOISE_FAILED;
  bool hidden = noise_gate_rows(&g, found, context);
  bool tripped = g.name && regex_tripped(g.name);
  regex_free(g.name);
  if (tripped) return NOISE_FAILED;
  return hidden ? NOISE_HIDDEN : NOISE_USED;
}
