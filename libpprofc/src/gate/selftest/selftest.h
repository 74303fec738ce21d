/* Checks that the gate can fail, with artificial regressions that the gate must find. */
#ifndef PPROFC_GATE_SELFTEST_SELFTEST_H
#define PPROFC_GATE_SELFTEST_SELFTEST_H

#include "gate/gate.h"

/* Judges artificial regressions under the gate's settings. `today`: as in gate_judge. If one
 * passes, sets *good to false and adds a problem. */
pprofc_status gate_selftest(struct gate *gate, const char *today, bool *good, pprofc_error *error);

#endif
