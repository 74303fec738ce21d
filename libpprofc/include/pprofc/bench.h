/* Reads benchmark results, compares them, and prints the comparison.
 *
 * A pprofc_bench is a set of results from any number of inputs. After reading it does not change.
 * The comparison follows golang.org/x/perf/cmd/benchstat: projections assign each result to a
 * table, a row and a column. The results with the same table, row and column are one sample, which
 * is a cell of the table. The comparison compares each cell with the first cell of its row. Texts
 * and arrays belong to the object that returned them, and are valid until that object is freed.
 *
 * A set belongs to one thread while results are read into it. After that any number of threads may
 * read it, compare it and print it at once. Different sets are independent. */
#ifndef PPROFC_BENCH_H
#define PPROFC_BENCH_H

#include "pprofc/base.h"
#include "pprofc/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reading ----------------------------------------- */

/* A set of benchmark results. */
typedef struct pprofc_bench pprofc_bench;

/* Returns an empty set, or NULL when out of memory. The set copies `allocator`; NULL means malloc.
 * Free the set with pprofc_bench_free. */
PPROFC_API pprofc_bench *pprofc_bench_new(const pprofc_allocator *allocator);

/* Frees a set, and all texts and arrays that it returned. Free the tables of the set first. */
PPROFC_API void pprofc_bench_free(pprofc_bench *set);

/* Reads one input. Recognises its format by the content: `go test -bench` text and its -json
 * stream; JSON of Google Benchmark, hyperfine, pytest-benchmark, JMH and criterion; CSV with
 * columns name, unit, value. `label` becomes the value of the configuration key .file; "" leaves
 * the key unset. `path` names the input in messages. The caller may free `data` afterwards. Skips
 * each wrong line and adds a message about it (pprofc_bench_messages). Errors: PPROFC_E_FORMAT for
 * an input that is unusable as a whole, with path and line; PPROFC_E_NOMEM; PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_bench_read(pprofc_bench *set, const char *label, const char *path,
                                           const void *data, size_t size, pprofc_error *error);

/* Reads inputs that are named as on a command line: `path`, `label=path`, or "-" for standard
 * input. If a path occurs k > 1 times, its inputs get the labels path#0 to path#(k-1). If a path is
 * a criterion folder (target/criterion), reads every new/sample.json in it. Errors: as for
 * pprofc_bench_read; PPROFC_E_IO. */
PPROFC_API pprofc_status pprofc_bench_read_inputs(pprofc_bench *set, const char *const *inputs,
                                                  size_t count, pprofc_error *error);

/* Result of one benchmark line. Its measurements are in the array of pprofc_bench_values. They
 * begin at index first_value and end before first_value of the next result. */
typedef struct pprofc_bench_result {
  uint32_t name; /* name without the prefix "Benchmark", as an index for pprofc_bench_string */
  /* number that identifies the configuration; results with equal configurations have equal
   * numbers */
  uint32_t config;
  uint32_t input;     /* index of the input: 0 .. pprofc_bench_inputs - 1 */
  uint32_t line;      /* line of the input, from 1; 0 if the input has no lines */
  int64_t iterations; /* number of iterations that the line states */
  size_t first_value; /* index of the first measurement in pprofc_bench_values */
} pprofc_bench_result;

/* Returns all results in the order in which they were read. Sets *count to their number. The array
 * has an additional last entry, whose first_value is the number of measurements. The array is valid
 * until the next read. */
PPROFC_API const pprofc_bench_result *pprofc_bench_results(const pprofc_bench *set, size_t *count);

/* Returns all measurements in tidied units (sec/op, not ns/op). Sets *count to their number. Sets
 * *units to an array with the unit index of each measurement; `units` may be NULL. Both arrays are
 * valid until the next read. */
PPROFC_API const double *pprofc_bench_values(const pprofc_bench *set, const uint32_t **units,
                                             size_t *count);

/* Returns the text of a string index, for example of pprofc_bench_result.name. */
PPROFC_API pprofc_str pprofc_bench_string(const pprofc_bench *set, uint32_t string);

/* Returns the tidied name of a unit index: "sec/op". */
PPROFC_API pprofc_str pprofc_bench_unit(const pprofc_bench *set, uint32_t unit);

/* Returns the value of a configuration key ("goos") for the result at index `result`. Returns "" if
 * the key is not set. */
PPROFC_API pprofc_str pprofc_bench_result_config(const pprofc_bench *set, size_t result,
                                                 pprofc_str key);

