/* Builds the tree of a flame graph and places its boxes. */
#include "stacks/layout.h"

#include "core/budget.h"
#include "stacks/narrow.h"

#include <stdio.h>

/* ---- the tree ---------------------------------------- */

static size_t count_nodes(const struct stack_set *set) {
  size_t count = 1;
  for (size_t i = 0; i < set->count; i++) count += set->depth[i] - set->shared[i];
  return count;
}

bool flame_tree_alloc(struct flame_tree *t, size_t count) {
  struct arena *a = &t->arena;
  t->frame = arena_array(a, count, sizeof *t->frame);
  t->parent = arena_array(a, count, sizeof *t->parent);
  t->end = arena_array(a, count, sizeof *t->end);
  t->depth = arena_array(a, count, sizeof *t->depth);
  t->self = arena_array(a, count * t->columns, sizeof *t->self);
  t->total = arena_array(a, count * t->columns, sizeof *t->total);
  return count < NONE && t->frame && t->parent && t->end && t->depth && t->self && t->total;
}

/* Adds the nodes of a stack that the previous stack does not have. path[d] is the node at depth
 * d. */
static void add_stack(struct flame_tree *t, const struct stack_set *set, size_t stack,
                      uint32_t *frames, uint32_t *path) {
  uint32_t depth = set->depth[stack];
  stack_set_read(set, stack, set->shared[stack], frames);
  for (uint32_t d = set->shared[stack]; d < depth; d++) {
    uint32_t node = (uint32_t)t->count++;
    t->frame[node] = frames[d];
    t->parent[node] = path[d];
    t->depth[node] = d + 1;
    path[d + 1] = node;
  }
  int64_t *self = t->self + path[depth] * t->columns;
  const int64_t *values = stack_values(set, stack);
  for (size_t c = 0; c < t->columns; c++) self[c] = sum_add(self[c], values[c]);
  if (depth > t->max_depth) t->max_depth = depth;
}

/* Computes the totals. In preorder children follow their parent, so one loop from the end
 * suffices. */
static void sum_up(struct flame_tree *t) {
  memcpy(t->total, t->self, t->count * t->columns * sizeof *t->total);
  for (size_t i = 0; i < t->count; i++) t->end[i] = (uint32_t)i + 1;
  for (size_t i = t->count; i-- > 1;) {
    uint32_t parent = t->parent[i];
    if (t->end[i] > t->end[parent]) t->end[parent] = t->end[i];
    for (size_t c = 0; c < t->columns; c++)
      t->total[parent * t->columns + c] =
          sum_add(t->total[parent * t->columns + c], t->total[i * t->columns + c]);
  }
}

static bool fill_tree(struct flame_tree *tree, const struct stack_set *set,
                      const pprofc_allocator *mem) {
  size_t room = set->max_depth + 1, count = count_nodes(set);
  uint32_t *path = mem_zero_array(mem, room, sizeof *path);
  uint32_t *stack = mem_array(mem, room, sizeof *stack);
  bool done = path && stack && flame_tree_alloc(tree, count);
  if (done) {
    memset(tree->self, 0, count * tree->columns * sizeof *tree->self);
    tree->count = 1;
    tree->frame[0] = tree->parent[0] = NONE;
    tree->depth[0] = 0;
    for (size_t i = 0; i < set->count; i++) add_stack(tree, set, i, stack, path);
  }
  mem_free(mem, path, room, sizeof *path);
  mem_free(mem, stack, room, sizeof *stack);
  return done;
}

static void start_tree(struct flame_tree *tree, const struct stack_frames *frames,
                       const struct stack_set *set, const pprofc_allocator *mem) {
  *tree = (struct flame_tree){.frames = frames, .columns = set->columns, .types = set->types};
  tree->has_base = set->has_base;
  arena_init(&tree->arena, mem);
}

static pprofc_status finish_tree(struct flame_tree *tree, bool done, pprofc_error *error) {
  if (done) {
    sum_up(tree);
    return PPROFC_OK;
  }
  flame_tree_free(tree);
  return error_nomem(error);
}

pprofc_status flame_tree_build(const struct stack_frames *frames, const struct stack_set *set,
                               const pprofc_allocator *mem, struct flame_tree *tree,
                               pprofc_error *error) {
  start_tree(tree, frames, set, mem);
  return finish_tree(tree, fill_tree(tree, set, mem), error);
}

