/* Tests the base library: memory, buffers, hash tables, errors, threads. */
#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "core/mem.h"
#include "core/parallel.h"
#include "unit.h"

/* ---- an allocator that counts and can fail ----------- */

struct budget {
  long left;    /* number of allocations that still succeed */
  size_t bytes; /* allocated bytes, according to the sizes that callers pass */
};

static void *budget_alloc(void *context, size_t size) {
  struct budget *budget = context;
  if (budget->left-- <= 0) return NULL;
  budget->bytes += size;
  return mem_default.alloc(NULL, size);
}

static void *budget_resize(void *context, void *block, size_t old_size, size_t new_size) {
  struct budget *budget = context;
  if (budget->left-- <= 0) return NULL;
  budget->bytes += new_size - old_size;
  return mem_default.resize(NULL, block, old_size, new_size);
}

static void budget_release(void *context, void *block, size_t size) {
  ((struct budget *)context)->bytes -= size;
  mem_default.release(NULL, block, size);
}

static struct budget budget;
static const pprofc_allocator counting = {budget_alloc, budget_resize, budget_release, &budget};

static void begin_budget(long allocations) {
  budget = (struct budget){.left = allocations};
}

/* ---- memory ------------------------------------------ */

TEST(test_sizes_that_overflow_are_refused) {
  begin_budget(100);
  CU_ASSERT_PTR_NULL(mem_array(&counting, SIZE_MAX / 2, 4));
  CU_ASSERT_PTR_NULL(mem_zero_array(&counting, (size_t)PTRDIFF_MAX + 1, 1));
  CU_ASSERT_EQUAL(budget.left, 100);
  int *some = mem_zero_array(&counting, 10, sizeof *some);
  CU_ASSERT_PTR_NOT_NULL_FATAL(some);
  CU_ASSERT_EQUAL(some[9], 0);
  CU_ASSERT_PTR_NULL(mem_resize(&counting, some, 10, SIZE_MAX, sizeof *some));
  mem_free(&counting, some, 10, sizeof *some);
  CU_ASSERT_EQUAL(budget.bytes, 0);
}

TEST(test_nothing_of_something_is_a_block_too) {
  begin_budget(100);
  void *block = mem_array(&counting, 0, 8);
  CU_ASSERT_PTR_NOT_NULL(block);
  mem_free(&counting, block, 0, 8);
  mem_free(&counting, NULL, 10, 8);
  CU_ASSERT_EQUAL(budget.bytes, 0);
}

