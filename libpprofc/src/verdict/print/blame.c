/* Splits the change of the total into changed functions, environment (verdict/rules.h) and rest.
 * The rest is the remainder, so these add up exactly. */
#include "verdict/print/blame.h"

#include "core/json_write.h"
#include "verdict/print/domains.h"

#include <math.h>

/* Largest share that is shown. A share below 0 or above this limit is hidden. */
#define BLAME_SHARE_MOST 2
/* Maximum number of corrections of the rest. They make the floating point sum of all contributions
 * exact. */
#define BLAME_NUDGES 8

const pprofc_verdict_domain *blame_domain(const struct noise_report *report,
                                          const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = noise_domain_moved(report, row);
  return domain && !(row->relation && domain->row_count == 2) ? domain : NULL;
}

bool blame_has_line(const struct noise_report *report, const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = blame_domain(report, row);
  if (domain) return row == &report->rows[domain->rows[0]];
  if (row->relation) return row < &report->rows[row->partner];
  return pprofc_verdict_is_change(row->flat.verdict);
}

double blame_delta(const struct noise_report *report, const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = blame_domain(report, row);
  double sum = 0;
  for (size_t i = 0; domain && i < domain->row_count; i++)
    sum += report->rows[domain->rows[i]].flat.delta;
  if (domain) return sum;
  if (!row->relation) return row->flat.delta;
  return row->flat.delta + report->rows[row->partner].flat.delta;
}

/* Types of contributions, in the order of the JSON output. */
enum blame_kind { BLAME_ROWS, BLAME_PAIRS, BLAME_DOMAINS, BLAME_KINDS };

static enum blame_kind blame_kind_of(const struct noise_report *report,
                                     const pprofc_verdict_row *row) {
  if (blame_domain(report, row)) return BLAME_DOMAINS;
  return row->relation ? BLAME_PAIRS : BLAME_ROWS;
}

/* Adds contributions to `sum` in the order of the JSON output: rows, pairs of functions that
 * cancel, and domains (groups of related functions). */
static double blame_add_lines(const struct noise_report *report, double sum) {
  for (int kind = 0; kind < BLAME_KINDS; kind++)
    for (size_t i = 0; i < report->row_count; i++) {
      const pprofc_verdict_row *row = &report->rows[i];
      if ((int)blame_kind_of(report, row) == kind && blame_has_line(report, row))
        sum += blame_delta(report, row);
    }
  return sum;
}

/* Counts the rows that have no line in the report, and adds up their changes. */
static void blame_count(struct blame *b) {
  for (size_t i = 0; i < b->report->row_count; i++) {
    const pprofc_verdict_row *row = &b->report->rows[i];
    bool own = row->flat.base != 0 || row->flat.head != 0;
    if (blame_has_line(b->report, row)) continue;
    if (row->flat.verdict == PPROFC_VERDICT_ENVIRONMENT && own) {
      b->environment += row->flat.delta;
      b->environment_count++;
    } else if (blame_kind_of(b->report, row) == BLAME_ROWS && own) {
      b->rest_count++;
    }
  }
}

/* True if lines have a share of the total change. Values in percent of the total have no such
 * share, because their total changes only by rounding. */
static bool blame_has_shares(const pprofc_verdict_summary *s) {
  if (s->exposure == PPROFC_EXPOSURE_TOTAL || s->total_delta == 0) return false;
  return pprofc_verdict_is_certain(s->total_verdict);
}

struct blame blame_of(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  struct blame b = {.report = report, .has_shares = blame_has_shares(s)};
  blame_count(&b);
  double sum = blame_add_lines(report, 0) + b.environment;
  b.rest = s->total_delta - sum;
  for (int i = 0; i < BLAME_NUDGES && sum + b.rest != s->total_delta; i++)
    b.rest = nextafter(b.rest, sum + b.rest < s->total_delta ? HUGE_VAL : -HUGE_VAL);
  return b;
}

static double blame_within(double share) {
  return share >= 0 && share <= BLAME_SHARE_MOST ? share : (double)NAN;
}

double blame_share(const struct blame *b, double delta) {
  if (!b->has_shares) return (double)NAN;
  return blame_within(delta / b->report->summary.total_delta);
}

/* Returns the sum of the contributions of the changed functions. */
static double blame_explained(const struct noise_report *report) {
  double sum = 0;
  for (size_t i = 0; i < report->row_count; i++)
    if (pprofc_verdict_is_change(report->rows[i].flat.verdict)) sum += report->rows[i].flat.delta;
  return sum;
}

double blame_part(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  if (!s->changed || !blame_has_shares(s)) return (double)NAN;
  if (s->exact) return blame_within(blame_explained(report) / s->total_delta);
  return isnan(s->part_low) ? (double)NAN : blame_within(s->part);
}

/* Returns the share of the change `delta` in the nodes of `places`, NaN without nodes. */
static double blame_coverage(const pprofc_verdict_place *places, size_t count, double delta) {
  double held = 0;
  for (size_t i = 0; i < count; i++) held += places[i].delta;
  return count && delta != 0 ? held / delta : (double)NAN;
}

/* ---- JSON -------------------------------------------- */

