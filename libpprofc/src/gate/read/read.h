/* Reads comparison tables of any format, and raw results, into rows of the gate (row.h). */
#ifndef PPROFC_GATE_READ_READ_H
#define PPROFC_GATE_READ_READ_H

#include "gate/gate.h"
#include "pprofc/bench.h"

/* Reads a file with comparisons. Detects the format from the content. `data` must live as long as
 * the gate. Malformed data becomes a problem of the gate. The only error is PPROFC_E_NOMEM. */
pprofc_status gate_read_tables(struct gate *gate, pprofc_str path, pprofc_str data,
                               pprofc_error *error);

/* A reader of a format. `data` is UTF-8 without colours and carriage returns. Returns
 * PPROFC_E_NO_MATCH if the data has no table in this format. */
typedef pprofc_status gate_table_reader(struct gate *gate, pprofc_str path, pprofc_str data,
                                        pprofc_error *error);
gate_table_reader gate_read_text, gate_read_csv, gate_read_classic, gate_read_markdown,
    gate_read_json;

/* True if the beginning of the data looks like a comparison in any format. */
bool gate_is_comparison(pprofc_str data);

/* Adds a problem for every line that reports a failed run: "FAIL", "panic:", "benchstat: ...".
 * Returns the number of these lines. */
size_t gate_scan_failures(struct gate *gate, pprofc_str path, pprofc_str data);

/* Compares the inputs of `set` labelled "base" with the inputs labelled "head". The set must live
 * as long as the gate. */
pprofc_status gate_read_raw(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* Does the same as gate_read_raw, but frees the results of the set before it makes rows. */
pprofc_status gate_read_raw_and_free(struct gate *gate, pprofc_bench *set, pprofc_error *error);

struct pairs;

/* Divides times and rates by the speed that all benchmarks of a round share, if this reduces their
 * noise. Adds a row for the geometric mean if the mean regressed. Returns false when out of memory.
 */
bool gate_take_speeds(struct gate *gate, struct pairs *pairs);

#endif
