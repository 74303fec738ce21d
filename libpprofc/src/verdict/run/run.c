/* Judges runs with the options of a report. */
#include "verdict/run/run.h"

#include "core/budget.h"
#include "core/file.h"
#include "pipeline/pipeline.h"
#include "profile/profile.h"
#include "verdict/sums.h"

/* Maximum size of a rules file in bytes. */
#define RULES_MOST (1u << 20)

/* ---- warnings of filters ----------------------------- */

/* Maximum number of collected warnings. */
#define WARNINGS_MOST 16

/* Different warnings, each with the number of runs that caused it. */
struct run_warnings {
  size_t count;
  struct run_warning {
    char text[160];
    size_t runs;
  } items[WARNINGS_MOST];
};

/* Stores a warning. The function is a pprofc_warn_fn callback. */
static void run_collect(void *context, const char *message) {
  struct run_warnings *all = context;
  size_t i = 0;
  while (i < all->count && strncmp(all->items[i].text, message, sizeof all->items[i].text - 1) != 0)
    i++;
  if (i == WARNINGS_MOST) return;
  if (i == all->count) {
    snprintf(all->items[all->count++].text, sizeof all->items[i].text, "%s", message);
    all->items[i].runs = 0;
  }
  all->items[i].runs++;
}

/* ---- judging ----------------------------------------- */

/* Combines the settings with the options of the report. Reads the rules file into `rules`. */
static pprofc_status run_prepare(const pprofc_report_options *o,
                                 const struct noise_settings *settings, struct buffer *rules,
                                 pprofc_verdict_options *how, pprofc_error *error) {
  *how = settings->how;
  how->noinlines = o->noinlines;
  if (!*how->sample_index && o->sample_index) how->sample_index = o->sample_index;
  buffer_init(rules, mem_or_default(NULL), RULES_MOST);
  if (!*settings->rules) return PPROFC_OK;
  pprofc_status status = file_read(settings->rules, rules, error);
  how->rules = rules->data ? rules->data : "";
  how->rules_size = rules->size;
  how->rules_name = settings->rules;
  return status;
}

/* Copies the results of the verdicts and the options for printing to the report. */
static void run_take(struct noise_report *report, const pprofc_verdict_options *how) {
  report->fcr = how->fcr;
  report->stacks = how->stacks;
  pprofc_verdicts_summary_of(report->verdicts, &report->summary);
  report->rows = pprofc_verdicts_rows(report->verdicts, &report->row_count);
}

pprofc_status noise_judge_runs(struct noise_report *report, const struct noise_runs *runs,
                               const struct noise_settings *settings, pprofc_error *error) {
  const pprofc_report_options *o = report->options;
  const pprofc_verdict_run *head = runs->items + runs->bases;
  struct run_warnings warnings = {.count = 0};
  struct buffer rules;
  pprofc_verdict_options how;
  pprofc_filter_options filter = filters_of_report(o);
  filter.warn = run_collect;
  filter.warn_context = &warnings;
  pprofc_status status = run_prepare(o, settings, &rules, &how, error);
  how.filter = &filter;
  if (!status) status = noise_set_ops(settings->ops, runs, error);
  if (!status)
    status = pprofc_verdicts_new(runs->items, runs->bases, head, runs->count - runs->bases, &how,
                                 &report->verdicts, error);
  if (!status) run_take(report, &how);
  for (size_t i = 0; i < warnings.count && o->warn; i++)
    if (warnings.items[i].runs >= runs->count) o->warn(o->warn_context, warnings.items[i].text);
  buffer_free(&rules);
  return status;
}

pprofc_status noise_judge_sums(struct noise_report *report, const struct sums *base,
                               const struct sums *head, const struct noise_settings *settings,
                               pprofc_error *error) {
  struct buffer rules;
  pprofc_verdict_options how;
  pprofc_status status = run_prepare(report->options, settings, &rules, &how, error);
  if (!status) status = verdicts_of_sums(base, head, &how, &report->verdicts, error);
  if (!status) run_take(report, &how);
  buffer_free(&rules);
  return status;
}

const char *noise_obstacle(const pprofc_report_options *o) {
  const char *g = o->granularity;
  if (g && *g && strcmp(g, "functions") != 0)
    return "verdicts are per function: choose the granularity functions";
  if (o->mean) return "verdicts need sums, and these values are means";
  return NULL;
}

static size_t side_count(const struct noise_side *side) {
  return side->count ? side->count : 1;
}

/* Lists the runs of both sides, as copies in the memory `mem`. */
static pprofc_status sides_lend(const struct noise_side sides[2], const pprofc_allocator *mem,
                                struct noise_runs *runs, pprofc_error *error) {
  size_t bases = side_count(&sides[0]), all = bases + side_count(&sides[1]);
  *runs = (struct noise_runs){mem_zero_array(mem, all, sizeof *runs->items), all, bases};
  for (size_t i = 0; runs->items && i < all; i++) {
    const struct noise_side *side = &sides[i >= bases];
    pprofc_verdict_run *run = &runs->items[i];
    *run = (pprofc_verdict_run){.profile = side->profile, .name = i < bases ? "base" : "head"};
    if (side->count) *run = side->runs[i < bases ? i : i - bases];
    run->profile = profile_lend(run->profile, mem);
    if (!run->profile) return error_nomem(error);
  }
  return runs->items ? PPROFC_OK : error_nomem(error);
}