/* Appends a frame for nodes that replace folded (narrow) nodes. name_folded_frame names it. */
static uint32_t add_folded_frame(struct stack_frames *frames) {
  frames->items[frames->count] =
      (struct stack_frame){.file = STR(""), .function = NONE, .mapping = NONE};
  return (uint32_t)frames->count++;
}

/* Sets the name of the frame from add_folded_frame. The name contains the share below which nodes
 * were folded, because every drawing shows this name. */
static bool name_folded_frame(struct stack_frames *frames, uint32_t frame, double least) {
  char name[80];
  int size = snprintf(name, sizeof name, FLAME_FOLDED ", each below %.2g%%)", 100 * least);
  pprofc_str text = {name, size < 0 ? 0 : (size_t)size};
  frames->items[frame].name = arena_str(&frames->arena, text);
  return frames->items[frame].name.data != NULL;
}

/* Rejects a tree that needs many more values than the profile has. Each node has a value for each
 * sample type, even if the samples of the node have only one value. */
static pprofc_status layout_check_values(const struct flame_graph *graph, size_t most,
                                         pprofc_error *error) {
  const struct stack_set *set = &graph->set;
  uint64_t nodes = count_nodes(set), samples = graph->frames.profile->samples.count;
  if (most && nodes > most) nodes = most;
  uint64_t given = samples * set->types + nodes;
  if (nodes * set->columns <= FLAME_VALUES_FREE + FLAME_VALUES_TIMES * given) return PPROFC_OK;
  return error_set(error, PPROFC_E_LIMIT,
                   "a tree of %llu frames with %zu values each is too large (-top and -dot need "
                   "one value per frame)",
                   (unsigned long long)nodes, set->columns);
}

static pprofc_status build_tree(struct flame_graph *graph, size_t most, const pprofc_allocator *mem,
                                pprofc_error *error) {
  pprofc_status status = layout_check_values(graph, most, error);
  if (status != PPROFC_OK) return status;
  if (!most || count_nodes(&graph->set) <= most)
    return flame_tree_build(&graph->frames, &graph->set, mem, &graph->tree, error);
  start_tree(&graph->tree, &graph->frames, &graph->set, mem);
  uint32_t frame = add_folded_frame(&graph->frames);
  bool done = narrow_tree_build(&graph->tree, &graph->set, frame, most / 4, mem);
  done = done && name_folded_frame(&graph->frames, frame, graph->tree.least);
  return finish_tree(&graph->tree, done, error);
}

void flame_tree_free(struct flame_tree *tree) {
  arena_free(&tree->arena);
  *tree = (struct flame_tree){.arena.mem = tree->arena.mem};
}

pprofc_status flame_graph_build(const pprofc_profile *profile,
                                const struct flame_graph_options *options,
                                const pprofc_allocator *mem, struct flame_graph *graph,
                                pprofc_error *error) {
  const struct granularity *g = &options->granularity;
  const struct stack_policy policy = {.inlines = g->inlines,
                                      .function = g->function,
                                      .file = g->file,
                                      .line = g->line,
                                      .column = g->line && g->column,
                                      .address = g->address,
                                      .inlined = options->inlined,
                                      .unnamed_objects = !g->address,
                                      .trim_path = options->trim_path,
                                      .source_path = options->source_path};
  struct stack_selection selection = {.from_leaf = options->reverse};
  pprofc_status status = stack_set_and_frames_build(profile, &policy, &selection, mem,
                                                    &graph->frames, &graph->set, error);
  if (status != PPROFC_OK) return status;
  status = build_tree(graph, options->most_nodes, mem, error);
  if (status == PPROFC_OK) return status;
  stack_set_free(&graph->set);
  stack_frames_free(&graph->frames);
  return status;
}

void flame_graph_free(struct flame_graph *graph) {
  flame_tree_free(&graph->tree);
  stack_set_free(&graph->set);
  stack_frames_free(&graph->frames);
}

/* ---- widths ------------------------------------------ */

static double layout_measure(enum flame_width how, int64_t head, int64_t base) {
  double h = fabs((double)head), b = fabs((double)base);
  switch (how) {
  case FLAME_BASE:
    return b;
  case FLAME_MAX:
    return h > b ? h : b;
  case FLAME_SUM:
    return h + b;
  default:
    return h;
  }
}

