/* Benchmark results: reading what benchmarks write, comparing it, and the statistics behind it.
 *
 * A pprofc_bench is a set of results from any number of inputs. It is filled by reading, then only
 * looked at. The comparison follows golang.org/x/perf/cmd/benchstat: results are projected on
 * tables, rows and columns; a cell holds one sample; every column is compared with the first one of
 * its row. Views point into the object they come from and live as long as it does.
 *
 * A set belongs to one thread while results are read into it. After that any number of threads may
 * look at it, compare it and print it at once. Different sets are independent. */
#ifndef PPROFC_BENCH_H
#define PPROFC_BENCH_H

#include "pprofc/base.h"
#include "pprofc/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reading ----------------------------------------- */

typedef struct pprofc_bench pprofc_bench;

/* An empty set, or NULL when out of memory. `allocator` is copied; NULL for malloc. */
PPROFC_API pprofc_bench *pprofc_bench_new(const pprofc_allocator *allocator);
PPROFC_API void pprofc_bench_free(pprofc_bench *set);

/* Reads one input of any known format, recognised by content: `go test -bench` text, its -json
 * stream, JSON of Google Benchmark, hyperfine, pytest-benchmark, JMH and criterion, CSV with
 * columns name, unit, value. `label` is what .file stands for ("" leaves it unset); `path` names
 * the input in messages. `data` is not needed afterwards. Lines that are wrong give a message
 * (pprofc_bench_messages) and are left out; what makes the whole input useless is an error whose
 * text names path and line. */
PPROFC_API pprofc_status pprofc_bench_read(pprofc_bench *set, const char *label, const char *path,
                                           const void *data, size_t size, pprofc_error *error);

/* Reads command line inputs: `path`, or `label=path`, or "-" for standard input. A path given k > 1
 * times gets the labels path#0 ... path#(k-1). A folder of criterion (target/criterion)
 * stands for every new/sample.json in it. */
PPROFC_API pprofc_status pprofc_bench_read_inputs(pprofc_bench *set, const char *const *inputs,
                                                  size_t count, pprofc_error *error);

/* One benchmark line. Its measurements are [first_value, first_value of the next result). */
typedef struct pprofc_bench_result {
  uint32_t name;   /* string, without "Benchmark" */
  uint32_t config; /* equal numbers: the same configuration */
  uint32_t input;  /* 0 .. pprofc_bench_inputs - 1 */
  uint32_t line;   /* of the input, from 1; 0 when it has no lines */
  int64_t iterations;
  size_t first_value;
} pprofc_bench_result;

/* All results in the order they were read. One more entry follows them: its first_value is
 * the number of measurements.
 */
PPROFC_API const pprofc_bench_result *pprofc_bench_results(const pprofc_bench *set, size_t *count);

/* All measurements, in tidied units (sec/op, not ns/op), and their units; `units` may be NULL. */
PPROFC_API const double *pprofc_bench_values(const pprofc_bench *set, const uint32_t **units,
                                             size_t *count);

PPROFC_API pprofc_str pprofc_bench_string(const pprofc_bench *set, uint32_t string);
PPROFC_API pprofc_str pprofc_bench_unit(const pprofc_bench *set, uint32_t unit);

/* A configuration key at a result ("goos"); empty when it has none. */
PPROFC_API pprofc_str pprofc_bench_result_config(const pprofc_bench *set, size_t result,
                                                 pprofc_str key);

PPROFC_API size_t pprofc_bench_inputs(const pprofc_bench *set);
PPROFC_API pprofc_str pprofc_bench_input_label(const pprofc_bench *set, size_t input);
PPROFC_API pprofc_str pprofc_bench_input_path(const pprofc_bench *set, size_t input);

/* Which way a tidied unit is better: 1 higher, -1 lower, 0 not known. "Unit U better=..." lines
 * come first, then what the unit's form says: times, bytes, allocations lower, anything per second
 * higher. Without memory to look for such lines the form decides. */
PPROFC_API int pprofc_bench_direction(const pprofc_bench *set, pprofc_str unit);

/* What was wrong with lines of the input, in order: PATH:LINE: TEXT. */
typedef struct pprofc_bench_message {
  uint32_t input;
  uint64_t line;
  pprofc_str text;
} pprofc_bench_message;
PPROFC_API const pprofc_bench_message *pprofc_bench_messages(const pprofc_bench *set,
                                                             size_t *count);

/* ---- comparing --------------------------------------- */

typedef enum pprofc_bench_test {
  PPROFC_BENCH_UTEST, /* medians, order-statistic intervals, Mann-Whitney U */
  PPROFC_BENCH_TTEST, /* means, t intervals, Welch's t-test */
  PPROFC_BENCH_NONE   /* medians; every difference counts */
} pprofc_bench_test;

