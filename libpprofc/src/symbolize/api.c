/* Implements the public functions for symbolization. The functions find the binaries first, then
 * the names. */
#include "core/budget.h"
#include "core/options.h"
#include "pprofc/symbolize.h"
#include "symbolize/symbolize.h"

void pprofc_symbolize_options_init(pprofc_symbolize_options *options) {
  *options = (pprofc_symbolize_options){
      .struct_size = sizeof *options,
      .mode = "",
      .tools = "",
      .search_path = "",
      .executable = "",
      .build_id = "",
  };
}

pprofc_status pprofc_symbolize(const pprofc_profile *profile,
                               const pprofc_symbolize_options *options, pprofc_profile **symbolized,
                               pprofc_error *error) {
  pprofc_symbolize_options o;
  pprofc_profile *located = NULL;
  pprofc_status status = OPTIONS_COPY(pprofc_symbolize_options, &o, options, error);
  if (status) return status;
  struct symbolize_options wanted = {
      .mode = o.mode,
      .tools = o.tools,
      .search_path = o.search_path,
      .executable = o.executable,
      .build_id = o.build_id,
      .warn = o.warn,
      .warn_context = o.warn_context,
  };
  status = symbolize_locate(profile, &wanted, &located, error);
  if (!status) status = symbolize_profile(located, &wanted, symbolized, error);
  pprofc_profile_release(located);
  return budget_status(&profile->mem, status, error);
}
