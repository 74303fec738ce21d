/* Makes a CUnit program of the tests in a file. Defines main; TEST defines a test and adds it.
 *
 *   TEST(test_empty_string_matches_everything) { CU_ASSERT(...); } */
#ifndef UNIT_H
#define UNIT_H

#include <CUnit/Basic.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static CU_pSuite unit_suite;

/* Adds a test to the only suite. */
static inline void unit_add(const char *name, void (*run)(void)) {
  if (!unit_suite && CU_initialize_registry() == CUE_SUCCESS)
    unit_suite = CU_add_suite("unit", NULL, NULL);
  if (!CU_add_test(unit_suite, name, run)) exit(2);
}

/* Returns the next of a fixed sequence of random numbers, of 31 bits each. */
static inline uint32_t unit_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

#define TEST(function)                                                                             \
  static void function(void);                                                                      \
  __attribute__((constructor)) static void function##_add(void) {                                  \
    unit_add(#function, function);                                                                 \
  }                                                                                                \
  static void function(void)

int main(void) {
#ifdef __GLIBC__
  /* Freed memory stays in the process, so that the kernel need not clear its pages again. */
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
#endif
  CU_basic_set_mode(CU_BRM_NORMAL);
  CU_basic_run_tests();
  unsigned failures = CU_get_number_of_failures();
  CU_cleanup_registry();
  return failures != 0;
}

#endif
