/* Combines benchmark results with profiles: the result is the cost of an operation in a run,
 * the profile shows how the cost splits. */
#ifndef PPROFC_TOOLS_BENCHES_H
#define PPROFC_TOOLS_BENCHES_H

#include "runs.h"
#include "verdict/print/print.h"

/* Reads -bench_base and -bench_head if given, and sets the cost per operation of each run.
 * `shown` becomes the benchmark and the measure, or "". */
pprofc_status benches_match(const pprofc_report_options *options, const struct noise_options *n,
                            struct loaded_runs *runs, char shown[BENCHES_TEXT],
                            pprofc_error *error);

#endif
