/* Limits trees with more nodes than can be shown. While the tree is built, nodes narrower than a
 * bound are folded: a parent gets one last child with the sums of all its folded children. So the
 * totals of every node stay exact.
 *
 * The stacks are walked twice. The first walk needs no frames: it computes the width of each node
 * and chooses the bound. The second walk stores only nodes that are kept. */
#include "stacks/narrow.h"

#include <math.h>

/* Smallest bound, as a share of the whole: a twentieth of a pixel in a picture that is 4,000 pixels
 * wide. */
#define NARROW_LEAST (1.0 / (20 * 4000))

#define STEPS 18 /* number of halvings of 1 until the bound is at most NARROW_LEAST */

struct narrow {
  const struct stack_set *set;
  size_t columns;
  double *whole; /* sum of the magnitudes of all stacks, by column */
  double *open;  /* values of the nodes on the path: one row of all columns per node */
  size_t room;   /* capacity of the path, in nodes */
  size_t depth;
};

/* ---- the walk ---------------------------------------- */

static double narrow_magnitude(int64_t value) {
  return value < 0 ? -(double)value : (double)value;
}

static bool narrow_init(struct narrow *n, const struct stack_set *set,
                        const pprofc_allocator *mem) {
  *n = (struct narrow){.set = set, .columns = set->columns, .room = set->max_depth + 1};
  n->whole = mem_zero_array(mem, n->columns, sizeof *n->whole);
  n->open = mem_zero_array(mem, n->room, n->columns * sizeof *n->open);
  if (!n->whole || !n->open) return false;
  for (size_t i = 0; i < set->count; i++) {
    const int64_t *values = stack_values(set, i);
    for (size_t c = 0; c < n->columns; c++) n->whole[c] += narrow_magnitude(values[c]);
  }
  return true;
}

static void narrow_free(struct narrow *n, const pprofc_allocator *mem) {
  mem_free(mem, n->whole, n->columns, sizeof *n->whole);
  mem_free(mem, n->open, n->room, n->columns * sizeof *n->open);
}

/* Leaves the last node of the path and returns its width: its largest share of any column. A
 * parent is at least as wide as its children. */
static double narrow_close(struct narrow *n) {
  double *sums = n->open + n->depth * n->columns, width = 0;
  for (size_t c = 0; c < n->columns; c++) {
    double part = n->whole[c] > 0 ? sums[c] / n->whole[c] : 0;
    if (part > width) width = part;
    if (n->depth) sums[(ptrdiff_t)c - (ptrdiff_t)n->columns] += sums[c];
    sums[c] = 0;
  }
  if (n->depth) n->depth--;
  return width;
}

static void narrow_add(struct narrow *n, size_t stack) {
  double *sums = n->open + n->depth * n->columns;
  const int64_t *values = stack_values(n->set, stack);
  for (size_t c = 0; c < n->columns; c++) sums[c] += narrow_magnitude(values[c]);
}

/* ---- the bound --------------------------------------- */

/* Returns the index of the largest bound that a width reaches: 0 for a width of 1, 1 for at
 * least a half ... */
static size_t narrow_step(double width) {
  int exponent;
  if (!(width > 0)) return STEPS;
  frexp(width, &exponent);
  if (exponent > 1) exponent = 1;
  size_t step = (size_t)(1 - exponent);
  return step < STEPS ? step : STEPS;
}

/* Chooses the smallest bound that keeps at most `most` nodes, but at least NARROW_LEAST. Returns
 * an upper bound of the number of nodes that are kept. */
static size_t narrow_choose(struct narrow *n, size_t most, double *bound) {
  size_t count[STEPS + 1] = {0}, kept = 0, step = 0;
  for (size_t i = 0; i <= n->set->count; i++) {
    size_t shared = i < n->set->count ? n->set->shared[i] : 0;
    while (n->depth > shared) count[narrow_step(narrow_close(n))]++;
    if (i == n->set->count) break;
    n->depth = n->set->depth[i];
    narrow_add(n, i);
  }
  narrow_close(n);
  while (step < STEPS && kept + count[step] <= most) kept += count[step++];
  *bound = step ? fmax(ldexp(1, 1 - (int)step), NARROW_LEAST) : 2;
  return kept;
}

/* ---- the tree ---------------------------------------- */

struct narrow_builder {
  struct narrow walk;
  struct flame_tree *tree;
  double bound;
  uint32_t frame;   /* frame of the node that replaces folded nodes */
  uint32_t *path;   /* nodes of the path; `room` entries */
  uint32_t *frames; /* frames of a stack; `room` entries */
  int64_t *rest; /* sums of the nodes folded below each node of the path: one row of all columns per
                    node */
  size_t *folded; /* number of nodes folded below each node of the path */
};