/* Returns the width of each node: the width of its self value plus the widths of its children. Does
 * not use the totals, because with them a child could be wider than its parent. */
static double *node_widths(struct flame_tree *t, size_t type, enum flame_width how) {
  double *width = arena_array(&t->arena, t->count, sizeof *width);
  if (!width) return NULL;
  for (size_t i = 0; i < t->count; i++)
    width[i] = layout_measure(how, flame_self_head(t, i, type), flame_self_base(t, i, type));
  for (size_t i = t->count; i-- > 1;) width[t->parent[i]] += width[i];
  return width;
}

/* ---- placing ----------------------------------------- */

struct placer {
  struct flame_tree *tree;
  size_t type;
  double least;
  const double *width;
  struct ranked *siblings; /* buffer for the children of the current box */
  struct flame_boxes *boxes;
};

static void place_hidden(struct placer *p, uint32_t parent, double x, const struct ranked *hidden,
                         size_t count) {
  if (!count) return;
  const struct flame_box *above = &p->boxes->items[parent];
  struct flame_box box = {NONE, parent, above->depth + 1, (uint32_t)count, x, 0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    size_t node = hidden[i].index;
    box.width += p->width[node];
    box.head = sum_add(box.head, flame_head(p->tree, node, p->type));
    box.base = sum_add(box.base, flame_base(p->tree, node, p->type));
  }
  p->boxes->items[p->boxes->count++] = box;
}

/* Places the children of a box side by side. Children without any width get no box. */
static void place_children(struct placer *p, uint32_t parent) {
  const struct flame_tree *t = p->tree;
  struct flame_box above = p->boxes->items[parent];
  if (above.node == NONE) return;
  size_t count = 0, shown = 0;
  for (uint32_t i = above.node + 1; i < t->end[above.node]; i = t->end[i])
    if (p->width[i] > 0) p->siblings[count++] = (struct ranked){-p->width[i], i};
  if (!t->has_base) ranked_sort(p->siblings, count);
  double x = above.x;
  size_t hidden = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t node = (uint32_t)p->siblings[i].index;
    double width = p->width[node];
    if (width < p->least) {
      p->siblings[hidden++] = p->siblings[i];
      continue;
    }
    p->boxes->items[p->boxes->count++] = (struct flame_box){node,
                                                            parent,
                                                            above.depth + 1,
                                                            0,
                                                            x,
                                                            width,
                                                            flame_head(t, node, p->type),
                                                            flame_base(t, node, p->type)};
    x += width;
    shown++;
  }
  place_hidden(p, parent, x, p->siblings, hidden);
  if ((shown || hidden) && above.depth + 1 > p->boxes->max_depth)
    p->boxes->max_depth = above.depth + 1;
}

/* Returns an upper bound of the number of boxes. Counts two boxes for each node that is wide
 * enough: its box, and a box that replaces its narrow children. */
static size_t most_boxes(const struct placer *p) {
  size_t wide = 1;
  for (size_t i = 1; i < p->tree->count; i++) wide += p->width[i] >= p->least;
  return 2 * wide;
}

pprofc_status flame_place(struct flame_tree *tree, size_t type, enum flame_width width,
                          double least, struct flame_boxes *boxes, pprofc_error *error) {
  *boxes = (struct flame_boxes){0};
  struct placer p = {.tree = tree, .type = type, .boxes = boxes};
  p.width = node_widths(tree, type, width);
  p.siblings = arena_array(&tree->arena, tree->count, sizeof *p.siblings);
  if (!p.width || !p.siblings) return error_nomem(error);
  boxes->width = p.width[0];
  p.least = least * boxes->width;
  boxes->items = arena_array(&tree->arena, most_boxes(&p), sizeof *boxes->items);
  if (!boxes->items) return error_nomem(error);
  boxes->items[boxes->count++] = (struct flame_box){
      0, NONE, 0, 0, 0, p.width[0], flame_head(tree, 0, type), flame_base(tree, 0, type)};
  /* Boxes are placed level by level. The list of boxes is at the same time the queue. */
  for (uint32_t i = 0; i < boxes->count; i++) {
    if (budget_poll(tree->arena.mem, i)) return error_nomem(error);
    place_children(&p, i);
  }
  return PPROFC_OK;
}
