/* Implements reports that keep their graph. */
#include "report/kept.h"

#include "core/budget.h"

struct kept_report {
  pprofc_report_options options;
  struct report report;
  struct graph graph;
};

void kept_report_free(struct kept_report *k) {
  if (!k) return;
  if (k->graph.mem) graph_free(&k->graph);
  pipeline_free(&k->report.result);
  mem_free(k->report.mem, k, 1, sizeof *k);
}

pprofc_status kept_report_new(const pprofc_profile *profile, const pprofc_report_options *options,
                              struct kept_report **kept, pprofc_error *error) {
  struct kept_report *k = mem_zero_array(&profile->mem, 1, sizeof *k);
  *kept = NULL;
  if (!k) return budget_status(&profile->mem, error_nomem(error), error);
  k->options = *options;
  pprofc_status status = report_open(&k->report, profile, &k->options, error);
  unsigned wanted = PIPELINE_INLINE_MARKS;
  if (!status && k->report.format->flags & REPORT_PARAMETER) wanted = PIPELINE_EDGES;
  if (!status)
    status = pipeline_graph(&k->report.result, wanted, &k->graph, &k->report.output_unit, error);
  if (status) {
    kept_report_free(k);
    return budget_status(&profile->mem, status, error);
  }
  k->report.kept = &k->graph;
  *kept = k;
  return PPROFC_OK;
}

static pprofc_status kept_match(struct kept_report *k, const char *argument, pprofc_error *error) {
  struct regex *expression;
  pprofc_status status = regex_compile(k->report.mem, str_of(argument), &expression, error);
  if (status) return status;
  regex_free(k->report.result.argument);
  k->report.result.argument = k->graph.options.edges_of = expression;
  k->options.argument = argument;
  return graph_match_names(&k->graph, error);
}

static pprofc_status kept_sort(struct kept_report *k, bool by_cum, pprofc_error *error) {
  if (k->graph.options.cum_sort == by_cum) return PPROFC_OK;
  k->graph.options.cum_sort = by_cum;
  return graph_sort_nodes(&k->graph, error);
}

pprofc_status kept_report_write(struct kept_report *k, bool by_cum, const char *argument,
                                pprofc_write_fn write, void *context, pprofc_error *error) {
  bool matches = k->report.format->flags & REPORT_PARAMETER;
  pprofc_status status = matches ? kept_match(k, argument, error) : kept_sort(k, by_cum, error);
  if (!status) status = report_render(&k->report, write, context, error);
  return budget_status(k->report.mem, status, error);
}

pprofc_str kept_report_first(struct kept_report *k, bool by_cum) {
  pprofc_error error;
  bool sorted = kept_sort(k, by_cum, &error) == PPROFC_OK;
  return sorted && k->graph.shown_count ? graph_name(&k->graph, k->graph.shown[0]) : STR("");
}

const struct pipeline_result *kept_report_result(const struct kept_report *k) {
  return &k->report.result;
}
