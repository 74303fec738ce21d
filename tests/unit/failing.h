/* Runs a test with its first allocation failing, then with its second, and so on. */
#ifndef FAILING_H
#define FAILING_H

#include "faults.h"
#include "pprofc/base.h"

#include <CUnit/Basic.h>

/* What is tested. It makes its inputs, calls failing_arm, and returns the status of what follows.
 */
typedef pprofc_status failing_fn(struct faults *faults, const pprofc_allocator *mem);

/* From here on allocations are counted, and the one that is to fail does. */
static inline void failing_arm(struct faults *faults) {
  faults->fail_at = faults->calls + faults->fails_after;
}

/* Returns how many allocations there are after failing_arm. Each that fails must make the status
 * PPROFC_E_NOMEM, and no block may be lost. */
static inline size_t failing_each(failing_fn *run) {
  size_t failed = 0;
  for (; failed < 10000; failed++) {
    struct faults faults = {.fail_at = SIZE_MAX, .fails_after = failed};
    pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
    pprofc_status status = run(&faults, &mem);
    CU_ASSERT_EQUAL(faults.live, 0);
    CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
    if (faults.calls <= faults.fail_at) {
      CU_ASSERT_EQUAL(status, PPROFC_OK);
      break;
    }
    if (status != PPROFC_E_NOMEM)
      printf("\nallocation %zu fails, and the status is %d\n", failed, status);
    CU_ASSERT_EQUAL(status, PPROFC_E_NOMEM);
  }
  return failed;
}

#endif
