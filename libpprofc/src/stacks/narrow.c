/* Limits trees that have too many nodes to show. While the tree is built, nodes narrower than a
 * bound are folded. One last child of their parent replaces them, and has the sum of their values.
 * So the totals of every node stay exact.
 *
 * The stacks are read twice. The first pass computes the width of each node and chooses the bound.
 * The second pass reads the frames of the nodes that are kept, and stores only these nodes. */
#include "stacks/narrow.h"

#include <math.h>

/* Smallest bound (the width below which nodes are folded), as a share of the whole width. It is a
 * twentieth of a pixel in a picture that is 4,000 pixels wide. */
#define NARROW_LEAST (1.0 / (20 * 4000))

/* Number of possible bounds: 1, 1/2, 1/4 and so on, to the first bound below NARROW_LEAST. */
#define STEPS 18

/* The path from the root to the current node, as a list of chains. The nodes of a chain have equal
 * sums: no stack ends between them, and no node except the last has several children. */
struct narrow {
  const struct stack_set *set;
  size_t columns;
  double *whole;  /* for each column, the sum of the absolute values of all stacks */
  double *scale;  /* for each column i, 1 / whole[i], or 0 if whole[i] is 0 */
  double *sums;   /* for each chain, a row with the sums that each of its nodes has */
  uint32_t *last; /* for each chain, the depth of its last node; the root is chain 0 */
  size_t room;    /* number of chains for which the path has space */
  size_t chain;   /* index of the deepest chain of the path */
};

/* Nodes of one chain that narrow_leave removes from the path. They have the depths from + 1 to
 * `to`. */
struct narrow_left {
  uint32_t from, to;
  double width; /* width of each removed node (narrow_width) */
  size_t chain; /* index of the chain that had the nodes */
};

/* ---- the walk ---------------------------------------- */

/* Returns the values of a stack, and prefetches the values of a later stack. The rows of values are
 * scattered, because they have the order in which the stacks were found. */
static const int64_t *narrow_values(const struct stack_set *set, size_t stack) {
  const size_t later = stack + 12;
  if (later < set->count) __builtin_prefetch(stack_values(set, later));
  return stack_values(set, stack);
}

static bool narrow_init(struct narrow *n, const struct stack_set *set, struct arena *arena) {
  *n = (struct narrow){.set = set, .columns = set->columns, .room = set->max_depth + 1};
  n->whole = arena_zero_array(arena, n->columns, sizeof *n->whole);
  n->scale = arena_zero_array(arena, n->columns, sizeof *n->scale);
  n->sums = arena_zero_array(arena, n->room, n->columns * sizeof *n->sums);
  n->last = arena_zero_array(arena, n->room, sizeof *n->last);
  if (!n->whole || !n->scale || !n->sums || !n->last) return false;
  for (size_t i = 0; i < set->count; i++) {
    const int64_t *values = narrow_values(set, i);
    for (size_t c = 0; c < n->columns; c++) n->whole[c] += fabs((double)values[c]);
  }
  for (size_t c = 0; c < n->columns; c++) n->scale[c] = n->whole[c] > 0 ? 1 / n->whole[c] : 0;
  return true;
}

/* Returns the largest share that the sums of a node have in any column. If this share is far below
 * NARROW_LEAST, returns an estimate, because divisions take long. */
static double narrow_width(const struct narrow *n, const double *sums) {
  double width = 0, estimate = 0;
  for (size_t c = 0; c < n->columns; c++)
    if (sums[c] * n->scale[c] > estimate) estimate = sums[c] * n->scale[c];
  if (estimate < NARROW_LEAST / 2) return estimate;
  for (size_t c = 0; c < n->columns; c++) {
    double share = n->whole[c] > 0 ? sums[c] / n->whole[c] : 0;
    if (share > width) width = share;
  }
  return width;
}

/* Removes the nodes deeper than `shared` from the deepest chain (struct narrow) of the path. Stores
 * the depths and the width of the removed nodes in *left. Returns false if the chain has no node
 * deeper than `shared`. */
