/* The values of every stack in every profile, as input of the trends. Stacks are equal if
 * their frames have the same functions, files and lines. Frames without a function are
 * compared by their offset in the binary. */
#ifndef PPROFC_LEAKS_COLLECT_H
#define PPROFC_LEAKS_COLLECT_H

#include "core/map.h"
#include "leaks/names.h"
#include "pprofc/profile.h"

/* The kind of a profile and its columns for the judgement. */
struct leak_source {
  pprofc_str kind;         /* "heap", or the name of a count: "goroutine" */
  pprofc_str unit;         /* "bytes", "count" */
  size_t value, allocated; /* columns; SIZE_MAX if missing */
  bool is_heap;
  bool proves; /* true if each sample is a leak: Go's goroutineleak */
};

/* True if the profile can show leaks; fills *source. */
bool leak_source_of(const pprofc_profile *profile, struct leak_source *source);

struct leak_frame {
  pprofc_str function; /* "libc.so.6+0x1f0" for a frame without a name */
  pprofc_str file;
  int64_t line;
};

/* A location: one frame, or several frames of inlined calls, leaf first. */
struct leak_place {
  const struct leak_frame *frames;
  size_t count;
  bool ignored, all_way; /* name classes of at least one frame, and of all frames */
};

/* The value of a stack in one profile. */
struct leak_cell {
  double value, allocated, sampling, chance;
};

struct leak_stack {
  const uint32_t *places; /* leaf first */
  size_t depth;
  size_t where; /* index in `places` of the first one that is not an allocator */
  bool ignored;
  struct leak_cell *cells; /* [profiles] in the order of adding */
};

struct leak_collection {
  const pprofc_allocator *mem;
  const struct leak_names *names;
  struct leak_source source; /* from the first profile; texts belong to the arena */
  struct arena arena;
  size_t profiles; /* cells of a stack */
  struct interner place_keys;
  struct leak_place *places; /* [place_keys.count] */
  size_t place_capacity;
  struct map map;
  struct leak_stack *stacks;
  size_t stack_count, stack_capacity;
  double *totals; /* [profiles] total allocated in each profile */
};

/* Prepares a collection for `profiles` profiles. */
pprofc_status leak_collection_init(struct leak_collection *c, const pprofc_allocator *mem,
                                   const struct leak_names *names, const struct leak_source *source,
                                   size_t profiles, pprofc_error *error);
void leak_collection_free(struct leak_collection *c);

/* Adds the samples of profile `index`. PPROFC_E_INVALID for a difference of two profiles. */
pprofc_status leak_collection_add(struct leak_collection *c, const pprofc_profile *profile,
                                  const struct leak_source *source, size_t index,
                                  pprofc_error *error);

#endif
