/* Prints -blame: the change of the total, and contributions with the same unit and decimals. The
 * rest is the rounded total minus other rounded rows, so printed numbers add up exactly. */
#include "core/output.h"
#include "verdict/print/blame.h"
#include "verdict/print/domains.h"

#include <math.h>
#include <stdio.h>

/* Maximum number of frames in a printed path. */
#define BLAME_FRAMES 3

struct blame_text {
  struct blame b;
  struct amount_grid grid;
  double left; /* part of the total not printed yet, in last digits (amount_ticks) */
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

/* True if all numbers are whole counts. They are whole if no divisor applies. */
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

/* Writes the last frames of a path, but not `leaf`: "... > main.run > main.op". */
static void blame_put_path(const struct blame_text *t, const pprofc_verdict_place *place,
                           size_t depth) {
  size_t from = depth > BLAME_FRAMES ? depth - BLAME_FRAMES : 0;
  if (from) output_add_text(t->out, "... > ");
  for (size_t i = from; i < depth; i++) {
    if (i > from) output_add_text(t->out, " > ");
    noise_put_text(t->out, place->frames[i]);
  }
}

/* Returns the number of frames above `leaf` in a node's path, 0 without a caller. */
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
  struct amount_unit unit = noise_unit_for(report, largest);
  t.grid = amount_grid_for(&unit, largest, 0, blame_is_whole(&t.b, &unit));
  t.left = amount_ticks(&t.grid, report->summary.total_delta);
  noise_header(report, out);
  blame_put_sum(&t);
  blame_put_part(&t);
  blame_put_where(&t);
  noise_footer(report, out);
}
