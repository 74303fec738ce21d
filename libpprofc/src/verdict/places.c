/* Locates changes in the call tree. Starts at the root, and searches for the nodes that have nearly
 * all of a change. */
#include "verdict/compare.h"

/* Minimum share of a node's change that one part (struct place_part), or up to PLACES_SPLIT parts
 * together, must have. If no parts have this share, the search ends at the node. */
#define PLACES_ALL 0.9
/* Minimum share of a change that each of its parts must have. If a part has less, the change is not
 * split. */
#define PLACES_SHARE 0.2
#define PLACES_SPLIT 3
/* Maximum number of nodes that are reported for a change. */
#define PLACES_MOST 8

struct places {
  struct comparison *c;
  struct call_tree tree;
  double *selves; /* for each node, change of the samples that end in the node */
  size_t self_capacity;
  double *sums; /* for each node, change of the samples in its subtree that end in the examined
                   function */
  size_t sum_count;
};

/* A part of a change: a node with its subtree, or only the samples that end in a node. */
struct place_part {
  uint32_t node;
  bool self;
  double delta;
};

/* ---- the tree ---------------------------------------- */

/* Extends p->selves to one number per node of the tree. New numbers are 0. */
static bool places_grow(struct places *p) {
  size_t before = p->self_capacity;
  if (!ARRAY_RESERVE(p->c->mem, p->selves, p->self_capacity, p->tree.count)) return false;
  for (size_t i = before; i < p->self_capacity; i++) p->selves[i] = 0;
  return true;
}

static bool places_add_run(struct places *p, size_t run) {
  struct walk *walk = &p->c->runs[run].walk;
  double weight = comparison_weight(p->c, run);
  walk_restart(walk);
  while (walk_next(walk)) {
    uint32_t node = tree_reach(&p->tree, walk);
    if (node == MAP_NONE || !places_grow(p)) return false;
    p->selves[node] += weight * (double)walk->values[walk->quantum.value];
  }
  return !walk->failed;
}

static bool places_build(struct places *p) {
  if (!tree_init(&p->tree, p->c->mem) || !places_grow(p)) return false;
  for (size_t r = 0; r < p->c->count; r++)
    if (!places_add_run(p, r)) return false;
  p->sum_count = p->tree.count;
  p->sums = mem_array(p->c->mem, p->sum_count, sizeof *p->sums);
  return p->sums != NULL;
}

/* ---- one change -------------------------------------- */

/* Returns the change of the samples that end in a node, or 0 if the node's function is not `name`.
 * MAP_NONE as `name` means all functions. */
static double places_self(const struct places *p, uint32_t node, uint32_t name) {
  return name == MAP_NONE || p->tree.nodes[node].name == name ? p->selves[node] : 0;
}

static void places_sum(struct places *p, uint32_t name) {
  for (uint32_t i = 0; i < p->sum_count; i++) p->sums[i] = places_self(p, i, name);
  for (size_t i = p->sum_count; i-- > 1;) p->sums[p->tree.nodes[i].parent] += p->sums[i];
}

/* Inserts a part into `best`, the list of the parts that changed most. Ignores a part if its change
 * and the whole change (`goal`) have different signs. */
static void places_offer(struct place_part best[PLACES_SPLIT], struct place_part part,
                         double goal) {
  size_t at = PLACES_SPLIT;
  if (part.delta * goal <= 0) return;
  while (at > 0 && fabs(part.delta) > fabs(best[at - 1].delta)) at--;
  for (size_t i = PLACES_SPLIT; i-- > at + 1;) best[i] = best[i - 1];
  if (at < PLACES_SPLIT) best[at] = part;
}

/* Fills `best` with the parts of a node that have the largest changes. A part is a child with its
 * subtree, or the samples that end in the node. */
static void places_best(const struct places *p, uint32_t node, uint32_t name, double goal,
                        struct place_part best[PLACES_SPLIT]) {
  for (size_t i = 0; i < PLACES_SPLIT; i++) best[i] = (struct place_part){node, true, 0};
  places_offer(best, (struct place_part){node, true, places_self(p, node, name)}, goal);
  for (uint32_t i = p->tree.nodes[node].first_child; i != MAP_NONE; i = p->tree.nodes[i].next)
    places_offer(best, (struct place_part){i, false, p->sums[i]}, goal);
}

