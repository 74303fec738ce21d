/* Judges nodes of the call tree in the same way as functions. Adjusts the p-values of nodes
 * separately from the p-values of functions. */
#include "verdict/compare.h"

/* Sums for a node in a run. `noise` is the sampling variance: the sum of value times quantum
 * (quantum_of_sample). */
struct stack_cell {
  double value, noise;
};

/* Sort key of a node: its parent, then the position of its name in the order of names. */
struct stack_place {
  uint32_t parent, rank, node;
};

struct stacks {
  struct comparison *c;
  struct call_tree tree;
  struct stack_cell **cells; /* for each run, an array with the sums of each node */
  size_t *cell_counts; /* for each run, number of elements of its array in `cells`; the array has no
                          elements for nodes that only later runs have */
  uint32_t *rank;      /* for each name, its position in the order of all names (by bytes) */
  struct stack_place *places; /* nodes except the root, sorted by parent and name */
  /* for each node, index of its first child in `places`; one more element has the number of
   * places */
  uint32_t *from;
  uint32_t *order; /* for each node, its position in preorder; 0 for the root */
  struct arena scratch;
};

/* ---- sums -------------------------------------------- */

static bool stacks_add_run(struct stacks *s, size_t run) {
  struct run *r = &s->c->runs[run];
  struct walk *walk = &r->walk;
  size_t *capacity = &s->cell_counts[run];
  walk_restart(walk);
  while (walk_next(walk)) {
    uint32_t node = tree_reach(&s->tree, walk);
    size_t before = *capacity;
    if (node == MAP_NONE || !ARRAY_RESERVE(s->c->mem, s->cells[run], *capacity, s->tree.count))
      return false;
    for (size_t i = before; i < *capacity; i++) s->cells[run][i] = (struct stack_cell){0, 0};
    double value = (double)walk->values[walk->quantum.value] * r->scale;
    double noise = value * (quantum_of_sample(&walk->quantum, walk->values) * r->scale);
    s->cells[run][node].value += value;
    s->cells[run][node].noise += noise;
  }
  return !walk->failed;
}

/* Adds the value of each node to its parent, so that each node gets the sum of its subtree. */
static void stacks_add_up(struct stacks *s, size_t run) {
  struct stack_cell *cells = s->cells[run];
  size_t count = s->cell_counts[run] < s->tree.count ? s->cell_counts[run] : s->tree.count;
  for (size_t i = count; i-- > 1;) {
    cells[s->tree.nodes[i].parent].value += cells[i].value;
    cells[s->tree.nodes[i].parent].noise += cells[i].noise;
  }
}

static bool stacks_sum(struct stacks *s) {
  size_t runs = s->c->count;
  s->cells = arena_zero_array(&s->scratch, runs, sizeof *s->cells);
  s->cell_counts = arena_zero_array(&s->scratch, runs, sizeof *s->cell_counts);
  if (!s->cells || !s->cell_counts) return false;
  for (size_t r = 0; r < runs; r++)
    if (!stacks_add_run(s, r)) return false;
  for (size_t r = 0; r < runs; r++) stacks_add_up(s, r);
  return true;
}

/* ---- order ------------------------------------------- */

