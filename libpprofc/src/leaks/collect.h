/* Collects the values of every stack in every profile, for the search for leaks. Stacks are equal
 * if their frames have the same functions, files and lines. Frames without a function are compared
 * by their offset in the binary. */
#ifndef PPROFC_LEAKS_COLLECT_H
#define PPROFC_LEAKS_COLLECT_H

#include "core/error.h"
#include "core/map.h"
#include "core/mem.h"
#include "pprofc/profile.h"

enum leak_list {
  LEAK_LIST_HEAP,   /* ignored in heap profiles */
  LEAK_LIST_COUNTS, /* ignored in goroutine profiles and other counts */
  /* Functions of allocators: skipped from the leaf on to find the line that allocates. */
  LEAK_LIST_WAY,
  LEAK_LISTS
};

/* A row of the built-in table of function names. */
struct leak_name {
  enum leak_list list;
  const char *pattern; /* Go regular expression for the name of a function */
  const char *why;
};

/* Returns a row of the built-in table, or NULL after the last row. */
const struct leak_name *leak_name_at(size_t index);

struct leak_names {
  struct regex *lists[LEAK_LISTS];
};

/* Compiles the built-in table and the patterns `more`. Stacks that match a pattern of `more` are
 * ignored in all profiles. The caller frees *names, also after an error. */
pprofc_status leak_names_init(struct leak_names *names, const pprofc_allocator *mem,
                              const char *const *more, size_t more_count, pprofc_error *error);
void leak_names_free(struct leak_names *names);

bool leak_names_has(const struct leak_names *names, enum leak_list list, pprofc_str function);

/* The kind of a profile, and the columns in which leaks are searched. */
struct leak_source {
  pprofc_str kind; /* "heap", or the name of a count such as "goroutine" */
  pprofc_str unit; /* unit of the values: "bytes", "count" */
  /* Columns of the values in use and of the total allocated; SIZE_MAX if missing. */
  size_t value, allocated;
  bool is_heap;
  bool proves; /* true if each sample is a proved leak, as in Go's goroutineleak profile */
};

/* True if the profile can show leaks. Fills *source. */
bool leak_source_of(const pprofc_profile *profile, struct leak_source *source);

struct leak_frame {
  pprofc_str function; /* name of the function; "[libc.so.6]+0x1f0" if it has no name */
  pprofc_str file;
  int64_t line;
};

/* A location: one frame, or several frames of inlined calls, leaf first. */
struct leak_place {
  const struct leak_frame *frames;
  size_t count;
  /* ignored: true if the name of a frame is on the ignore list of the profile's kind. all_way: true
   * if all frames are functions of allocators. */
  bool ignored, all_way;
};

/* Values of a stack in one profile, in bytes or as a count: the value in use, the total allocated,
 * the sampling variance of the value, and the variance that the value has if objects come and go at
 * random. */
struct leak_cell {
  double value, allocated, sampling, chance;
};

struct leak_stack {
  const uint32_t *places; /* locations of the stack, as indices in leak_collection.places */
  size_t depth;
  size_t where; /* index of the first location from the leaf that is not an allocator */
  bool ignored;
  struct leak_cell *cells; /* values of the stack in each profile, in the order of the profiles */
};

struct leak_collection {
  const pprofc_allocator *mem;
  const struct leak_names *names;
  struct leak_source source; /* kind and columns of the first profile; the arena owns its texts */
  struct arena arena;
  size_t profiles; /* number of profiles, and of cells of each stack */
  struct interner place_keys;
  struct leak_place *places; /* distinct locations, in the order of their keys in `place_keys` */
  size_t place_capacity;
  struct map map;
  struct leak_stack *stacks;
  size_t stack_count, stack_capacity;
  double *totals; /* total allocated in each profile */
};

/* Prepares a collection for `profiles` profiles. */
pprofc_status leak_collection_init(struct leak_collection *c, const pprofc_allocator *mem,
                                   const struct leak_names *names, const struct leak_source *source,
                                   size_t profiles, pprofc_error *error);
void leak_collection_free(struct leak_collection *c);

/* Adds the samples of profile `index`. Returns PPROFC_E_INVALID for a difference of two profiles.
 */
pprofc_status leak_collection_add(struct leak_collection *c, const pprofc_profile *profile,
                                  const struct leak_source *source, size_t index,
                                  pprofc_error *error);

#endif
