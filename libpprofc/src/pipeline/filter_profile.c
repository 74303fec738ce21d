/* Implements pprofc_filter, which makes a filtered profile from a profile. It runs the pipeline
 * without a granularity and without a graph. */
#include "core/budget.h"
#include "core/options.h"
#include "pipeline/pipeline.h"
#include "transform/edit.h"

/* Returns the profile that the pipeline made and passes its reference to the caller. The caller
 * keeps the profile, so no later edit may write into its memory. */
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
  status = profile_need_stacks(profile, error);
  if (status) return status;
  const pprofc_report_options asked = filters_to_report(&o);
  const struct pipeline_overrides overrides = {.aggregates = true};
  struct pipeline_result result;
  status = pipeline_run(profile, &asked, &overrides, &result, error);
  if (!status) *filtered = filter_take(&result);
  pipeline_free(&result);
  return budget_status(&profile->mem, status, error);
}
