/* One report from start to end: options, filters and granularity in pprof's order (10), then the
 * format's own function. */
#include "core/budget.h"
#include "core/escape.h"
#include "core/log_guard.h"
#include "core/options.h"
#include "report/value.h"

/* What a report owns while it is made. */
struct render {
  struct report report;
  pprofc_report_options options;
  pprofc_profile *edited; /* the newest edit of the profile, or NULL */
  bool trim;
  struct arena texts;
};

/* NULL and "" are the same option. */
static bool is_set(const char *option) {
  return option && *option;
}

static void render_warn(const struct render *r, bool when, const char *message) {
  if (when && r->options.warn) r->options.warn(r->options.warn_context, message);
}

/* ---- steps that edit the profile --------------------- */

/* Makes `edited` the profile of the report. */
static void render_take(struct render *r, pprofc_profile *edited) {
  pprofc_profile_release(r->edited);
  r->edited = edited;
  if (edited->references == 1) edited->disposable = true;
  r->report.profile = edited;
}

static pprofc_status add_tag_frames(struct render *r, pprofc_error *error) {
  const pprofc_report_options *o = &r->options;
  if (!is_set(o->tagroot) && !is_set(o->tagleaf)) return PPROFC_OK;
  bool root = false, leaf = false;
  pprofc_profile *edited;
  pprofc_status status = transform_tag_frames(r->report.profile, o->tagroot, o->tagleaf, o->unit,
                                              &root, &leaf, &edited, error);
  if (status) return status;
  render_take(r, edited);
  render_warn(r, is_set(o->tagroot) && !root, "TagRoot expression matched no samples");
  render_warn(r, is_set(o->tagleaf) && !leaf, "TagLeaf expression matched no samples");
  return PPROFC_OK;
}

/* The compiled filters of a report. */
struct filters {
  struct name_filters names;
  struct regex *show_from, *prune_from, *tagshow, *taghide;
  struct tag_filter *tagfocus, *tagignore;
};

static void filters_free(struct filters *f) {
  struct regex *all[] = {f->names.focus, f->names.ignore, f->names.hide, f->names.show,
                         f->show_from,   f->prune_from,   f->tagshow,    f->taghide};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) regex_free(all[i]);
  tag_filter_free(f->tagfocus);
  tag_filter_free(f->tagignore);
}

static pprofc_status render_compile(const struct render *r, const char *name, const char *text,
                                    struct regex **regex, pprofc_error *error) {
  if (!is_set(text)) return PPROFC_OK;
  pprofc_status status = regex_compile(r->report.mem, str_of(text), regex, error);
  if (status && status != PPROFC_E_NOMEM) error_prefix(error, "parsing %s regexp: ", name);
  return status;
}

static pprofc_status compile_tags(const struct render *r, const char *name, const char *text,
                                  struct tag_filter **filter, pprofc_error *error) {
  if (!is_set(text)) return PPROFC_OK;
  return tag_filter_compile(r->report.mem, name, text, r->options.warn, r->options.warn_context,
                            filter, error);
}

/* Compiles all but tagshow and taghide, which pprof compiles when the others have been applied. */
static pprofc_status compile_filters(const struct render *r, struct filters *f,
                                     pprofc_error *error) {
  const pprofc_report_options *o = &r->options;
  pprofc_status status = render_compile(r, "focus", o->focus, &f->names.focus, error);
  if (!status) status = render_compile(r, "ignore", o->ignore, &f->names.ignore, error);
  if (!status) status = render_compile(r, "hide", o->hide, &f->names.hide, error);
  if (!status) status = render_compile(r, "show", o->show, &f->names.show, error);
  if (!status) status = render_compile(r, "show_from", o->show_from, &f->show_from, error);
  if (!status) status = compile_tags(r, "tagfocus", o->tagfocus, &f->tagfocus, error);
  if (!status) status = compile_tags(r, "tagignore", o->tagignore, &f->tagignore, error);
  if (!status) status = render_compile(r, "prune_from", o->prune_from, &f->prune_from, error);
  return status;
}

static pprofc_status filter_names(struct render *r, const struct filters *f, pprofc_error *error) {
  const struct name_filters *n = &f->names;
  pprofc_profile *edited;
  if (n->focus || n->ignore || n->hide || n->show) {
    struct name_matches matched = {0};
    pprofc_status status = transform_names(r->report.profile, n, &matched, &edited, error);
    if (status) return status;
    render_take(r, edited);
    render_warn(r, n->focus && !matched.focus, "Focus expression matched no samples");
    render_warn(r, n->ignore && !matched.ignore, "Ignore expression matched no samples");
    render_warn(r, n->hide && !matched.hide, "Hide expression matched no samples");
    render_warn(r, n->show && !matched.show, "Show expression matched no samples");
  }
  if (!f->show_from) return PPROFC_OK;
  bool matched = false;
  pprofc_status status =
      transform_show_from(r->report.profile, f->show_from, &matched, &edited, error);
  if (status) return status;
  render_take(r, edited);
  render_warn(r, !matched, "ShowFrom expression matched no samples");
  return PPROFC_OK;
}

