/* Frames that have one caller each: trees by the ids of a file, and trees that grow while events
 * are walked. */
#include "import/json/call_tree.h"

#include "core/array.h"
#include "core/hash.h"
#include "import/json/json.h"

/* ---- by id ------------------------------------------- */

void call_tree_init(struct json_call_tree *tree, struct arena *arena) {
  *tree = (struct json_call_tree){.arena = arena};
  map_init(&tree->by_id, arena->mem);
}

void call_tree_free(struct json_call_tree *tree) {
  map_free(&tree->by_id);
}

static uint32_t call_tree_lookup(const struct json_call_tree *tree, uint64_t hash, pprofc_str id) {
  struct map_probe probe = map_start(&tree->by_id, hash);
  uint32_t node;
  while ((node = map_next(&tree->by_id, &probe)) != MAP_NONE)
    if (str_equal(tree->ids[node], id)) return node;
  return MAP_NONE;
}

uint32_t call_tree_add(struct json_call_tree *tree, pprofc_str id, const struct node *json,
                       uint32_t location, enum call_kind kind) {
  size_t count = tree->count;
  if (count >= MAP_NONE - 1) return MAP_NONE;
  if (!ARRAY_RESERVE_IN(tree->arena, tree->nodes, tree->room, count + 1)) return MAP_NONE;
  if (!ARRAY_RESERVE_IN(tree->arena, tree->ids, tree->id_room, count + 1)) return MAP_NONE;
  uint64_t hash = hash_bytes(id.data, id.size);
  bool again = call_tree_lookup(tree, hash, id) != MAP_NONE; /* entered once: tables are short */
  if (!again && !map_insert(&tree->by_id, hash, (uint32_t)count)) return MAP_NONE;
  tree->ids[count] = id;
  tree->nodes[count] = (struct call_node){json, MAP_NONE, location, 0, kind};
  tree->count++;
  return (uint32_t)count;
}

uint32_t call_tree_find(const struct json_call_tree *tree, const struct node *id) {
  if (!node_is(id, NODE_NUMBER) && !node_is(id, NODE_STRING)) return MAP_NONE;
  return call_tree_lookup(tree, hash_bytes(id->text.data, id->text.size), id->text);
}

/* Follows callers from a node until one was seen before; true when the way was a loop. */
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

void call_tree_cut_loops(struct json_call_tree *tree, pprofc_builder *builder) {
  size_t loops = 0;
  for (size_t i = 0; i < tree->count; i++) loops += call_tree_cut_from(tree, i);
  import_note_count(builder, loops, "node is below itself", "nodes are below themselves");
}

size_t call_tree_stack(const struct json_call_tree *tree, uint32_t node, uint32_t *frames,
                       size_t room) {
  size_t depth = 0;
  for (; node != MAP_NONE && depth < room; node = tree->nodes[node].parent) {
    if (tree->nodes[node].kind == CALL_OUTSIDE) break;
    frames[depth++] = tree->nodes[node].location;
  }
  return depth;
}

/* ---- by walking -------------------------------------- */

void call_walk_init(struct call_walk *walk, const pprofc_allocator *mem) {
  *walk = (struct call_walk){.mem = mem};
  map_init(&walk->by_place, mem);
}

void call_walk_free(struct call_walk *walk) {
  map_free(&walk->by_place);
  ARRAY_FREE(walk->mem, walk->nodes, walk->room);
}

uint32_t call_walk_enter(struct call_walk *walk, uint32_t parent, uint32_t location) {
  uint64_t hash = hash_mix(parent, location);
  struct map_probe probe = map_start(&walk->by_place, hash);
  uint32_t node;
  while ((node = map_next(&walk->by_place, &probe)) != MAP_NONE)
    if (walk->nodes[node].parent == parent && walk->nodes[node].location == location) return node;
  if (walk->count >= MAP_NONE - 1) return MAP_NONE;
  if (!ARRAY_RESERVE(walk->mem, walk->nodes, walk->room, walk->count + 1)) return MAP_NONE;
  if (!map_insert(&walk->by_place, hash, (uint32_t)walk->count)) return MAP_NONE;
  walk->nodes[walk->count] = (struct walk_node){parent, location, {0, 0}};
  return (uint32_t)walk->count++;
}

void call_walk_samples(const struct call_walk *walk, pprofc_builder *builder, uint32_t *frames,
                       call_label_fn label, const void *context) {
  for (size_t i = 0; i < walk->count && builder_ok(builder); i++) {
    const struct walk_node *node = &walk->nodes[i];
    if (!node->values[0] && !node->values[1]) continue;
    size_t depth = 0;
    for (uint32_t at = (uint32_t)i; at != MAP_NONE && depth < JSON_MOST_DEPTH;
         at = walk->nodes[at].parent)
      frames[depth++] = walk->nodes[at].location;
    pprofc_builder_sample(builder, frames, depth, node->values);
    label(builder, context);
  }
}
