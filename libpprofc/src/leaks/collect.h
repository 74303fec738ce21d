/* The values of every stack in every profile: what the trends are judged of. Stacks of different
 * profiles are equal when their frames have the same functions, files and lines; frames without a
 * function are told apart by their place in the binary. */
#ifndef PPROFC_LEAKS_COLLECT_H
#define PPROFC_LEAKS_COLLECT_H

#include "core/map.h"
#include "leaks/names.h"
#include "pprofc/profile.h"

/* What kind of profile it is, and which columns count. */
struct leak_source {
  pprofc_str kind;         /* "heap", or the name of what is counted: "goroutine" */
  pprofc_str unit;         /* "bytes", "count" */
  size_t value, allocated; /* columns; SIZE_MAX: none */
  bool is_heap;
  bool proves; /* each of its samples is a leak: Go's goroutineleak */
};

/* Whether leaks can be told from the profile. */
bool leak_source_of(const pprofc_profile *profile, struct leak_source *source);

struct leak_frame {
  pprofc_str function; /* "libc.so.6+0x1f0" when it has no name */
  pprofc_str file;
  int64_t line;
};

/* A location: one frame, or several when functions are inlined. Leaf first. */
struct leak_place {
  const struct leak_frame *frames;
  size_t count;
  bool ignored, all_way; /* of names: some frame, all frames */
};

/* The value of a stack in one profile. */
struct leak_cell {
  double value, allocated, sampling, chance;
};

struct leak_stack {
  const uint32_t *places; /* leaf first */
  size_t depth;
  size_t where; /* index in `places`: the first that is not the way to the memory */
  bool ignored;
  struct leak_cell *cells; /* [profiles] in the order they were added */
};

struct leak_collection {
  const pprofc_allocator *mem;
  const struct leak_names *names;
  struct leak_source source; /* of the first profile; texts are the arena's */
  struct arena arena;
  size_t profiles; /* cells of a stack */
  struct interner place_keys;
  struct leak_place *places; /* [place_keys.count] */
  size_t place_capacity;
  struct map map;
  struct leak_stack *stacks;
  size_t stack_count, stack_capacity;
  double *totals; /* [profiles] of `allocated` */
};

/* `profiles` is how many will be added. */
pprofc_status leak_collection_init(struct leak_collection *c, const pprofc_allocator *mem,
                                   const struct leak_names *names, const struct leak_source *source,
                                   size_t profiles, pprofc_error *error);
void leak_collection_free(struct leak_collection *c);

/* Adds the samples of profile `index`. PPROFC_E_INVALID for a difference of two profiles. */
pprofc_status leak_collection_add(struct leak_collection *c, const pprofc_profile *profile,
                                  const struct leak_source *source, size_t index,
                                  pprofc_error *error);

#endif