/* The first function returns the number of inputs. The second returns the label of an input, and
 * the third returns its path. */
PPROFC_API size_t pprofc_bench_inputs(const pprofc_bench *set);
PPROFC_API pprofc_str pprofc_bench_input_label(const pprofc_bench *set, size_t input);
PPROFC_API pprofc_str pprofc_bench_input_path(const pprofc_bench *set, size_t input);

/* Returns the direction of a unit without a prefix ("sec/op"): 1 if higher is better, -1 if lower
 * is better, 0 if unknown. Uses the lines "Unit U better=..." of the inputs, else the spelling of
 * the unit. By its spelling, lower is better for times, bytes and allocations, and higher is better
 * for anything per second. When out of memory, uses only the spelling. */
PPROFC_API int pprofc_bench_direction(const pprofc_bench *set, pprofc_str unit);

/* A message about a wrong line of the input: PATH:LINE: TEXT. */
typedef struct pprofc_bench_message {
  uint32_t input;  /* index of the input */
  uint64_t line;   /* line of the input, from 1; 0 for the whole input */
  pprofc_str text; /* reason, without path and line */
} pprofc_bench_message;

/* Returns all messages in the order of the inputs. Sets *count to their number. */
PPROFC_API const pprofc_bench_message *pprofc_bench_messages(const pprofc_bench *set,
                                                             size_t *count);

/* ---- comparing --------------------------------------- */

/* Test of the difference between two samples. The test also determines the center of a sample
 * (median or mean) and the confidence interval of the center. */
typedef enum pprofc_bench_test {
  PPROFC_BENCH_UTEST, /* Mann-Whitney U test; the center is the median, and the interval's bounds
                         are values of the sample */
  PPROFC_BENCH_TTEST, /* Welch's t-test; the center is the mean, with an interval by Student's t */
  PPROFC_BENCH_NONE   /* no test: every difference counts as significant; the center is the
                         median */
} pprofc_bench_test;

/* Settings of a comparison. The caller owns the strings during the call. */
typedef struct pprofc_bench_options {
  size_t struct_size;                     /* set by pprofc_bench_options_init */
  const char *table, *row, *col, *ignore; /* benchstat projections: `table`, `row` and `col` give
                                             each result its table, row and column; `ignore` lists
                                             the keys to ignore; defaults: ".config", ".fullname",
                                             ".file" and "" */
  const char *filter;                     /* benchstat filter that selects the results to keep,
                                             default "*" (all) */
  double alpha;                           /* p-value up to which a difference is significant,
                                             default 0.05 */
  double confidence;                      /* confidence level of the intervals, default 0.95 */
  pprofc_bench_test test;                 /* test of differences, default PPROFC_BENCH_UTEST */
  bool exact_ties; /* true: use the correct distribution of U for samples of unequal sizes with
                      ties; default false: use benchstat's distribution */
  const pprofc_allocator *allocator; /* allocator of the tables; the library copies the struct; NULL
                                        for malloc */
} pprofc_bench_options;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_bench_options_init(pprofc_bench_options *options);

/* The tables of a comparison: one for each pair of a unit and a value of the projection `table`. */
typedef struct pprofc_bench_tables pprofc_bench_tables;

/* Compares the results of a set. The set must outlive the tables. `options` may be NULL. Free
 * *tables with pprofc_bench_tables_free. Errors: PPROFC_E_INVALID for a syntax error in a
 * projection or the filter, with benchstat's message (it shows the query, and a caret below the
 * error); PPROFC_E_NOMEM; PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_bench_compare(const pprofc_bench *set,
                                              const pprofc_bench_options *options,
                                              pprofc_bench_tables **tables, pprofc_error *error);

/* Frees tables, their cells and their texts. */
PPROFC_API void pprofc_bench_tables_free(pprofc_bench_tables *tables);

/* A sample and its statistics, in the unit of the table. */
typedef struct pprofc_bench_cell {
  size_t row, column;       /* indices within the table */
  const double *values;     /* values of the sample in ascending order, NaN first */
  size_t count;             /* number of values, at least 1 */
  double center, low, high; /* center of the sample (median, mode or mean), and the bounds of its
                               confidence interval; a missing bound is infinite */
  size_t baseline; /* index of the baseline (the cell of this row in the first column) in the
                      table's array of cells; SIZE_MAX if the row has no baseline */
  double p;        /* p-value of the comparison with the baseline; 1 if the test gives no result */
  double alpha;    /* significance level with which p is compared */
  const char *const *notes;              /* texts of warnings: first about the sample, then about
                                            the comparison */
  size_t sample_notes, comparison_notes; /* number of warnings about the sample, and about the
                                            comparison */
  bool nan; /* true if this cell or its baseline has a NaN value; the two then cannot be compared */
} pprofc_bench_cell;

