/* Links the frames of a JSON profile to their callers by id. Each frame has one caller. */
#include "import/json/json.h"

void call_tree_init(struct json_call_tree *tree, struct arena *arena, pprofc_builder *builder) {
  *tree = (struct json_call_tree){.arena = arena, .builder = builder};
  map_init(&tree->by_id, arena->mem);
}

void call_tree_free(struct json_call_tree *tree) {
  map_free(&tree->by_id);
}

static uint32_t call_tree_lookup(const struct json_call_tree *tree, uint64_t hash, pprofc_str id) {
  MAP_FIND(node, &tree->by_id, hash, str_equal(tree->nodes[node].id, id));
  return node;
}

uint32_t call_tree_add(struct json_call_tree *tree, pprofc_str id, const struct node *json,
                       uint32_t location, enum call_kind kind) {
  uint64_t hash = hash_bytes(id.data, id.size);
  /* If several nodes have the same id, index only the first, which keeps lookups short. */
  bool again = call_tree_lookup(tree, hash, id) != MAP_NONE;
  struct call_node node = {id, json, MAP_NONE, location, 0, MAP_NONE, kind};
  bool added = tree->count < MAP_NONE - 1 &&
               (again || map_insert(&tree->by_id, hash, (uint32_t)tree->count)) &&
               ARRAY_PUSH_IN(tree->arena, tree->nodes, tree->count, tree->room, node);
  return import_need(tree->builder, added) ? (uint32_t)tree->count - 1 : MAP_NONE;
}

uint32_t call_tree_find(const struct json_call_tree *tree, const struct node *id) {
  if (!node_is(id, NODE_NUMBER) && !node_is(id, NODE_STRING)) return MAP_NONE;
  return call_tree_lookup(tree, hash_bytes(id->text.data, id->text.size), id->text);
}

/* Follows callers from a node to the root, or to a node that was already reached. If the same walk
 * has reached that node before, the callers form a loop: cuts the loop and returns true. */
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

static void call_tree_cut_loops(struct json_call_tree *tree) {
  size_t loops = 0;
  for (size_t i = 0; i < tree->count; i++) loops += call_tree_cut_from(tree, i);
  import_note_count(tree->builder, loops, "node is its own caller", "nodes are their own callers");
}

/* Makes the call paths of a node and of its callers. `chain` is a buffer with room for all nodes.
 */
static void call_tree_make_path(struct json_call_tree *tree, struct call_paths *paths,
                                uint32_t node, uint32_t *chain) {
  struct call_node *nodes = tree->nodes;
  size_t length = 0;
  while (node != MAP_NONE && nodes[node].path == MAP_NONE && nodes[node].kind != CALL_OUTSIDE) {
    chain[length++] = node;
    node = nodes[node].parent;
  }
  uint32_t path = node == MAP_NONE ? MAP_NONE : nodes[node].path;
  while (length && builder_ok(tree->builder)) {
    struct call_node *next = &nodes[chain[--length]];
    path = next->path = call_paths_enter(paths, path, next->location);
  }
}

void call_tree_make_paths(struct json_call_tree *tree, struct call_paths *paths) {
  uint32_t *chain = mem_array(tree->arena->mem, tree->count, sizeof *chain);
  import_need(tree->builder, chain != NULL);
  call_tree_cut_loops(tree);
  for (uint32_t i = 0; i < tree->count && builder_ok(tree->builder); i++)
    call_tree_make_path(tree, paths, i, chain);
  mem_free(tree->arena->mem, chain, tree->count, sizeof *chain);
}

/* ---- nested nodes ------------------------------------ */

void json_visits_init(struct json_visits *visits, struct arena *arena, pprofc_builder *builder) {
  *visits = (struct json_visits){.arena = arena};
  call_paths_init(&visits->paths, arena->mem, builder);
}

void json_visits_free(struct json_visits *visits) {
  call_paths_free(&visits->paths);
}

void json_visit(struct json_visits *visits, const struct node *node, uint32_t path) {
  import_need(visits->paths.builder, ARRAY_PUSH_IN(visits->arena, visits->items, visits->count,
                                                   visits->room, (struct json_visit){node, path}));
}
