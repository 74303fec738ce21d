/* Printers: the rows and the verdict of the gate in the formats of its output, and what the formats
 * share. */
#ifndef PPROFC_GATE_PRINT_PRINT_H
#define PPROFC_GATE_PRINT_PRINT_H

#include "gate/gate.h"
#include "gate/interval.h"
#include "gate/judge.h"

/* ---- formats ----------------------------------------- */

/* One output format. `all` also lists rows without a change. */
struct gate_format {
  const char *name;
  void (*print)(struct buffer *out, const struct gate *gate, bool all);
  bool totals_inside; /* the last line is the line of totals */
};

/* The format of that name, or NULL. */
const struct gate_format *gate_format_find(pprofc_str name);

void gate_print_text(struct buffer *out, const struct gate *gate, bool all);
void gate_print_github(struct buffer *out, const struct gate *gate, bool all);
void gate_print_markdown(struct buffer *out, const struct gate *gate, bool all);
void gate_print_json(struct buffer *out, const struct gate *gate, bool all);
void gate_print_junit(struct buffer *out, const struct gate *gate, bool all);
void gate_print_csv(struct buffer *out, const struct gate *gate, bool all);
void gate_print_gitlab(struct buffer *out, const struct gate *gate, bool all);
/* For two runs of one program: what each benchmark swings, and thresholds that would hold. */
void gate_print_noise(struct buffer *out, const struct gate *gate, bool all);

/* ---- what formats share ------------------------------ */

/* "+21.5% [+19.8%, +23.1%] adjusted p=0.0001 n=10+10". */
void gate_print_effect(struct buffer *out, const struct gate *gate, const struct gate_row *row);

/* "1.025us", "29.3MB/s", "16B": a value of a unit for people. */
void gate_print_value(struct buffer *out, double value, pprofc_str unit);

/* The last line: "N compared, M significant, K regressed, J missing". */
void gate_print_totals(struct buffer *out, const struct gate *gate);

/* "regressed", "pass" ...: the whole result in a word or two. */
const char *gate_result_name(const struct gate *gate);

/* Rows by verdict, worst first; a permutation of [0, count). NULL when out of memory; free with
 * mem_free(gate->mem, order, count, sizeof *order). */
size_t *gate_order(const struct gate *gate);

/* True for rows that a person is shown; with `all`, for every row. */
bool gate_is_listed(const struct gate_row *row, bool all);

/* The remarks on a row behind its effect: doubt, drift, rule, reason. */
void gate_print_remarks(struct buffer *out, const struct gate *gate, const struct gate_row *row);

/* "4.9%", "none", "-" for what is not known: a smallest visible change. */
void gate_print_visible(struct buffer *out, double visible);

/* What all rows together could have shown, in a sentence and its line feed; nothing when no row was
 * tested. */
void gate_print_sight(struct buffer *out, const struct gate *gate);

#endif
