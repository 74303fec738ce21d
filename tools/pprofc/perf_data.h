/* perf.data: perf itself reads it, as a child. */
#ifndef PPROFC_TOOLS_PERF_DATA_H
#define PPROFC_TOOLS_PERF_DATA_H

#include "pprofc/profile.h"

/* Whether a file of `perf record` begins like this. */
bool perf_data_is(pprofc_str begin);

/* Reads it by `perf script`, or, where there is no perf, by perf_to_profile, as pprof does. `shown`
 * is what messages call it. */
pprofc_status perf_data_read(const char *path, const char *shown,
                             const pprofc_read_options *options, pprofc_profile **profile,
                             pprofc_error *error);

#endif