TEST(test_an_arena_gives_aligned_memory_and_all_of_it_back) {
  begin_budget(1000);
  struct arena arena;
  arena_init(&arena, &counting);
  for (size_t size = 0; size < 400000; size = size * 3 + 1) {
    char *block = arena_alloc(&arena, size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(block);
    CU_ASSERT_EQUAL((uintptr_t)block % _Alignof(max_align_t), 0);
    memset(block, 0x5A, size);
  }
  uint32_t *zeros = arena_zero_array(&arena, 1000, sizeof *zeros);
  CU_ASSERT(zeros && zeros[0] == 0 && zeros[999] == 0);
  CU_ASSERT_PTR_NULL(arena_alloc(&arena, SIZE_MAX));
  CU_ASSERT_PTR_NULL(arena_array(&arena, SIZE_MAX, 2));
  arena_free(&arena);
  CU_ASSERT_EQUAL(budget.bytes, 0);
}

TEST(test_an_arena_string_ends_with_a_nul_that_is_not_counted) {
  struct arena arena;
  arena_init(&arena, &mem_default);
  pprofc_str copy = arena_str(&arena, STR("a\0b"));
  CU_ASSERT(str_equal(copy, STR("a\0b")));
  CU_ASSERT_EQUAL(copy.data[3], '\0');
  copy = arena_str(&arena, (pprofc_str){NULL, 0});
  CU_ASSERT_PTR_NOT_NULL(copy.data);
  CU_ASSERT_EQUAL(copy.size, 0);
  arena_free(&arena);
}

TEST(test_strings_of_an_arena_have_no_gaps_and_other_memory_is_aligned_behind_them) {
  struct arena arena;
  arena_init(&arena, &mem_default);
  pprofc_str first = arena_str(&arena, STR("ab")), second = arena_str(&arena, STR("d"));
  pprofc_str third = arena_str(&arena, STR("ef"));
  CU_ASSERT_PTR_EQUAL(third.data, second.data + 2);
  CU_ASSERT_EQUAL((uintptr_t)arena_alloc(&arena, 1) % _Alignof(max_align_t), 0);
  CU_ASSERT_TRUE(str_equal(first, STR("ab")) && str_equal(third, STR("ef")));
  arena_free(&arena);
}

TEST(test_an_arena_takes_an_array_over_cut_to_what_is_used) {
  begin_budget(1000);
  struct arena arena;
  arena_init(&arena, &counting);
  for (size_t used = 0; used < 2000000; used = used * 7 + 1) { /* resizing copies small buffers */
    uint32_t *items = NULL;
    size_t capacity = 0;
    while (capacity <= used) {
      size_t next = capacity * 2 + 1;
      items = loose_resize(&counting, items, capacity, next, sizeof *items);
      CU_ASSERT_PTR_NOT_NULL_FATAL(items);
      for (size_t i = capacity; i < next; i++) items[i] = (uint32_t)i;
      capacity = next;
    }
    items = arena_take(&arena, items, capacity, used, sizeof *items);
    CU_ASSERT_PTR_NOT_NULL_FATAL(items);
    CU_ASSERT_EQUAL((uintptr_t)items % _Alignof(max_align_t), 0);
    CU_ASSERT_TRUE(!used || items[used - 1] == used - 1);
  }
  CU_ASSERT_PTR_NULL(loose_resize(&counting, NULL, 0, SIZE_MAX, 2));
  arena_free(&arena);
  loose_free(&counting, loose_resize(&counting, NULL, 0, 3, 8), 3, 8);
  loose_free(&counting, NULL, 0, 8);
  CU_ASSERT_EQUAL(budget.bytes, 0);
}

TEST(test_one_buffer_of_an_arena_can_grow) {
  begin_budget(1000);
  struct arena arena;
  arena_init(&arena, &counting);
  CU_ASSERT_PTR_NOT_NULL(arena_alloc(&arena, 100));
  char *block = NULL, *before = NULL;
  size_t size = 0;
  for (size_t next = 10; next < 5000000; next *= 3) {
    block = arena_grow(&arena, block, size, next);
    CU_ASSERT_PTR_NOT_NULL_FATAL(block);
    for (size_t i = 0; i < size; i += 997) CU_ASSERT_EQUAL(block[i], (char)(i % 127));
    for (size_t i = size; i < next; i++) block[i] = (char)(i % 127);
    size = next;
    char *other = arena_alloc(&arena, 64);
    CU_ASSERT_PTR_NOT_NULL_FATAL(other);
    CU_ASSERT_TRUE(!before || before[63] == 0x55); /* the content must stay when the buffer moves */
    memset(other, 0x55, 64);
    before = other;
  }
  CU_ASSERT_PTR_NULL(arena_grow(&arena, block, size, SIZE_MAX));
  arena_free(&arena);
  CU_ASSERT_EQUAL(budget.bytes, 0);
}

TEST(test_a_region_lives_as_long_as_one_that_adopted_it) {
  begin_budget(300000);
  struct region *region = region_new(&counting);
  CU_ASSERT_PTR_NOT_NULL_FATAL(region);
  int *column = arena_alloc(&region->arena, sizeof *column);
  *column = 7;
  /* A chain of edits that would overflow the stack if its release were recursive. */
  for (int i = 0; i < 2000; i++) {
    struct region *child = region_new(&counting);
    CU_ASSERT_FATAL(child && region_adopt(child, region));
    region_release(region);
    region = child;
  }
  CU_ASSERT_EQUAL(*column, 7);
  region_release(region_retain(region));
  CU_ASSERT(budget.bytes > 0);
  region_release(region);
  region_release(NULL);
  CU_ASSERT_EQUAL(budget.bytes, 0);
}

#define PAGES ((size_t)128 * 1024)

/* True if all bytes of a block are 1. */
static bool block_is_whole(const char *block) {
  size_t i = 0;
  while (i < PAGES && block[i] == 1) i++;
  return i == PAGES;
}

TEST(test_pages_between_two_blocks_are_not_given_back) {
  struct region *region = region_new(&mem_default), *other = region_new(&mem_default);
  CU_ASSERT_FATAL(region && other);
  char *low = arena_alloc(&region->arena, PAGES), *between = arena_alloc(&other->arena, PAGES),
       *high = arena_alloc(&region->arena, PAGES);
  CU_ASSERT_FATAL(low && between && high);
  memset(low, 1, PAGES);
  memset(between, 1, PAGES);
  memset(high, 1, PAGES);
  if ((uintptr_t)low > (uintptr_t)high) {
    char *block = low;
    low = high;
    high = block;
  }
  CU_ASSERT(region_discard(region, NULL, low, high + PAGES));
  CU_ASSERT(block_is_whole(low) && block_is_whole(between) && block_is_whole(high));
  CU_ASSERT(region_discard(region, NULL, low, low + PAGES));
  CU_ASSERT_FALSE(region_discard(region, NULL, between, between + PAGES));
  CU_ASSERT(block_is_whole(between) && block_is_whole(high));
  region_release(region);
  region_release(other);
}

TEST(test_memory_that_runs_out_is_told_and_nothing_is_lost) {
  for (long n = 0; n < 40; n++) {
    begin_budget(n);
    struct arena arena;
    struct interner interner;
    struct buffer buffer;
    arena_init(&arena, &counting);
    interner_init(&interner, &counting);
    buffer_init(&buffer, &counting, 1 << 20);
    char text[16];
    for (int i = 0; i < 3000; i++) {
      int length = snprintf(text, sizeof text, "%d", i);
      interner_copy(&interner, &arena, (pprofc_str){text, (size_t)length});
      buffer_add_text(&buffer, text);
    }
    CU_ASSERT_EQUAL(interner_find(&interner, STR("no such")), MAP_NONE);
    CU_ASSERT_EQUAL(buffer.failed, n < 40 && buffer.size < 10890);
    buffer_free(&buffer);
    interner_free(&interner);
    arena_free(&arena);
    CU_ASSERT_EQUAL(budget.bytes, 0);
  }
}

/* ---- buffers ----------------------------------------- */

TEST(test_a_buffer_keeps_its_ceiling_and_its_failure) {
  struct buffer buffer;
  buffer_init(&buffer, &mem_default, 10);
  buffer_add_text(&buffer, "12345");
  buffer_add_fill(&buffer, 'x', 5);
  CU_ASSERT_FALSE(buffer.failed);
  buffer_add_char(&buffer, '!');
  CU_ASSERT_TRUE(buffer.failed);
  buffer_add(&buffer, "", 0);
  CU_ASSERT(str_equal(buffer_str(&buffer), STR("12345xxxxx")));
  buffer_free(&buffer);
}

TEST(test_a_buffer_prints_short_and_long_texts) {
  static char text[5000];
  memset(text, 'y', sizeof text - 1);
  struct buffer buffer;
  buffer_init(&buffer, &mem_default, 100000);
  buffer_printf(&buffer, "%d-%s", 42, "x");
  buffer_printf(&buffer, "%s", text);
  CU_ASSERT_FALSE(buffer.failed);
  CU_ASSERT_EQUAL(buffer.size, 4 + 4999);
  CU_ASSERT(str_starts(buffer_str(&buffer), STR("42-xyyy")));
  CU_ASSERT(str_ends(buffer_str(&buffer), STR("yyy")));
  buffer_clear(&buffer);
  CU_ASSERT_EQUAL(buffer_str(&buffer).size, 0);
  buffer_free(&buffer);
}

/* ---- hash tables ------------------------------------- */

TEST(test_an_interner_numbers_strings_in_order_of_first_use) {
  struct interner interner;
  interner_init(&interner, &mem_default);
  CU_ASSERT_EQUAL(interner_find(&interner, STR("a")), MAP_NONE);
  CU_ASSERT_EQUAL(interner_add(&interner, STR("")), 0);
  CU_ASSERT_EQUAL(interner_add(&interner, STR("b")), 1);
  CU_ASSERT_EQUAL(interner_add(&interner, STR("b\0c")), 2);
  CU_ASSERT_EQUAL(interner_add(&interner, STR("b")), 1);
  CU_ASSERT_EQUAL(interner_find(&interner, STR("b\0c")), 2);
  CU_ASSERT_EQUAL(interner.count, 3);
  interner_free(&interner);
}

TEST(test_an_interner_finds_all_of_many) {
  struct arena arena;
  struct interner interner;
  char text[32];
  arena_init(&arena, &mem_default);
  interner_init(&interner, &mem_default);
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 100000; i++) {
      int length = snprintf(text, sizeof text, "function_%u", i);
      CU_ASSERT_EQUAL_FATAL(interner_copy(&interner, &arena, (pprofc_str){text, (size_t)length}),
                            i);
    }
  CU_ASSERT_EQUAL(interner.count, 100000);
  interner_free(&interner);
  arena_free(&arena);
}

