/* The table of the benchstat before 2021: metrics, rows and their texts, before layout. */
#ifndef PPROFC_BENCH_CLASSIC_CLASSIC_H
#define PPROFC_BENCH_CLASSIC_CLASSIC_H

#include "bench/set.h"
#include "core/buffer.h"
#include "core/output.h"

/* One benchmark's measurements in one unit from one input. */
struct classic_metric {
  uint32_t config, benchmark, unit; /* strings, but the benchmark, which is an index */
  double *values;                   /* all of them, then only those that are no outliers */
  size_t count, kept, next;
  double least, mean, most; /* of what is kept */
};

struct classic_benchmark {
  uint32_t group, name; /* indices of the groups' names; string */
};

/* How the numbers of one row are written. */
struct classic_scale {
  int digits;
  double divisor;
  bool time; /* nanoseconds: divided by 1e9 first */
  char suffix[8];
};

struct classic_row {
  pprofc_str benchmark, group;           /* the group is empty when there is only one */
  const struct classic_metric **metrics; /* one an input, NULL where it has none */
  struct classic_scale scale;
  bool scaled;
  double percent;
  const char *delta; /* "" for none */
  char note[64];
  int change; /* 1 better, -1 worse */
  size_t index;
};

struct classic_table {
  pprofc_str metric, unit; /* "time/op", "ns/op" */
  struct classic_row *rows;
  size_t row_count;
};

struct classic {
  const struct pprofc_bench *set;
  const pprofc_allocator *mem;
  pprofc_bench_classic_options options;
  struct arena arena;
  uint32_t *input_configs; /* strings: what each input is called */
  uint32_t *configs;       /* the same without repetitions of a label: the columns */
  size_t config_count;
  struct interner groups;
  uint32_t *units; /* strings, in order of first use */
  size_t unit_count, unit_capacity;
  struct classic_benchmark *benchmarks;
  size_t benchmark_count, benchmark_capacity;
  struct map benchmark_map;
  uint32_t *order; /* of the benchmarks: by group, then as they came */
  struct classic_metric *metrics;
  size_t metric_count, metric_capacity;
  struct map metric_map;
  double *values;
  size_t value_count;
  struct classic_table *tables;
  size_t table_count;
  bool nomem;
};

/* Computes the tables of a set that keeps its units. classic_free is needed after a failure, too.
 */
pprofc_status classic_make(struct classic *classic, const struct pprofc_bench *set,
                           const pprofc_bench_classic_options *options, pprofc_error *error);
void classic_free(struct classic *classic);

/* "time/op" for "ns/op". Appends. */
void classic_metric_name(struct buffer *out, pprofc_str unit);
struct classic_scale classic_scale_of(double value, pprofc_str unit);
void classic_print_scaled(struct buffer *out, const struct classic_scale *scale, double value);

/* "3%": the distance of the extremes from the mean; nothing when it is unknown. */
void classic_print_range(struct buffer *out, const struct classic_metric *metric);

#endif
