/* Readers: comparison tables of any kind, and raw results, to rows of the gate. */
#ifndef PPROFC_GATE_READ_READ_H
#define PPROFC_GATE_READ_READ_H

#include "gate/gate.h"
#include "pprofc/bench.h"

/* Reads a file of comparisons of any kind, recognised by content. `data` must live as long as the
 * gate. Malformed data becomes a problem of the gate; PPROFC_E_NOMEM is the only error. */
pprofc_status gate_read_tables(struct gate *gate, pprofc_str path, pprofc_str data,
                               pprofc_error *error);

/* One reader each, for data that is clean: no colours, no carriage returns, UTF-8. They return
 * PPROFC_E_NO_MATCH when the data holds no such table. */
pprofc_status gate_read_text(struct gate *gate, pprofc_str path, pprofc_str data,
                             pprofc_error *error);
pprofc_status gate_read_csv(struct gate *gate, pprofc_str path, pprofc_str data,
                            pprofc_error *error);
pprofc_status gate_read_classic(struct gate *gate, pprofc_str path, pprofc_str data,
                                pprofc_error *error);
pprofc_status gate_read_markdown(struct gate *gate, pprofc_str path, pprofc_str data,
                                 pprofc_error *error);
pprofc_status gate_read_json(struct gate *gate, pprofc_str path, pprofc_str data,
                             pprofc_error *error);

/* True when the beginning of the data looks like a comparison of any kind. */
bool gate_is_comparison(pprofc_str data);

/* Notes a problem for every line that reports a failed run: "FAIL", "panic:", "benchstat: ...".
 * Returns their number. */
size_t gate_scan_failures(struct gate *gate, pprofc_str path, pprofc_str data);

/* Compares the inputs of `set` that are labelled "base" with those that are labelled "head". The
 * set must live as long as the gate. */
pprofc_status gate_read_raw(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* The same for a set whose results the caller does not need afterwards: they are forgotten before
 * rows are made. */
pprofc_status gate_read_raw_and_forget(struct gate *gate, pprofc_bench *set, pprofc_error *error);

#endif
