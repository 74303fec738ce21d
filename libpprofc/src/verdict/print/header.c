/* Prints the lines above and below the verdicts. They show the compared runs, the total change and
 * the smallest detectable change. */
#include "pipeline/pipeline.h"
#include "verdict/print/print.h"

/* ---- the header -------------------------------------- */

struct amount_unit noise_unit_for(const struct noise_report *report, double value) {
  const pprofc_report_options *o = report->options;
  double divide = o->divide_by != 0 ? o->divide_by : 1;
  return amount_unit_for(report->summary.unit, str_of(o->unit ? o->unit : ""), 1 / divide, value);
}

struct amount_unit noise_unit_up_to(const struct noise_report *report, double largest) {
  return noise_unit_for(report, largest / 10);
}

void noise_range_add(struct noise_range *r, double base, double head, double other, double change) {
  change = fabs(change);
  r->largest = fmax(r->largest, fmax(fmax(base, head), other));
  if (change != 0 && (r->smallest == 0 || change < r->smallest)) r->smallest = change;
  r->fractions |= base != floor(base) || head != floor(head) || other != floor(other);
}

struct amount_grid noise_grid(const struct noise_report *report, const struct noise_range *r) {
  struct amount_unit unit = noise_unit_up_to(report, r->largest);
  return amount_grid_for(&unit, r->largest, r->smallest, !r->fractions && amount_is_count(&unit));
}

const char *noise_word(const pprofc_verdict_row *row, bool by_cum) {
  const pprofc_verdict_estimate *e = noise_estimate(row, by_cum);
  if (e->samples <= 0) return "";
  if (!by_cum && row->relation) return pprofc_verdict_relation_name(row->relation);
  if (by_cum && row->via_callee && pprofc_verdict_is_change(e->verdict)) return "via callee";
  return pprofc_verdict_name(e->verdict);
}

const char *noise_direction(double total_base, double total_head, double change) {
  if (total_base == 0 && total_head != 0) return "new";
  if (total_base != 0 && total_head == 0) return "gone";
  if (change == 0) return "same";
  return change > 0 ? "grew" : "shrank";
}

bool noise_by_cum(const struct noise_report *report) {
  return report->options->sort && strcmp(report->options->sort, "cum") == 0;
}

bool noise_lists_groups(const struct noise_report *report) {
  return !STR_ANY(str_equal, str_of(report->show), "significant", "grew", "shrank", "new", "gone");
}

bool noise_hides(const struct noise_report *report, const pprofc_verdict_row *row) {
  double flat = row->flat.delta, cum = row->cum.delta;
  if (report->options->drop_negative && (flat < 0 || (flat == 0 && cum < 0))) return true;
  if (noise_lists_groups(report)) return false;
  const pprofc_verdict_estimate *e = noise_estimate(row, noise_by_cum(report));
  if (strcmp(report->show, "significant") == 0) return !pprofc_verdict_is_change(e->verdict);
  return strcmp(report->show, noise_direction(row->cum.base, row->cum.head, e->delta)) != 0;
}

void noise_put_text(struct output *out, pprofc_str text) {
  struct buffer safe, shorter;
  buffer_init(&safe, mem_or_default(NULL), SIZE_MAX);
  buffer_init(&shorter, mem_or_default(NULL), SIZE_MAX);
  text = output_shorten(out, text, &shorter);
  escape_terminal(&safe, text, false);
  output_add_str(out, text.size ? buffer_str(&safe) : STR("<unknown>"));
  buffer_free(&shorter);
  buffer_free(&safe);
}

const char *noise_functions(size_t count) {
  return count == 1 ? "function" : "functions";
}

const char *noise_verb(pprofc_verdict verdict, const char **rest) {
  *rest = "";
  if (verdict == PPROFC_VERDICT_GREW_AS_ALL) *rest = ", as everything did";
  if (verdict == PPROFC_VERDICT_GREW_LESS) *rest = ", less than the rest";
  return **rest ? "grew" : pprofc_verdict_name(verdict);
}

/* ---- compared runs ----------------------------------- */

static const char *const per_what[] = {
    [PPROFC_EXPOSURE_AUTO] = "",
    [PPROFC_EXPOSURE_OPS] = ", per operation",
    [PPROFC_EXPOSURE_TIME] = ", per second",
    [PPROFC_EXPOSURE_TOTAL] = ", in percent of the total",
    [PPROFC_EXPOSURE_NONE] = "",
};

