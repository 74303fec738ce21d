/* Compiles the regular expressions of the filters, and applies the filters in pprof's order. */
#include "pipeline/pipeline.h"

const char pipeline_stopped[] = "runtime\\.asyncPreempt";

struct filters {
  struct regex *regex[FILTER_COUNT]; /* compiled filters; NULL if the filter is not set */
  struct tag_filter *tagfocus, *tagignore;
};

static void filters_free(struct filters *f) {
  for (size_t i = 0; i < FILTER_COUNT; i++) regex_free(f->regex[i]);
  tag_filter_free(f->tagfocus);
  tag_filter_free(f->tagignore);
}

/* ---- compiling --------------------------------------- */

static pprofc_status filters_compile_one(const struct pipeline_result *r, struct filters *f,
                                         enum filter_index filter, pprofc_error *error) {
  const char *text = filter_text(&r->options, filter);
  if (!*text) return PPROFC_OK;
  pprofc_status status = regex_compile(r->mem, str_of(text), &f->regex[filter], error);
  if (status && status != PPROFC_E_NOMEM)
    error_prefix(error, "parsing %s regexp: ", filter_options[filter].name);
  return status;
}

static pprofc_status filters_compile(const struct pipeline_result *r, struct filters *f,
                                     enum filter_index first, enum filter_index last,
                                     pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (unsigned i = first; i <= last && !status; i++)
    status = filters_compile_one(r, f, (enum filter_index)i, error);
  return status;
}

static pprofc_status filters_compile_tags(const struct pipeline_result *r, enum filter_index index,
                                          struct tag_filter **filter, pprofc_error *error) {
  const char *text = filter_text(&r->options, index);
  if (!*text) return PPROFC_OK;
  return tag_filter_compile(r->mem, filter_options[index].name, text, r->options.warn,
                            r->options.warn_context, filter, error);
}

/* Compiles all filters except tagshow and taghide, because pprof compiles these two only after it
 * has applied the other filters. */
static pprofc_status filters_compile_first(const struct pipeline_result *r, struct filters *f,
                                           pprofc_error *error) {
  pprofc_status status = filters_compile(r, f, FILTER_FOCUS, FILTER_SHOW_FROM, error);
  if (!status) status = filters_compile_tags(r, FILTER_TAGFOCUS, &f->tagfocus, error);
  if (!status) status = filters_compile_tags(r, FILTER_TAGIGNORE, &f->tagignore, error);
  if (!status) status = filters_compile(r, f, FILTER_PRUNE_FROM, FILTER_PRUNE_FROM, error);
  return status;
}

/* ---- applying ---------------------------------------- */

pprofc_status pipeline_filtered(struct pipeline_result *r, pprofc_status status,
                                pprofc_profile *edited, enum filter_index first, unsigned count,
                                unsigned matched) {
  char text[64];
  if (status) return status;
  pipeline_take(r, edited);
  for (unsigned i = 0; i < count; i++) {
    bool set = *filter_text(&r->options, first + i);
    snprintf(text, sizeof text, "%s expression matched no samples",
             filter_options[first + i].title);
    pipeline_warn(r, set && !(matched >> i & 1), text);
  }
  return PPROFC_OK;
}

static pprofc_status apply_names(struct pipeline_result *r, const struct filters *f,
                                 pprofc_error *error) {
  const struct name_filters n = {.focus = f->regex[FILTER_FOCUS],
                                 .ignore = f->regex[FILTER_IGNORE],
                                 .hide = f->regex[FILTER_HIDE],
                                 .show = f->regex[FILTER_SHOW],
                                 .keep_frameless = r->options.hide == pipeline_stopped};
  if (!n.focus && !n.ignore && !n.hide && !n.show) return PPROFC_OK;
  unsigned matched = 0;
  pprofc_profile *edited = NULL;
  pprofc_status status = transform_names(r->profile, &n, &matched, &edited, error);
  return pipeline_filtered(r, status, edited, FILTER_FOCUS, 4, matched);
}

static pprofc_status apply_show_from(struct pipeline_result *r, const struct filters *f,
                                     pprofc_error *error) {
  struct regex *from = f->regex[FILTER_SHOW_FROM];
  if (!from) return PPROFC_OK;
  unsigned matched = 0;
  pprofc_profile *edited = NULL;
  pprofc_status status = transform_show_from(r->profile, from, &matched, &edited, error);
  return pipeline_filtered(r, status, edited, FILTER_SHOW_FROM, 1, matched);
}

