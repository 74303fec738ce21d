/* Tree of frames that JSON profiles list by id. Each frame has one caller. */
#ifndef PPROFC_IMPORT_JSON_CALL_TREE_H
#define PPROFC_IMPORT_JSON_CALL_TREE_H

#include "core/json_tree.h"
#include "import/call_paths.h"

enum call_kind {
  CALL_FRAME,
  CALL_OUTSIDE, /* node such as V8's (root) and (idle): the node and its callers are not frames */
  CALL_ON_TOP   /* node such as V8's (program) and (garbage collector): the node runs as a callee of
                   the previous sample's stack */
};

struct call_node {
  pprofc_str id;
  const struct node *json;
  uint32_t parent; /* index of the caller's node, or MAP_NONE */
  uint32_t location;
  uint32_t seen; /* in the search for loops: id of the walk that reached the node first, or 0 */
  uint32_t path; /* call path of the node; MAP_NONE if the path has no frames */
  enum call_kind kind;
};

struct json_call_tree {
  struct arena *arena;
  pprofc_builder *builder;
  struct call_node *nodes;
  size_t count, room;
  struct map by_id; /* hash table of the nodes, keyed by the text of their ids */
};

void call_tree_init(struct json_call_tree *tree, struct arena *arena, pprofc_builder *builder);
void call_tree_free(struct json_call_tree *tree);

/* Appends a node without a caller and returns its index. When out of memory, makes the builder fail
 * and returns MAP_NONE. */
uint32_t call_tree_add(struct json_call_tree *tree, pprofc_str id, const struct node *json,
                       uint32_t location, enum call_kind kind);

/* Returns the index of the first node with this id, or MAP_NONE. The id may be a number or a
 * string. */
uint32_t call_tree_find(const struct json_call_tree *tree, const struct node *id);

/* Makes the call paths of all nodes. In an invalid file a node may be its own ancestor. The last
 * node of such a loop becomes a root, and a comment in the profile gives the number of loops. */
void call_tree_make_paths(struct json_call_tree *tree, struct call_paths *paths);

/* A visited node of a tree whose nodes contain their callees. */
struct json_visit {
  const struct node *node;
  uint32_t path;
};

/* Visited nodes, callers before callees. */
struct json_visits {
  struct arena *arena;
  struct call_paths paths;
  struct json_visit *items;
  size_t count, room;
};

void json_visits_init(struct json_visits *visits, struct arena *arena, pprofc_builder *builder);
void json_visits_free(struct json_visits *visits);
void json_visit(struct json_visits *visits, const struct node *node, uint32_t path);

/* Function that adds labels to the last sample. */
typedef void (*call_label_fn)(pprofc_builder *builder, const void *context);

#endif
