/* Runs the steps of the pipeline in pprof's order (docs/spec/pprof.md, 10). */
#include "pipeline/pipeline.h"
#include "unit/unit.h"

/* True if the option is not NULL and not "". */
static bool option_is_set(const char *option) {
  return option && *option;
}

void pipeline_warn(const struct pipeline_result *r, bool when, const char *message) {
  if (when && r->options.warn) r->options.warn(r->options.warn_context, message);
}

void pipeline_take(struct pipeline_result *r, pprofc_profile *edited) {
  pprofc_profile_release(r->edited);
  r->edited = edited;
  /* The pipeline has the only reference, so the next edit may write into the profile. */
  if (edited->references == 1) edited->disposable = true;
  r->profile = edited;
}

/* ---- options and overrides --------------------------- */

static pprofc_status set_granularity(struct pipeline_result *r,
                                     const struct pipeline_overrides *overrides,
                                     pprofc_error *error) {
  static const bool forced_inlines[] = {[INLINES_HIDDEN] = true, [INLINES_SHOWN] = false};
  const pprofc_report_options *o = &r->options;
  const char *name = option_is_set(o->granularity) ? o->granularity : "";
  if (!*name && overrides->default_granularity) name = overrides->default_granularity;
  if (overrides->granularity) name = overrides->granularity;
  bool noinlines = o->noinlines;
  if (overrides->inlines != INLINES_AS_ASKED) noinlines = forced_inlines[overrides->inlines];
  if (granularity_parse(name, noinlines, o->showcolumns, &r->granularity)) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "invalid \"granularity\" value \"%s\"", name);
}

static void set_trimming(struct pipeline_result *r, const struct pipeline_overrides *overrides) {
  const pprofc_report_options *o = &r->options;
  if (!o->trim || overrides->no_trim) return;
  r->nodecount = o->nodecount;
  if (o->nodecount == -1) r->nodecount = overrides->all_nodes ? 0 : 80;
  r->nodefraction = o->nodefraction;
  r->edgefraction = o->edgefraction;
}

static pprofc_status set_sort(struct pipeline_result *r, pprofc_error *error) {
  const char *sort = r->options.sort;
  r->cum_sort = option_is_set(sort) && strcmp(sort, "cum") == 0;
  if (r->cum_sort || !option_is_set(sort) || strcmp(sort, "flat") == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "invalid \"sort\" value \"%s\"", sort);
}

/* ---- the value --------------------------------------- */

/* Puts "mean_" before the name of a sample type. */
static bool text_add_mean(struct pipeline_result *r, pprofc_str *type) {
  char *text = arena_alloc(&r->texts, type->size + 5);
  if (!text) return false;
  memcpy(text, "mean_", 5);
  if (type->size) memcpy(text + 5, type->data, type->size);
  *type = (pprofc_str){text, type->size + 5};
  return true;
}

static pprofc_status set_value(struct pipeline_result *r, pprofc_error *error) {
  const pprofc_report_options *o = &r->options;
  const pprofc_profile *p = r->profile;
  pprofc_status status = value_select(p, str_of(o->sample_index), &r->value_index, error);
  if (status) return status;
  struct value_type shown = p->types[r->value_index];
  pprofc_str unit = o->unit ? str_of(o->unit) : STR("");
  r->mean = o->mean;
  r->type = profile_string(p, shown.type);
  r->sample_unit = escape_line_keep(profile_string(p, shown.unit), &r->texts);
  r->output_unit = escape_line_keep(unit, &r->texts);
  if ((o->mean && !text_add_mean(r, &r->type)) || !r->sample_unit.data || !r->output_unit.data)
    return error_nomem(error);
  if (o->divide_by == 0) return error_set(error, PPROFC_E_INVALID, "zero divisor specified");
  r->ratio = 1 / o->divide_by;
  return PPROFC_OK;
}

static pprofc_status set_argument(struct pipeline_result *r, pprofc_error *error) {
  const char *text = r->options.argument ? r->options.argument : "";
  pprofc_status status = regex_compile(r->mem, str_of(text), &r->argument, error);
  if (status && status != PPROFC_E_NOMEM) error_prefix(error, "parsing argument regexp %s: ", text);
  return status;
}

/* Sets the displayed value, the sort order and `argument`, and checks them in pprof's order. */
static pprofc_status set_view(struct pipeline_result *r, bool takes_argument, pprofc_error *error) {
  pprofc_status status = set_value(r, error);
  if (!status) status = set_sort(r, error);
  if (!status && takes_argument) status = set_argument(r, error);
  if (!status) r->total = value_total(r->profile, r->value_index, r->mean);
  return status;
}

static pprofc_status set_totals(struct pipeline_result *r, pprofc_error *error) {
  bool filters = !r->options.relative_percentages && filters_any(&r->options, FILTER_ANY);
  int64_t *sums = arena_zero_array(&r->texts, 2 * r->profile->type_count, sizeof *sums);
  if (!sums) return error_nomem(error);
  if (value_add_sides(r->profile, sums) || filters) r->totals = sums;
  return PPROFC_OK;
}