/* Returns a note that percentages refer to the samples that the filters keep, or "" without
 * filters. If the filters keep one function, its share is always 100 %, whatever changed. */
static const char *noise_kept(const struct noise_report *report) {
  bool filters = filters_any(report->options, FILTER_TOTAL);
  return filters ? " of the samples that the filters keep" : "";
}

static bool noise_has_benchmarks(const struct noise_report *report) {
  for (size_t i = 0; i < report->row_count; i++)
    if (str_equal(report->rows[i].name, STR("testing.(*B).launch"))) return true;
  return false;
}

static void noise_put_runs(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  const char *form = noise_is_pair(s) ? "Runs: %zu + %zu run%s" : "Runs: mean of %zu + %zu runs%s";
  output_printf(out, form, s->base_runs, s->head_runs, per_what[s->exposure]);
  if (s->exposure == PPROFC_EXPOSURE_TOTAL) output_add_text(out, noise_kept(report));
  output_add_char(out, '\n');
  if (s->other_length)
    output_printf(out, "recorded for %.3gs and %.3gs: -normalize_by=time compares per second\n",
                  s->base_seconds, s->head_seconds);
}

static void noise_put_range(const struct amount_grid *grid, double low, double high,
                            struct output *out) {
  char a[AMOUNT_TEXT], b[AMOUNT_TEXT];
  if (isnan(low) || isnan(high)) return;
  output_printf(out, " [%.*s, %.*s]",
                STR_ARG(amount_of_ticks(grid, amount_ticks(grid, low), true, a)),
                STR_ARG(amount_of_ticks(grid, amount_ticks(grid, high), true, b)));
}

/* Writes "Total: 76.73s -> 5.33s, -71.40s [-86.45s, -56.35s] (-93%)". Writes nothing for values in
 * percent of the total. */
static void noise_put_total(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  struct noise_range range = {.largest = 0};
  noise_range_add(&range, s->total_base, s->total_head, 0, 0);
  struct amount_grid grid = noise_grid(report, &range);
  char base[AMOUNT_TEXT], head[AMOUNT_TEXT], delta[AMOUNT_TEXT], percent[AMOUNT_TEXT];
  double from = amount_ticks(&grid, s->total_base), to = amount_ticks(&grid, s->total_head);
  if (s->exposure == PPROFC_EXPOSURE_TOTAL) return;
  output_printf(out, "Total: %.*s -> %.*s, %.*s",
                STR_ARG(amount_of_ticks(&grid, from, false, base)),
                STR_ARG(amount_of_ticks(&grid, to, false, head)),
                STR_ARG(amount_of_ticks(&grid, to - from, true, delta)));
  noise_put_range(&grid, s->total_low, s->total_high, out);
  if (s->total_delta != 0 && *amount_percent(s->total_base, s->total_delta, percent).data)
    output_printf(out, " (%s)", percent);
  output_add_char(out, '\n');
}

/* Writes a note if the total of Go benchmarks did not change. Without -benchtime=Nx, benchmarks run
 * for a fixed time, so a slower benchmark has the same total. */
static void noise_put_benchmarks(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  bool per_run = s->exposure == PPROFC_EXPOSURE_AUTO || s->exposure == PPROFC_EXPOSURE_NONE;
  if (per_run && !pprofc_verdict_is_certain(s->total_verdict) && noise_has_benchmarks(report))
    output_add_text(out,
                    "Benchmarks: unless -benchtime counts iterations (3000x), a slower one runs "
                    "less often and has the same total\n");
}

/* ---- noise ------------------------------------------- */

/* Returns a note if one side has a single run, because a single run gives no estimate of the noise.
 */
static const char *noise_lone_side(const pprofc_verdict_summary *s) {
  if (s->base_runs == 1) return "; one run of the base: the noise of the head is used";
  return s->head_runs == 1 ? "; one run of the head: the noise of the base is used" : "";
}

/* Writes a line about the noise of exact counts: the spread between runs. */
static void noise_put_counts(const pprofc_verdict_summary *s, struct output *out) {
  const char *text = "Noise: the spread of the counts of a function between runs\n";
  if (s->lone)
    text =
        noise_is_pair(s)
            ? "Noise: one run of each version: run the base twice to find counts that vary\n"
            : "Noise: functions that vary as much between runs of one version count as unchanged\n";
  output_add_text(out, text);
}

