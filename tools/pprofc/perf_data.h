/* Reads perf.data files by running perf. */
#ifndef PPROFC_TOOLS_PERF_DATA_H
#define PPROFC_TOOLS_PERF_DATA_H

#include "pprofc/profile.h"

/* True if a file of `perf record` begins like this. */
bool perf_data_is(pprofc_str begin);

/* Reads it with `perf script` or, without perf, with perf_to_profile, as pprof does. `shown`
 * is its name in messages. */
pprofc_status perf_data_read(const char *path, const char *shown,
                             const pprofc_read_options *options, pprofc_profile **profile,
                             pprofc_error *error);

#endif
