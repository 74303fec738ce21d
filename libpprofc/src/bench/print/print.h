/* Declares the output formats of comparison tables, and the functions that the formats share. */
#ifndef PPROFC_BENCH_PRINT_PRINT_H
#define PPROFC_BENCH_PRINT_PRINT_H

#include "bench/tables.h"

struct printer {
  const struct pprofc_bench_tables *tables;
  struct output *out;
  struct output *warn; /* output for warnings; NULL: drop warnings */
  struct buffer scratch;
  bool failed; /* true if memory ran out */
};

typedef void table_printer(struct printer *printer);

struct print_format {
  const char *name;
  table_printer *print;
  bool is_log; /* true for text that may appear in a CI log, so that its lines must not be CI
                  commands */
};

table_printer print_text, print_csv, print_markdown, print_json, print_html;

/* Returns the line "key: value" that precedes table i, for a field of the table key. The `data` of
 * the result is NULL if the previous table has the same value. `field` is an index in display
 * order. */
pprofc_str print_key_line(struct printer *printer, size_t i, size_t field);

/* Each function returns a text about a cell, valid until the next call. print_range: the larger
 * distance from the center (median or mean) to an end of the interval ("12%", "?" or the infinity
 * sign). print_delta: the change ("+12.34%", "~", "?", "0.00%"). print_comparison: the result of
 * the test ("p=0.002 n=6", "n=6+5"). Only print_range accepts a cell without a baseline. */
pprofc_str print_range(struct printer *printer, const pprofc_bench_cell *cell);
pprofc_str print_delta(struct printer *printer, const struct table *table,
                       const pprofc_bench_cell *cell);
pprofc_str print_comparison(struct printer *printer, const struct table *table,
                            const pprofc_bench_cell *cell, bool parentheses);

/* Returns the value of a field in the key of a column, as text. */
pprofc_str print_column_value(const struct printer *printer, const struct table *table,
                              size_t column, size_t field);

/* Returns the first output column for a column of results. The row labels take one output column.
 * The first column of results takes `each` output columns, and each later column twice as many. */
static inline size_t print_start(size_t column, size_t each) {
  return column ? 1 + each + (column - 1) * 2 * each : 1;
}

void print_csv_field(struct output *out, pprofc_str field);

/* Largest possible difference between the ranks of two rows with significant changes. */
#define PRINT_RANKS 200

/* Returns the rank of a row: if -budget shortens the report, rows with the lowest rank are dropped
 * first. A row without a significant change has the rank 1. A larger significant change gives a
 * higher rank. */
int print_rank(const struct table *table, const pprofc_bench_cell *from,
               const pprofc_bench_cell *to);

/* Begins a row that -budget may drop. */
void print_mark(struct output *out, int rank);

/* The footnotes of a table. Equal texts have the same number. */
struct footnotes {
  const pprofc_allocator *mem;
  const char **texts;
  size_t count, capacity;
  bool failed; /* true if memory ran out, so that a note is missing */
};
void footnotes_free(struct footnotes *notes);
/* Returns the number of a footnote's text, counted from 1; 0 when out of memory. */
size_t footnotes_number(struct footnotes *notes, const char *text);

/* Appends the change of a column's geometric mean, such as "+1.23%". Appends "?" if it is unknown.
 */
void print_summary_ratio(struct buffer *out, const struct table_summary *summary);

void print_superscript(struct buffer *out, size_t number);

/* Returns the scale that all centers (medians or means) of a row share. */
struct unit_scale print_row_scale(const pprofc_bench_cell *first, const pprofc_bench_cell *end,
                                  bool binary);

#endif
