/* Stacks for flame graphs and similar reports: one frame table, and all distinct stacks in order,
 * root first.
 *
 * Equal stacks are one stack with the sum of their values. The stacks are sorted by their frames,
 * and each knows how many frames it shares with the one before it, so the list is the prefix tree
 * of the stacks in preorder: the nodes that stack i adds to the tree are its frames after the
 * first shared[i]. */
#ifndef PPROFC_STACKS_STACKS_H
#define PPROFC_STACKS_STACKS_H

#include "core/error.h"
#include "profile/profile.h"
#include "stacks/paths.h"

/* The properties that make a frame of a line of a location. */
struct stack_policy {
  bool inlines;  /* each inlined call is a frame; false: only the function it was inlined into */
  bool function; /* the properties that distinguish two frames ... */
  bool file;
  bool line, column;
  bool address;
  bool inlined;                        /* ... including inlining */
  const char *trim_path, *source_path; /* the options of these names, or NULL */
};

/* A frame without a function has the name of its object and its address: "[libc.so.6] 0x7f10". */
struct stack_frame {
  pprofc_str name, file;
  int64_t line,
      column; /* 0: unknown; where the policy has no lines, the line where the function begins */
  uint64_t address;
  uint32_t function, mapping; /* the first with these properties, or NONE */
  bool inlined;
};

struct stack_frames {
  const pprofc_profile *profile; /* must live as long as the frames */
  struct arena arena;
  size_t count;
  struct stack_frame *items; /* by name, file, line, column, address: the order of stacks; there is
                                room for one more */
  uint32_t *location_from;   /* [locations + 1] into location_frames */
  uint32_t *location_frames; /* the frames of each location, outermost first */
};

pprofc_status stack_frames_build(const pprofc_profile *profile, const struct stack_policy *policy,
                                 const pprofc_allocator *mem, struct stack_frames *frames,
                                 pprofc_error *error);
void stack_frames_free(struct stack_frames *frames);

/* The frames of all stacks together may not be more than this, so that inlining cannot multiply a
 * small file into something that fits no memory. */
#define STACK_FRAMES_MAX (UINT64_C(1) << 30)

struct stack_set {
  size_t count;
  uint32_t *depth;       /* [count] */
  uint32_t *shared;      /* [count] frames in common with the stack before */
  struct path_node *end; /* [count] last node in `paths` */
  uint32_t *number;      /* [count] row in `values` */
  size_t max_depth;
  bool from_leaf; /* the frames of all stacks come leaf first: so they are sorted and shared */

  size_t types;   /* number of sample types of the profile */
  size_t columns; /* types, or 2 * types when there are base samples */
  bool has_base;
  int64_t *values;   /* rows of [columns]: head, then base with its sign turned so that it is
                        positive */
  size_t value_rows; /* allocated rows */
  const struct stack_frames *frames;
  struct stack_paths paths;
  struct arena arena;
};

/* The samples to use, and the part of their stacks. */
struct stack_selection {
  const uint32_t *samples; /* ascending; NULL: all */
  size_t count;            /* number of stacks */
  size_t max_depth;        /* frames from the root on that count; 0: all */
  bool from_leaf;          /* stacks as their leaves see them; frames are not cut then */
};

/* Samples whose values are all 0 are left out; samples with the label pprof::base=true are the
 * base. `selection` may be NULL. */
pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error);
void stack_set_free(struct stack_set *set);

/* Sets used[frame] of every frame of the set. */
void stack_set_mark(const struct stack_set *set, uint8_t *used);

/* Reads the frames of a stack; returns depth[stack]. */
size_t stack_set_read(const struct stack_set *set, size_t stack, uint32_t *frames);

/* The same if `frames` holds the frames of the stack before: reads only frames not shared. */
size_t stack_set_go_on(const struct stack_set *set, size_t stack, uint32_t *frames);

/* The values of a stack: [columns]. */
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
