/* The lines above the verdicts: what was compared, what all functions share, and what could have
 * been seen; and numbers with their units. */
#include "core/buffer.h"
#include "core/escape.h"
#include "core/output.h"
#include "noise.h"
#include "unit/unit.h"

#include <math.h>
#include <stdio.h>

/* ---- numbers ----------------------------------------- */

struct noise_unit noise_unit_for(const struct noise_report *report, double largest) {
  const pprofc_report_options *o = &report->command->report;
  double divide = o->divide_by != 0 ? o->divide_by : 1;
  pprofc_str asked = str_of(o->unit ? o->unit : "");
  struct noise_unit unit = {report->summary.unit, asked, 1 / divide};
  bool chosen = asked.size && !str_equal(asked, STR("minimum")) && !str_equal(asked, STR("auto"));
  if (chosen) return unit;
  /* A tenth of the largest number has a digit before the point; there is no unit below the one of
   * the profile. */
  double tenth = largest * unit.ratio / 10;
  unit.to = tenth < 1 ? unit.from : unit_scale_double(tenth, unit.from, STR("auto")).unit;
  return unit;
}

/* As many digits as a reader compares: 0.012, 1.23, 12.3, 123. */
static int noise_digits(double size) {
  if (size == 0 || size >= 100) return 0;
  if (size >= 10) return 1;
  return size >= 1 ? 2 : 3;
}

static pprofc_str noise_format(const struct noise_unit *unit, double value, bool plus,
                               char out[NOISE_TEXT]) {
  struct measure m = unit_scale_double(value * unit->ratio, unit->from, unit->to);
  const char *form = plus ? "%+.*f" : "%.*f";
  double size = fabs(m.value);
  bool count = str_equal(m.unit, STR("count")), whole = count && size == floor(size);
  if (size == 0)
    snprintf(out, NOISE_TEXT, "0");
  else if (size < 0.001 || size >= 1e15)
    snprintf(out, NOISE_TEXT, plus ? "%+.2g" : "%.2g", m.value);
  else
    snprintf(out, NOISE_TEXT, form, whole ? 0 : noise_digits(size), m.value);
  size_t used = strlen(out);
  if (!count && size != 0) snprintf(out + used, NOISE_TEXT - used, "%.*s", STR_ARG(m.unit));
  return str_of(out);
}

pprofc_str noise_value(const struct noise_unit *unit, double value, char out[NOISE_TEXT]) {
  return noise_format(unit, value, false, out);
}

pprofc_str noise_change(const struct noise_unit *unit, double value, char out[NOISE_TEXT]) {
  return noise_format(unit, value, true, out);
}

/* Text of a profile; control bytes are made visible. */
void noise_put_text(struct output *out, pprofc_str text) {
  struct buffer safe;
  buffer_init(&safe, &mem_default, SIZE_MAX);
  escape_terminal(&safe, text, false);
  output_add_str(out, text.size ? buffer_str(&safe) : STR("<unknown>"));
  buffer_free(&safe);
}

const char *noise_functions(size_t count) {
  return count == 1 ? "function" : "functions";
}

/* ---- lines ------------------------------------------- */

static const char *const per_what[] = {
    [PPROFC_EXPOSURE_AUTO] = "",
    [PPROFC_EXPOSURE_OPS] = "values are for each operation",
    [PPROFC_EXPOSURE_TIME] = "values are for each second",
    [PPROFC_EXPOSURE_TOTAL] = "shares of the mean total",
    [PPROFC_EXPOSURE_NONE] = "values are for each run",
};

static bool noise_is_pair(const pprofc_verdict_summary *s) {
  return s->base_runs == 1 && s->head_runs == 1;
}

/* Shares are of the samples that filters keep: what grew from 10 to 20 % of all is 100 % of itself.
 */
static const char *noise_kept(const struct noise_report *report) {
  const pprofc_report_options *o = &report->command->report;
  const char *const filters[] = {o->focus, o->ignore, o->tagfocus, o->tagignore, o->show_from};
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
    if (filters[i] && *filters[i]) return " of the samples that the filters keep";
  return "";
}

static void noise_put_total(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  struct noise_unit unit = noise_unit_for(report, fmax(s->total_base, s->total_head));
  char base[NOISE_TEXT], head[NOISE_TEXT];
  if (s->exposure == PPROFC_EXPOSURE_TOTAL) {
    output_printf(out,
                  "Total: %.*s%s, made equal in all runs: a change of everything is not seen\n",
                  STR_ARG(noise_value(&unit, s->total_base, base)), noise_kept(report));
    return;
  }
  output_printf(out, "Total: %.*s -> %.*s", STR_ARG(noise_value(&unit, s->total_base, base)),
                STR_ARG(noise_value(&unit, s->total_head, head)));
  if (s->total_base > 0) output_printf(out, " (%+.1f%%)", 100 * s->total_delta / s->total_base);
  output_add_char(out, '\n');
}

