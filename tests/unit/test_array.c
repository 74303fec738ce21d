/* Tests arrays that grow. */
#include "core/array.h"
#include "faults.h"
#include "unit.h"

TEST(test_grows_by_doubling_and_keeps_items) {
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

TEST(test_room_that_is_there_is_not_asked_for) {
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

TEST(test_sizes_that_no_machine_has_are_refused) {
  uint64_t *items = NULL;
  size_t capacity = 0;
  CU_ASSERT_FALSE(ARRAY_RESERVE(&mem_default, items, capacity, SIZE_MAX));
  CU_ASSERT_FALSE(ARRAY_RESERVE(&mem_default, items, capacity, SIZE_MAX / 4));
  CU_ASSERT_PTR_NULL(items);
  CU_ASSERT_EQUAL(capacity, 0);
}

TEST(test_what_is_asked_for_at_once_gets_no_more) {
  CU_ASSERT_EQUAL(array_capacity(0, 0), 16);
  CU_ASSERT_EQUAL(array_capacity(16, 17), 32);
  CU_ASSERT_EQUAL(array_capacity(16, 1000), 1000);
  CU_ASSERT_EQUAL(array_capacity(SIZE_MAX / 2 + 1, 1), SIZE_MAX);
}

TEST(test_a_ceiling_is_reached_and_not_passed) {
  uint32_t *items = NULL;
  size_t capacity = 0;
  CU_ASSERT(array_grow(&mem_default, &items, &capacity, 30, 50, sizeof *items));
  CU_ASSERT_EQUAL(capacity, 30);
  CU_ASSERT(array_grow(&mem_default, &items, &capacity, 31, 50, sizeof *items));
  CU_ASSERT_EQUAL(capacity, 50);
  CU_ASSERT_FALSE(array_grow(&mem_default, &items, &capacity, 51, 50, sizeof *items));
  CU_ASSERT_EQUAL(capacity, 50);
  ARRAY_FREE(&mem_default, items, capacity);
}

TEST(test_after_a_failure_the_array_is_what_it_was) {
  struct faults faults = {.fail_at = 1};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
  uint32_t *items = NULL;
  size_t capacity = 0;
  CU_ASSERT_FATAL(ARRAY_RESERVE(&mem, items, capacity, 1));
  items[0] = 7;
  uint32_t *before = items;
  CU_ASSERT_FALSE(ARRAY_RESERVE(&mem, items, capacity, 17));
  CU_ASSERT_PTR_EQUAL(items, before);
  CU_ASSERT_EQUAL(items[0], 7);
  CU_ASSERT_EQUAL(capacity, 16);
  ARRAY_FREE(&mem, items, capacity);
  CU_ASSERT_EQUAL(faults.live, 0);
  CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
}

TEST(test_an_array_in_an_arena_keeps_its_items) {
  struct faults faults = {.fail_at = SIZE_MAX};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
  struct arena arena;
  uint64_t *items = NULL;
  size_t capacity = 0;
  arena_init(&arena, &mem);
  for (size_t count = 0; count < 40000; count++) {
    CU_ASSERT_FATAL(ARRAY_RESERVE_IN(&arena, items, capacity, count + 1));
    items[count] = count;
  }
  for (size_t i = 0; i < 40000; i++) CU_ASSERT_EQUAL(items[i], i);
  size_t before = capacity;
  faults.fail_at = faults.calls;
  CU_ASSERT_FALSE(ARRAY_RESERVE_IN(&arena, items, capacity, 1000000));
  CU_ASSERT_EQUAL(capacity, before);
  CU_ASSERT_EQUAL(items[39999], 39999);
  arena_free(&arena);
  CU_ASSERT_EQUAL(faults.live, 0);
}
