/* Splits the change of the total into parts: changed functions, the environment (code such as the
 * kernel, verdict/walk.h), and a rest. The rest is the remainder, so the parts add up exactly. */
#include "core/json_write.h"
#include "verdict/print/print.h"

/* Largest share of the total change to show (200 %). Shares below 0 are also hidden. */
#define BLAME_SHARE_MOST 2
/* Maximum number of steps, each to the next double, that correct blame.rest until the contributions
 * add up exactly. */
#define BLAME_NUDGES 8

/* Returns the group of related functions of a row, if cost only moved between these functions and
 * the report shows them as one line. Returns NULL for other rows, and for a pair of functions that
 * cancel, because the pair has its own line. */
static const pprofc_verdict_domain *blame_domain(const struct noise_report *report,
                                                 const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = noise_domain_moved(report, row);
  return domain && !(row->relation && domain->row_count == 2) ? domain : NULL;
}

/* True if the row changed and has a line in the report. If cost only moved between several rows,
 * these rows share a line, which belongs to the first of them. */
static bool blame_has_line(const struct noise_report *report, const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = blame_domain(report, row);
  if (domain) return row == &report->rows[domain->rows[0]];
  if (row->relation) return row < &report->rows[row->partner];
  return pprofc_verdict_is_change(row->flat.verdict);
}

/* Returns the contribution of a row's line to the change of the total. */
static double blame_delta(const struct noise_report *report, const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = blame_domain(report, row);
  double sum = 0;
  for (size_t i = 0; domain && i < domain->row_count; i++)
    sum += report->rows[domain->rows[i]].flat.delta;
  if (domain) return sum;
  if (!row->relation) return row->flat.delta;
  return row->flat.delta + report->rows[row->partner].flat.delta;
}

/* Types of contributions to the change of the total, in the order of the JSON output. */
enum blame_kind { BLAME_ROWS, BLAME_PAIRS, BLAME_DOMAINS, BLAME_KINDS };

static enum blame_kind blame_kind_of(const struct noise_report *report,
                                     const pprofc_verdict_row *row) {
  if (blame_domain(report, row)) return BLAME_DOMAINS;
  return row->relation ? BLAME_PAIRS : BLAME_ROWS;
}

/* Adds up the contributions in the order of the JSON output: rows, pairs of functions that
 * cancel, and domains (groups of related functions). */
static double blame_add_lines(const struct noise_report *report) {
  double sum = 0;
  for (int kind = 0; kind < BLAME_KINDS; kind++)
    for (size_t i = 0; i < report->row_count; i++) {
      const pprofc_verdict_row *row = &report->rows[i];
      if ((int)blame_kind_of(report, row) == kind && blame_has_line(report, row))
        sum += blame_delta(report, row);
    }
  return sum;
}

/* Counts the rows that the report does not list. Among these, adds up the changes of code of the
 * environment, such as the kernel. */
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

/* True if lines show their share of the total change. Values in percent of the total have no such
 * share, because their total changes only by rounding. */
static bool blame_has_shares(const pprofc_verdict_summary *s) {
  if (s->exposure == PPROFC_EXPOSURE_TOTAL || s->total_delta == 0) return false;
  return pprofc_verdict_is_certain(s->total_verdict);
}

struct blame blame_of(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  struct blame b = {.report = report, .has_shares = blame_has_shares(s)};
  blame_count(&b);
  double sum = blame_add_lines(report) + b.environment;
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

/* Returns the share of the changed functions in the total change. Returns NaN if this share is
 * unknown. */
static double blame_part(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  if (!s->changed || !blame_has_shares(s)) return (double)NAN;
  if (s->exact) return blame_within(blame_explained(report) / s->total_delta);
  return isnan(s->part_low) ? (double)NAN : blame_within(s->part);
}

/* Returns the sum of the changes of the nodes in `places` as a share of the change `delta`. Returns
 * NaN if there are no nodes. */
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
    json_pack(json, "{path:[");
    for (size_t k = 0; k < places[i].depth; k++) json_string(json, places[i].frames[k]);
    json_pack(json, "] delta:f}", places[i].delta);
  }
  json_pack(json, "] coverage:f", blame_coverage(places, count, delta));
}

