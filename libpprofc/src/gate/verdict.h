/* Finds the verdict on one row from two tables of conditions. Only the judge uses them. */
#ifndef PPROFC_GATE_VERDICT_H
#define PPROFC_GATE_VERDICT_H

#include "gate/judge.h"

/* Returns the verdict that needs no test: ignored, missing, new ...; GATE_UNCHANGED if the row
 * must be compared. `decides` is the rule that ignores or accepts the row, or NULL. */
enum gate_verdict verdict_without_test(const struct gate *gate, const struct gate_row *row,
                                       const struct gate_rule *decides);

/* Returns the verdict from the comparison of both sides. */
enum gate_verdict verdict_of(const struct gate *gate, const struct gate_row *row,
                             const struct gate_rule *decides);

/* True if the comparison found a change that counts, for the better or the worse. */
bool verdict_is_decided(enum gate_verdict verdict);

#endif
