/* The public function for granularity. */
#include "core/budget.h"
#include "core/options.h"
#include "pprofc/transform.h"
#include "transform/transform.h"

void pprofc_aggregate_options_init(pprofc_aggregate_options *options) {
  *options = (pprofc_aggregate_options){.struct_size = sizeof *options, .granularity = ""};
}

pprofc_status pprofc_aggregate(const pprofc_profile *profile,
                               const pprofc_aggregate_options *options, pprofc_profile **aggregated,
                               pprofc_error *error) {
  pprofc_aggregate_options o;
  struct granularity granularity;
  pprofc_aggregate_options_init(&o);
  pprofc_status status = options_copy(&o, sizeof o, options, "pprofc_aggregate_options", error);
  if (!status) status = profile_need_stacks(profile, error);
  if (status) return status;
  const char *name = o.granularity ? o.granularity : "";
  if (!granularity_parse(name, o.noinlines, o.showcolumns, &granularity))
    return error_set(error, PPROFC_E_INVALID, "invalid \"granularity\" value \"%s\"", name);
  status = transform_granularity(profile, &granularity, aggregated, error);
  return budget_status(&profile->mem, status, error);
}