TEST(test_equal_hashes_are_kept_apart_by_the_caller) {
  struct map map;
  map_init(&map, &mem_default);
  CU_ASSERT_TRUE(map_reserve(&map, 100));
  for (uint32_t i = 0; i < 100; i++) CU_ASSERT_TRUE(map_insert(&map, 0, i));
  struct map_probe probe = map_start(&map, 0);
  for (uint32_t i = 0; i < 100; i++) CU_ASSERT_EQUAL(map_next(&map, &probe), i);
  CU_ASSERT_EQUAL(map_next(&map, &probe), MAP_NONE);
  map_free(&map);
  probe = map_start(&map, 0);
  CU_ASSERT_EQUAL(map_next(&map, &probe), MAP_NONE);
}

/* ---- errors and threads ------------------------------ */

TEST(test_an_error_says_what_failed_before_why) {
  pprofc_error error;
  CU_ASSERT_EQUAL(error_at(&error, PPROFC_E_FORMAT, 512, "truncated"), PPROFC_E_FORMAT);
  CU_ASSERT_EQUAL(error.offset, 512);
  error_prefix(&error, "cannot read '%s': ", "x.pb.gz");
  CU_ASSERT_STRING_EQUAL(error.message, "cannot read 'x.pb.gz': truncated");
  CU_ASSERT_EQUAL(error_nomem(NULL), PPROFC_E_NOMEM);
  CU_ASSERT_EQUAL(error_set(&error, PPROFC_E_IO, "%02000d", 1), PPROFC_E_IO);
  CU_ASSERT_EQUAL(strlen(error.message), sizeof error.message - 1);
  error_prefix(&error, "%s", "p");
  CU_ASSERT_EQUAL(strlen(error.message), sizeof error.message - 1);
}