static bool narrow_leave(struct narrow *n, uint32_t shared, struct narrow_left *left) {
  uint32_t depth = n->last[n->chain];
  if (depth <= shared) return false;
  double *sums = n->sums + n->chain * n->columns;
  uint32_t above = n->last[n->chain - 1];
  *left =
      (struct narrow_left){above > shared ? above : shared, depth, narrow_width(n, sums), n->chain};
  n->last[n->chain] = shared;
  if (above < shared) return true; /* The chain still has nodes, so its sums stay. */
  double *sums_above = sums - n->columns;
  for (size_t c = 0; c < n->columns; c++) {
    sums_above[c] += sums[c];
    sums[c] = 0;
  }
  n->chain--;
  return true;
}

/* Extends the path to the end of a stack. */
static void narrow_enter(struct narrow *n, size_t stack) {
  const int64_t *values = narrow_values(n->set, stack);
  if (n->set->depth[stack] > n->last[n->chain]) n->last[++n->chain] = n->set->depth[stack];
  double *sums = n->sums + n->chain * n->columns;
  for (size_t c = 0; c < n->columns; c++) sums[c] += fabs((double)values[c]);
}

/* Returns the number of frames that stack i shares with stack i - 1. Returns 0 for i = the number
 * of stacks. */
static uint32_t narrow_shared(const struct narrow *n, size_t i) {
  return i < n->set->count ? n->set->shared[i] : 0;
}

/* ---- the bound --------------------------------------- */

/* Returns the index of the largest of the bounds (1, 1/2, 1/4 and so on) that a width reaches.
 * Returns STEPS for a width below all bounds. */
static size_t narrow_step(double width) {
  int exponent;
  if (!(width > 0)) return STEPS;
  frexp(width, &exponent);
  if (exponent > 1) exponent = 1;
  size_t step = (size_t)(1 - exponent);
  return step < STEPS ? step : STEPS;
}

/* Sets *bound to the smallest bound, at least NARROW_LEAST, for which at most `most` nodes are
 * kept. Returns at least the number of kept nodes. */
static size_t narrow_choose(struct narrow *n, size_t most, double *bound) {
  size_t count[STEPS + 1] = {0}, kept = 0, step = 0;
  struct narrow_left left;
  for (size_t i = 0; i <= n->set->count; i++) {
    while (narrow_leave(n, narrow_shared(n, i), &left))
      count[narrow_step(left.width)] += left.to - left.from;
    if (i < n->set->count) narrow_enter(n, i);
  }
  while (step < STEPS && kept + count[step] <= most) kept += count[step++];
  *bound = step ? fmax(ldexp(1, 1 - (int)step), NARROW_LEAST) : 2;
  return kept;
}

/* ---- the tree ---------------------------------------- */

struct narrow_builder {
  struct narrow walk;
  struct flame_tree *tree;
  double bound;
  uint32_t frame;   /* index of the frame for nodes that replace folded (narrow) nodes */
  uint32_t *path;   /* for each depth, the node of the path, with space for `room` nodes */
  uint32_t stored;  /* depth of the last node of the path that is already in the tree */
  uint32_t *frames; /* frames of a stack, with space for `room` frames */
  int64_t *self;  /* for each chain, a row with the sums of the stacks that end at its last node */
  int64_t *rest;  /* for each chain, a row with the sums of the nodes that were folded below its
                     last node */
  size_t *folded; /* for each chain, number of nodes that were folded below its last node */
};

/* Adds row `from` to row `to`, and clears row `from`. */
static void narrow_move(int64_t *to, int64_t *from, size_t columns) {
  for (size_t c = 0; c < columns; c++) to[c] = sum_add(to[c], from[c]);
  memset(from, 0, columns * sizeof *from);
}

static uint32_t narrow_push(struct flame_tree *t, uint32_t frame, uint32_t parent, uint32_t depth) {
  uint32_t node = (uint32_t)t->count++;
  t->frame[node] = frame;
  t->parent[node] = parent;
  t->depth[node] = depth;
  memset(t->self + node * t->columns, 0, t->columns * sizeof *t->self);
  if (depth > t->max_depth) t->max_depth = depth;
  return node;
}

