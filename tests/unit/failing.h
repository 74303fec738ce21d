/* Runs a test repeatedly. In run 1 the first allocation fails, in run 2 the second allocation, and
 * so on. */
#ifndef FAILING_H
#define FAILING_H

#include "faults.h"
#include "pprofc/base.h"

#include <CUnit/Basic.h>

/* The tested code. It creates its inputs, calls failing_arm, and returns the status of the calls
 * after that. */
typedef pprofc_status failing_fn(struct faults *faults, const pprofc_allocator *mem);

/* Starts to count allocations. The allocation to test then fails. */
static inline void failing_arm(struct faults *faults) {
  faults->fail_at = faults->calls + faults->fails_after;
}

/* Returns the number of allocations after failing_arm. For each failed allocation, requires the
 * status PPROFC_E_NOMEM and no leak. */
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
