/* Compiles the regular expressions of the filters, and applies the filters in pprof's order. */
#include "pipeline/pipeline.h"

const char pipeline_stopped[] = "runtime\\.asyncPreempt";

/* The steps in pprof's order, then the steps of added filters. */
static filter_step *const filter_steps[] = {transform_tag_frames,         transform_names,
                                            transform_show_from,          transform_tags,
                                            transform_tag_keys,           transform_prune_from,
#define STEP_OF(index, name, title, step, ...) transform_##step,
                                            PPROFC_ADDED_FILTERS(STEP_OF)};

void filter_term_free(struct filter_term *term) {
  regex_free(term->regex);
  tag_filter_free(term->tags);
}

pprofc_status filter_term_compile(const struct filter_option *filter, const char *text,
                                  const pprofc_allocator *mem, void (*warn)(void *, const char *),
                                  void *warn_context, struct filter_term *term,
                                  pprofc_error *error) {
  const char *name = filter->option.name;
  pprofc_status status = PPROFC_OK;
  if (filter->flags & FILTER_TAGS)
    status = tag_filter_compile(mem, name, text, warn, warn_context, &term->tags, error);
  else if (filter->flags & FILTER_REGEX)
    status = regex_compile(mem, str_of(text), &term->regex, error);
  if (status && status != PPROFC_E_NOMEM && !(filter->flags & FILTER_TAGS))
    error_prefix(error, "parsing %s regexp: ", name);
  if (!status) term->text = text;
  return status;
}

/* Compiles the filters of a step that are set and have the value `late` of FILTER_LATE. */
static pprofc_status filters_compile(const struct pipeline_result *r, filter_step *step,
                                     unsigned late, struct filter_terms *terms,
                                     pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (unsigned i = 0; i < FILTER_COUNT && !status; i++) {
    const struct filter_option *filter = &filter_options[i];
    const char *text = filter_text(&r->options, (enum filter_index)i);
    if (*text && filter->step == step && (filter->flags & FILTER_LATE) == late)
      status = filter_term_compile(filter, text, r->mem, r->options.warn, r->options.warn_context,
                                   &terms->items[i], error);
  }
  return status;
}

/* True if the filter is compiled, and the step applies it. */
static bool filter_is_in(const struct filter_terms *terms, size_t filter, filter_step *step) {
  return terms->items[filter].text && filter_options[filter].step == step;
}

static void filter_warn(const struct pipeline_result *r, const char *title) {
  char text[64];
  snprintf(text, sizeof text, "%s expression matched no samples", title);
  pipeline_warn(r, true, text);
}

/* Applies the filters of a step. If a late filter is invalid, applies the filters before it, and
 * then returns the error. So the warnings about these filters come first, like in pprof. */
static pprofc_status filters_apply(struct pipeline_result *r, filter_step *step,
                                   struct filter_terms *terms, pprofc_error *error) {
  unsigned matched = 0;
  bool any = false;
  pprofc_profile *edited = NULL;
  pprofc_status late = filters_compile(r, step, FILTER_LATE, terms, error);
  for (size_t i = 0; i < FILTER_COUNT; i++) any |= filter_is_in(terms, i, step);
  if (!any) return late;
  pprofc_status status = step(r->profile, terms, &matched, &edited, late ? NULL : error);
  if (!status) pipeline_take(r, edited);
  for (size_t i = 0; i < FILTER_COUNT && !status; i++)
    if (filter_is_in(terms, i, step) && filter_options[i].title && !(matched >> i & 1))
      filter_warn(r, filter_options[i].title);
  return late ? late : status;
}

pprofc_status pipeline_filter(struct pipeline_result *r, bool others, pprofc_error *error) {
  struct filter_terms terms = {.units = &r->units,
                               .unit = r->options.unit,
                               .keep_frameless = r->options.hide == pipeline_stopped};
  const size_t from = others, to = others ? sizeof filter_steps / sizeof *filter_steps : 1;
  pprofc_status status = PPROFC_OK;
  for (size_t i = from; i < to && !status; i++)
    status = filters_compile(r, filter_steps[i], 0, &terms, error);
  for (size_t i = from; i < to && !status; i++)
    status = filters_apply(r, filter_steps[i], &terms, error);
  for (size_t i = 0; i < FILTER_COUNT; i++) filter_term_free(&terms.items[i]);
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
