/* Counts the calls of allocators in a callgrind file. Such a file gives a function's name only at
 * its first use, and later only the function's number. A name includes the names of the callers:
 * "malloc'parse'main". */
#include "core/array.h"
#include "simulate/counting.h"

#define IDS_MAX ((uint64_t)1 << 24) /* Function numbers at or above this limit are not stored. */

static const char *const allocators[] = {"malloc",          "calloc",         "realloc",
                                         "aligned_alloc",   "posix_memalign", "memalign",
                                         "runtime.mallocgc"};

/* True if the name, without the callers that follow it, is the name of an allocator. */
static bool is_allocator(pprofc_str name) {
  name = str_slice(name, 0, str_find_char(name, '\''));
  for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
    if (str_equal(name, str_of(allocators[i]))) return true;
  return false;
}

/* Records that the function with this number is an allocator. */
static bool allocations_keep(struct allocations *a, uint64_t id) {
  size_t before = a->capacity;
  if (id >= IDS_MAX || !ARRAY_RESERVE(a->mem, a->known, a->capacity, (size_t)id + 1)) return false;
  memset(a->known + before, 0, a->capacity - before);
  a->known[id] = true;
  return true;
}

/* Reads a function: "(12) malloc'parse", "(12)" or "malloc". Returns true if the function is an
 * allocator. */
static bool allocations_function(struct allocations *a, pprofc_str text) {
  uint64_t id;
  size_t close = str_find_char(text, ')');
  if (!str_starts(text, STR("(")) || close == text.size ||
      !str_parse_uint(str_slice(text, 1, close), 10, &id))
    return is_allocator(text);
  pprofc_str name = str_trim(str_slice(text, close + 1, text.size));
  if (!name.size) return id < a->capacity && a->known[id];
  return is_allocator(name) && allocations_keep(a, id);
}

void allocations_take(struct allocations *a, pprofc_str line) {
  static const pprofc_str function = {"fn=", 3}, callee = {"cfn=", 4}, calls = {"calls=", 6};
  uint64_t count;
  if (str_starts(line, function))
    (void)allocations_function(a, str_slice(line, function.size, line.size));
  else if (str_starts(line, callee))
    a->called = allocations_function(a, str_slice(line, callee.size, line.size));
  else if (a->called && str_starts(line, calls) &&
           str_parse_uint(
               str_slice(line, calls.size,
                         calls.size + str_find_char(str_slice(line, calls.size, line.size), ' ')),
               10, &count))
    a->count += count;
}

void allocations_free(struct allocations *a) {
  ARRAY_FREE(a->mem, a->known, a->capacity);
}