/* The speed that all functions share is a change that no row shows: never dropped in silence. */
static void noise_put_common(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  bool shares = s->exposure == PPROFC_EXPOSURE_TOTAL;
  if (report->common_refused)
    output_add_text(out, "Common: too few functions are in both to tell; nothing was taken out\n");
  if (!s->has_common && shares)
    output_add_text(out, s->exact ? "Shares only: another function may have changed instead; "
                                    "-normalize_by=none compares the counts\n"
                                  : "Shares only: another function may have changed instead\n");
  if (!s->has_common) return;
  output_printf(out, "Common: %+.1f%%", 100 * s->common_change);
  if (isnan(s->common_low) && !s->common)
    output_add_text(out, " (no interval: it needs the runs, not their sums)");
  else if (isnan(s->common_low))
    output_add_text(out, " (no interval: it needs 2 runs a side)");
  else
    output_printf(out, " [%+.1f%%, %+.1f%%]", 100 * s->common_low, 100 * s->common_high);
  output_add_text(out, " in all functions, taken out of the rows\n");
}

/* Two runs at least are needed to see what runs of a side differ by. */
static const char *noise_lone_side(const pprofc_verdict_summary *s) {
  if (s->base_runs == 1) return "; one run of the base: its noise is taken from the head";
  return s->head_runs == 1 ? "; one run of the head: its noise is taken from the base" : "";
}

static void noise_put_noise(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  if (s->exact)
    output_add_text(out, "Noise: none, events were counted: every difference is real\n");
  else if (noise_is_pair(s))
    output_printf(
        out,
        "Noise: one pair: noise between runs is unknown; sampling error and %g %% assumed "
        "(dispersion %.1f)\n",
        100 * s->noise_cv, s->dispersion);
  else
    output_printf(out, "Noise: %.1f%% of a function between runs, beside sampling%s\n",
                  100 * s->between_run_cv, noise_lone_side(s));
  if (s->mixed_periods)
    output_add_text(out, "Periods differ between runs: sampling error follows each of them\n");
  if (s->lower_bound) output_add_text(out, "Noise of contentions is a lower bound\n");
}

static void noise_put_judged(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  if (!s->tested) {
    double samples = 0;
    for (size_t i = 0; i < report->row_count; i++)
      samples += report->rows[i].flat.samples * (double)(s->base_runs + s->head_runs);
    output_printf(out, "Judged: nothing to judge: %.0f samples\n", samples);
    return;
  }
  output_printf(out, "Judged: %zu %s, %zu changed (q < %g)\n", s->tested,
                noise_functions(s->tested), s->changed, s->alpha);
  if (!isnan(s->interval_level))
    output_printf(out, "Intervals of what changed: %.4g%% each, for selected rows (FCR)\n",
                  100 * s->interval_level);
  /* A row is found when noise helps it; a pair has most noise. */
  if (noise_is_pair(s) && s->changed && !s->exact)
    output_add_text(out,
                    "One pair shows the changes that it finds too large, and their \xc2\xb1 is "
                    "too narrow: more runs tell the size\n");
}

/* How many runs, or how long ones, would show a change of 5 %. */
static void noise_put_wanted(const pprofc_verdict_summary *s, struct output *out) {
  bool longer = isfinite(s->samples_for_5);
  if (isfinite(s->runs_for_5)) output_printf(out, "; to see 5%%: %.0f runs a side", s->runs_for_5);
  if (!longer) return;
  output_add_text(out, isfinite(s->runs_for_5) ? ", or " : "; to see 5%: ");
  if (isnan(s->seconds))
    output_printf(out, "runs %.1f times as long", s->samples_for_5);
  else
    output_printf(out, "runs of %.*f s (%.1f times as long)",
                  s->seconds * s->samples_for_5 < 10 ? 1 : 0, s->seconds * s->samples_for_5,
                  s->samples_for_5);
}

/* What could have been seen, when nothing was. */
static void noise_put_advice(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  if (s->changed || !s->tested || s->largest == PPROFC_VERDICT_NO_ROW || isnan(s->visible)) return;
  pprofc_str name = report->rows[s->largest].name;
  char text[200];
  size_t size = name.size < 120 ? name.size : 120;
  snprintf(text, sizeof text, "%.*s", (int)size, name.data);
  output_add_text(out, "Nothing is significant: ");
  if (isfinite(s->visible))
    output_printf(out, "a change of %.0f%% of ", ceil(100 * s->visible));
  else
    output_add_text(out, "no change of ");
  noise_put_text(out, (pprofc_str){text, strlen(text)});
  output_add_text(out, " would have been seen");
  if (isfinite(s->visible)) output_add_text(out, " (in 4 comparisons of 5)");
  noise_put_wanted(s, out);
  output_add_char(out, '\n');
}

void noise_header(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  output_add_text(out, "Type: ");
  noise_put_text(out, s->type);
  output_printf(out, "\nRuns: %zu + %zu, %s\n", s->base_runs, s->head_runs, per_what[s->exposure]);
  if (*report->benchmark) {
    output_add_text(out, "Benchmark: ");
    noise_put_text(out, str_of(report->benchmark));
    output_add_char(out, '\n');
  }
  noise_put_total(report, out);
  noise_put_common(report, out);
  noise_put_noise(report, out);
  noise_put_judged(report, out);
  noise_put_advice(report, out);
}