typedef struct pprofc_bench_options {
  size_t struct_size;                     /* set by pprofc_bench_options_init */
  const char *table, *row, *col, *ignore; /* projections: ".config", ".fullname", ".file", "" */
  const char *filter;                     /* "*" */
  double alpha;                           /* a difference counts when p <= alpha: 0.05 */
  double confidence;                      /* of the intervals: 0.95 */
  pprofc_bench_test test;
  bool exact_ties; /* U with ties at unequal sizes: true for the right distribution, false for the
                    * one that benchstat computes (the default) */
  const pprofc_allocator *allocator; /* copied; NULL for malloc */
} pprofc_bench_options;

PPROFC_API void pprofc_bench_options_init(pprofc_bench_options *options);

/* The tables of a set. `set` must outlive them. Syntax errors of projections and filters are
 * PPROFC_E_INVALID, with benchstat's text: query and a caret below it on lines of their own. */
typedef struct pprofc_bench_tables pprofc_bench_tables;
PPROFC_API pprofc_status pprofc_bench_compare(const pprofc_bench *set,
                                              const pprofc_bench_options *options,
                                              pprofc_bench_tables **tables, pprofc_error *error);
PPROFC_API void pprofc_bench_tables_free(pprofc_bench_tables *tables);

/* One sample and what was found out about it. */
typedef struct pprofc_bench_cell {
  size_t row, column;   /* within the table */
  const double *values; /* sorted, NaN first */
  size_t count;         /* at least 1 */
  double center, low,
      high;        /* median, mode or mean, and its interval; infinite where there is none */
  size_t baseline; /* cell of the first column in this row, within the table; SIZE_MAX for none */
  double p;        /* 1 where the test has no answer */
  double alpha;    /* what p is compared with */
  const char *const *notes; /* warnings of the sample, then of the comparison */
  size_t sample_notes, comparison_notes;
  bool nan; /* a NaN is among the values of this cell or its baseline: not comparable */
} pprofc_bench_cell;

typedef struct pprofc_bench_table {
  pprofc_str unit; /* tidied */
  bool exact;      /* assume=exact: the mode, minimum and maximum; every difference counts */
  size_t rows, columns, cells;
  const pprofc_bench_cell *cell; /* cells of them, by row, then column */
} pprofc_bench_table;

PPROFC_API size_t pprofc_bench_table_count(const pprofc_bench_tables *tables);
PPROFC_API pprofc_bench_table pprofc_bench_table_at(const pprofc_bench_tables *tables,
                                                    size_t table);

/* What a row or a column is called: the values of its fields, joined by blanks. */
PPROFC_API pprofc_str pprofc_bench_row_label(const pprofc_bench_tables *tables, size_t table,
                                             size_t row);
PPROFC_API pprofc_str pprofc_bench_column_label(const pprofc_bench_tables *tables, size_t table,
                                                size_t column);

/* Fields of the table's key ("goos", "pkg" ...) but the unit. */
PPROFC_API size_t pprofc_bench_key_count(const pprofc_bench_tables *tables);
PPROFC_API pprofc_str pprofc_bench_key_name(const pprofc_bench_tables *tables, size_t key);
PPROFC_API pprofc_str pprofc_bench_key_value(const pprofc_bench_tables *tables, size_t table,
                                             size_t key);

/* Writes the tables as "text", "csv", "markdown", "json" or "html". Warnings of the csv go to
 * `warn`, which may be NULL. PPROFC_E_INVALID for another format. */
PPROFC_API pprofc_status pprofc_bench_print(const pprofc_bench_tables *tables, const char *format,
                                            pprofc_write_fn write, void *context,
                                            pprofc_write_fn warn, void *warn_context,
                                            pprofc_error *error);

/* ---- the earlier table ------------------------------- */

/* What benchstat printed before 2021: means of what is left after outliers are removed, one table a
 * metric
 * ("time/op"), "old" and "new" side by side when there are two inputs. */
typedef struct pprofc_bench_classic_options {
  size_t struct_size;     /* set by pprofc_bench_classic_options_init */
  pprofc_bench_test test; /* PPROFC_BENCH_UTEST */
  double alpha;           /* a change counts when p < alpha; 0 is 0.05 */
  bool geomean;           /* add a row with the geometric mean of each input */
  bool no_range;          /* csv without the columns of ranges */
  const char *split;      /* labels that results are grouped by: "pkg,goos,goarch" */
  const char *sort; /* "none", "name", "delta", with a minus in front for the other way round */
  const pprofc_allocator *allocator;
} pprofc_bench_classic_options;

PPROFC_API void pprofc_bench_classic_options_init(pprofc_bench_classic_options *options);

/* Makes an empty set keep values as they are spelled, and read benchmark text by the earlier rules:
 * that is what the earlier table is printed from. Call before reading. */
PPROFC_API void pprofc_bench_keep_units(pprofc_bench *set);

/* Prints "text", "csv" or "html". */
PPROFC_API pprofc_status pprofc_bench_print_classic(const pprofc_bench *set,
                                                    const pprofc_bench_classic_options *options,
                                                    const char *format, pprofc_write_fn write,
                                                    void *context, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
