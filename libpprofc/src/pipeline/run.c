/* Runs the steps of the pipeline in pprof's order (docs/spec/pprof.md, 10). */
#include "pipeline/pipeline.h"

#include "core/log_guard.h"

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

/* Puts "mean_" before the type. */
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

/* Sets the displayed value, the sort order and the argument, and checks them in pprof's order. */
static pprofc_status set_view(struct pipeline_result *r, bool takes_argument, pprofc_error *error) {
  pprofc_status status = set_value(r, error);
  if (!status) status = set_sort(r, error);
  if (!status && takes_argument) status = set_argument(r, error);
  if (!status) r->total = value_total(r->profile, r->value_index, r->mean);
  return status;
}

static pprofc_status set_totals(struct pipeline_result *r, pprofc_error *error) {
  if (r->options.relative_percentages || !filters_any(&r->options, FILTER_ANY)) return PPROFC_OK;
  r->totals = arena_zero_array(&r->texts, 2 * r->profile->type_count, sizeof *r->totals);
  if (!r->totals) return error_nomem(error);
  value_add_sides(r->profile, r->totals);
  return PPROFC_OK;
}

/* ---- the steps --------------------------------------- */

static pprofc_status add_tag_frames(struct pipeline_result *r, pprofc_error *error) {
  const pprofc_report_options *o = &r->options;
  if (!option_is_set(o->tagroot) && !option_is_set(o->tagleaf)) return PPROFC_OK;
  bool root = false, leaf = false;
  pprofc_profile *edited;
  pprofc_status status = transform_tag_frames(r->profile, o->tagroot, o->tagleaf, o->unit, &root,
                                              &leaf, &edited, error);
  if (status) return status;
  pipeline_take(r, edited);
  pipeline_warn(r, option_is_set(o->tagroot) && !root, "TagRoot expression matched no samples");
  pipeline_warn(r, option_is_set(o->tagleaf) && !leaf, "TagLeaf expression matched no samples");
  return PPROFC_OK;
}

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
  arena_init(&r->texts, r->mem);
  set_trimming(r, overrides);

  pprofc_status status = label_units_find(source, o->warn, o->warn_context, &r->units, error);
  if (!status) status = set_granularity(r, overrides, error);
  if (!status) status = add_tag_frames(r, error);
  if (!status && o->relative_percentages) status = pipeline_filter(r, error);
  if (!status) status = set_view(r, overrides->takes_argument, error);
  if (!status && overrides->totals) status = set_totals(r, error);
  if (!status && !o->relative_percentages) status = pipeline_filter(r, error);
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
