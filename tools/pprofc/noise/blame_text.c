/* -blame: the change of the total and the lines that add up to it. All numbers have one unit and as
 * many digits; the rest is what the printed numbers leave, so that the sum is exact on paper. */
#include "blame.h"
#include "core/output.h"
#include "unit/unit.h"

#include <math.h>
#include <stdio.h>

/* Digits of the largest number. */
#define BLAME_DIGITS 4
/* Most digits after the point. */
#define BLAME_DECIMALS 12
/* Frames of a path that are shown. */
#define BLAME_FRAMES 3

struct blame_text {
  struct blame b;
  struct noise_unit unit;
  int decimals;
  double ticks; /* of the last digit in 1 of the shown unit */
  double left;  /* of the total change, in ticks */
  struct output *out;
};

/* ---- numbers ----------------------------------------- */

static double blame_largest(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  double largest = fmax(fabs(s->total_delta), fabs(s->total_common));
  for (size_t i = 0; i < report->row_count; i++)
    if (blame_has_line(report, &report->rows[i]))
      largest = fmax(largest, fabs(report->rows[i].flat.delta));
  return largest;
}

/* Counts that are not divided by anything are whole. */
static bool blame_is_whole(const struct blame *b, const struct noise_unit *unit) {
  const pprofc_verdict_summary *s = &b->report->summary;
  if (!str_equal(unit->to, STR("count")) || unit->ratio != 1) return false;
  bool whole = s->total_delta == floor(s->total_delta) && s->total_common == 0;
  for (size_t i = 0; i < b->report->row_count && whole; i++)
    whole = b->report->rows[i].flat.delta == floor(b->report->rows[i].flat.delta);
  return whole;
}

static struct measure blame_scale(const struct blame_text *t, double value) {
  return unit_scale_double(value * t->unit.ratio, t->unit.from, t->unit.to);
}

static void blame_choose_digits(struct blame_text *t, double largest) {
  double size = fabs(blame_scale(t, largest).value);
  t->decimals = 0;
  if (size > 0 && !blame_is_whole(&t->b, &t->unit))
    t->decimals = (int)fmin(fmax(BLAME_DIGITS - 1 - floor(log10(size)), 0), BLAME_DECIMALS);
  t->ticks = pow(10, t->decimals);
}

static double blame_ticks(const struct blame_text *t, double value) {
  return nearbyint(blame_scale(t, value).value * t->ticks);
}

static pprofc_str blame_format(const struct blame_text *t, double ticks, char out[NOISE_TEXT]) {
  pprofc_str unit = blame_scale(t, 1).unit;
  if (ticks == 0)
    snprintf(out, NOISE_TEXT, "0");
  else
    snprintf(out, NOISE_TEXT, "%+.*f", t->decimals, ticks / t->ticks);
  size_t used = strlen(out);
  if (ticks != 0 && !str_equal(unit, STR("count")))
    snprintf(out + used, NOISE_TEXT - used, "%.*s", STR_ARG(unit));
  return str_of(out);
}

/* ---- cells ------------------------------------------- */

static void blame_put_ticks(const struct blame_text *t, double ticks) {
  char text[NOISE_TEXT];
  output_add_padded(t->out, blame_format(t, ticks, text), 12);
}

/* A line of the sum begins with what it adds. */
static void blame_put_delta(struct blame_text *t, double delta) {
  double ticks = blame_ticks(t, delta);
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
  char a[NOISE_TEXT], b[NOISE_TEXT];
  if (isnan(low) || isnan(high)) return;
  output_printf(t->out, "  [%.*s, %.*s]", STR_ARG(blame_format(t, blame_ticks(t, low), a)),
                STR_ARG(blame_format(t, blame_ticks(t, high), b)));
}

/* "... > main.run > main.op": the end of a path, without `leaf`. */
static void blame_put_path(const struct blame_text *t, const pprofc_verdict_place *place,
                           size_t depth) {
  size_t from = depth > BLAME_FRAMES ? depth - BLAME_FRAMES : 0;
  if (from) output_add_text(t->out, "... > ");
  for (size_t i = from; i < depth; i++) {
    if (i > from) output_add_text(t->out, " > ");
    noise_put_text(t->out, place->frames[i]);
  }
}

