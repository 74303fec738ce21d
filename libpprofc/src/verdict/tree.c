/* Builds the call tree of all runs. Finds nodes by parent and name. */
#include "verdict/tree.h"

#include "core/array.h"

struct tree_key {
  uint32_t parent, name;
};

static bool tree_equal(const void *records, uint32_t index, const void *key) {
  const struct tree_node *node = (const struct tree_node *)records + index;
  const struct tree_key *wanted = key;
  return node->parent == wanted->parent && node->name == wanted->name;
}

static uint32_t tree_child(struct call_tree *tree, uint32_t parent, uint32_t name) {
  struct tree_key key = {parent, name};
  if (tree->count >= MAP_NONE) return MAP_NONE;
  if (!ARRAY_RESERVE(tree->mem, tree->nodes, tree->capacity, tree->count + 1)) return MAP_NONE;
  uint64_t hash = hash_bytes(&key, sizeof key);
  uint32_t next = (uint32_t)tree->count;
  uint32_t node = map_find_or_add(&tree->map, hash, tree_equal, tree->nodes, &key, next);
  if (node != next) return node;
  tree->nodes[tree->count++] = (struct tree_node){.parent = parent,
                                                  .name = name,
                                                  .first_child = MAP_NONE,
                                                  .next = tree->nodes[parent].first_child};
  tree->nodes[parent].first_child = node;
  return node;
}

bool tree_init(struct call_tree *tree, const pprofc_allocator *mem) {
  *tree = (struct call_tree){.mem = mem};
  map_init(&tree->map, mem);
  if (!ARRAY_RESERVE(mem, tree->nodes, tree->capacity, 1)) return false;
  tree->nodes[tree->count++] = (struct tree_node){MAP_NONE, MAP_NONE, MAP_NONE, MAP_NONE};
  return true;
}

void tree_free(struct call_tree *tree) {
  ARRAY_FREE(tree->mem, tree->nodes, tree->capacity);
  map_free(&tree->map);
}

uint32_t tree_reach(struct call_tree *tree, const struct walk *walk) {
  uint32_t node = TREE_ROOT;
  for (size_t i = walk->depth; i-- > 0 && node != MAP_NONE;)
    node = tree_child(tree, node, walk->frames[i]);
  return node;
}
