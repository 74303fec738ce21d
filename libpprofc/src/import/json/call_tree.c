/* Links the frames of a JSON profile to their callers by id. Each frame has one caller. */
#include "import/json/call_tree.h"

#include "core/array.h"
#include "core/hash.h"
#include "import/json/json.h"

void call_tree_init(struct json_call_tree *tree, struct arena *arena) {
  *tree = (struct json_call_tree){.arena = arena};
  map_init(&tree->by_id, arena->mem);
}

void call_tree_free(struct json_call_tree *tree) {
  map_free(&tree->by_id);
}

static uint32_t call_tree_lookup(const struct json_call_tree *tree, uint64_t hash, pprofc_str id) {
  MAP_FIND(node, &tree->by_id, hash, str_equal(tree->ids[node], id));
  return node;
}

uint32_t call_tree_add(struct json_call_tree *tree, pprofc_str id, const struct node *json,
                       uint32_t location, enum call_kind kind) {
  size_t count = tree->count;
  if (count >= MAP_NONE - 1) return MAP_NONE;
  if (!ARRAY_RESERVE_IN(tree->arena, tree->nodes, tree->room, count + 1)) return MAP_NONE;
  if (!ARRAY_RESERVE_IN(tree->arena, tree->ids, tree->id_room, count + 1)) return MAP_NONE;
  uint64_t hash = hash_bytes(id.data, id.size);
  /* If several nodes have the same id, index only the first, which keeps lookups short. */
  bool again = call_tree_lookup(tree, hash, id) != MAP_NONE;
  if (!again && !map_insert(&tree->by_id, hash, (uint32_t)count)) return MAP_NONE;
  tree->ids[count] = id;
  tree->nodes[count] = (struct call_node){json, MAP_NONE, location, 0, MAP_NONE, kind};
  tree->count++;
  return (uint32_t)count;
}

uint32_t call_tree_find(const struct json_call_tree *tree, const struct node *id) {
  if (!node_is(id, NODE_NUMBER) && !node_is(id, NODE_STRING)) return MAP_NONE;
  return call_tree_lookup(tree, hash_bytes(id->text.data, id->text.size), id->text);
}

/* Follows callers from a node to the root or to a node that was seen before. If this walk saw that
 * node, the callers form a loop. Then cuts the loop and returns true. */
static bool call_tree_cut_from(struct json_call_tree *tree, size_t start) {
  uint32_t walk = (uint32_t)start + 1, node = (uint32_t)start;
  while (!tree->nodes[node].seen) {
    tree->nodes[node].seen = walk;
    uint32_t parent = tree->nodes[node].parent;
    if (parent == MAP_NONE) return false;
    if (tree->nodes[parent].seen == walk) {
      tree->nodes[node].parent = MAP_NONE;
      return true;
    }
    node = parent;
  }
  return false;
}

static void call_tree_cut_loops(struct json_call_tree *tree, pprofc_builder *builder) {
  size_t loops = 0;
  for (size_t i = 0; i < tree->count; i++) loops += call_tree_cut_from(tree, i);
  import_note_count(builder, loops, "node is its own caller", "nodes are their own callers");
}

/* Makes the call paths of a node and of its callers. `chain` is a buffer with room for all nodes.
 * Returns false when out of memory. */
static bool call_tree_make_path(struct json_call_tree *tree, struct call_paths *paths,
                                uint32_t node, uint32_t *chain) {
  struct call_node *nodes = tree->nodes;
  size_t length = 0;
  while (node != MAP_NONE && nodes[node].path == MAP_NONE && nodes[node].kind != CALL_OUTSIDE) {
    chain[length++] = node;
    node = nodes[node].parent;
  }
  uint32_t path = node == MAP_NONE ? MAP_NONE : nodes[node].path;
  while (length) {
    struct call_node *next = &nodes[chain[--length]];
    path = next->path = call_paths_enter(paths, path, next->location);
    if (path == MAP_NONE) return false;
  }
  return true;
}

bool call_tree_make_paths(struct json_call_tree *tree, struct call_paths *paths,
                          pprofc_builder *builder) {
  uint32_t *chain = mem_array(tree->arena->mem, tree->count, sizeof *chain);
  bool good = chain != NULL;
  call_tree_cut_loops(tree, builder);
  for (uint32_t i = 0; good && i < tree->count; i++)
    good = call_tree_make_path(tree, paths, i, chain);
  mem_free(tree->arena->mem, chain, tree->count, sizeof *chain);
  return good;
}