/* ---- the steps --------------------------------------- */

static pprofc_status apply_granularity(struct pipeline_result *r, pprofc_error *error) {
  if (r->granularity.address && r->granularity.inlines) return PPROFC_OK;
  pprofc_profile *edited;
  pprofc_status status = transform_granularity(r->profile, &r->granularity, &edited, error);
  if (!status) pipeline_take(r, edited);
  return status;
}

pprofc_status pipeline_run(const pprofc_profile *source, const pprofc_report_options *options,
                           const struct pipeline_overrides *overrides, struct pipeline_result *r,
                           pprofc_error *error) {
  const pprofc_report_options *o = options;
  *r = (struct pipeline_result){.options = *o, .mem = &source->mem, .profile = source};
  r->units.mem = r->mem;
  r->options.mean &= !overrides->sums;
  arena_init(&r->texts, r->mem);
  set_trimming(r, overrides);

  pprofc_status status = label_units_find(source, o->warn, o->warn_context, &r->units, error);
  if (!status) status = set_granularity(r, overrides, error);
  if (!status) status = pipeline_filter(r, false, error);
  if (!status && o->relative_percentages) status = pipeline_filter(r, true, error);
  if (!status) status = set_view(r, overrides->takes_argument, error);
  if (!status && overrides->totals) status = set_totals(r, error);
  if (!status && !o->relative_percentages) status = pipeline_filter(r, true, error);
  if (!status && !overrides->aggregates) status = apply_granularity(r, error);
  return status;
}

void pipeline_free(struct pipeline_result *r) {
  regex_free(r->argument);
  label_units_free(&r->units);
  pprofc_profile_release(r->edited);
  arena_free(&r->texts);
  *r = (struct pipeline_result){.profile = NULL};
}

/* ---- values and graph ------------------------------- */

/* Writes the names of all sample types for an error message, separated by blanks. Truncates a list
 * that does not fit. */
static void value_list_types(const pprofc_profile *profile, char *out, size_t room) {
  size_t size = 0;
  out[0] = '\0';
  for (size_t i = 0; i < profile->type_count && size < room; i++) {
    pprofc_str type = profile_type(profile, i);
    int printed = snprintf(out + size, room - size, "%s%.*s", i ? " " : "", STR_ARG(type));
    if (printed > 0) size += (size_t)printed;
  }
}

/* Returns an error if the profile stores its stacks as a tree that lacks the values of the sample
 * type `index`. */
static pprofc_status value_check(const pprofc_profile *profile, size_t index, pprofc_error *error) {
  const struct stack_tree *tree = profile->samples.tree;
  if (!tree || tree->type == STACK_TREE_ALL || tree->type == index) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the profile was read for another sample type");
}

static pprofc_status value_find(const pprofc_profile *profile, pprofc_str wanted, size_t *index,
                                pprofc_error *error) {
  size_t count = profile->type_count;
  if (!count) return error_set(error, PPROFC_E_INVALID, "profile has no samples");
  *index = profile_find_type(profile, wanted);
  if (*index < count) return PPROFC_OK;
  int64_t number;
  if (str_parse_int(wanted, 10, &number))
    return error_set(error, PPROFC_E_INVALID, "sample_index %.*s is outside the range [0..%zu]",
                     STR_ARG(wanted), count - 1);
  char types[800];
  value_list_types(profile, types, sizeof types);
  return error_set(error, PPROFC_E_INVALID, "sample_index \"%.*s\" must be one of: [%s]",
                   STR_ARG(wanted), types);
}

pprofc_status value_select(const pprofc_profile *profile, pprofc_str wanted, size_t *index,
                           pprofc_error *error) {
  pprofc_status status = value_find(profile, wanted, index, error);
  return status ? status : value_check(profile, *index, error);
}

int64_t value_total(const pprofc_profile *profile, size_t value_index, bool mean) {
  const struct samples *s = &profile->samples;
  struct value_column column = profile_values(profile, value_index);
  struct value_column divisors = mean ? profile_values(profile, 0) : column;
  /* The sums are unsigned, because they must wrap around like sums in Go. */
  uint64_t total = 0, divisor = 0, base_total = 0, base_divisor = 0;
  uint32_t last = NONE; /* label set of the previous sample */
  bool is_base = false;
  for (size_t i = 0; i < s->count; i++) {
    uint64_t value = (uint64_t)number_abs(column.values[i * column.step]);
    uint64_t count = mean ? (uint64_t)divisors.values[i * divisors.step] : 0;
    total += value;
    divisor += count;
    if (s->label_set && s->label_set[i] != last) {
      last = s->label_set[i];
      is_base = label_set_is_base(profile, last);
    }
    if (is_base) {
      base_total += value;
      base_divisor += count;
    }
  }
  if ((int64_t)base_total > 0) {
    total = base_total;
    divisor = base_divisor;
  }
  return divisor ? number_divide((int64_t)total, (int64_t)divisor) : (int64_t)total;
}

