/* Profiles of V8: .cpuprofile and .heapprofile, as Node (--cpu-prof, --heap-prof) and Chromium
 * write them. */
#include "core/mem.h"
#include "import/json/json.h"

#include "core/buffer.h"
#include "core/map.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_NODES ((size_t)1 << 24)

/* The tree: nodes in the order of the file. */
struct v8_tree {
  const pprofc_allocator *mem;
  size_t count;
  int64_t *id;
  uint32_t *parent; /* or MAP_NONE */
  uint32_t *location;
  uint32_t *seen; /* the walk of cut_loops that reached the node, 0: none */
  bool *is_root, *is_gc;
  struct map by_id;
};

static uint64_t v8_hash_id(int64_t id) {
  return hash_mix(0, (uint64_t)id);
}

static uint32_t find_node(const struct v8_tree *t, int64_t id) {
  struct map_probe probe = map_start(&t->by_id, v8_hash_id(id));
  uint32_t node;
  while ((node = map_next(&t->by_id, &probe)) != MAP_NONE)
    if (t->id[node] == id) return node;
  return MAP_NONE;
}

static bool tree_init(struct v8_tree *t, const pprofc_allocator *mem, struct arena *arena,
                      size_t count) {
  *t = (struct v8_tree){.mem = mem, .count = count};
  map_init(&t->by_id, mem);
  t->id = arena_zero_array(arena, count, sizeof *t->id);
  t->parent = arena_array(arena, count, sizeof *t->parent);
  t->location = arena_zero_array(arena, count, sizeof *t->location);
  t->seen = arena_zero_array(arena, count, sizeof *t->seen);
  t->is_root = arena_zero_array(arena, count, sizeof *t->is_root);
  t->is_gc = arena_zero_array(arena, count, sizeof *t->is_gc);
  if (!t->id || !t->parent || !t->location || !t->seen || !t->is_root || !t->is_gc) return false;
  memset(t->parent, 0xFF, count * sizeof *t->parent);
  return map_reserve(&t->by_id, count);
}

static bool v8_add_node(struct v8_tree *t, pprofc_builder *builder, size_t node,
                        const struct node *json) {
  t->id[node] = json_member_int(json, "id", -1);
  t->location[node] = json_v8_frame(builder, json);
  const struct node *call = node_get(json, "callFrame");
  pprofc_str name = node_text(call ? call : json, "functionName");
  t->is_root[node] = str_equal(name, STR("(root)"));
  t->is_gc[node] = str_equal(name, STR("(garbage collector)"));
  return map_insert(&t->by_id, v8_hash_id(t->id[node]), (uint32_t)node);
}

/* Fills frames (room for `room`) with the stack of a node, leaf first; (root) is no frame. */
static size_t stack_of(const struct v8_tree *t, uint32_t node, uint32_t *frames, size_t room) {
  size_t depth = 0;
  for (; node != MAP_NONE && depth < room; node = t->parent[node])
    if (!t->is_root[node]) frames[depth++] = t->location[node];
  return depth;
}

/* ---- .cpuprofile ------------------------------------- */

struct tick {
  int64_t at; /* microseconds */
  uint32_t node;
};

