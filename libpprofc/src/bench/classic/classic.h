/* Declares the tables that benchstat printed before 2021: metrics, rows and their texts. print.c
 * lays them out. */
#ifndef PPROFC_BENCH_CLASSIC_CLASSIC_H
#define PPROFC_BENCH_CLASSIC_CLASSIC_H

#include "bench/set.h"

/* Measurements of a benchmark in a unit, from one input. */
struct classic_metric {
  /* string index of the column's name, index of the benchmark, and string index of the unit */
  uint32_t config, benchmark, unit;
  double *values; /* all values; after `summarize`, only values that are not outliers */
  size_t count, kept, next;
  double least, mean, most; /* minimum, mean and maximum of the values without outliers */
};

struct classic_benchmark {
  uint32_t group, name; /* index in classic.groups, and string index of the benchmark's name */
};

/* Format for the numbers of a row. */
struct classic_scale {
  int digits;
  double divisor;
  bool time; /* true for nanoseconds: values are divided by 1e9 and multiplied by `divisor` */
  char suffix[8];
};

struct classic_row {
  /* name of the benchmark, and name of its group ("" if there is only one group) */
  pprofc_str benchmark, group;
  /* measurements of the benchmark in each column; NULL for a column without the benchmark */
  const struct classic_metric **metrics;
  struct classic_scale scale;
  bool scaled;
  double percent;
  const char *delta; /* printed change; "" if there is no change */
  char note[64];
  int change; /* direction of the change: 1: better, -1: worse */
  size_t index;
};

struct classic_table {
  pprofc_str metric, unit; /* name and unit of the metric, such as "time/op" and "ns/op" */
  struct classic_row *rows;
  size_t row_count;
};

struct classic {
  const struct pprofc_bench *set;
  const pprofc_allocator *mem;
  pprofc_bench_classic_options options;
  struct arena arena;
  uint32_t *input_configs; /* string indices of the names of the inputs */
  uint32_t *configs; /* string indices of the columns' names: input_configs without repetitions */
  size_t config_count;
  struct interner groups;
  uint32_t *units; /* string indices of the units, in order of first use */
  size_t unit_count, unit_capacity;
  struct classic_benchmark *benchmarks;
  size_t benchmark_count, benchmark_capacity;
  struct map benchmark_map;
  uint32_t *order; /* indices of the benchmarks, sorted by group, then in input order */
  struct classic_metric *metrics;
  size_t metric_count, metric_capacity;
  struct map metric_map;
  double *values;
  size_t value_count;
  struct classic_table *tables;
  size_t table_count;
  bool nomem;
};

/* Computes the tables of a set, whose keep_units is true. The caller calls classic_free, even after
 * an error. */
pprofc_status classic_make(struct classic *classic, const struct pprofc_bench *set,
                           const pprofc_bench_classic_options *options, pprofc_error *error);
void classic_free(struct classic *classic);

/* classic_metric_name appends the name of the metric for a unit: "time/op" for "ns/op".
 * classic_scale_of chooses the scale for a value. classic_print_scaled appends a value in a scale.
 */
void classic_metric_name(struct buffer *out, pprofc_str unit);
struct classic_scale classic_scale_of(double value, pprofc_str unit);
void classic_print_scaled(struct buffer *out, const struct classic_scale *scale, double value);

/* Appends the distance from the mean to the minimum or to the maximum, whichever is larger: "3%".
 * Appends nothing if the distance is unknown. */
void classic_print_range(struct buffer *out, const struct classic_metric *metric);

#endif