bool value_add_sides(const pprofc_profile *profile, int64_t *sums) {
  bool has_negative = false, has_base = profile_has_base(profile);
  for (size_t t = 0; t < profile->type_count; t++) {
    struct value_column column = profile_values(profile, t);
    int64_t *head = &sums[t], *base = &sums[profile->type_count + t], sizes = *head;
    for (size_t i = 0; i < profile->samples.count; i++) {
      int64_t value = column.values[i * column.step];
      if (has_base && sample_is_base(profile, i)) {
        *base = sum_subtract(*base, value);
        continue;
      }
      *head = sum_add(*head, value);
      sizes = sum_add(sizes, number_abs(value));
    }
    has_negative |= !*base && *head != sizes;
    if (!*base) *head = sizes;
  }
  return has_negative;
}

int64_t pipeline_ratio(const struct pipeline_result *result, int64_t value) {
  if (!(result->ratio > 0) || result->ratio == 1) return value;
  return number_from_double((double)value * result->ratio);
}

/* ---- the graph -------------------------------------- */

/* Returns the smallest absolute value of the shown nodes, or 0 if all values are 0. The value of a
 * node is its flat value, or its cumulative value if the flat value is 0. */
static int64_t smallest_value(const struct graph *g) {
  int64_t smallest = 0;
  for (size_t i = 0; i < g->shown_count; i++) {
    const struct graph_node *n = &g->nodes[g->shown[i]];
    int64_t value = number_abs(node_flat(n));
    if (value == 0) value = number_abs(node_cum(n));
    if (value > 0 && (smallest == 0 || value < smallest)) smallest = value;
  }
  return smallest;
}

/* Chooses one unit for all values, so that they are easy to compare. If the option unit is
 * "minimum", chooses the unit by the smallest shown value. */
static pprofc_str choose_unit(const struct pipeline_result *r, const struct graph *g,
                              bool integers) {
  const pprofc_str unit = r->sample_unit, automatic = STR("minimum");
  if (!str_equal(r->output_unit, automatic) || !g->shown_count) return r->output_unit;
  int64_t low = smallest_value(g), high = pipeline_ratio(r, r->total);
  if (low == 0) low = r->total;
  low = pipeline_ratio(r, low);
  struct measure lowest = unit_scale(low, unit, automatic);
  struct measure highest = unit_scale(high, unit, automatic);
  if (!str_equal(lowest.unit, highest.unit) && number_multiply(low, 100) < high && !integers)
    lowest = unit_scale(number_multiply(low, 100), unit, automatic);
  return lowest.unit.size ? lowest.unit : unit;
}

pprofc_status pipeline_graph(const struct pipeline_result *r, unsigned wanted, struct graph *g,
                             pprofc_str *output_unit, pprofc_error *error) {
  const pprofc_report_options *o = &r->options;
  const unsigned threads = o->threads ? o->threads : r->profile->threads;
  struct graph_options options = {
      .frames = {.granularity = &r->granularity,
                 .object_names = wanted & PIPELINE_OBJECTS,
                 .trim_path = o->trim_path,
                 .source_path = o->source_path},
      .value_index = r->value_index,
      .mean = r->mean,
      .call_tree = o->call_tree && (wanted & PIPELINE_CALL_TREE),
      .drop_negative = o->drop_negative,
      .cum_sort = r->cum_sort,
      .visual = wanted & PIPELINE_VISUAL,
      .by_change = wanted & PIPELINE_BY_CHANGE,
      .nodecount = r->nodecount,
      .nodefraction = r->nodefraction,
      .edgefraction = r->edgefraction,
      .want_edges = wanted & (PIPELINE_EDGES | PIPELINE_EDGES_OF_MATCH),
      .want_tags = wanted & PIPELINE_TAGS,
      .want_inline_marks = wanted & PIPELINE_INLINE_MARKS,
      .bytes_unit = label_units_get(&r->units, STR("bytes")),
      .tag_unit = r->output_unit,
      .threads = threads,
  };
  if (wanted & PIPELINE_EDGES_OF_MATCH) options.edges_of = r->argument;
  *output_unit = r->output_unit;
  pprofc_status status = graph_build(g, r->profile, &options, error);
  if (!status) *output_unit = choose_unit(r, g, wanted & PIPELINE_INTEGERS);
  return status;
}

struct graph_summary pipeline_summary(const struct graph *graph) {
  struct graph_summary summary = {.nodes = graph->shown_count,
                                  .nodes_before = graph->nodes_before,
                                  .dropped_nodes = graph->dropped_nodes};
  for (size_t i = 0; i < graph->shown_count; i++)
    summary.shown = sum_add(summary.shown, node_flat(&graph->nodes[graph->shown[i]]));
  if (graph->options.visual) summary.dropped_edges = graph->dropped_edges;
  return summary;
}
