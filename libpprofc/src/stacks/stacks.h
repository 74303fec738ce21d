/* Stacks for flame graphs and similar reports: a table of frames, and all distinct stacks, root
 * first.
 *
 * Equal stacks are one stack with the sum of their values. The stacks are sorted by their frames.
 * shared[i] is the number of frames that stack i shares with stack i - 1. So the list of stacks is
 * also a prefix tree in preorder. Stack i adds a node for each of its frames after the first
 * shared[i] frames. */
#ifndef PPROFC_STACKS_STACKS_H
#define PPROFC_STACKS_STACKS_H

#include "core/error.h"
#include "profile/profile.h"
#include "stacks/paths.h"

/* Decides which properties of a location's line distinguish frames. */
struct stack_policy {
  bool inlines;  /* true if each inlined call is a frame; false if a location has one frame, the
                    function that contains the inlined calls */
  bool function; /* true if frames with different functions are different frames */
  bool file;
  bool line, column;
  bool address;
  bool inlined; /* true if inlined calls and other calls of a function have different frames */
  bool unnamed_objects; /* true if the name of code without a function is only its binary, without
                           the address */
  const char *trim_path, *source_path; /* values of the options -trim_path and -source_path, or
                                          NULL */
};

/* A frame. If its function is unknown, its name is binary and address: "[libc.so.6] 0x7f10". */
struct stack_frame {
  pprofc_str name, file;
  /* line and column, 0 if unknown; if lines do not distinguish frames, the line is the first line
   * of the function, or if that is unknown, the smallest line in the frame */
  int64_t line, column;
  uint64_t address;
  uint32_t function, mapping; /* index of the first function and mapping of this frame, or NONE */
  bool inlined;
  bool is_line_seen; /* true if the line is the smallest in the frame */
};

/* Follows the line of a frame in text for people, if is_line_seen. */
#define LINE_SEEN " (first line seen)"

struct stack_frames {
  const pprofc_profile *profile; /* profile of the frames; the profile must live as long as the
                                    frames */
  struct arena arena;
  size_t count;
  /* Frames, sorted by name, file, line, column and address. Stacks are sorted by the indices of
   * their frames. The array has space for one more frame (FLAME_FOLDED). */
  struct stack_frame *items;
  /* for each location, the index of its first frame in location_frames */
  uint32_t *location_from;
  uint32_t *location_frames; /* for each location, its frames, outermost first */
};

pprofc_status stack_frames_build(const pprofc_profile *profile, const struct stack_policy *policy,
                                 const pprofc_allocator *mem, struct stack_frames *frames,
                                 pprofc_error *error);
void stack_frames_free(struct stack_frames *frames);

/* Maximum number of frames in all distinct stacks together. frames_permitted has a second limit. */
#define STACK_FRAMES_MAX (UINT64_C(1) << 30)

/* The distinct stacks of one half of the samples, or of all samples. */
struct stack_part {
  struct stack_paths paths;
  int64_t *values;   /* for each stack of `paths`, a row with its values in all columns, head first,
                        then base; base values are negative in the profile, but positive here */
  size_t value_rows; /* number of allocated rows */
};

/* Maximum number of parts. Two threads build the parts of a large set. */
#define STACK_PARTS 2

struct stack_set {
  size_t count;
  uint32_t *depth;       /* for each stack, its depth in frames */
  uint32_t *shared;      /* for each stack, the number of frames that it shares with the previous
                            stack */
  struct path_node *end; /* for each stack, its last node in the paths of its part */
  size_t max_depth;
  bool from_leaf; /* true if the stacks are leaf first; `shared` and the order of the stacks then
                     also begin at the leaf */

  size_t types;   /* number of sample types with values: all types of the profile, or 1 */
  size_t columns; /* number of values for each stack: types, or 2 * types if there are base
                     samples */
  bool has_base;
  uint32_t *row; /* for each stack, the index of its row of values; indices of rows of the second
                    part begin at parts[0].paths.stacks */
  const struct stack_frames *frames;
  struct stack_part parts[STACK_PARTS];
  struct arena arena;
};

/* Selects samples, and selects the frames of their stacks. */
struct stack_selection {
  const uint32_t *samples; /* indices of the selected samples, ascending; NULL: all samples */
  size_t count;            /* number of selected samples */
  size_t max_depth;        /* maximum number of frames, counted from the root; 0: no limit */
  bool one_type;           /* true: keep only the values of sample type `type` */
  size_t type;
  bool from_leaf; /* true: stacks are leaf first, and max_depth does not apply */
};

/* Builds the set of stacks. Drops samples whose values are all 0. Samples with the label
 * pprof::base=true are the base, the other samples are the head. `selection` may be NULL. */
pprofc_status stack_set_build(const struct stack_frames *frames,
                              const struct stack_selection *selection, const pprofc_allocator *mem,
                              struct stack_set *set, pprofc_error *error);
void stack_set_free(struct stack_set *set);

/* Builds the frames and the set of their stacks. Uses two threads for a large profile. The set
 * points to *frames. */
pprofc_status stack_set_and_frames_build(const pprofc_profile *profile,
                                         const struct stack_policy *policy,
                                         const struct stack_selection *selection,
                                         const pprofc_allocator *mem, struct stack_frames *frames,
                                         struct stack_set *set, pprofc_error *error);

/* Sets used[frame] to true for every frame in the set. */
void stack_set_mark(const struct stack_set *set, uint8_t *used);

/* Reads the frames of a stack into `frames`. The first `known` frames are already in `frames`.
 * Returns the number of frames, which is depth[stack]. */
size_t stack_set_read(const struct stack_set *set, size_t stack, uint32_t known, uint32_t *frames);

/* Returns the part that has a stack. Subtracts the index of the part's first row from *row, the row
 * of the stack. */
static inline const struct stack_part *stack_part_of(const struct stack_set *set, size_t *row) {
  size_t first = set->parts[0].paths.stacks;
  if (*row < first) return &set->parts[0];
  *row -= first;
  return &set->parts[1];
}

/* Returns the values of a stack, one for each column. */
static inline const int64_t *stack_values(const struct stack_set *set, size_t stack) {
  size_t row = set->row[stack];
  const struct stack_part *part = stack_part_of(set, &row);
  return part->values + row * set->columns;
}

static inline int64_t stack_head(const struct stack_set *set, size_t stack, size_t type) {
  return stack_values(set, stack)[type];
}

static inline int64_t stack_base(const struct stack_set *set, size_t stack, size_t type) {
  return set->has_base ? stack_values(set, stack)[set->types + type] : 0;
}

#endif