/* Returns how many of the largest parts together have nearly all of the change. Returns 0 if all
 * parts together have less. Also returns 0 if one of these parts is below PLACES_SHARE. */
static size_t places_split(const struct place_part best[PLACES_SPLIT], double goal) {
  double held = 0;
  if (best[0].delta / goal >= PLACES_ALL) return 1;
  for (size_t i = 0; i < PLACES_SPLIT; i++) {
    if (best[i].delta / goal < PLACES_SHARE) return 0;
    held += best[i].delta;
    if (held / goal >= PLACES_ALL) return i + 1;
  }
  return 0;
}

/* Moves *part down the tree while one child has nearly all of the change. If only several parts
 * together have nearly all of the change, stores them in `best` and returns their number. Otherwise
 * returns 0. */
static size_t places_descend(const struct places *p, uint32_t name, struct place_part *part,
                             struct place_part best[PLACES_SPLIT]) {
  double goal = part->delta;
  while (!part->self) {
    places_best(p, part->node, name, goal, best);
    size_t parts = places_split(best, goal);
    if (parts != 1) return parts;
    *part = best[0];
  }
  return 0;
}

/* Fills found[PLACES_MOST] with the nodes in which the function `name` changed. Returns their
 * number. */
static size_t places_narrow(const struct places *p, uint32_t name,
                            struct place_part found[PLACES_MOST]) {
  struct place_part open[PLACES_MOST] = {{TREE_ROOT, false, p->sums[TREE_ROOT]}};
  size_t open_count = 1, count = 0;
  if (p->sums[TREE_ROOT] == 0) return 0;
  while (open_count) {
    struct place_part part = open[--open_count], best[PLACES_SPLIT];
    size_t parts = places_descend(p, name, &part, best);
    if (parts && count + open_count + parts <= PLACES_MOST)
      while (parts) open[open_count++] = best[--parts];
    else
      found[count++] = part;
  }
  return count;
}

/* ---- results ----------------------------------------- */

static bool places_keep(const struct places *p, struct place_part part,
                        pprofc_verdict_place *place) {
  size_t depth = 0;
  for (uint32_t i = part.node; i != TREE_ROOT; i = p->tree.nodes[i].parent) depth++;
  pprofc_str *frames = arena_array(&p->c->arena, depth, sizeof *frames);
  if (!frames) return false;
  *place = (pprofc_verdict_place){frames, depth, part.delta};
  for (uint32_t i = part.node; i != TREE_ROOT; i = p->tree.nodes[i].parent)
    frames[--depth] = p->c->names.texts.items[p->tree.nodes[i].name];
  return true;
}

/* Stores the nodes in which the function `name` changed. MAP_NONE selects the total. */
static bool places_of(struct places *p, uint32_t name, const pprofc_verdict_place **places,
                      size_t *count) {
  struct place_part found[PLACES_MOST];
  places_sum(p, name);
  size_t n = places_narrow(p, name, found);
  if (!n || found[0].node == TREE_ROOT) return true;
  pprofc_verdict_place *kept = arena_array(&p->c->arena, n, sizeof *kept);
  if (!kept) return false;
  for (size_t i = 0; i < n; i++)
    if (!places_keep(p, found[i], &kept[i])) return false;
  *places = kept;
  *count = n;
  return true;
}

static bool places_fill(struct places *p) {
  struct comparison *c = p->c;
  if (!places_of(p, MAP_NONE, &c->summary.places, &c->summary.place_count)) return false;
  for (size_t i = 0; i < c->rows; i++) {
    pprofc_verdict_row *row = &c->row[i];
    if (!pprofc_verdict_is_change(row->flat.verdict)) continue;
    uint32_t name = interner_find(&c->names.texts, row->name);
    if (!places_of(p, name, &row->places, &row->place_count)) return false;
  }
  return true;
}

pprofc_status places_find(struct comparison *c, pprofc_error *error) {
  struct places p = {.c = c, .tree = {.mem = c->mem}};
  if (!c->options.places || !c->summary.changed) return PPROFC_OK;
  bool done = places_build(&p) && places_fill(&p);
  mem_free(c->mem, p.sums, p.sum_count, sizeof *p.sums);
  ARRAY_FREE(c->mem, p.selves, p.self_capacity);
  tree_free(&p.tree);
  return done ? PPROFC_OK : error_nomem(error);
}