static void mark(void *context, unsigned worker) {
  unsigned *marks = context;
  marks[worker]++;
}

TEST(test_every_worker_runs_once_and_the_ranges_cover_everything) {
  unsigned marks[16] = {0};
  parallel_run(16, mark, marks);
  for (size_t i = 0; i < 16; i++) CU_ASSERT_EQUAL(marks[i], 1);
  CU_ASSERT_EQUAL(parallel_workers(99, 1000000, 1), 16);
  CU_ASSERT_EQUAL(parallel_workers(8, 100, 50), 2);
  CU_ASSERT_EQUAL(parallel_workers(8, 0, 50), 1);
  CU_ASSERT(parallel_workers(0, 1000, 1) >= 1);
  for (size_t items = 0; items < 40; items++)
    for (unsigned workers = 1; workers <= 16; workers++) {
      CU_ASSERT_EQUAL(parallel_from(items, 0, workers), 0);
      CU_ASSERT_EQUAL(parallel_from(items, workers, workers), items);
      for (unsigned w = 0; w < workers; w++)
        CU_ASSERT(parallel_from(items, w, workers) <= parallel_from(items, w + 1, workers));
    }
}

TEST(test_each_status_has_a_name) {
  CU_ASSERT_STRING_EQUAL(pprofc_status_name(PPROFC_OK), "PPROFC_OK");
  CU_ASSERT_STRING_EQUAL(pprofc_status_name(PPROFC_E_CANCELLED), "PPROFC_E_CANCELLED");
  CU_ASSERT_STRING_EQUAL(pprofc_status_name((pprofc_status)99), "unknown status");
}
