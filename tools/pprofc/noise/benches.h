/* Results of benchmarks beside profiles: what a benchmark measured for each operation says how much
 * a run cost, the profile how that splits. */
#ifndef PPROFC_TOOLS_BENCHES_H
#define PPROFC_TOOLS_BENCHES_H

#include "runs.h"

#define BENCHES_TEXT 200

/* Reads -bench_base and -bench_head, when they are there, and gives each run what its results
 * measured for each operation. `shown` becomes the benchmark and the measure, or "". */
pprofc_status benches_match(const struct command *command, struct loaded_runs *runs,
                            char shown[BENCHES_TEXT], pprofc_error *error);

#endif
