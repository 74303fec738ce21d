/* Filters results and single measurements: `goos:linux AND (/size:4k OR .unit:/^B/)`. */
#ifndef PPROFC_BENCH_FILTER_H
#define PPROFC_BENCH_FILTER_H

#include "bench/extract.h"
#include "bench/query.h"

struct filter;

/* Compiles a query into a filter for the set of the extractor. May add strings to the extractor. */
pprofc_status filter_compile(struct extractor *extractor, pprofc_str query, struct filter **filter,
                             pprofc_error *error);
void filter_free(struct filter *filter);

/* Selects a result. filter_value then tests its measurements. Returns false if the filter rejects
 * all measurements of the result. */
bool filter_result(struct filter *filter, size_t result);

/* True if the filter keeps a measurement of the selected result. `unit` is an index into the units
 * of the set. */
bool filter_value(struct filter *filter, uint32_t unit);

/* True if a regular expression of the filter exceeded its limits (regex_tripped). */
bool filter_tripped(const struct filter *filter);

#endif