/* Writes a line about the noise of a comparison with one run each of base and head. For measured
 * times, the dispersion (observed divided by expected variance) is unknown. */
static void noise_put_pair(const pprofc_verdict_summary *s, struct output *out) {
  if (isnan(s->dispersion))
    output_add_text(out,
                    "Noise: one pair of measured times: record more runs to see their noise\n");
  else
    output_printf(
        out,
        "Noise: one pair: noise between runs is unknown; sampling error and %g %% assumed "
        "(dispersion %.1f)\n",
        100 * s->noise_cv, s->dispersion);
}

static void noise_put_noise(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  if (s->lone || s->exact)
    noise_put_counts(s, out);
  else if (noise_is_pair(s))
    noise_put_pair(s, out);
  else if (isnan(s->between_run_cv))
    output_printf(out, "Noise: the spread of a function between runs%s\n", noise_lone_side(s));
  else if (s->between_run_cv < 5e-4)
    output_printf(out, "Noise: only sampling noise between runs%s\n", noise_lone_side(s));
  else
    output_printf(out, "Noise: %.1f%% of a function between runs, plus sampling%s\n",
                  100 * s->between_run_cv, noise_lone_side(s));
  if (s->mixed_periods)
    output_add_text(out, "Periods differ between runs: each run has its own sampling error\n");
  if (s->lower_bound) output_add_text(out, "Noise of contentions is a lower bound\n");
}

static void noise_put_judged(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  if (!s->tested) {
    output_printf(out, "Judged: nothing to judge: %.0f samples\n", noise_samples(report));
    return;
  }
  output_printf(out, "Judged: %zu %s, %zu changed", s->tested, noise_functions(s->tested),
                s->changed);
  if (s->shared) output_printf(out, ", %zu as everything did", s->shared);
  if (!s->lone) output_printf(out, " (q < %g)", s->alpha);
  output_add_char(out, '\n');
  if (!isnan(s->interval_level))
    output_printf(out,
                  "Intervals of changed functions: %.4g%% each, corrected for selection (FCR)\n",
                  100 * s->interval_level);
  /* On average, significant changes are overestimated (winner's curse). This is strongest with one
   * run each of base and head. */
  if (noise_is_pair(s) && s->changed && !s->exact)
    output_add_text(out, "With one pair, changes are overestimated and their \xc2\xb1 is too "
                         "narrow: measure the size with more runs\n");
}

void noise_conditions(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  output_add_text(out, "Type: ");
  noise_put_text(out, s->type);
  output_add_char(out, '\n');
  noise_put_runs(report, out);
  if (*report->benchmark) {
    output_add_text(out, "Benchmark: ");
    noise_put_text(out, str_of(report->benchmark));
    output_add_char(out, '\n');
  }
  noise_put_total(report, out);
  noise_put_benchmarks(report, out);
  if (s->has_common)
    output_printf(out, "Common: all functions: %+.1f%% [%+.1f%%, %+.1f%%]\n",
                  100 * s->common_change, 100 * s->common_low, 100 * s->common_high);
  noise_put_noise(report, out);
  noise_put_judged(report, out);
}

void noise_header(const struct noise_report *report, struct output *out) {
  output_add_str(out, report->summary.sentence);
  output_add_char(out, '\n');
  noise_conditions(report, out);
}

/* ---- smallest detectable change ---------------------- */

/* Writes how many runs, or how many times longer runs, would find a change of 5 %. */
static void noise_put_wanted(const pprofc_verdict_summary *s, struct output *out) {
  bool longer = isfinite(s->samples_for_5);
  if (isfinite(s->runs_for_5))
    output_printf(out, "; 5%% needs %.0f runs of each version", s->runs_for_5);
  if (!longer) return;
  output_add_text(out, isfinite(s->runs_for_5) ? ", or " : "; 5% needs ");
  if (isnan(s->seconds))
    output_printf(out, "runs %.1f times as long", s->samples_for_5);
  else
    output_printf(out, "runs of %.*f s (%.1f times as long)",
                  s->seconds * s->samples_for_5 < 10 ? 1 : 0, s->seconds * s->samples_for_5,
                  s->samples_for_5);
}

/* True if nothing changed: neither the total nor a function. */
static bool noise_is_quiet(const pprofc_verdict_summary *s) {
  return !s->changed && !s->cum_changed && !pprofc_verdict_is_certain(s->total_verdict) &&
         !pprofc_verdict_is_certain(s->common_verdict);
}

