/* Frames that have one caller each, as JSON profiles list them: a tree by the ids of the file, and
 * the tree that a walk through begin and end events makes. */
#ifndef PPROFC_IMPORT_JSON_CALL_TREE_H
#define PPROFC_IMPORT_JSON_CALL_TREE_H

#include "core/json_tree.h"
#include "core/map.h"
#include "profile/builder.h"

/* Deeper stacks lose frames at the root. */
#define JSON_MOST_DEPTH 65536u

enum call_kind {
  CALL_FRAME,
  CALL_OUTSIDE, /* no frame, and nothing above it is one: V8's (root) and (idle) */
  CALL_ON_TOP   /* V8's (program) and (garbage collector): they run above the stack before them */
};

struct call_node {
  const struct node *json;
  uint32_t parent; /* or MAP_NONE */
  uint32_t location;
  uint32_t seen; /* the walk of call_tree_cut_loops that reached the node, 0: none */
  enum call_kind kind;
};

struct json_call_tree {
  struct arena *arena;
  struct call_node *nodes;
  size_t count, room;
  struct map by_id; /* by the text of the id */
  pprofc_str *ids;
  size_t id_room;
};

void call_tree_init(struct json_call_tree *tree, struct arena *arena);
void call_tree_free(struct json_call_tree *tree);

/* Appends a node without caller; MAP_NONE when out of memory. */
uint32_t call_tree_add(struct json_call_tree *tree, pprofc_str id, const struct node *json,
                       uint32_t location, enum call_kind kind);

/* The first node with an id, a number or a string; MAP_NONE when there is none. */
uint32_t call_tree_find(const struct json_call_tree *tree, const struct node *id);

/* In a broken file a node may be its own ancestor: the last node of such a loop becomes a root. A
 * comment says how many there were. */
void call_tree_cut_loops(struct json_call_tree *tree, pprofc_builder *builder);

/* Fills frames (room for `room`) with the stack of a node, leaf first. */
size_t call_tree_stack(const struct json_call_tree *tree, uint32_t node, uint32_t *frames,
                       size_t room);

/* A tree that grows while stacks are walked; each node counts what its stack weighs by itself. */
struct walk_node {
  uint32_t parent; /* or MAP_NONE */
  uint32_t location;
  int64_t values[2];
};

struct call_walk {
  const pprofc_allocator *mem;
  struct walk_node *nodes;
  size_t count, room;
  struct map by_place;
};

void call_walk_init(struct call_walk *walk, const pprofc_allocator *mem);
void call_walk_free(struct call_walk *walk);

/* The node of a frame called by `parent` (MAP_NONE: by nothing); MAP_NONE when out of memory. */
uint32_t call_walk_enter(struct call_walk *walk, uint32_t parent, uint32_t location);

/* Called behind each sample. */
typedef void (*call_label_fn)(pprofc_builder *builder, const void *context);

/* Adds a sample with two values for each node that has one. `frames` has room for JSON_MOST_DEPTH.
 */
void call_walk_samples(const struct call_walk *walk, pprofc_builder *builder, uint32_t *frames,
                       call_label_fn label, const void *context);

#endif
