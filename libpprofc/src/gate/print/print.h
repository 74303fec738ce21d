/* Prints the rows and the verdict of the gate. Declares the functions that the formats share. */
#ifndef PPROFC_GATE_PRINT_PRINT_H
#define PPROFC_GATE_PRINT_PRINT_H

#include "gate/judge.h"

/* ---- formats ----------------------------------------- */

typedef void gate_printer(struct buffer *out, const struct gate *gate, bool all);

/* An output format. With `all`, `print` also lists rows without a change. */
struct gate_format {
  const char *name;
  gate_printer *print;
  bool totals_inside; /* true if `print` also writes the line of totals */
};

const struct gate_format *gate_format_find(pprofc_str name);

gate_printer gate_print_text, gate_print_github, gate_print_markdown, gate_print_json,
    gate_print_junit, gate_print_csv, gate_print_gitlab;
/* Writes the JSON, and marks its rows so that -budget can drop them (core/brief.h). Returns false
 * when out of memory. */
bool gate_write_json(const struct gate *gate, pprofc_write_fn write, void *context);
/* Prints how much each benchmark varies between two runs of one program, and suggested thresholds.
 */
gate_printer gate_print_noise;

/* ---- shared by the formats --------------------------- */

/* Calls `print` and appends its text. Changes commands of CI systems in the text, so that no CI
 * system runs them. */
void gate_print_guarded(struct buffer *out, const struct gate *gate, bool all, gate_printer *print);

/* Appends "+21.5% [+19.8%, +23.1%] adjusted p=0.0001 n=10+10". */
void gate_print_effect(struct buffer *out, const struct gate *gate, const struct gate_row *row);

/* Appends a value with its unit: "1.025us", "29.3MB/s", "16B". */
void gate_print_value(struct buffer *out, double value, pprofc_str unit);

/* Appends the last line: "N compared, M significant, K regressed, J missing". */
void gate_print_totals(struct buffer *out, const struct gate *gate);

/* Returns the overall result as one or two words: "regression", "pass", "no result" ... */
const char *gate_result_name(const struct gate *gate);

/* Appends the overall result. If it is inconclusive, also appends how many rows could not be
 * judged, and the smallest change that the tests would find. */
void gate_print_result(struct buffer *out, const struct gate *gate);

/* Adds a text to an FNV-1a hash, by which GitLab recognizes a finding in later runs. `print` is the
 * hash of the texts before, or 0. */
uint64_t gate_fingerprint(uint64_t print, pprofc_str text);

/* Returns the rank of a verdict in the order of rows. 0 is the most important verdict. */
int gate_rank(pprofc_gate_verdict verdict);

/* Returns the indices of the rows, sorted by verdict with the worst first. Returns NULL when out of
 * memory. The caller frees the array with mem_free(gate->mem, order, count, sizeof *order). */
size_t *gate_order(const struct gate *gate);

/* True if the report lists the row. With `all`, the report lists every row. */
bool gate_is_listed(const struct gate_row *row, bool all);

/* Appends remarks on a row: doubts about its verdict, drift of its values, the rule that applies.
 */
void gate_print_remarks(struct buffer *out, const struct gate *gate, const struct gate_row *row);

/* Appends the smallest change that a test would find: "4.9%", "none", or "-" if it is unknown. */
void gate_print_visible(struct buffer *out, double visible);

/* Appends a sentence about the smallest changes that the tests of all rows would find, with a line
 * feed. Appends nothing if no row was tested. */
void gate_print_visible_changes(struct buffer *out, const struct gate *gate);

#endif
