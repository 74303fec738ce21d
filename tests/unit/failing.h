/* Runs a test repeatedly: first its first allocation fails, then its second, and so on. */
#ifndef FAILING_H
#define FAILING_H

#include "faults.h"
#include "pprofc/base.h"

#include <CUnit/Basic.h>

/* The tested code. It makes its inputs, calls failing_arm, and returns the status of the calls that
 * follow. */
typedef pprofc_status failing_fn(struct faults *faults, const pprofc_allocator *mem);

/* Starts to count allocations; the chosen allocation then fails. */
static inline void failing_arm(struct faults *faults) {
  faults->fail_at = faults->calls + faults->fails_after;
}

/* Returns the number of allocations after failing_arm. For each failed allocation, requires the
 * status PPROFC_E_NOMEM and that no block is lost. */
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