static void blame_json_places(struct json_writer *json, const pprofc_verdict_place *places,
                              size_t count, double delta) {
  if (!count) return;
  json_begin_array(json_key(json, "places"));
  for (size_t i = 0; i < count; i++) {
    json_begin_object(json);
    json_begin_array(json_key(json, "path"));
    for (size_t k = 0; k < places[i].depth; k++) json_string(json, places[i].frames[k]);
    json_end(json);
    json_double(json_key(json, "delta"), places[i].delta);
    json_end(json);
  }
  json_end(json);
  json_double(json_key(json, "coverage"), blame_coverage(places, count, delta));
}

static void blame_json_pair(struct json_writer *json, const struct blame *b,
                            const pprofc_verdict_row *row) {
  const pprofc_verdict_row *other = &b->report->rows[row->partner];
  bool fell = row->flat.delta < 0;
  double delta = blame_delta(b->report, row);
  json_begin_object(json);
  json_string(json_key(json, "from"), fell ? row->name : other->name);
  json_string(json_key(json, "to"), fell ? other->name : row->name);
  json_text(json_key(json, "kind"), pprofc_verdict_relation_name(row->relation));
  json_double(json_key(json, "balance"), delta);
  json_double(json_key(json, "share"), blame_share(b, delta));
  json_end(json);
}

static void blame_json_row(struct json_writer *json, const struct blame *b,
                           const pprofc_verdict_row *row) {
  const pprofc_verdict_estimate *e = &row->flat;
  json_begin_object(json);
  json_string(json_key(json, "name"), row->name);
  json_double(json_key(json, "delta"), e->delta);
  json_double(json_key(json, "low"), e->low);
  json_double(json_key(json, "high"), e->high);
  json_double(json_key(json, "share"), blame_share(b, e->delta));
  json_double(json_key(json, "q"), e->q);
  json_text(json_key(json, "verdict"), pprofc_verdict_name(e->verdict));
  blame_json_places(json, row->places, row->place_count, e->delta);
  json_end(json);
}

static void blame_json_domain(struct json_writer *json, const struct blame *b,
                              const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = blame_domain(b->report, row);
  double delta = blame_delta(b->report, row);
  json_begin_object(json);
  json_string(json_key(json, "name"), domain->name);
  json_text(json_key(json, "kind"), noise_domain_kind(domain->kind));
  json_double(json_key(json, "balance"), delta);
  json_double(json_key(json, "share"), blame_share(b, delta));
  json_end(json);
}

static void blame_json_lines(struct json_writer *json, const struct blame *b,
                             enum blame_kind kind) {
  static const struct {
    const char *key;
    void (*write)(struct json_writer *, const struct blame *, const pprofc_verdict_row *);
  } kinds[] = {[BLAME_ROWS] = {"rows", blame_json_row},
               [BLAME_PAIRS] = {"moved", blame_json_pair},
               [BLAME_DOMAINS] = {"domains", blame_json_domain}};
  json_begin_array(json_key(json, kinds[kind].key));
  for (size_t i = 0; i < b->report->row_count; i++) {
    const pprofc_verdict_row *row = &b->report->rows[i];
    if (!blame_has_line(b->report, row) || blame_kind_of(b->report, row) != kind) continue;
    json_line_break(json);
    kinds[kind].write(json, b, row);
  }
  json_end(json);
}

static void blame_json_count(struct json_writer *json, const char *key, size_t functions,
                             double delta) {
  json_begin_object(json_key(json, key));
  json_uint(json_key(json, "functions"), functions);
  json_double(json_key(json, "delta"), delta);
  json_end(json);
}

void blame_json_begin_total(struct json_writer *json, const pprofc_verdict_summary *s) {
  json_begin_object(json_key(json, "total"));
  json_double(json_key(json, "base"), s->total_base);
  json_double(json_key(json, "head"), s->total_head);
  json_double(json_key(json, "delta"), s->total_delta);
  json_double(json_key(json, "low"), s->total_low);
  json_double(json_key(json, "high"), s->total_high);
}

/* Writes a line for each changed function, or for two whose changes cancel. */
static void blame_json_explained(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  bool has_part = !isnan(blame_part(report));
  json_begin_object(json_key(json, "explained"));
  json_begin_array(json_key(json, "functions"));
  for (size_t i = 0; i < report->row_count; i++) {
    if (!pprofc_verdict_is_change(report->rows[i].flat.verdict)) continue;
    json_string(json, report->rows[i].name);
  }
  json_end(json);
  json_double(json_key(json, "delta"), blame_explained(report));
  json_double(json_key(json, "part"), blame_part(report));
  json_double(json_key(json, "low"), has_part ? s->part_low : (double)NAN);
  json_double(json_key(json, "high"), has_part ? s->part_high : (double)NAN);
  json_end(json);
}

void noise_blame_json(const struct noise_report *report, struct json_writer *json) {
  const pprofc_verdict_summary *s = &report->summary;
  struct blame b = blame_of(report);
  json_line_break(json);
  json_begin_object(json_key(json, "blame"));
  blame_json_begin_total(json, s);
  json_end(json);
  for (int kind = 0; kind < BLAME_KINDS; kind++) blame_json_lines(json, &b, (enum blame_kind)kind);
  blame_json_count(json, "environment", b.environment_count, b.environment);
  blame_json_count(json, "rest", b.rest_count, b.rest);
  blame_json_explained(json, report);
  blame_json_places(json, s->places, s->place_count, s->total_delta);
  json_end(json);
}