/* The callers at a place of the function; 0 when it is called by nothing. */
static size_t blame_callers(const pprofc_verdict_place *place, pprofc_str leaf) {
  bool ends = leaf.data && str_equal(place->frames[place->depth - 1], leaf);
  return place->depth - ends;
}

/* Each place on a line of its own, with its share of `delta`. */
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
  blame_put_range(t, e->low, e->high);
  output_add_text(t->out, "  ");
  noise_put_text(t->out, row->name);
  output_printf(t->out, "  q=%.2g %s\n", e->q, pprofc_verdict_name(e->verdict));
  blame_put_places(t, row->places, row->place_count, row->name, e->delta);
}

/* "main.leaf05 -> main.leaf11 (moved)" */
static void blame_put_pair(struct blame_text *t, const pprofc_verdict_row *row) {
  const pprofc_verdict_row *other = &t->b.report->rows[row->partner];
  output_add_text(t->out, "  ");
  noise_put_text(t->out, row->flat.delta < 0 ? row->name : other->name);
  output_add_text(t->out, " -> ");
  noise_put_text(t->out, row->flat.delta < 0 ? other->name : row->name);
  output_printf(t->out, " (%s)\n", pprofc_verdict_relation_name(row->relation));
}

static void blame_put_row(struct blame_text *t, const pprofc_verdict_row *row) {
  double delta = blame_delta(t->b.report, row);
  blame_put_delta(t, delta);
  blame_put_share(t, delta);
  if (row->relation)
    blame_put_pair(t, row);
  else
    blame_put_function(t, row);
}

static void blame_put_part(const struct blame_text *t) {
  const pprofc_verdict_summary *s = &t->b.report->summary;
  double part = blame_part(t->b.report);
  bool significant = s->exact || (s->specific_p < s->alpha && !isnan(s->part_low));
  if (!s->changed) return;
  if (!isnan(part))
    output_printf(t->out, "the changed functions make up %s%.0f%% of what is not common\n",
                  s->exact ? "" : "about ", 100 * part);
  else if (!significant)
    output_add_text(t->out, "total change not significant: no part can be given\n");
}

/* Where the specific change is, when there is one. */
static void blame_put_where(const struct blame_text *t) {
  const pprofc_verdict_summary *s = &t->b.report->summary;
  if (!s->place_count || isnan(blame_part(t->b.report))) return;
  output_add_text(t->out, "what is not common:\n");
  blame_put_places(t, s->places, s->place_count, (pprofc_str){NULL, 0}, s->total_specific);
}

static void blame_put_sum(struct blame_text *t) {
  const struct noise_report *report = t->b.report;
  const pprofc_verdict_summary *s = &report->summary;
  blame_put_ticks(t, t->left);
  blame_put_range(t, s->total_low, s->total_high);
  output_add_text(t->out, "  total change, made up of\n");
  blame_put_delta(t, s->total_common);
  output_add_text(t->out, "  common to all functions (machine)\n");
  for (size_t i = 0; i < report->row_count; i++)
    if (blame_has_line(report, &report->rows[i])) blame_put_row(t, &report->rows[i]);
  if (t->b.environment_count) {
    blame_put_delta(t, t->b.environment);
    output_printf(t->out, "  environment (%zu %s)\n", t->b.environment_count,
                  noise_functions(t->b.environment_count));
  }
  blame_put_ticks(t, t->left);
  output_printf(t->out, "  rest (%zu %s, none significant)\n", t->b.rest_count,
                noise_functions(t->b.rest_count));
}

void noise_blame(const struct noise_report *report, struct output *out) {
  double largest = blame_largest(report);
  struct blame_text t = {
      .b = blame_of(report), .unit = noise_unit_for(report, largest), .out = out};
  blame_choose_digits(&t, largest);
  t.left = blame_ticks(&t, report->summary.total_delta);
  noise_header(report, out);
  blame_put_sum(&t);
  blame_put_part(&t);
  blame_put_where(&t);
}
