/* Makes a CUnit program in one line: lists the tests of a module, and defines main.
 *
 *   static void test_empty_string_matches_everything(void) { CU_ASSERT(...); }
 *   UNIT_MAIN("regex", UNIT(test_empty_string_matches_everything)) */
#ifndef UNIT_H
#define UNIT_H

#include <CUnit/Basic.h>
#include <stdio.h>

struct unit_test {
  const char *name;
  void (*run)(void);
};

#define UNIT(function)                                                                             \
  { #function, function }

#define UNIT_MAIN(suite_name, ...)                                                                 \
  int main(void) {                                                                                 \
    static const struct unit_test tests[] = {__VA_ARGS__};                                         \
    if (CU_initialize_registry() != CUE_SUCCESS) return 2;                                         \
    CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);                                        \
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                      \
      CU_add_test(suite, tests[i].name, tests[i].run);                                             \
    CU_basic_set_mode(CU_BRM_NORMAL);                                                              \
    CU_basic_run_tests();                                                                          \
    unsigned failures = CU_get_number_of_failures();                                               \
    CU_cleanup_registry();                                                                         \
    return failures != 0;                                                                          \
  }

#endif
