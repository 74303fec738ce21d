/* Arrays that grow. */
#include "core/array.h"
#include "unit.h"

static void test_grows_by_doubling_and_keeps_items(void) {
  uint32_t *items = NULL;
  size_t capacity = 0;
  for (size_t count = 0; count < 1000; count++) {
    CU_ASSERT_FATAL(ARRAY_RESERVE(&mem_default, items, capacity, count + 1));
    CU_ASSERT(capacity >= count + 1 && capacity < 2 * (count + 1) + 16);
    items[count] = (uint32_t)count;
  }
  for (size_t i = 0; i < 1000; i++) CU_ASSERT_EQUAL(items[i], i);
  ARRAY_FREE(&mem_default, items, capacity);
  CU_ASSERT_PTR_NULL(items);
  CU_ASSERT_EQUAL(capacity, 0);
}

static void test_room_that_is_there_is_not_asked_for(void) {
  uint32_t *items = NULL;
  size_t capacity = 0;
  CU_ASSERT(ARRAY_RESERVE(&mem_default, items, capacity, 0));
  CU_ASSERT_PTR_NULL(items);
  CU_ASSERT(ARRAY_RESERVE(&mem_default, items, capacity, 100));
  uint32_t *before = items;
  CU_ASSERT(ARRAY_RESERVE(&mem_default, items, capacity, 100));
  CU_ASSERT_PTR_EQUAL(items, before);
  ARRAY_FREE(&mem_default, items, capacity);
}

static void test_sizes_that_no_machine_has_are_refused(void) {
  uint64_t *items = NULL;
  size_t capacity = 0;
  CU_ASSERT_FALSE(ARRAY_RESERVE(&mem_default, items, capacity, SIZE_MAX));
  CU_ASSERT_FALSE(ARRAY_RESERVE(&mem_default, items, capacity, SIZE_MAX / 4));
  CU_ASSERT_PTR_NULL(items);
  CU_ASSERT_EQUAL(capacity, 0);
}

UNIT_MAIN("array", UNIT(test_grows_by_doubling_and_keeps_items),
          UNIT(test_room_that_is_there_is_not_asked_for),
          UNIT(test_sizes_that_no_machine_has_are_refused))