static pprofc_status filter_tags(struct render *r, struct filters *f, pprofc_error *error) {
  const pprofc_report_options *o = &r->options;
  pprofc_status status;
  pprofc_profile *edited;
  bool first = false, second = false;
  if (f->tagfocus || f->tagignore) {
    status = transform_tags(r->report.profile, &r->report.units, f->tagfocus, f->tagignore, &first,
                            &second, &edited, error);
    if (status) return status;
    render_take(r, edited);
    render_warn(r, f->tagfocus && !first, "TagFocus expression matched no samples");
    render_warn(r, f->tagignore && !second, "TagIgnore expression matched no samples");
  }
  status = render_compile(r, "tagshow", o->tagshow, &f->tagshow, error);
  if (!status) status = render_compile(r, "taghide", o->taghide, &f->taghide, error);
  if (status || (!f->tagshow && !f->taghide)) return status;
  first = second = false;
  status = transform_tag_keys(r->report.profile, f->tagshow, f->taghide, &first, &second, &edited,
                              error);
  if (status) return status;
  render_take(r, edited);
  render_warn(r, f->tagshow && !first, "TagShow expression matched no samples");
  render_warn(r, f->taghide && !second, "TagHide expression matched no samples");
  return PPROFC_OK;
}

static pprofc_status apply_filters(struct render *r, pprofc_error *error) {
  struct filters f = {0};
  pprofc_status status = compile_filters(r, &f, error);
  if (!status) status = filter_names(r, &f, error);
  if (!status) status = filter_tags(r, &f, error);
  if (!status && f.prune_from) {
    pprofc_profile *edited;
    status = transform_prune_from(r->report.profile, f.prune_from, &edited, error);
    if (!status) render_take(r, edited);
  }
  filters_free(&f);
  return status;
}

static pprofc_status aggregate(struct render *r, pprofc_error *error) {
  const struct granularity *g = &r->report.granularity;
  if (r->report.format->flags & REPORT_AGGREGATES) return PPROFC_OK;
  if (g->address && g->inlines) return PPROFC_OK;
  pprofc_profile *edited;
  pprofc_status status = transform_granularity(r->report.profile, g, &edited, error);
  if (!status) render_take(r, edited);
  return status;
}

/* ---- options ----------------------------------------- */

static pprofc_status apply_overrides(struct render *r, pprofc_error *error) {
  struct report *report = &r->report;
  const pprofc_report_options *o = &r->options;
  unsigned flags = report->format->flags;
  const char *granularity = o->granularity;
  bool noinlines = o->noinlines;
  if (flags & REPORT_FILE_FUNCTIONS && !(granularity && *granularity))
    granularity = "filefunctions";
  if (flags & REPORT_ADDRESSES) granularity = "addresses";
  if (flags & REPORT_LINES) granularity = "lines";
  if (flags & REPORT_NO_INLINES) noinlines = true;
  if (flags & REPORT_INLINES) noinlines = false;
  if (!granularity_parse(granularity ? granularity : "", noinlines, o->showcolumns,
                         &report->granularity))
    return error_set(error, PPROFC_E_INVALID, "invalid \"granularity\" value \"%s\"", granularity);

  bool trim = o->trim && !(flags & REPORT_NO_TRIM);
  int standard = flags & REPORT_ALL_NODES ? 0 : 80;
  report->nodecount = !trim ? 0 : o->nodecount == -1 ? standard : o->nodecount;
  report->nodefraction = trim ? o->nodefraction : 0;
  report->edgefraction = trim ? o->edgefraction : 0;
  return PPROFC_OK;
}

/* Text that goes into a report as it is: control bytes but tabs made visible. */
static bool safe_copy(struct render *r, pprofc_str text, pprofc_str *out) {
  *out = text;
  if (escape_terminal_clean(text)) return true;
  struct buffer buffer;
  buffer_init(&buffer, r->report.mem, SIZE_MAX);
  pprofc_str rest = text, piece;
  while (str_next(&rest, '\t', &piece)) {
    escape_terminal(&buffer, piece, false);
    if (rest.data) buffer_add_char(&buffer, '\t');
  }
  *out = buffer.failed ? STR("") : buffer_keep(&buffer, &r->texts);
  bool done = !buffer.failed && out->data;
  buffer_free(&buffer);
  return done;
}

