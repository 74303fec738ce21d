/* A tree of frames, in which a stack is the path from a root to a frame. */
#include "import/reader.h"

void call_paths_init(struct call_paths *paths, const pprofc_allocator *mem,
                     pprofc_builder *builder) {
  *paths = (struct call_paths){.mem = mem, .builder = builder};
  map_init(&paths->by_frame, mem);
}

void call_paths_free(struct call_paths *paths) {
  map_free(&paths->by_frame);
  ARRAY_FREE(paths->mem, paths->items, paths->room);
  ARRAY_FREE(paths->mem, paths->frames, paths->frame_room);
}

static bool call_path_is(const void *items, uint32_t index, const void *wanted) {
  const struct call_path *a = (const struct call_path *)items + index, *b = wanted;
  return a->caller == b->caller && a->location == b->location;
}

/* Returns the index of the path that has the caller and location of `path`. If there is no such
 * path, returns paths->count: the index at which call_paths_enter then adds the path. Returns
 * MAP_NONE when out of memory. */
static uint32_t call_paths_find(struct call_paths *paths, const struct call_path *path) {
  uint32_t count = (uint32_t)paths->count;
  uint32_t *first = path->caller == MAP_NONE ? NULL : &paths->items[path->caller].callee;
  if (first && *first == MAP_NONE) return *first = count;
  if (first && call_path_is(paths->items, *first, path)) return *first;
  return map_find_or_add(&paths->by_frame, hash_mix(path->caller, path->location), call_path_is,
                         paths->items, path, count);
}

uint32_t call_paths_enter(struct call_paths *paths, uint32_t caller, uint32_t location) {
  struct call_path path = {.caller = caller, .location = location, .callee = MAP_NONE, .depth = 1};
  /* Try the path after `newest` first, because a file may list the same stacks in the same order
   * for each sample type. */
  uint32_t guess = paths->newest + 1;
  if (guess < paths->count && call_path_is(paths->items, guess, &path))
    return paths->newest = guess;
  if (caller != MAP_NONE) path.depth += paths->items[caller].depth;
  if (!builder_allows_depth(paths->builder, path.depth)) return MAP_NONE;
  bool fits = paths->count < MAP_NONE - 1 &&
              ARRAY_RESERVE(paths->mem, paths->items, paths->room, paths->count + 1);
  uint32_t found = fits ? call_paths_find(paths, &path) : MAP_NONE;
  if (!import_need(paths->builder, found != MAP_NONE)) return found;
  if (found == paths->count) paths->items[paths->count++] = path;
  return paths->newest = found;
}

/* Stores the stack of a path. Follows `callee` from this path to a leaf, and stores the stack of
 * the leaf. The leaf is first in memory, so the stack of each of its callers is the tail of the
 * leaf's stack and shares its bytes. Returns false on failure. */
static bool call_paths_store(struct call_paths *paths, uint32_t path) {
  uint32_t size, leaf = path, at = 0;
  while (paths->items[leaf].callee != MAP_NONE) leaf = paths->items[leaf].callee;
  if (!import_need(paths->builder, ARRAY_RESERVE(paths->mem, paths->frames, paths->frame_room,
                                                 paths->items[leaf].depth)))
    return false;
  for (uint32_t i = leaf; i != MAP_NONE; i = paths->items[i].caller)
    paths->frames[at++] = paths->items[i].location;
  const uint8_t *stack = builder_stack(paths->builder, paths->frames, at, &size);
  for (uint32_t i = leaf; stack && i != MAP_NONE; i = paths->items[i].caller) {
    uint32_t bytes = (uint32_t)varint_bytes(paths->items[i].location + 1);
    if (!paths->items[i].stack) {
      paths->items[i].stack = stack;
      paths->items[i].size = size;
    }
    stack += bytes;
    size -= bytes;
  }
  return stack != NULL;
}

void call_paths_sample(struct call_paths *paths, uint32_t path, const int64_t *values) {
  if (path == MAP_NONE) {
    pprofc_builder_sample(paths->builder, NULL, 0, values);
    return;
  }
  const struct call_path *item = &paths->items[path];
  if (item->stack || call_paths_store(paths, path))
    builder_sample(paths->builder, item->stack, item->size, item->depth, values);
}
