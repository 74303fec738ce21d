/* Stacks for flame graphs and similar reports: one frame table, and all distinct stacks in order,
 * root first.
 *
 * Equal stacks are one stack with the sum of their values. The stacks are sorted by their frames.
 * `shared` is the number of frames that a stack shares with the previous stack. So the list is the
 * prefix tree of the stacks in preorder: stack i adds one node for each frame after its first
 * shared[i]. */
#ifndef PPROFC_STACKS_STACKS_H
#define PPROFC_STACKS_STACKS_H

#include "core/error.h"
#include "profile/profile.h"
#include "stacks/paths.h"

/* Properties of a line of a location that distinguish frames. */
struct stack_policy {
  bool inlines;  /* true if each inlined call is a frame; false: only the function it was inlined
                    into */
  bool function; /* true if functions distinguish two frames */
  bool file;
  bool line, column;
  bool address;
  bool inlined;                        /* true if inlining also distinguishes two frames */
  const char *trim_path, *source_path; /* values of the options -trim_path and -source_path, or
                                          NULL */
};

/* A frame without a function has the name of its object and its address: "[libc.so.6] 0x7f10". */
struct stack_frame {
  pprofc_str name, file;
  /* Line and column, 0 if unknown; the line is the first line of the function if the policy has no
   * lines. */
  int64_t line, column;
  uint64_t address;
  uint32_t function, mapping; /* first function and mapping with these properties, or NONE */
  bool inlined;
};

struct stack_frames {
  const pprofc_profile *profile; /* profile of the frames; it must live as long as the frames */
  struct arena arena;
  size_t count;
  struct stack_frame *items; /* frames sorted by name, file, line, column, address: the order of
                                stacks. The array has room for one more frame */
  uint32_t *location_from;   /* for each location, the index of its first entry in
                                location_frames */
  uint32_t *location_frames; /* frames of each location, outermost first */
};

pprofc_status stack_frames_build(const pprofc_profile *profile, const struct stack_policy *policy,
                                 const pprofc_allocator *mem, struct stack_frames *frames,
                                 pprofc_error *error);
void stack_frames_free(struct stack_frames *frames);

/* Maximum number of frames in all stacks together, so that inlining cannot make a small file
 * fill the memory. */
#define STACK_FRAMES_MAX (UINT64_C(1) << 30)

struct stack_set {
  size_t count;
  uint32_t *depth;       /* depth of each stack, in frames */
  uint32_t *shared;      /* number of frames that each stack shares with the previous stack */
  struct path_node *end; /* last node of each stack in `paths` */
  uint32_t *number;      /* index of each stack's row in `values` */
  size_t max_depth;
  bool from_leaf; /* true if the frames of all stacks come leaf first, and are sorted and shared in
                     this order */

  size_t types;   /* number of sample types with values: all of the profile, or 1 */
  size_t columns; /* number of values of a stack: types, or 2 * types with base samples */
  bool has_base;
  int64_t *values;   /* values of the stacks: rows of all columns, first for the head, then for the
                        base; base values are negated, so they are positive */
  size_t value_rows; /* number of allocated rows */
  const struct stack_frames *frames;
  struct stack_paths paths;
  struct arena arena;
};

/* Selects the samples to use, and the frames of their stacks to keep. */
struct stack_selection {
  const uint32_t *samples; /* indices of the samples to use, ascending; NULL: all samples */
  size_t count;            /* number of stacks */
  size_t max_depth;        /* maximum number of frames from the root; 0: no limit */
  bool one_type;           /* true to keep the values of sample type `type` only */
  size_t type;
  bool from_leaf; /* true for stacks from the leaf; their frames are not cut */
};

/* Builds the set of stacks. Samples whose values are all 0 are dropped. Samples with the label
 * pprof::base=true are the base. `selection` may be NULL. */
pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error);
void stack_set_free(struct stack_set *set);

/* Sets used[frame] of every frame of the set. */
void stack_set_mark(const struct stack_set *set, uint8_t *used);

/* Reads the frames of a stack into `frames` and returns their number, which is depth[stack]. */
size_t stack_set_read(const struct stack_set *set, size_t stack, uint32_t *frames);

/* Works like stack_set_read if `frames` contains the frames of the previous stack: reads only
 * frames that are not shared. */
size_t stack_set_go_on(const struct stack_set *set, size_t stack, uint32_t *frames);

/* Returns the values of a stack, one for each column. */
static inline const int64_t *stack_values(const struct stack_set *set, size_t stack) {
  return set->values + set->number[stack] * set->columns;
}

static inline int64_t stack_head(const struct stack_set *set, size_t stack, size_t type) {
  return stack_values(set, stack)[type];
}

static inline int64_t stack_base(const struct stack_set *set, size_t stack, size_t type) {
  return set->has_base ? stack_values(set, stack)[set->types + type] : 0;
}

#endif