static void blame_json_pair(struct json_writer *json, const struct blame *b,
                            const pprofc_verdict_row *row) {
  const pprofc_verdict_row *other = &b->report->rows[row->partner];
  const pprofc_verdict_row *from = row->flat.delta < 0 ? row : other;
  double delta = blame_delta(b->report, row);
  json_pack(json, "{from:S to:S kind:s balance:f share:f}", from->name,
            from == row ? other->name : row->name, pprofc_verdict_relation_name(row->relation),
            delta, blame_share(b, delta));
}

static void blame_json_row(struct json_writer *json, const struct blame *b,
                           const pprofc_verdict_row *row) {
  const pprofc_verdict_estimate *e = &row->flat;
  json_pack(json, "{name:S delta:f low:f high:f share:f q:f verdict:s", row->name, e->delta, e->low,
            e->high, blame_share(b, e->delta), e->q, pprofc_verdict_name(e->verdict));
  blame_json_places(json, row->places, row->place_count, e->delta);
  json_end(json);
}

static void blame_json_domain(struct json_writer *json, const struct blame *b,
                              const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = blame_domain(b->report, row);
  double delta = blame_delta(b->report, row);
  json_pack(json, "{name:S kind:s balance:f share:f}", domain->name,
            noise_domain_kind(domain->kind), delta, blame_share(b, delta));
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
  json_pack(json, "functions:u delta:f}", (uint64_t)functions, delta);
}

void blame_json_begin_total(struct json_writer *json, const pprofc_verdict_summary *s) {
  json_pack(json, "total:{base:f head:f delta:f low:f high:f", s->total_base, s->total_head,
            s->total_delta, s->total_low, s->total_high);
}

/* Writes the member "explained": the changed functions, the sum of their changes, and its share of
 * the total change. */
static void blame_json_explained(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  bool has_part = !isnan(blame_part(report));
  json_pack(json, "explained:{functions:[");
  for (size_t i = 0; i < report->row_count; i++) {
    if (!pprofc_verdict_is_change(report->rows[i].flat.verdict)) continue;
    json_string(json, report->rows[i].name);
  }
  double low = has_part ? s->part_low : (double)NAN;
  double high = has_part ? s->part_high : (double)NAN;
  json_pack(json, "] delta:f part:f low:f high:f}", blame_explained(report), blame_part(report),
            low, high);
}

void noise_blame_json(const struct noise_report *report, struct json_writer *json) {
  const pprofc_verdict_summary *s = &report->summary;
  struct blame b = blame_of(report);
  json_pack(json, "\nblame:{");
  blame_json_begin_total(json, s);
  json_end(json);
  for (int kind = 0; kind < BLAME_KINDS; kind++) blame_json_lines(json, &b, (enum blame_kind)kind);
  blame_json_count(json, "environment", b.environment_count, b.environment);
  blame_json_count(json, "rest", b.rest_count, b.rest);
  blame_json_explained(json, report);
  blame_json_places(json, s->places, s->place_count, s->total_delta);
  json_end(json);
}

/* ---- text ------------------------------------------- */

/* Prints the report of -blame: the change of the total, and its contributions in the same unit with
 * the same number of decimals. The rest is the rounded total minus all other rounded numbers, so
 * the printed numbers add up exactly. */

/* Maximum number of frames in a printed path. */
#define BLAME_FRAMES 3

struct blame_text {
  struct blame b;
  struct amount_grid grid;
  /* total change minus the contributions printed so far, in ticks; a tick is 1 in the last printed
   * digit */
  double left;
  struct output *out;
};

/* ---- numbers ----------------------------------------- */

static double blame_largest(const struct noise_report *report) {
  double largest = fabs(report->summary.total_delta);
  for (size_t i = 0; i < report->row_count; i++)
    if (blame_has_line(report, &report->rows[i]))
      largest = fmax(largest, fabs(report->rows[i].flat.delta));
  return largest;
}