static void sides_free(struct noise_runs *runs, const pprofc_allocator *mem) {
  for (size_t i = 0; runs->items && i < runs->count; i++)
    pprofc_profile_release((pprofc_profile *)runs->items[i].profile);
  mem_free(mem, runs->items, runs->count, sizeof *runs->items);
}

pprofc_status noise_judge_sides(struct noise_report *report, const struct noise_side sides[2],
                                const struct noise_settings *settings, pprofc_error *error) {
  const pprofc_report_options *given = report->options;
  const char *obstacle = noise_obstacle(given);
  const pprofc_allocator *mem = &sides[0].profile->mem;
  struct noise_settings used = *settings;
  pprofc_report_options options = *given;
  struct noise_runs runs;
  pprofc_error why;
  options.warn = NULL; /* the report of the difference already gives these warnings */
  if (given->normalize) used.how.normalize_by = PPROFC_EXPOSURE_TOTAL;
  if (obstacle) {
    snprintf(report->reason, sizeof report->reason, "%s", obstacle);
    return PPROFC_OK;
  }
  report->options = &options;
  pprofc_status status = sides_lend(sides, mem, &runs, &why);
  if (!status) status = noise_judge_runs(report, &runs, &used, &why);
  report->options = given;
  sides_free(&runs, mem);
  return status ? noise_settle(report, mem, &why, error) : PPROFC_OK;
}

pprofc_status noise_settle(struct noise_report *report, const pprofc_allocator *mem,
                           const pprofc_error *why, pprofc_error *error) {
  if (why->status == PPROFC_E_NOMEM || budget_stopped(mem))
    return error_set(error, why->status, "%s", why->message);
  snprintf(report->reason, sizeof report->reason, "%s", why->message);
  return PPROFC_OK;
}

/* ---- settings ---------------------------------------- */

pprofc_status noise_set_ops(const char *text, const struct noise_runs *runs, pprofc_error *error) {
  pprofc_str rest = str_of(text), piece;
  size_t pieces = 0;
  double side[2] = {0, 0};
  while (*text && str_next(&rest, ',', &piece)) {
    double value;
    if (!str_parse_float(str_trim(piece), &value) || !(value > 0) || value > 1e300)
      return error_set(error, PPROFC_E_INVALID, "-ops: '%.*s' is not a number of operations",
                       STR_ARG(piece));
    if (pieces < 2) side[pieces] = value;
    if (pieces < runs->count) runs->items[pieces].operations = value;
    pieces++;
  }
  if (!pieces || pieces == runs->count) return PPROFC_OK;
  if (pieces != 2)
    return error_set(error, PPROFC_E_INVALID,
                     "-ops has %zu numbers; it takes 2, or one for each of the %zu runs", pieces,
                     runs->count);
  for (size_t i = 0; i < runs->count; i++) runs->items[i].operations = side[i >= runs->bases];
  return PPROFC_OK;
}

static bool profile_has_folded(const pprofc_profile *p) {
  for (size_t i = 0; i < p->functions.count; i++) {
    pprofc_str name = profile_string(p, p->functions.name[i]);
    if (STR_ANY(str_equal, name, "runtime.asyncPreempt", "runtime.asyncPreempt2")) return true;
  }
  return false;
}

bool noise_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options) {
  const char *hide = options->hide ? options->hide : "";
  if (hide == pipeline_stopped || !profile_has_folded(difference)) return true;
  if (!*hide) {
    options->hide = pipeline_stopped;
    return true;
  }
  size_t size = strlen(hide) + strlen(pipeline_stopped) + 8;
  char *both = arena_alloc(arena, size);
  if (!both) return false;
  snprintf(both, size, "(?:%s)|%s", hide, pipeline_stopped);
  options->hide = both;
  return true;
}

/* ---- results ----------------------------------------- */

const char *noise_per(const struct noise_report *report) {
  static const char *const per[] = {
      [PPROFC_EXPOSURE_OPS] = "per operation", [PPROFC_EXPOSURE_TIME] = "per second"};
  size_t exposure = (size_t)report->summary.exposure;
  const char *text = exposure < COUNT(per) ? per[exposure] : NULL;
  return report->verdicts && text ? text : "";
}

bool noise_rescales(const struct noise_report *report) {
  return *noise_per(report) ||
         (report->verdicts && report->summary.exposure == PPROFC_EXPOSURE_TOTAL);
}

double noise_samples(const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  double samples = 0;
  for (size_t i = 0; i < report->row_count; i++)
    samples += report->rows[i].flat.samples * (double)(s->base_runs + s->head_runs);
  return samples;
}

const pprofc_verdict_domain *noise_domain_moved(const struct noise_report *report,
                                                const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = pprofc_verdicts_domain_of(report->verdicts, row);
  return domain && domain->moved ? domain : NULL;
}
