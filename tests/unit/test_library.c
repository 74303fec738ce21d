/* Tests libraries that the programs load at their first use. */
#include "common/library.h"
#include "unit.h"

#include <string.h>

TEST(test_a_missing_library_is_named) {
  pprofc_error error;
  CU_ASSERT_EQUAL(library_load("libpprofc-no-such.so.9", "a-package", NULL, 0, &error),
                  PPROFC_E_UNSUPPORTED);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "install the package a-package"));
}

TEST(test_functions_are_found) {
  pprofc_error error;
  double (*cosine)(double) = NULL;
  void (*none)(void) = NULL;
  const struct library_function good[] = {{"cos", &cosine}};
  const struct library_function bad[] = {{"cos", &cosine}, {"pprofc_no_such_function", &none}};
  CU_ASSERT_EQUAL(library_load("libm.so.6", "libc6", good, 1, &error), PPROFC_OK);
  CU_ASSERT_PTR_NOT_NULL_FATAL(cosine);
  CU_ASSERT_EQUAL(cosine(0), 1);
  CU_ASSERT_EQUAL(library_load("libm.so.6", "libc6", bad, 2, &error), PPROFC_E_UNSUPPORTED);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "has no function pprofc_no_such_function"));
}