/* True if all numbers of the report are whole counts, which need no decimals. */
static bool blame_is_whole(const struct blame *b, const struct amount_unit *unit) {
  double total = b->report->summary.total_delta;
  if (!str_equal(unit->to, STR("count")) || unit->ratio != 1) return false;
  bool whole = total == floor(total);
  for (size_t i = 0; i < b->report->row_count && whole; i++)
    whole = b->report->rows[i].flat.delta == floor(b->report->rows[i].flat.delta);
  return whole;
}

static pprofc_str blame_format(const struct blame_text *t, double ticks, char out[AMOUNT_TEXT]) {
  return amount_of_ticks(&t->grid, ticks, true, out);
}

/* ---- cells ------------------------------------------- */

static void blame_put_ticks(const struct blame_text *t, double ticks) {
  char text[AMOUNT_TEXT];
  output_add_padded(t->out, blame_format(t, ticks, text), 12);
}

/* Writes the contribution of a line at the beginning of the line. */
static void blame_put_delta(struct blame_text *t, double delta) {
  double ticks = amount_ticks(&t->grid, delta);
  t->left -= ticks;
  blame_put_ticks(t, ticks);
}

static void blame_put_share(const struct blame_text *t, double delta) {
  double share = blame_share(&t->b, delta);
  char text[16] = "";
  if (!t->b.has_shares) return;
  if (!isnan(share)) snprintf(text, sizeof text, "%.0f%%", 100 * share);
  output_add_char(t->out, ' ');
  output_add_padded(t->out, str_of(text), 5);
}

static void blame_put_range(const struct blame_text *t, double low, double high) {
  char a[AMOUNT_TEXT], b[AMOUNT_TEXT];
  if (isnan(low) || isnan(high)) return;
  output_printf(t->out, "  [%.*s, %.*s]", STR_ARG(blame_format(t, amount_ticks(&t->grid, low), a)),
                STR_ARG(blame_format(t, amount_ticks(&t->grid, high), b)));
}

/* Writes up to BLAME_FRAMES frames before index `depth`: "... > main.run > main.op". */
static void blame_put_path(const struct blame_text *t, const pprofc_verdict_place *place,
                           size_t depth) {
  size_t from = depth > BLAME_FRAMES ? depth - BLAME_FRAMES : 0;
  if (from) output_add_text(t->out, "... > ");
  for (size_t i = from; i < depth; i++) {
    if (i > from) output_add_text(t->out, " > ");
    noise_put_text(t->out, place->frames[i]);
  }
}

/* Returns the number of frames above `leaf` in the path of a node, or 0 if `leaf` has no caller. */
static size_t blame_callers(const pprofc_verdict_place *place, pprofc_str leaf) {
  bool ends = leaf.data && str_equal(place->frames[place->depth - 1], leaf);
  return place->depth - ends;
}

/* Writes a line for each node in `places`, with the node's share of `delta`. */
static void blame_put_places(const struct blame_text *t, const pprofc_verdict_place *places,
                             size_t count, pprofc_str leaf, double delta) {
  for (size_t i = 0; i < count; i++) {
    size_t depth = blame_callers(&places[i], leaf);
    if (!depth) continue;
    output_printf(t->out, "%*s%3.0f%% in ", 14, "", 100 * places[i].delta / delta);
    blame_put_path(t, &places[i], depth);
    output_add_char(t->out, '\n');
  }
}

/* ---- lines ------------------------------------------- */

static void blame_put_function(struct blame_text *t, const pprofc_verdict_row *row) {
  const pprofc_verdict_estimate *e = &row->flat;
  bool lone = t->b.report->summary.lone;
  if (!lone) blame_put_range(t, e->low, e->high);
  output_add_text(t->out, "  ");
  noise_put_text(t->out, row->name);
  if (!lone) output_printf(t->out, "  q=%.2g", e->q);
  output_printf(t->out, " %s\n", pprofc_verdict_name(e->verdict));
  blame_put_places(t, row->places, row->place_count, row->name, e->delta);
}

