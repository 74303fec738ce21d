/* Reads profiles of GHC in JSON (+RTS -pj): a tree of cost centres with ticks and bytes. */
#include "import/json/json.h"

struct haskell {
  pprofc_builder *builder;
  struct json_call_tree centres; /* cost centres, found by id */
  struct json_visits visits;
};

static void haskell_add_centres(struct haskell *h, const struct node *centres) {
  for (size_t i = 0; i < node_size(centres); i++) {
    const struct node *centre = node_at(centres, i);
    pprofc_str id = json_id(node_get(centre, "id"));
    uint32_t location =
        import_cost_centre(h->builder, node_text(centre, "module"), node_text(centre, "label"),
                           node_text(centre, "src_loc"));
    call_tree_add(&h->centres, id, centre, location, CALL_FRAME);
  }
}

static void haskell_push(struct haskell *h, const struct node *node, uint32_t caller) {
  uint32_t centre = call_tree_find(&h->centres, node_get(node, "id"));
  uint32_t location = centre == MAP_NONE ? json_frame(h->builder, STR("(unknown)"), STR(""), 0, 0)
                                         : h->centres.nodes[centre].location;
  json_visit(&h->visits, node, call_paths_enter(&h->visits.paths, caller, location));
}

static void haskell_sample(struct haskell *h, const struct json_visit *visit, int64_t interval) {
  const struct node *node = visit->node;
  int64_t ticks = json_cost(h->builder, node_get(node, "ticks")), values[3];
  values[0] = ticks;
  values[1] = json_cost(h->builder, node_get(node, "alloc"));
  if (__builtin_mul_overflow(ticks, interval, &values[2])) values[2] = INT64_MAX;
  if (!values[0] && !values[1]) return;
  call_paths_sample(&h->visits.paths, visit->path, values);
}

static void haskell_walk(struct haskell *h, const struct node *root, int64_t interval) {
  haskell_push(h, root, MAP_NONE);
  for (size_t i = 0; i < h->visits.count && builder_ok(h->builder); i++) {
    struct json_visit visit = h->visits.items[i];
    const struct node *children = node_get(visit.node, "children");
    for (size_t k = 0; k < node_size(children) && builder_ok(h->builder); k++)
      haskell_push(h, node_at(children, k), visit.path);
  }
  for (size_t i = 0; i < h->visits.count && builder_ok(h->builder); i++)
    haskell_sample(h, &h->visits.items[i], interval);
}

JSON_SHAPE(json_haskell) {
  const struct node *tree = node_get(root, "profile"), *centres = node_get(root, "cost_centres");
  if (!node_is(tree, NODE_OBJECT) || !node_is(centres, NODE_ARRAY)) return false;
  int64_t interval = json_scaled(builder, node_get(root, "tick_interval"), 3);
  if (interval <= 0) interval = 1000000;
  pprofc_builder_type(builder, "ticks", "count");
  pprofc_builder_type(builder, "alloc_space", "bytes");
  pprofc_builder_type(builder, "time", "nanoseconds");
  pprofc_builder_period(builder, "time", "nanoseconds", interval);
  struct haskell h = {.builder = builder};
  call_tree_init(&h.centres, arena, builder);
  json_visits_init(&h.visits, arena, builder);
  haskell_add_centres(&h, centres);
  haskell_walk(&h, tree, interval);
  call_tree_free(&h.centres);
  json_visits_free(&h.visits);
  return true;
}
