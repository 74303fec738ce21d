/* Declares functions that the reports list, disasm and weblist share. These reports are listings of
 * code with the samples of each line. */
#ifndef PPROFC_REPORT_SOURCE_LISTING_H
#define PPROFC_REPORT_SOURCE_LISTING_H

#include "report/report.h"

/* Builds a graph without edges and without trimming. Functions with different object files or start
 * lines get different nodes. If any_order is true, the nodes are not sorted. The caller frees the
 * graph, even after an error. */
pprofc_status listing_graph(const struct report *report, bool any_order, struct graph *graph,
                            pprofc_error *error);

/* Receives the matching functions in order. For each function in a file, listing_walk calls
 * `routine` once, then `line` for each of its lines. The visit ends when a call returns false. */
struct listing_visitor {
  void *context;
  bool (*routine)(void *context, const pprofc_source_routine *routine);
  bool (*line)(void *context, const pprofc_source_line *line);
};

/* Visits the functions that the report -list prints. The texts in the arguments of the visitor are
 * valid until listing_walk returns. */
pprofc_status listing_walk(struct report *report, const struct listing_visitor *visitor,
                           pprofc_error *error);

/* Receives the report -disasm line by line. */
struct disasm_visitor {
  void *context;
  /* Begins a function. `flat` is the sum of its self values. */
  void (*routine)(void *context, pprofc_str name, int64_t flat);
  /* Takes a line without its end. `cum` is the total of an instruction, and NULL for other lines.
   */
  void (*line)(void *context, pprofc_str line, const int64_t *cum);
};

/* Visits the lines of the report -disasm. The texts are valid during the call that passes them. */
pprofc_status disasm_walk(struct report *report, const struct disasm_visitor *visitor,
                          pprofc_error *error);

/* Prints "Total: 10s", without the end of the line. */
void listing_total(const struct report *report, struct output *out);

/* Prints a value right-aligned in a column. Prints "." for 0. */
void listing_value(const struct report *report, struct output *out, int64_t value);

/* Prints "       1ms        2ms (flat, cum)  1.13% of Total", without the end of the line. */
void listing_sums(const struct report *report, struct output *out, int64_t flat, int64_t cum);

/* Prints a line of source or assembly. Keeps tabs. Makes other control bytes visible. */
void listing_text(const struct report *report, struct output *out, pprofc_str line);

/* Makes the -list report with the option source_diff. */
pprofc_status report_list_diff(struct report *report, struct output *out, pprofc_error *error);

#endif