static int stacks_place_order(const void *a, const void *b) {
  const struct stack_place *x = a, *y = b;
  if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool stacks_sort(struct stacks *s) {
  size_t nodes = s->tree.count;
  s->rank = arena_zero_array(&s->scratch, s->c->names.texts.count, sizeof *s->rank);
  s->places = arena_array(&s->scratch, nodes, sizeof *s->places);
  s->from = arena_zero_array(&s->scratch, nodes + 1, sizeof *s->from);
  s->order = arena_array(&s->scratch, nodes, sizeof *s->order);
  if (!s->rank || !s->places || !s->from || !s->order) return false;
  for (size_t i = 0; i < s->c->rows; i++) s->rank[s->c->order[i]] = (uint32_t)i;
  for (uint32_t i = 1; i < nodes; i++) {
    const struct tree_node *node = &s->tree.nodes[i];
    s->places[i - 1] = (struct stack_place){node->parent, s->rank[node->name], i};
    s->from[node->parent + 1]++;
  }
  for (size_t i = 0; i < nodes; i++) s->from[i + 1] += s->from[i];
  qsort(s->places, nodes - 1, sizeof *s->places, stacks_place_order);
  return true;
}

/* Numbers the nodes in preorder, so that parents precede their children. */
static bool stacks_number(struct stacks *s) {
  size_t waiting = 0, next = 0;
  uint32_t *open = mem_array(s->c->mem, s->tree.count, sizeof *open);
  if (!open) return false;
  open[waiting++] = TREE_ROOT;
  while (waiting) {
    uint32_t node = open[--waiting];
    s->order[node] = (uint32_t)next++;
    for (uint32_t i = s->from[node + 1]; i-- > s->from[node];) open[waiting++] = s->places[i].node;
  }
  mem_free(s->c->mem, open, s->tree.count, sizeof *open);
  return true;
}

/* ---- the family -------------------------------------- */

static void stacks_fill_row(const struct stacks *s, uint32_t node, double *values,
                            double *quantum) {
  const struct comparison *c = s->c;
  double sums[2] = {0, 0}, noises[2] = {0, 0};
  for (size_t r = 0; r < c->count; r++) {
    struct stack_cell cell = {0, 0};
    if (node < s->cell_counts[r]) cell = s->cells[r][node];
    values[r] = cell.value;
    sums[r >= c->bases] += cell.value;
    noises[r >= c->bases] += cell.noise;
  }
  *quantum = comparison_quantum(c, sums, noises);
}

static bool stacks_matrix(struct stacks *s, struct matrix *m) {
  struct comparison *c = s->c;
  size_t rows = s->tree.count - 1;
  double *values = rows && c->count > SIZE_MAX / rows
                       ? NULL
                       : arena_array(&s->scratch, rows * c->count, sizeof *values);
  double *quantum = arena_array(&s->scratch, rows, sizeof *quantum);
  bool *aside = arena_array(&s->scratch, rows, sizeof *aside);
  if (!values || !quantum || !aside) return false;
  for (uint32_t node = 1; node <= rows; node++) {
    size_t i = s->order[node] - 1;
    stacks_fill_row(s, node, values + i * c->count, &quantum[i]);
    aside[i] = c->names.flags[s->tree.nodes[node].name] & NAME_ENVIRONMENT;
  }
  *m = (struct matrix){.rows = rows,
                       .runs = c->count,
                       .bases = c->bases,
                       .values = values,
                       .quantum = quantum,
                       .exposure = c->exposures,
                       .aside = aside};
  return true;
}

/* Stores the judged nodes with their verdicts. Allocates c->children. */
static bool stacks_keep(struct stacks *s, const pprofc_verdict_estimate *words) {
  struct comparison *c = s->c;
  size_t rows = s->tree.count - 1;
  c->stacks = arena_array(&c->arena, rows, sizeof *c->stacks);
  c->children = arena_array(&c->arena, rows, sizeof *c->children);
  if (!c->stacks || !c->children) return false;
  for (uint32_t node = 1; node <= rows; node++) {
    const struct tree_node *from = &s->tree.nodes[node];
    size_t i = s->order[node] - 1;
    size_t parent = from->parent == TREE_ROOT ? PPROFC_VERDICT_NO_ROW : s->order[from->parent] - 1;
    c->stacks[i] = (pprofc_verdict_stack){c->names.texts.items[from->name], parent, words[i]};
    c->summary.stacks_changed += pprofc_verdict_is_change(words[i].verdict);
  }
  c->stack_count = rows;
  return true;
}

/* Fills c->children with the indices of the stacks, grouped by parent. The children of a parent
 * stay sorted by name, because the indices of the stacks follow this order. */
static bool stacks_index(struct stacks *s) {
  struct comparison *c = s->c;
  size_t *next = mem_zero_array(c->mem, c->stack_count + 2, sizeof *next);
  if (!next) return false;
  for (size_t i = 0; i < c->stack_count; i++) next[c->stacks[i].parent + 2]++;
  for (size_t i = 0; i <= c->stack_count; i++) next[i + 1] += next[i];
  for (size_t i = 0; i < c->stack_count; i++) c->children[next[c->stacks[i].parent + 1]++] = i;
  mem_free(c->mem, next, c->stack_count + 2, sizeof *next);
  return true;
}

static bool stacks_run(struct stacks *s, pprofc_error *error) {
  struct comparison *c = s->c;
  struct matrix m;
  struct fit fit;
  if (!tree_init(&s->tree, c->mem) || !stacks_sum(s) || !stacks_sort(s) || !stacks_number(s) ||
      !stacks_matrix(s, &m))
    return false;
  pprofc_verdict_estimate *words = arena_array(&s->scratch, m.rows, sizeof *words);
  if (!words || comparison_fit(c, &m, &s->scratch, &fit, error) != PPROFC_OK) return false;
  if (!family_words(c, &m, &fit, words) || !stacks_keep(s, words)) return false;
  c->summary.stacks_tested = fit.tested;
  double level = family_level(c, c->summary.stacks_changed, fit.tested);
  for (size_t i = 0; c->options.fcr && i < m.rows; i++)
    family_widen(c, &m, &fit, i, level, &c->stacks[i].total);
  return stacks_index(s);
}

pprofc_status stacks_judge(struct comparison *c, pprofc_error *error) {
  struct stacks s = {.c = c, .tree = {.mem = c->mem}};
  if (!c->options.stacks || !c->rows) return PPROFC_OK;
  arena_init(&s.scratch, c->mem);
  bool done = stacks_run(&s, error);
  for (size_t r = 0; s.cells && s.cell_counts && r < c->count; r++)
    ARRAY_FREE(c->mem, s.cells[r], s.cell_counts[r]);
  tree_free(&s.tree);
  arena_free(&s.scratch);
  return done ? PPROFC_OK : error_nomem(error);
}

/* Compares a stack with a parent and a name. */
static int stacks_compare_to(const pprofc_verdict_stack *stack, size_t parent, pprofc_str name) {
  /* The root has the index SIZE_MAX. Adding 1 makes it 0, so its children come first. */
  if (stack->parent != parent) return stack->parent + 1 < parent + 1 ? -1 : 1;
  return str_compare(stack->name, name);
}

size_t stacks_find(const struct comparison *c, size_t parent, pprofc_str name) {
  BISECT(at, c->stack_count, stacks_compare_to(&c->stacks[c->children[at]], parent, name) < 0);
  bool found =
      at < c->stack_count && stacks_compare_to(&c->stacks[c->children[at]], parent, name) == 0;
  return found ? c->children[at] : PPROFC_VERDICT_NO_ROW;
}
