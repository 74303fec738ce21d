/* Combines benchmark results with profiles. A result gives the cost of an operation in a run, and
 * the profile gives each function's share of this cost. */
#ifndef PPROFC_TOOLS_BENCHES_H
#define PPROFC_TOOLS_BENCHES_H

#include "runs.h"
#include "verdict/print/print.h"

/* Reads the files of -bench_base and -bench_head, and sets the cost per operation of each run.
 * Writes the names of the benchmark and of its unit to `shown`, or "" without these flags. */
pprofc_status benches_match(const pprofc_report_options *options, const struct noise_options *n,
                            struct loaded_runs *runs, char shown[BENCHES_TEXT],
                            pprofc_error *error);

#endif