void noise_footer(const struct noise_report *report, struct output *out) {
  const pprofc_verdict_summary *s = &report->summary;
  if (!s->tested || s->largest == PPROFC_VERDICT_NO_ROW || isnan(s->visible)) return;
  if (!isfinite(s->visible) && !noise_is_quiet(s)) return;
  pprofc_str name = report->rows[s->largest].name;
  if (!isfinite(s->visible)) {
    output_add_text(out, "Nothing is significant; no change can be detected (");
  } else {
    bool quiet = noise_is_quiet(s);
    output_add_text(out, quiet ? "Nothing is significant; smallest" : "Smallest");
    output_printf(out, " detectable change: %.0f%% (", ceil(100 * s->visible));
  }
  noise_put_text(out, str_slice(name, 0, 120));
  if (isfinite(s->visible)) output_add_text(out, ", in at least 3 of 4 comparisons");
  output_add_char(out, ')');
  noise_put_wanted(s, out);
  output_add_char(out, '\n');
}

/* ---- domains ---------------------------------------- */

/* Maximum size in bytes of a name in the line of a domain (a group of functions between which cost
 * moved). */
#define DOMAIN_NAME 120
/* Maximum number of functions that the line of a domain names. */
#define DOMAIN_NAMES 4

const char *noise_domain_kind(pprofc_verdict_domain_kind kind) {
  static const char *const names[] = {
      [PPROFC_DOMAIN_CALLER] = "caller",   [PPROFC_DOMAIN_TYPE] = "type",
      [PPROFC_DOMAIN_FILE] = "file",       [PPROFC_DOMAIN_PACKAGE] = "package",
      [PPROFC_DOMAIN_RENAMED] = "renamed",
  };
  return names[kind];
}

const char *noise_domain_word(const pprofc_verdict_domain *domain) {
  if (!domain->moved) return pprofc_verdict_name(domain->net.verdict);
  return domain->kind == PPROFC_DOMAIN_RENAMED ? "renamed" : "moved";
}

void noise_domain_place(const pprofc_verdict_domain *domain, char out[DOMAIN_PLACE]) {
  pprofc_str name = str_slice(domain->name, 0, DOMAIN_NAME);
  pprofc_str renamed = str_slice(domain->renamed, 0, DOMAIN_NAME);
  if (domain->kind == PPROFC_DOMAIN_RENAMED)
    snprintf(out, DOMAIN_PLACE, ", renamed from %.*s to %.*s", STR_ARG(name), STR_ARG(renamed));
  else
    snprintf(out, DOMAIN_PLACE, " inside %.*s", STR_ARG(name));
}

void noise_domain_text(const pprofc_verdict_domain *domain, const struct amount_unit *unit,
                       bool lone, char out[DOMAIN_TEXT]) {
  const pprofc_verdict_estimate *net = &domain->net;
  char place[DOMAIN_PLACE], delta[AMOUNT_TEXT], half[AMOUNT_TEXT], base[AMOUNT_TEXT];
  noise_domain_place(domain, place);
  bool renamed = domain->moved && domain->kind == PPROFC_DOMAIN_RENAMED;
  const char *word = renamed ? "" : noise_domain_word(domain);
  amount_text(unit, net->delta, true, delta);
  amount_text(unit, (net->high - net->low) / 2, false, half);
  amount_text(unit, net->base, false, base);
  const char *range = lone ? "" : " \xc2\xb1";
  if (lone) *half = '\0';
  /* Skip the ", " at the start of `place` if the functions were renamed. */
  snprintf(out, DOMAIN_TEXT, "%s%s: net %s%s%s of %s", word, place + (renamed ? 2 : 0), delta,
           range, half, base);
}

void noise_put_domain_line(const struct noise_report *report, const pprofc_verdict_domain *domain,
                           const struct amount_unit *unit, struct output *out) {
  char text[DOMAIN_TEXT];
  noise_domain_text(domain, unit, report->summary.lone, text);
  noise_put_text(out, str_of(text));
  output_add_text(out, " (");
  for (size_t i = 0; i < domain->row_count && i < DOMAIN_NAMES; i++) {
    if (i) output_add_text(out, ", ");
    noise_put_text(out, report->rows[domain->rows[i]].name);
  }
  if (domain->row_count > DOMAIN_NAMES)
    output_printf(out, " and %zu more", domain->row_count - DOMAIN_NAMES);
  output_add_text(out, ")\n");
}
