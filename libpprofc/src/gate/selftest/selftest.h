/* Checks that a gate can fail: plants regressions that it must find. */
#ifndef PPROFC_GATE_SELFTEST_SELFTEST_H
#define PPROFC_GATE_SELFTEST_SELFTEST_H

#include "gate/gate.h"

/* Judges rows with planted regressions under the settings of `gate`, on the day `today` as in
 * gate_judge. If one of them passes, *good is false and the gate has a problem. */
pprofc_status gate_selftest(struct gate *gate, const char *today, bool *good, pprofc_error *error);

#endif
