/* Reads profiles of GHC in JSON (+RTS -pj): a tree of cost centres with ticks and bytes. */
#include "core/array.h"
#include "import/json/call_tree.h"
#include "import/json/json.h"

/* A node of the tree, with its call path. The reader visits callers before callees. */
struct haskell_visit {
  const struct node *node;
  uint32_t path;
};

struct haskell {
  struct arena *arena;
  pprofc_builder *builder;
  struct json_call_tree centres; /* cost centres, found by id */
  struct haskell_visit *visits;
  size_t count, room;
  struct call_paths paths;
};

static bool haskell_add_centres(struct haskell *h, const struct node *centres) {
  for (size_t i = 0; i < node_size(centres); i++) {
    const struct node *centre = node_at(centres, i);
    pprofc_str id = json_id(node_get(centre, "id"));
    uint32_t location =
        import_cost_centre(h->builder, node_text(centre, "module"), node_text(centre, "label"),
                           node_text(centre, "src_loc"));
    if (call_tree_add(&h->centres, id, centre, location, CALL_FRAME) == MAP_NONE) return false;
  }
  return true;
}

static bool haskell_push(struct haskell *h, const struct node *node, uint32_t caller) {
  uint32_t centre = call_tree_find(&h->centres, node_get(node, "id"));
  uint32_t location = centre == MAP_NONE ? json_frame(h->builder, STR("(unknown)"), STR(""), 0, 0)
                                         : h->centres.nodes[centre].location;
  uint32_t path = call_paths_enter(&h->paths, caller, location);
  if (path == MAP_NONE || !ARRAY_RESERVE_IN(h->arena, h->visits, h->room, h->count + 1))
    return false;
  h->visits[h->count++] = (struct haskell_visit){node, path};
  return true;
}

static void haskell_sample(struct haskell *h, const struct haskell_visit *visit, int64_t interval) {
  const struct node *node = visit->node;
  int64_t ticks = json_cost(h->builder, node_get(node, "ticks")), values[3];
  values[0] = ticks;
  values[1] = json_cost(h->builder, node_get(node, "alloc"));
  if (__builtin_mul_overflow(ticks, interval, &values[2])) values[2] = INT64_MAX;
  if (!values[0] && !values[1]) return;
  call_paths_sample(&h->paths, visit->path, values);
}

static bool haskell_walk(struct haskell *h, const struct node *root, int64_t interval) {
  if (!haskell_push(h, root, MAP_NONE)) return false;
  for (size_t i = 0; i < h->count && builder_ok(h->builder); i++) {
    struct haskell_visit visit = h->visits[i];
    const struct node *children = node_get(visit.node, "children");
    for (size_t k = 0; k < node_size(children); k++)
      if (!haskell_push(h, node_at(children, k), visit.path)) return false;
  }
  for (size_t i = 0; i < h->count && builder_ok(h->builder); i++)
    haskell_sample(h, &h->visits[i], interval);
  return true;
}

JSON_SHAPE(json_haskell) {
  const struct node *tree = node_get(root, "profile"), *centres = node_get(root, "cost_centres");
  if (!node_is(tree, NODE_OBJECT) || !node_is(centres, NODE_ARRAY)) return PPROFC_E_NO_MATCH;
  int64_t interval = json_scaled(builder, node_get(root, "tick_interval"), 3);
  if (interval <= 0) interval = 1000000;
  pprofc_builder_type(builder, "ticks", "count");
  pprofc_builder_type(builder, "alloc_space", "bytes");
  pprofc_builder_type(builder, "time", "nanoseconds");
  pprofc_builder_period(builder, "time", "nanoseconds", interval);
  struct haskell h = {.arena = arena, .builder = builder};
  call_tree_init(&h.centres, arena);
  call_paths_init(&h.paths, arena->mem, builder);
  bool good = haskell_add_centres(&h, centres) && haskell_walk(&h, tree, interval);
  call_tree_free(&h.centres);
  call_paths_free(&h.paths);
  return good ? PPROFC_OK : error_nomem(error);
}