static pprofc_status apply_tags(struct pipeline_result *r, const struct filters *f,
                                pprofc_error *error) {
  if (!f->tagfocus && !f->tagignore) return PPROFC_OK;
  unsigned matched = 0;
  pprofc_profile *edited = NULL;
  pprofc_status status =
      transform_tags(r->profile, &r->units, f->tagfocus, f->tagignore, &matched, &edited, error);
  return pipeline_filtered(r, status, edited, FILTER_TAGFOCUS, 2, matched);
}

/* Applies tagshow and taghide. If taghide is invalid, applies tagshow before it returns the error.
 * So the warnings about tagshow come first, like in pprof. */
static pprofc_status apply_tag_keys(struct pipeline_result *r, struct filters *f,
                                    pprofc_error *error) {
  pprofc_status status = filters_compile(r, f, FILTER_TAGSHOW, FILTER_TAGSHOW, error);
  if (status) return status;
  pprofc_error hide_error;
  pprofc_status hide_status = filters_compile(r, f, FILTER_TAGHIDE, FILTER_TAGHIDE, &hide_error);
  struct regex *show = f->regex[FILTER_TAGSHOW], *hide = f->regex[FILTER_TAGHIDE];
  if (hide_status && error) *error = hide_error;
  if (!show && !hide) return hide_status;
  unsigned matched = 0;
  pprofc_profile *edited = NULL;
  pprofc_error *unless = hide_status ? NULL : error;
  status = transform_tag_keys(r->profile, show, hide, &matched, &edited, unless);
  status = pipeline_filtered(r, status, edited, FILTER_TAGSHOW, hide_status ? 1 : 2, matched);
  return hide_status ? hide_status : status;
}

static pprofc_status apply_prune_from(struct pipeline_result *r, const struct filters *f,
                                      pprofc_error *error) {
  struct regex *from = f->regex[FILTER_PRUNE_FROM];
  if (!from) return PPROFC_OK;
  pprofc_profile *edited = NULL;
  pprofc_status status = transform_prune_from(r->profile, from, &edited, error);
  return pipeline_filtered(r, status, edited, FILTER_PRUNE_FROM, 0, 0);
}

pprofc_status pipeline_filter(struct pipeline_result *r, pprofc_error *error) {
  struct filters f = {.tagfocus = NULL};
  pprofc_status status = filters_compile_first(r, &f, error);
  if (!status) status = apply_names(r, &f, error);
  if (!status) status = apply_show_from(r, &f, error);
  if (!status) status = apply_tags(r, &f, error);
  if (!status) status = apply_tag_keys(r, &f, error);
  if (!status) status = apply_prune_from(r, &f, error);
  filters_free(&f);
  return status;
}

bool filters_may_read(const pprofc_profile *profile, const pprofc_report_options *options) {
  const struct samples *s = &profile->samples;
  bool may = !s->tree || !filters_any(options, FILTER_CUTS);
  for (size_t i = 0; s->tree && i < s->segment_count; i++)
    may = may && (s->tree[i].labels || !filters_any(options, FILTER_LABELS));
  return may;
}

/* ---- the public function ------------------------------ */

/* Returns the filtered profile, whose reference passes to the caller. Forbids later edits to write
 * into the memory of this profile, because the caller keeps it. */
static pprofc_profile *filter_take(struct pipeline_result *result) {
  pprofc_profile *edited = result->edited;
  if (!edited) return edit_same(result->profile);
  if (edited->disposable) edited->disposable = false;
  result->edited = NULL;
  return edited;
}

pprofc_status pprofc_filter(const pprofc_profile *profile, const pprofc_filter_options *options,
                            pprofc_profile **filtered, pprofc_error *error) {
  pprofc_filter_options o;
  pprofc_status status = OPTIONS_COPY(pprofc_filter_options, &o, options, error);
  if (status) return status;
  const pprofc_report_options asked = filters_to_report(&o);
  if (!filters_may_read(profile, &asked)) return profile_need_stacks(profile, error);
  const struct pipeline_overrides overrides = {.aggregates = true};
  struct pipeline_result result;
  status = pipeline_run(profile, &asked, &overrides, &result, error);
  if (!status) *filtered = filter_take(&result);
  pipeline_free(&result);
  return budget_status(&profile->mem, status, error);
}
