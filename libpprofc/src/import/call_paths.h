/* A tree of frames. A call path is a stack: the path from a root of the tree to a frame. Readers
 * use the tree for formats that list each frame once with its caller, and for formats that open and
 * close frames. A stack and the stacks of its callers share memory. */
#ifndef PPROFC_IMPORT_CALL_PATHS_H
#define PPROFC_IMPORT_CALL_PATHS_H

#include "profile/builder.h"

struct call_path {
  uint32_t caller;   /* index of the caller's path, or MAP_NONE at the root */
  uint32_t location; /* location of the innermost frame */
  uint32_t callee;   /* index of the path of the first callee that was entered, or MAP_NONE */
  uint32_t depth;
  uint32_t size;        /* size of `stack` in bytes */
  const uint8_t *stack; /* stack in the builder's encoding, or NULL until a sample needs it */
};

struct call_paths {
  const pprofc_allocator *mem;
  pprofc_builder *builder;
  struct call_path *items;
  size_t count, room;
  uint32_t newest;     /* index of the path that was entered last */
  struct map by_frame; /* hash table of the paths that are not the `callee` of their caller, keyed
                          by caller and location */
  uint32_t *frames;    /* working memory: frames of one stack, leaf first */
  size_t frame_room;
};

void call_paths_init(struct call_paths *paths, const pprofc_allocator *mem,
                     pprofc_builder *builder);
void call_paths_free(struct call_paths *paths);

/* Returns the index of the path that extends the path `caller` by one frame, and adds this path if
 * it is new. If `caller` is MAP_NONE, the frame is a root. Makes the builder fail when out of
 * memory and if the stack is too deep. Returns MAP_NONE if the builder has failed. */
uint32_t call_paths_enter(struct call_paths *paths, uint32_t caller, uint32_t location);

/* Adds a sample with the stack of a path; MAP_NONE means an empty stack. Call it only after
 * call_paths_enter has entered all paths, because the stacks of callers share the memory of the
 * deepest stack. */
void call_paths_sample(struct call_paths *paths, uint32_t path, const int64_t *values);

#endif
