/* Checks that the gate can fail, with artificial regressions that the gate must find. */
#ifndef PPROFC_GATE_SELFTEST_SELFTEST_H
#define PPROFC_GATE_SELFTEST_SELFTEST_H

#include "gate/gate.h"

/* Judges artificial rows with regressions under the settings of `gate`. `today` is the same as in
 * gate_judge. If the gate misses a regression, sets *good to false and adds a problem to the gate.
 */
pprofc_status gate_selftest(struct gate *gate, const char *today, bool *good, pprofc_error *error);

#endif
