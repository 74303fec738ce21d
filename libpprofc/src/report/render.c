/* Makes a report. Finds the format, filters the profile with the settings of the format, and calls
 * the function of the format. */
#include "core/brief.h"
#include "core/budget.h"
#include "core/log_guard.h"
#include "core/options.h"
#include "profile/stack_tree.h"
#include "report/labels.h"
#include "unit/unit.h"

static struct pipeline_overrides report_overrides(unsigned flags) {
  struct pipeline_overrides overrides = {
      .no_trim = flags & REPORT_NO_TRIM,
      .all_nodes = flags & REPORT_ALL_NODES,
      .takes_argument = flags & REPORT_PARAMETER,
      .aggregates = flags & REPORT_AGGREGATES,
      .totals = flags & REPORT_TOTALS,
  };
  if (flags & REPORT_FILE_FUNCTIONS) overrides.default_granularity = "filefunctions";
  if (flags & REPORT_ADDRESSES) overrides.granularity = "addresses";
  if (flags & REPORT_LINES) overrides.granularity = "lines";
  if (flags & REPORT_NO_INLINES) overrides.inlines = INLINES_HIDDEN;
  if (flags & REPORT_INLINES) overrides.inlines = INLINES_SHOWN;
  return overrides;
}

/* Checks the options that only exports of stacks use. */
static pprofc_status check_export_options(const pprofc_report_options *o, pprofc_error *error) {
  if (o->cut_depth < 0) return error_set(error, PPROFC_E_INVALID, "cut_depth must be at least 0");
  if (o->calls < 0) return error_set(error, PPROFC_E_INVALID, "calls must be at least 0");
  if (!(o->min_weight >= 0 && o->min_weight <= 1))
    return error_set(error, PPROFC_E_INVALID, "min_weight must be from 0 to 1");
  return PPROFC_OK;
}

/* True if a CI system may print the output in its log. This holds for a text format and for the
 * variant "text". */
static bool is_log(const struct report *report) {
  if (report->format->flags & REPORT_LOG) return true;
  const char *variant = report->options->argument;
  return report->format->info.variants && variant && strcmp(variant, "text") == 0;
}

/* Appends the sum of the omitted rows' flat values: ", 1.2s flat (3.1% of 40s)". */
static void report_describe_left(const void *context, const struct brief_left *left,
                                 struct buffer *to) {
  const struct report *report = context;
  char value[UNIT_LABEL_MAX], total[UNIT_LABEL_MAX], percentage[32];
  if (!report->rows_add_up) return;
  int64_t amount = labels_left(left);
  pprofc_str percent = unit_percentage(amount, report->result.total, percentage);
  buffer_printf(to, ", %.*s flat (%.*s of %.*s)", STR_ARG(report_value(report, amount, value)),
                STR_ARG(str_trim(percent)),
                STR_ARG(report_value(report, report->result.total, total)));
}

pprofc_status report_graph(struct report *report, unsigned wanted, struct graph *graph,
                           pprofc_error *error) {
  if (!report->kept)
    return pipeline_graph(&report->result, wanted, graph, &report->output_unit, error);
  *graph = *report->kept;
  return PPROFC_OK;
}

void report_graph_free(const struct report *report, struct graph *graph) {
  if (!report->kept) graph_free(graph);
}

pprofc_status report_render(struct report *report, pprofc_write_fn write, void *context,
                            pprofc_error *error) {
  struct output out;
  struct log_guard guard;
  if (is_log(report))
    log_guard_output(&out, &guard, write, context);
  else
    output_init(&out, write, context);
  output_watch(&out, report->mem);
  pprofc_status status = report->format->render(report, &out, error);
  if (!status) status = output_flush(&out, error);
  if (!status && out.brief) brief_settle(out.brief, report_describe_left, labels_recount, report);
  return status;
}

/* True if the format and its filters can read the profile, which may lack the single samples or the
 * labels that they need. */
static bool report_may_read(const pprofc_profile *profile, unsigned flags,
                            const pprofc_report_options *o) {
  const struct samples *s = &profile->samples;
  if (!s->tree) return true;
  bool filters = o->mean || o->normalize || filters_any(o, FILTER_CUTS);
  for (size_t i = 0; i < s->segment_count; i++)
    filters = filters || (!s->tree[i].labels && filters_any(o, FILTER_LABELS));
  if ((flags & REPORT_ALL_TYPES) && profile_values_each(profile) < profile->type_count)
    return false;
  return (flags & REPORT_PASSES) && !filters;
}

pprofc_status report_open(struct report *report, const pprofc_profile *profile,
                          const pprofc_report_options *options, pprofc_error *error) {
  *report = (struct report){.options = options, .mem = &profile->mem};
  report->format = report_format_find(options->format);
  if (!report->format)
    return error_set(error, PPROFC_E_INVALID, "unknown report format \"%s\"",
                     options->format ? options->format : "");
  pprofc_status status = check_export_options(options, error);
  if (status) return status;
  if (!report_may_read(profile, report->format->flags, options))
    return error_set(error, PPROFC_E_INVALID, "the profile was read for another report");
  const struct pipeline_overrides overrides = report_overrides(report->format->flags);
  status = pipeline_run(profile, options, &overrides, &report->result, error);
  report->output_unit = report->result.output_unit;
  return status;
}

pprofc_status pprofc_report(const pprofc_profile *profile, const pprofc_report_options *options,
                            pprofc_write_fn write, void *context, pprofc_error *error) {
  pprofc_report_options o;
  struct report report = {0};
  pprofc_status status = OPTIONS_COPY(pprofc_report_options, &o, options, error);
  if (status) return status;
  status = report_open(&report, profile, &o, error);
  if (!status) status = report_render(&report, write, context, error);
  pipeline_free(&report.result);
  return budget_status(&profile->mem, status, error);
}
