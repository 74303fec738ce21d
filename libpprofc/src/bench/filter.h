/* Filters: `goos:linux AND (/size:4k OR .unit:/^B/)` on results and on single measurements. */
#ifndef PPROFC_BENCH_FILTER_H
#define PPROFC_BENCH_FILTER_H

#include "bench/extract.h"
#include "bench/query.h"

struct filter;

/* Compiles a query for the extractor's set; strings are added to the extractor. */
pprofc_status filter_compile(struct extractor *extractor, pprofc_str query, struct filter **filter,
                             pprofc_error *error);
void filter_free(struct filter *filter);

/* Selects a result for filter_value. False when the filter rejects it whatever its measurements
 * are. */
bool filter_result(struct filter *filter, size_t result);

/* Whether a measurement of that result is kept; `unit` is an index into the set's units. */
bool filter_value(struct filter *filter, uint32_t unit);

/* True when a regular expression gave up (see regex_tripped). */
bool filter_tripped(const struct filter *filter);

#endif