/* Writes a line for two functions whose changes cancel: "main.leaf05 -> main.leaf11 (moved)". */
static void blame_put_pair(struct blame_text *t, const pprofc_verdict_row *row) {
  const pprofc_verdict_row *other = &t->b.report->rows[row->partner];
  output_add_text(t->out, "  ");
  noise_put_text(t->out, row->flat.delta < 0 ? row->name : other->name);
  output_add_text(t->out, " -> ");
  noise_put_text(t->out, row->flat.delta < 0 ? other->name : row->name);
  output_printf(t->out, " (%s)\n", pprofc_verdict_relation_name(row->relation));
}

static void blame_put_domain(struct blame_text *t, const pprofc_verdict_domain *domain) {
  char text[DOMAIN_TEXT];
  noise_domain_text(domain, &t->grid.unit, t->b.report->summary.lone, text);
  output_add_text(t->out, "  ");
  noise_put_text(t->out, str_of(text));
  output_printf(t->out, " (%zu functions)\n", domain->row_count);
}

static void blame_put_row(struct blame_text *t, const pprofc_verdict_row *row) {
  double delta = blame_delta(t->b.report, row);
  output_row(t->out, 0, delta, (long double)delta);
  blame_put_delta(t, delta);
  blame_put_share(t, delta);
  const pprofc_verdict_domain *domain = blame_domain(t->b.report, row);
  if (domain)
    blame_put_domain(t, domain);
  else if (row->relation)
    blame_put_pair(t, row);
  else
    blame_put_function(t, row);
}

static void blame_put_part(const struct blame_text *t) {
  const pprofc_verdict_summary *s = &t->b.report->summary;
  double part = blame_part(t->b.report);
  if (!s->changed) return;
  if (!isnan(part))
    output_printf(t->out, "the changed functions make up %s%.0f%% of the total change\n",
                  s->exact ? "" : "about ", 100 * part);
  else if (!t->b.has_shares || isnan(s->part_low))
    output_add_text(t->out, "total change not significant: no part can be given\n");
}

static void blame_put_where(const struct blame_text *t) {
  const pprofc_verdict_summary *s = &t->b.report->summary;
  if (!s->place_count || isnan(blame_part(t->b.report))) return;
  output_add_text(t->out, "the total change:\n");
  blame_put_places(t, s->places, s->place_count, (pprofc_str){NULL, 0}, s->total_delta);
}

static void blame_put_sum(struct blame_text *t) {
  const struct noise_report *report = t->b.report;
  const pprofc_verdict_summary *s = &report->summary;
  blame_put_ticks(t, t->left);
  blame_put_range(t, s->total_low, s->total_high);
  output_add_text(t->out, "  total change, made up of\n");
  for (size_t i = 0; i < report->row_count; i++)
    if (blame_has_line(report, &report->rows[i])) blame_put_row(t, &report->rows[i]);
  output_no_row(t->out);
  if (t->b.environment_count) {
    blame_put_delta(t, t->b.environment);
    output_printf(t->out, "  environment (%zu %s)\n", t->b.environment_count,
                  noise_functions(t->b.environment_count));
  }
  blame_put_ticks(t, t->left);
  bool shared = pprofc_verdict_is_certain(s->common_verdict);
  output_printf(t->out, "  rest (%zu %s, %s)\n", t->b.rest_count, noise_functions(t->b.rest_count),
                shared ? "as everything did" : "none individually");
}

void noise_blame(const struct noise_report *report, struct output *out) {
  double largest = blame_largest(report);
  struct blame_text t = {.b = blame_of(report), .out = out};
  struct amount_unit unit = noise_unit_up_to(report, largest);
  t.grid = amount_grid_for(&unit, largest, 0, blame_is_whole(&t.b, &unit));
  t.left = amount_ticks(&t.grid, report->summary.total_delta);
  noise_header(report, out);
  blame_put_sum(&t);
  blame_put_part(&t);
  blame_put_where(&t);
  noise_footer(report, out);
}
