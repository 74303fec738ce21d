/* Declares the flags of benchstatc. */
#ifndef BENCHSTATC_OPTIONS_H
#define BENCHSTATC_OPTIONS_H

#include "common/flags.h"
#include "pprofc/bench.h"

struct benchstat_options {
  const char *table, *row, *col, *ignore, *filter;
  double alpha, confidence;
  const char *delta_test, *format;
  const char *split, *sort;
  uint64_t brief_bytes; /* size limit of the report in bytes; 0: the whole report */
  char brief_more[128]; /* command that prints a longer report */
  bool geomean, html, csv, norange;
  struct about about;
};

extern const struct flag_table options_table;

/* options_test converts -delta-test to a value of the library. options_sort_is_known checks -sort.
 * Both return false for an unknown word. */
bool options_test(const struct benchstat_options *options, pprofc_bench_test *test);
bool options_sort_is_known(const struct benchstat_options *options);

/* Returns the name of a given flag that needs -format=classic, or NULL if no such flag was given.
 */
const char *options_needs_classic(const struct flags_parsed *parsed);

void options_compare(const struct benchstat_options *options, pprofc_bench_options *compare);
void options_classic(const struct benchstat_options *options,
                     pprofc_bench_classic_options *classic);

#endif
