/* -blame: what makes up the change of the total: common factor, changed functions, functions of the
 * machine, and the rest. The lines add up to the change. */
#include "core/output.h"
#include "noise.h"

#include <math.h>
#include <stdio.h>

/* A part of the specific change is told when the change itself is this significant, and ... */
#define BLAME_ALPHA 0.05
/* ... when the part is between nothing and twice of it. */
#define BLAME_PART_MOST 2

struct blame {
  const struct noise_report *report;
  struct noise_unit unit;
  double environment, told; /* sums of deltas */
  size_t environment_count, told_count, rest_count;
};

/* Of a pair that cancels, the half that is first in the table has the line. */
static bool blame_has_line(const struct noise_report *report, const pprofc_verdict_row *row) {
  if (row->relation) return row < &report->rows[row->partner];
  return pprofc_verdict_is_change(row->flat.verdict);
}

static double blame_delta(const struct noise_report *report, const pprofc_verdict_row *row) {
  if (!row->relation) return row->flat.delta;
  return row->flat.delta + report->rows[row->partner].flat.delta;
}

static void blame_sum(struct blame *b) {
  for (size_t i = 0; i < b->report->row_count; i++) {
    const pprofc_verdict_row *row = &b->report->rows[i];
    bool own = row->flat.base != 0 || row->flat.head != 0;
    if (blame_has_line(b->report, row)) {
      b->told += blame_delta(b->report, row);
      b->told_count++;
    } else if (row->flat.verdict == PPROFC_VERDICT_ENVIRONMENT && own) {
      b->environment += row->flat.delta;
      b->environment_count++;
    } else if (!row->relation && own) {
      b->rest_count++;
    }
  }
}

static void blame_put_delta(const struct blame *b, struct output *out, double delta) {
  char text[NOISE_TEXT];
  output_add_padded(out, noise_change(&b->unit, delta, text), 12);
  output_add_text(out, "  ");
}

/* "main.leaf05 -> main.leaf11 (moved)", or the function with its q and verdict. */
static void blame_put_row(const struct blame *b, struct output *out,
                          const pprofc_verdict_row *row) {
  char low[NOISE_TEXT], high[NOISE_TEXT];
  const struct noise_report *report = b->report;
  blame_put_delta(b, out, blame_delta(report, row));
  if (!row->relation) {
    output_printf(out, "[%.*s, %.*s]  ", STR_ARG(noise_change(&b->unit, row->flat.low, low)),
                  STR_ARG(noise_change(&b->unit, row->flat.high, high)));
    noise_put_text(out, row->name);
    output_printf(out, "  q=%.2g %s\n", row->flat.q, pprofc_verdict_name(row->flat.verdict));
    return;
  }
  const pprofc_verdict_row *other = &report->rows[row->partner];
  noise_put_text(out, row->flat.delta < 0 ? row->name : other->name);
  output_add_text(out, " -> ");
  noise_put_text(out, row->flat.delta < 0 ? other->name : row->name);
  output_printf(out, " (%s)\n", pprofc_verdict_relation_name(row->relation));
}

static void blame_put_part(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  if (!s->changed) return;
  bool significant = s->specific_p < BLAME_ALPHA && !isnan(s->part_low);
  if (!significant)
    output_add_text(out, "total change not significant: no part can be given\n");
  else if (s->part >= 0 && s->part <= BLAME_PART_MOST)
    output_printf(out, "the changed functions make up about %.0f%% of what is not common\n",
                  100 * s->part);
}

static double blame_largest(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  double largest = fmax(fabs(s->total_delta), fabs(s->total_common));
  for (size_t i = 0; i < report->row_count; i++)
    if (blame_has_line(report, &report->rows[i]))
      largest = fmax(largest, fabs(report->rows[i].flat.delta));
  return largest;
}

void noise_blame(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  struct blame b = {.report = report, .unit = noise_unit_for(report, blame_largest(report))};
  blame_sum(&b);
  noise_header(report, out);
  blame_put_delta(&b, out, s->total_delta);
  output_add_text(out, "total change, made up of\n");
  blame_put_delta(&b, out, s->total_common);
  output_add_text(out, "common to all functions (machine)\n");
  for (size_t i = 0; i < report->row_count; i++)
    if (blame_has_line(report, &report->rows[i])) blame_put_row(&b, out, &report->rows[i]);
  if (b.environment_count) {
    blame_put_delta(&b, out, b.environment);
    output_printf(out, "environment (%zu %s)\n", b.environment_count,
                  noise_functions(b.environment_count));
  }
  blame_put_delta(&b, out, s->total_delta - s->total_common - b.told - b.environment);
  output_printf(out, "rest (%zu %s, none significant)\n", b.rest_count,
                noise_functions(b.rest_count));
  blame_put_part(report, out);
}
