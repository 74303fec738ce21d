/* Makes a report. Finds the format, filters the profile, and calls the function that prints the
 * format. */
#include "report/report.h"

static struct pipeline_overrides report_overrides(unsigned flags) {
  struct pipeline_overrides overrides = {
      .no_trim = flags & REPORT_NO_TRIM,
      .all_nodes = flags & REPORT_ALL_NODES,
      .takes_argument = flags & REPORT_PARAMETER,
      .aggregates = flags & REPORT_AGGREGATES,
      .totals = flags & REPORT_TOTALS,
      .sums = flags & REPORT_ALL_TYPES,
  };
  if (flags & REPORT_FILE_FUNCTIONS) overrides.default_granularity = "filefunctions";
  if (flags & REPORT_ADDRESSES) overrides.granularity = "addresses";
  if (flags & REPORT_LINES) overrides.granularity = "lines";
  if (flags & REPORT_NO_INLINES) overrides.inlines = INLINES_HIDDEN;
  if (flags & REPORT_INLINES) overrides.inlines = INLINES_SHOWN;
  return overrides;
}

/* Checks the options that only exports of stacks (such as -folded) use. */
static pprofc_status check_export_options(const pprofc_report_options *o, pprofc_error *error) {
  if (o->cut_depth < 0) return error_set(error, PPROFC_E_INVALID, "cut_depth must be at least 0");
  if (o->calls < 0) return error_set(error, PPROFC_E_INVALID, "calls must be at least 0");
  if (!(o->min_weight >= 0 && o->min_weight <= 1))
    return error_set(error, PPROFC_E_INVALID, "min_weight must be from 0 to 1");
  return PPROFC_OK;
}

/* True if a CI system may print the output in its log, so the output must be safe there. This holds
 * for text formats, and for the variant "text" of other formats. */
static bool is_log(const struct report *report) {
  if (report->format->flags & REPORT_LOG) return true;
  const char *variant = report->options->argument;
  return report->format->info.variants && variant && strcmp(variant, "text") == 0;
}

/* Appends the sum of the flat values of the omitted rows: " (1.2s flat, 3.1% of 40s)". */
static void report_describe_left(const void *context, const struct brief_left *left,
                                 struct buffer *to) {
  const struct report *report = context;
  char value[UNIT_LABEL_MAX], total[UNIT_LABEL_MAX], percentage[32];
  if (!report->rows_add_up) return;
  int64_t amount = labels_left(left);
  pprofc_str percent = unit_percentage(amount, report->result.total, percentage);
  buffer_printf(to, " (%.*s flat, %.*s of %.*s)", STR_ARG(report_value(report, amount, value)),
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

/* Writes a report that report_open prepared. */
static pprofc_status report_render(struct report *report, pprofc_write_fn write, void *context,
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

/* True if the report can be made from the profile. If samples.tree is set, the profile has only
 * sums of samples, and may lack labels. */
static bool report_may_read(const pprofc_profile *profile, unsigned flags,
                            const pprofc_report_options *o) {
  if (!profile->samples.tree) return true;
  if ((flags & REPORT_ALL_TYPES) && profile_values_each(profile) < profile->type_count)
    return false;
  return (flags & REPORT_PASSES) && !o->mean && !o->normalize && filters_may_read(profile, o);
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

/* ---- kept reports ----------------------------------- */

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

/* ---- no match --------------------------------------- */

#define SIMILAR_MAX 3
#define WORD_MAX    256 /* maximum length of a name that is compared */

struct similar_name {
  pprofc_str name;
  size_t cost;
};

/* Copies a text in lower case, without the bytes in `without`. Returns "" for a long text. */
static pprofc_str similar_lower(pprofc_str text, const char *without, char out[WORD_MAX]) {
  size_t size = 0;
  for (size_t i = 0; i < text.size && text.size <= WORD_MAX; i++) {
    char c = text.data[i];
    if (c && strchr(without, c)) continue;
    out[size++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
  return (pprofc_str){out, size};
}

/* Returns the part of `name` after the last byte that is in `bytes`. */
static pprofc_str similar_after(pprofc_str name, const char *bytes) {
  size_t at = name.size;
  while (at > 0 && !strchr(bytes, name.data[at - 1])) at--;
  return str_slice(name, at, name.size);
}

/* Returns the smallest edit distance of `wanted` to three forms of a name: the whole name, the name
 * without folders, and the name without package. */
static size_t similar_cost(pprofc_str wanted, pprofc_str name) {
  char text[WORD_MAX];
  pprofc_str lower = similar_lower(name, "", text);
  const pprofc_str forms[] = {lower, similar_after(lower, "/"), similar_after(lower, ".:")};
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < COUNT(forms); i++) {
    if (i && forms[i].size == forms[i - 1].size) continue; /* equal to forms[i - 1] */
    size_t cost = misspelling_cost(wanted, forms[i]);
    if (cost < best) best = cost;
  }
  return best;
}

/* Inserts a name into `best`, the names with the smallest edit distances (`cost`). Names with equal
 * distances stay in the order of the profile. */
static void similar_keep(struct similar_name best[SIMILAR_MAX], pprofc_str name, size_t cost) {
  for (size_t i = 0; i < SIMILAR_MAX; i++)
    if (str_equal(best[i].name, name)) return;
  for (size_t i = 0; i < SIMILAR_MAX; i++) {
    if (cost >= best[i].cost) continue;
    for (size_t k = SIMILAR_MAX - 1; k > i; k--) best[k] = best[k - 1];
    best[i] = (struct similar_name){name, cost};
    return;
  }
}

static void similar_hint(const pprofc_profile *p, pprofc_str argument, pprofc_error *error) {
  struct similar_name best[SIMILAR_MAX];
  char text[WORD_MAX], names[SIMILAR_MAX * (WORD_MAX + 2)];
  size_t size = 0;
  pprofc_str wanted = similar_lower(argument, "^$\\", text);
  for (size_t i = 0; i < SIMILAR_MAX; i++) best[i] = (struct similar_name){STR(""), SIZE_MAX};
  for (size_t i = 0; i < p->functions.count; i++) {
    pprofc_str name = profile_string(p, p->functions.name[i]);
    similar_keep(best, name, similar_cost(wanted, name));
  }
  for (size_t i = 0; i < SIMILAR_MAX && best[i].cost < SIZE_MAX; i++)
    size += (size_t)snprintf(names + size, sizeof names - size, "%s%.*s", i ? ", " : "",
                             STR_ARG(best[i].name));
  if (size) error_hint(error, "similar names: %s", names);
}

static bool any_function_matches(const struct report *report) {
  const pprofc_profile *p = report->result.profile;
  for (size_t i = 0; i < p->functions.count; i++)
    if (regex_match(report->result.argument, profile_string(p, p->functions.name[i]))) return true;
  return false;
}

pprofc_status report_no_match(const struct report *report, const char *what, const char *present,
                              pprofc_error *error) {
  const char *argument = report->options->argument ? report->options->argument : "";
  bool matches = report->result.argument && any_function_matches(report);
  if (matches && present)
    return error_set(error, PPROFC_E_NO_MATCH, "no instructions for %s: %s", argument, present);
  error_set(error, PPROFC_E_NO_MATCH, "no matches found for %s %s", what, argument);
  if (matches)
    error_hint(error, "no sample is left in the functions that match");
  else
    similar_hint(report->result.profile, str_of(argument), error);
  return PPROFC_E_NO_MATCH;
}
