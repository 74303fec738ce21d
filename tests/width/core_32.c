/* Tests the tables, numbers and budgets of core/ in a program with 32-bit pointers. */
#include "core/budget.h"
#include "core/go_text.h"
#include "core/map.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(void *) == 4, "compile this with -m32");
_Static_assert(sizeof(off_t) == 8, "files may be larger than 2 GiB");

#define ENTRIES 100000u

static int failures;

static void check(bool good, const char *what) {
  if (good) return;
  printf("%s\n", what);
  failures++;
}

static void check_table(void) {
  struct map map;
  map_init(&map, &mem_default);
  bool inserted = true;
  for (uint32_t i = 0; i < ENTRIES && inserted; i++) inserted = map_insert(&map, hash_mix(0, i), i);
  check(inserted, "a table does not grow");
  for (uint32_t i = 0; i < ENTRIES && inserted; i++) {
    struct map_probe probe = map_start(&map, hash_mix(0, i));
    uint32_t found;
    do found = map_next(&map, &probe);
    while (found != i && found != MAP_NONE);
    check(found == i, "an entry is not found");
  }
  check(!map_reserve(&map, SIZE_MAX), "a table is larger than the address space");
  map_free(&map);
}

/* Checks that fixed_print gives the same text as printf. fixed_print returns 0 for a number that it
 * does not support. */
static void check_numbers(void) {
  for (int i = -1000; i < 1000; i++) {
    char made[FIXED_MAX], expected[400];
    snprintf(expected, sizeof expected, "%.2f", i / 7.0);
    check(!fixed_print(made, i / 7.0, 2) || strcmp(made, expected) == 0, "a number differs");
  }
}

static void check_budget(void) {
  struct budget *budget = budget_new(&mem_default, (uint64_t)1 << 40);
  check(budget_left(budget_allocator(budget)) == (uint64_t)1 << 40, "a budget has 32 bits");
  budget_release(budget);
}

int main(void) {
  check_table();
  check_numbers();
  check_budget();
  return failures != 0;
}
