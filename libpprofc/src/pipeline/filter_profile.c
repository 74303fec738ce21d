/* The public filters, which turn a profile into another: the pipeline without a value, a
 * granularity or a graph. */
#include "core/budget.h"
#include "core/options.h"
#include "pipeline/pipeline.h"
#include "pprofc/transform.h"
#include "transform/edit.h"

void pprofc_filter_options_init(pprofc_filter_options *options) {
  *options = (pprofc_filter_options){
      .struct_size = sizeof *options,
      .tagroot = "",
      .tagleaf = "",
      .unit = "minimum",
      .focus = "",
      .ignore = "",
      .hide = "",
      .show = "",
      .show_from = "",
      .prune_from = "",
      .tagfocus = "",
      .tagignore = "",
      .tagshow = "",
      .taghide = "",
  };
}

static struct pipeline_options filter_pipeline_options(const pprofc_filter_options *o) {
  struct pipeline_options options;
  pipeline_options_init(&options);
  options.tagroot = o->tagroot;
  options.tagleaf = o->tagleaf;
  options.unit = o->unit;
  options.focus = o->focus;
  options.ignore = o->ignore;
  options.hide = o->hide;
  options.show = o->show;
  options.show_from = o->show_from;
  options.prune_from = o->prune_from;
  options.tagfocus = o->tagfocus;
  options.tagignore = o->tagignore;
  options.tagshow = o->tagshow;
  options.taghide = o->taghide;
  options.warn = o->warn;
  options.warn_context = o->warn_context;
  return options;
}

/* Takes the edited profile out of the result. The caller becomes its holder and keeps using it, so
 * the next edit must not write into it. */
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
  pprofc_filter_options_init(&o);
  pprofc_status status = options_copy(&o, sizeof o, options, "pprofc_filter_options", error);
  if (status) return status;
  status = profile_need_stacks(profile, error);
  if (status) return status;
  const struct pipeline_options asked = filter_pipeline_options(&o);
  const struct pipeline_overrides overrides = {.aggregates = true};
  struct pipeline_result result;
  status = pipeline_run(profile, &asked, &overrides, &result, error);
  if (!status) *filtered = filter_take(&result);
  pipeline_free(&result);
  return budget_status(&profile->mem, status, error);
}