static void narrow_sum(int64_t *to, const int64_t *from, size_t columns) {
  for (size_t c = 0; c < columns; c++) to[c] = sum_add(to[c], from[c]);
}

static uint32_t narrow_push(struct flame_tree *t, uint32_t frame, uint32_t parent, uint32_t depth) {
  uint32_t node = (uint32_t)t->count++;
  t->frame[node] = frame;
  t->parent[node] = parent;
  t->depth[node] = depth;
  memset(t->self + node * t->columns, 0, t->columns * sizeof *t->self);
  return node;
}

/* Adds the node that replaces folded nodes, after the last child. */
static void narrow_put_rest(struct narrow_builder *b, size_t depth) {
  struct flame_tree *t = b->tree;
  if (!b->folded[depth]) return;
  uint32_t node = narrow_push(t, b->frame, b->path[depth], (uint32_t)depth + 1);
  narrow_sum(t->self + node * t->columns, b->rest + depth * t->columns, t->columns);
  t->folded += b->folded[depth];
  if (depth + 1 > t->max_depth) t->max_depth = depth + 1;
}

/* Removes the last node of the path, and all nodes below it, from the tree again. */
static void narrow_fold(struct narrow_builder *b, size_t depth) {
  struct flame_tree *t = b->tree;
  int64_t *above = b->rest + (depth - 1) * t->columns;
  uint32_t first = b->path[depth];
  for (size_t i = first; i < t->count; i++) narrow_sum(above, t->self + i * t->columns, t->columns);
  narrow_sum(above, b->rest + depth * t->columns, t->columns);
  b->folded[depth - 1] += b->folded[depth] + (t->count - first);
  t->count = first;
}

static void narrow_leave(struct narrow_builder *b) {
  size_t depth = b->walk.depth;
  double width = narrow_close(&b->walk);
  if (depth && width < b->bound) {
    narrow_fold(b, depth);
  } else {
    narrow_put_rest(b, depth);
    if (depth > b->tree->max_depth) b->tree->max_depth = depth;
  }
  b->folded[depth] = 0;
  memset(b->rest + depth * b->tree->columns, 0, b->tree->columns * sizeof *b->rest);
}

static void narrow_enter(struct narrow_builder *b, size_t stack) {
  struct flame_tree *t = b->tree;
  uint32_t depth = b->walk.set->depth[stack];
  stack_set_go_on(b->walk.set, stack, b->frames);
  for (uint32_t d = b->walk.set->shared[stack]; d < depth; d++)
    b->path[d + 1] = narrow_push(t, b->frames[d], b->path[d], d + 1);
  b->walk.depth = depth;
  narrow_add(&b->walk, stack);
  narrow_sum(t->self + b->path[depth] * t->columns, stack_values(b->walk.set, stack), t->columns);
}

static void narrow_fill(struct narrow_builder *b) {
  const struct stack_set *set = b->walk.set;
  b->tree->count = 0;
  b->path[0] = narrow_push(b->tree, NONE, NONE, 0);
  for (size_t i = 0; i < set->count; i++) {
    while (b->walk.depth > set->shared[i]) narrow_leave(b);
    narrow_enter(b, i);
  }
  while (b->walk.depth) narrow_leave(b);
  narrow_leave(b);
}

bool narrow_tree_build(struct flame_tree *tree, const struct stack_set *set, uint32_t frame,
                       size_t most, const pprofc_allocator *mem) {
  struct narrow_builder b = {.tree = tree, .frame = frame};
  bool done = narrow_init(&b.walk, set, mem);
  size_t room = b.walk.room, columns = set->columns;
  struct arena arena;
  arena_init(&arena, mem);
  b.path = arena_zero_array(&arena, room, sizeof *b.path);
  b.frames = arena_array(&arena, room, sizeof *b.frames);
  b.rest = arena_zero_array(&arena, room, columns * sizeof *b.rest);
  b.folded = arena_zero_array(&arena, room, sizeof *b.folded);
  done = done && b.path && b.frames && b.rest && b.folded;
  if (done) {
    /* Each kept node has at most one child that replaces folded nodes. The builder stores the nodes
     * of the path before it knows if they are kept. */
    size_t kept = narrow_choose(&b.walk, most, &b.bound);
    done = flame_tree_alloc(tree, 2 * (kept + room) + 2);
  }
  if (done) {
    narrow_fill(&b);
    tree->least = b.bound;
  }
  arena_free(&arena);
  narrow_free(&b.walk, mem);
  return done;
}