/* A table: all cells with one unit and one value of the projection `table`. */
typedef struct pprofc_bench_table {
  pprofc_str unit; /* unit of the values, tidied: "sec/op" */
  bool exact;      /* true if a "Unit" line of the input has assume=exact; the center is then the
                      mode, the interval is the range, and every difference is significant */
  size_t rows, columns, cells;   /* number of rows, of columns and of cells */
  const pprofc_bench_cell *cell; /* cells, sorted by row, then by column */
} pprofc_bench_table;

/* The first function returns the number of tables. The second returns the table at an index. */
PPROFC_API size_t pprofc_bench_table_count(const pprofc_bench_tables *tables);
PPROFC_API pprofc_bench_table pprofc_bench_table_at(const pprofc_bench_tables *tables,
                                                    size_t table);

/* The first function returns the label of a row, the second the label of a column. A label consists
 * of the values of the projection's keys, separated by spaces. */
PPROFC_API pprofc_str pprofc_bench_row_label(const pprofc_bench_tables *tables, size_t table,
                                             size_t row);
PPROFC_API pprofc_str pprofc_bench_column_label(const pprofc_bench_tables *tables, size_t table,
                                                size_t column);

/* Functions for the key of a table. The key has fields such as "goos" and "pkg"; the unit is not a
 * field. The first function returns the number of fields. The second returns the name of a field.
 * The third returns the value of a field for one table. */
PPROFC_API size_t pprofc_bench_key_count(const pprofc_bench_tables *tables);
PPROFC_API pprofc_str pprofc_bench_key_name(const pprofc_bench_tables *tables, size_t key);
PPROFC_API pprofc_str pprofc_bench_key_value(const pprofc_bench_tables *tables, size_t table,
                                             size_t key);

/* Writes the tables as "text", "csv", "markdown", "json" or "html". `warn` receives the warnings of
 * "csv"; it may be NULL. Errors: PPROFC_E_INVALID for another format, PPROFC_E_NOMEM, PPROFC_E_IO
 * when a callback fails. */
PPROFC_API pprofc_status pprofc_bench_print(const pprofc_bench_tables *tables, const char *format,
                                            pprofc_write_fn write, void *context,
                                            pprofc_write_fn warn, void *warn_context,
                                            pprofc_error *error);

/* ---- the earlier table ------------------------------- */

/* Options of the tables that benchstat printed before 2021. The tables show means without outliers.
 * Each metric ("time/op") has its own table. With two inputs, the columns are "old" and "new". */
typedef struct pprofc_bench_classic_options {
  size_t struct_size;     /* set by pprofc_bench_classic_options_init */
  pprofc_bench_test test; /* test of differences, default PPROFC_BENCH_UTEST */
  double alpha;           /* p-value below which a change is significant; 0 means 0.05 */
  bool geomean;           /* true: add a row with the geometric mean of each input */
  bool no_range;          /* true: omit the columns of ranges in csv */
  const char *split;      /* labels by which results are grouped, default "pkg,goos,goarch" */
  const char *sort;       /* order of rows: "none" (default), "name" or "delta"; a leading minus
                             reverses the order */
  const pprofc_allocator *allocator; /* allocator for printing; the library copies the struct; NULL
                                        for malloc */
} pprofc_bench_classic_options;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_bench_classic_options_init(pprofc_bench_classic_options *options);

/* Prepares an empty set for pprofc_bench_print_classic: the set keeps values in their original
 * units, and reads benchmark text by the rules of benchstat before 2021. Call this function before
 * reading. */
PPROFC_API void pprofc_bench_keep_units(pprofc_bench *set);

/* Writes tables like benchstat before 2021, as "text", "csv" or "html". `options` may be NULL.
 * Errors: PPROFC_E_INVALID for another format, PPROFC_E_NOMEM, PPROFC_E_IO when `write` fails. */
PPROFC_API pprofc_status pprofc_bench_print_classic(const pprofc_bench *set,
                                                    const pprofc_bench_classic_options *options,
                                                    const char *format, pprofc_write_fn write,
                                                    void *context, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