static pprofc_status render_select_value(struct render *r, pprofc_error *error) {
  struct report *report = &r->report;
  const pprofc_report_options *o = &r->options;
  pprofc_status status =
      value_select(report->profile, str_of(o->sample_index), &report->value_index, error);
  if (status) return status;
  struct value_type shown = report->profile->types[report->value_index];
  report->mean = o->mean;
  report->type = profile_string(report->profile, shown.type);
  if (o->mean) {
    size_t size = report->type.size;
    char *text = arena_alloc(&r->texts, size + 5);
    if (!text) return error_nomem(error);
    memcpy(text, "mean_", 5);
    if (size) memcpy(text + 5, report->type.data, size);
    report->type = (pprofc_str){text, size + 5};
  }
  if (!safe_copy(r, profile_string(report->profile, shown.unit), &report->sample_unit) ||
      !safe_copy(r, str_of(o->unit ? o->unit : ""), &report->output_unit))
    return error_nomem(error);
  return PPROFC_OK;
}

static pprofc_status configure(struct render *r, pprofc_error *error) {
  struct report *report = &r->report;
  const pprofc_report_options *o = &r->options;
  pprofc_status status = render_select_value(r, error);
  if (status) return status;
  if (o->divide_by == 0) return error_set(error, PPROFC_E_INVALID, "zero divisor specified");
  report->ratio = 1 / o->divide_by;
  report->call_tree = o->call_tree;
  report->cum_sort = o->sort && strcmp(o->sort, "cum") == 0;
  if (!report->cum_sort && is_set(o->sort) && strcmp(o->sort, "flat") != 0)
    return error_set(error, PPROFC_E_INVALID, "invalid \"sort\" value \"%s\"", o->sort);
  if (o->cut_depth < 0) return error_set(error, PPROFC_E_INVALID, "cut_depth is below 0");
  if (!(o->min_weight >= 0 && o->min_weight <= 1))
    return error_set(error, PPROFC_E_INVALID, "min_weight is not between 0 and 1");
  if (!(report->format->flags & REPORT_PARAMETER)) return PPROFC_OK;
  const char *argument = o->argument ? o->argument : "";
  status = regex_compile(report->mem, str_of(argument), &report->argument, error);
  if (status && status != PPROFC_E_NOMEM)
    error_prefix(error, "parsing argument regexp %s: ", argument);
  return status;
}

/* ---- the report -------------------------------------- */

static pprofc_status render_prepare(struct render *r, pprofc_error *error) {
  struct report *report = &r->report;
  const pprofc_report_options *o = &r->options;
  pprofc_status status =
      label_units_find(report->profile, o->warn, o->warn_context, &report->units, error);
  if (!status) status = apply_overrides(r, error);
  if (!status) status = add_tag_frames(r, error);
  if (!status && o->relative_percentages) status = apply_filters(r, error);
  if (!status) status = configure(r, error);
  if (status) return status;
  report->total = value_total(report->profile, report->value_index, report->mean);
  if (!o->relative_percentages) status = apply_filters(r, error);
  if (!status) status = aggregate(r, error);
  return status;
}

/* A variant of a drawing is text, too. */
static bool is_log(const struct report *report) {
  bool variant = report->format->info.variants && is_set(report->options->argument);
  return report->format->flags & REPORT_LOG ||
         (variant && strcmp(report->options->argument, "text") == 0);
}

pprofc_status pprofc_report(const pprofc_profile *profile, const pprofc_report_options *options,
                            pprofc_write_fn write, void *context, pprofc_error *error) {
  struct render r = {0};
  pprofc_report_options_init(&r.options);
  pprofc_status status =
      options_copy(&r.options, sizeof r.options, options, "pprofc_report_options", error);
  if (status) return status;
  r.report = (struct report){.options = &r.options, .mem = &profile->mem, .profile = profile};
  r.report.format = report_format_find(r.options.format);
  if (!r.report.format)
    return error_set(error, PPROFC_E_INVALID, "unknown report format \"%s\"",
                     r.options.format ? r.options.format : "");
  arena_init(&r.texts, &profile->mem);
  r.report.units.mem = &profile->mem;

  struct output out;
  struct log_guard guard;
  log_guard_init(&guard, write, context);
  if (is_log(&r.report))
    output_init(&out, log_guard_write, &guard);
  else
    output_init(&out, write, context);
  status = render_prepare(&r, error);
  if (!status) status = r.report.format->render(&r.report, &out, error);
  if (!status) status = output_flush(&out, error);

  regex_free(r.report.argument);
  label_units_free(&r.report.units);
  pprofc_profile_release(r.edited);
  arena_free(&r.texts);
  return budget_status(&profile->mem, status, error);
}