static int by_time(const void *a, const void *b) {
  const struct tick *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

#define MOST_DEPTH 65536u

static void add_ticks(const struct v8_tree *t, pprofc_builder *builder, const struct tick *ticks,
                      size_t count, int64_t end, uint32_t *frames) {
  uint32_t before = MAP_NONE;
  for (size_t i = 0; i < count && builder_ok(builder); i++) {
    uint32_t node = ticks[i].node;
    int64_t until = i + 1 < count ? ticks[i + 1].at : end;
    int64_t wall = until > ticks[i].at ? until - ticks[i].at : 0;
    int64_t values[2] = {1, wall < INT64_MAX / 1000 ? wall * 1000 : INT64_MAX};
    size_t depth = 0;
    /* The collector runs on behalf of the function that ran before it. */
    if (t->is_gc[node] && before != MAP_NONE) {
      frames[depth++] = t->location[node];
      node = before;
    } else if (!t->is_gc[node]) {
      before = node;
    }
    depth += stack_of(t, node, frames + depth, MOST_DEPTH - depth);
    pprofc_builder_sample(builder, frames, depth, values);
  }
}

static pprofc_status read_ticks(const struct v8_tree *t, pprofc_builder *builder,
                                const struct node *root, struct arena *arena, pprofc_error *error) {
  const struct node *samples = node_get(root, "samples"), *deltas = node_get(root, "timeDeltas");
  size_t count = node_size(samples), missing = 0, used = 0;
  struct tick *ticks = arena_array(arena, count, sizeof *ticks);
  uint32_t *frames = arena_array(arena, MOST_DEPTH, sizeof *frames);
  if (!ticks || !frames) return error_nomem(error);
  int64_t at = json_member_int(root, "startTime", 0);
  for (size_t i = 0; i < count; i++) {
    double delta = json_number(node_at(deltas, i));
    if (delta > -1e15 && delta < 1e15) at += (int64_t)delta;
    uint32_t node = find_node(t, node_integer(node_at(samples, i)));
    if (node == MAP_NONE)
      missing++;
    else
      ticks[used++] = (struct tick){at, node};
  }
  qsort(ticks, used, sizeof *ticks, by_time);
  add_ticks(t, builder, ticks, used, json_member_int(root, "endTime", at), frames);
  if (missing) {
    char text[96];
    snprintf(text, sizeof text, "%zu samples name a node that is not there", missing);
    pprofc_builder_comment(builder, text);
  }
  return PPROFC_OK;
}

/* In a broken file a node may be its own ancestor: the last node of such a loop becomes a root.
 * Returns the number of loops. */
static size_t cut_loops(struct v8_tree *t) {
  size_t loops = 0;
  for (size_t i = 0; i < t->count; i++) {
    uint32_t walk = (uint32_t)i + 1, node = (uint32_t)i;
    while (!t->seen[node]) {
      t->seen[node] = walk;
      uint32_t parent = t->parent[node];
      if (parent == MAP_NONE) break;
      if (t->seen[parent] == walk) {
        t->parent[node] = MAP_NONE;
        loops++;
        break;
      }
      node = parent;
    }
  }
  return loops;
}

static pprofc_status read_nodes(struct v8_tree *t, pprofc_builder *builder,
                                const struct node *nodes, pprofc_error *error) {
  for (size_t i = 0; i < t->count; i++)
    if (!v8_add_node(t, builder, i, node_at(nodes, i))) return error_nomem(error);
  for (size_t i = 0; i < t->count; i++) {
    const struct node *node = node_at(nodes, i), *children = node_get(node, "children");
    for (size_t k = 0; k < node_size(children); k++) {
      uint32_t child = find_node(t, node_integer(node_at(children, k)));
      if (child != MAP_NONE && child != i) t->parent[child] = (uint32_t)i;
    }
    uint32_t parent =
        node_get(node, "parent") ? find_node(t, json_member_int(node, "parent", -1)) : MAP_NONE;
    if (parent != MAP_NONE && parent != i) t->parent[i] = parent;
  }
  size_t loops = cut_loops(t);
  if (loops) {
    char text[96];
    snprintf(text, sizeof text, "%zu nodes are below themselves", loops);
    pprofc_builder_comment(builder, text);
  }
  return PPROFC_OK;
}

pprofc_status json_cpuprofile(const struct node *root, pprofc_builder *builder, struct arena *arena,
                              pprofc_error *error) {
  const struct node *nodes = node_get(root, "nodes");
  if (!node_is(nodes, NODE_ARRAY) || !node_is(node_get(root, "samples"), NODE_ARRAY) ||
      !node_get(root, "startTime"))
    return PPROFC_E_NO_MATCH;
  size_t count = node_size(nodes);
  if (count > MOST_NODES)
    return error_set(error, PPROFC_E_LIMIT, "more than %zu nodes", MOST_NODES);
  pprofc_builder_type(builder, "samples", "count");
  pprofc_builder_type(builder, "wall", "nanoseconds");
  int64_t start = json_member_int(root, "startTime", 0),
          end = json_member_int(root, "endTime", start);
  if (end > start && end - start < INT64_MAX / 1000)
    pprofc_builder_time(builder, 0, (end - start) * 1000);
  pprofc_builder_period(builder, "wall", "nanoseconds", 0);
  struct v8_tree tree;
  pprofc_status status =
      tree_init(&tree, arena->mem, arena, count) ? PPROFC_OK : error_nomem(error);
  if (status == PPROFC_OK) status = read_nodes(&tree, builder, nodes, error);
  if (status == PPROFC_OK) status = read_ticks(&tree, builder, root, arena, error);
  map_free(&tree.by_id);
  return status;
}

/* ---- .heapprofile ------------------------------------ */

/* A node in the order of the walk, callers before callees. */
struct visit {
  const struct node *node;
  uint32_t above; /* index of the caller's visit, MAP_NONE for the root */
  uint32_t location;
};

static const struct visit *visits_of(const struct buffer *visits) {
  return (const struct visit *)(const void *)visits->data;
}

static size_t visits_count(const struct buffer *visits) {
  return visits->size / sizeof(struct visit);
}

static void visits_add(struct buffer *visits, pprofc_builder *builder, const struct node *node,
                       uint32_t above) {
  struct visit visit = {node, above, json_v8_frame(builder, node)};
  buffer_add(visits, &visit, sizeof visit);
}

/* Fills frames (room for MOST_DEPTH) with the stack of a visit, leaf first, without the root. */
static size_t visits_stack(const struct buffer *visits, uint32_t visit, uint32_t *frames) {
  const struct visit *all = visits_of(visits);
  size_t depth = 0;
  if (visits->failed) return 0;
  for (; all[visit].above != MAP_NONE && depth < MOST_DEPTH; visit = all[visit].above)
    frames[depth++] = all[visit].location;
  return depth;
}

pprofc_status json_heapprofile(const struct node *root, pprofc_builder *builder,
                               struct arena *arena, pprofc_error *error) {
  const struct node *head = node_get(root, "head");
  if (!node_is(head, NODE_OBJECT) || !node_get(head, "selfSize")) return PPROFC_E_NO_MATCH;
  pprofc_builder_type(builder, "inuse_space", "bytes");
  struct buffer visits;
  buffer_init(&visits, arena->mem, MOST_NODES * sizeof(struct visit));
  uint32_t *frames = arena_array(arena, MOST_DEPTH, sizeof *frames);
  visits_add(&visits, builder, head, MAP_NONE);
  for (uint32_t i = 0; frames && !visits.failed && builder_ok(builder) && i < visits_count(&visits);
       i++) {
    const struct node *node = visits_of(&visits)[i].node;
    const struct node *children = node_get(node, "children");
    for (size_t k = 0; k < node_size(children); k++)
      visits_add(&visits, builder, node_at(children, k), i);
    int64_t size = json_member_int(node, "selfSize", 0);
    size_t depth = visits_stack(&visits, i, frames);
    if (size) pprofc_builder_sample(builder, frames, depth, &size);
  }
  bool failed = !frames || visits.failed;
  buffer_free(&visits);
  return failed ? error_nomem(error) : PPROFC_OK;
}