/* Adds the sums of removed nodes to the sums of the node above them. That node is the last node of
 * chain `to`, and will get a child that replaces the removed nodes. */
static void narrow_fold(struct narrow_builder *b, const struct narrow_left *left, size_t to) {
  size_t columns = b->tree->columns;
  int64_t *rest = b->rest + left->chain * columns;
  narrow_move(rest, b->self + left->chain * columns, columns);
  b->folded[left->chain] += left->to - left->from;
  if (to == left->chain) return;
  narrow_move(b->rest + to * columns, rest, columns);
  b->folded[to] += b->folded[left->chain];
  b->folded[left->chain] = 0;
}

/* Adds the nodes of the path from the root to the node at `depth`, except nodes that the tree
 * already has. The node at `depth` is the last node of `chain` and a node of the stack `stack`. If
 * descendants of the node were folded, adds a child that replaces them. */
static void narrow_keep(struct narrow_builder *b, size_t chain, uint32_t depth, size_t stack) {
  struct flame_tree *t = b->tree;
  const struct stack_set *set = b->walk.set;
  if (b->stored < depth) stack_set_read(set, stack, b->stored, b->frames);
  for (; b->stored < depth; b->stored++)
    b->path[b->stored + 1] =
        narrow_push(t, b->frames[b->stored], b->path[b->stored], b->stored + 1);
  narrow_move(t->self + b->path[depth] * t->columns, b->self + chain * t->columns, t->columns);
  if (!b->folded[chain]) return;
  uint32_t node = narrow_push(t, b->frame, b->path[depth], depth + 1);
  narrow_move(t->self + node * t->columns, b->rest + chain * t->columns, t->columns);
  t->folded += b->folded[chain];
  b->folded[chain] = 0;
}

static void narrow_fill(struct narrow_builder *b) {
  const struct stack_set *set = b->walk.set;
  size_t columns = set->columns;
  struct narrow_left left;
  b->tree->count = 0;
  b->path[0] = narrow_push(b->tree, NONE, NONE, 0);
  for (size_t i = 0; i <= set->count; i++) {
    while (narrow_leave(&b->walk, narrow_shared(&b->walk, i), &left)) {
      if (left.width < b->bound)
        narrow_fold(b, &left, b->walk.chain);
      else
        narrow_keep(b, left.chain, left.to, i - 1);
      if (b->stored > left.from) b->stored = left.from;
    }
    if (i == set->count) break;
    narrow_enter(&b->walk, i);
    int64_t *self = b->self + b->walk.chain * columns;
    for (size_t c = 0; c < columns; c++) self[c] = stack_values(set, i)[c];
  }
  narrow_keep(b, 0, 0, 0);
}

bool narrow_tree_build(struct flame_tree *tree, const struct stack_set *set, uint32_t frame,
                       size_t most, const pprofc_allocator *mem) {
  struct narrow_builder b = {.tree = tree, .frame = frame};
  struct arena arena = arena_make(mem);
  bool done = narrow_init(&b.walk, set, &arena);
  size_t room = b.walk.room, row = set->columns * sizeof(int64_t);
  b.path = arena_zero_array(&arena, room, sizeof *b.path);
  b.frames = arena_array(&arena, room, sizeof *b.frames);
  b.self = arena_zero_array(&arena, room, row);
  b.rest = arena_zero_array(&arena, room, row);
  b.folded = arena_zero_array(&arena, room, sizeof *b.folded);
  done = done && b.path && b.frames && b.self && b.rest && b.folded;
  if (done) {
    /* The root and each kept node have at most one child that replaces folded (narrow) nodes. */
    size_t kept = narrow_choose(&b.walk, most, &b.bound);
    done = flame_tree_alloc(tree, 2 * kept + 2);
  }
  if (done) {
    narrow_fill(&b);
    tree->least = b.bound;
  }
  arena_free(&arena);
  return done;
}
