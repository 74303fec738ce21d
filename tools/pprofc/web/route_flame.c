/* Answers requests for the data of a flame graph: the whole tree, or the subtree of a node. Caches
 * the trees, because a zoom needs the same tree again. */
#include "pprofc/profile.h"
#include "report/stacks/flame_kept.h"
#include "web/routes.h"

#define TREES_MOST 16

/* A tree and its data. The thread that builds the tree sets the fields below `key`. */
struct web_tree {
  struct web_tree *next;
  int references;
  bool building;
  char *key;
  struct arena arena;     /* memory for the texts of the query */
  struct web_query query; /* query of the request; `options` points into this query */
  pprofc_report_options options;
  /* budget of the request that built the tree; the tree keeps a reference to the budget */
  struct budget *budget;
  pprofc_profile *profile; /* profile of the tree; `budget` counts its memory */
  struct flame_kept *graph;
};

struct web_trees {
  pthread_mutex_t lock;
  pthread_cond_t built;
  struct web_tree *first; /* head of the list of trees; the most recently used tree comes first */
  uint64_t most;
};

struct web_trees *trees_new(uint64_t bytes) {
  struct web_trees *trees = mem_zero_array(&mem_default, 1, sizeof *trees);
  if (!trees) return NULL;
  trees->most = bytes;
  pthread_mutex_init(&trees->lock, NULL);
  pthread_cond_init(&trees->built, NULL);
  return trees;
}

static void tree_release(struct web_tree *tree) {
  if (!tree || __atomic_sub_fetch(&tree->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  flame_kept_close(tree->graph);
  pprofc_profile_release(tree->profile);
  budget_release(tree->budget);
  arena_free(&tree->arena);
  text_free(tree->key);
  mem_free(&mem_default, tree, 1, sizeof *tree);
}

/* Removes the tree *link from the list of cached trees. The caller takes over the reference of the
 * list. */
static struct web_tree *trees_unlink(struct web_tree **link) {
  struct web_tree *tree = *link;
  *link = tree->next;
  return tree;
}

static void trees_link(struct web_trees *trees, struct web_tree *tree) {
  tree->next = trees->first;
  trees->first = tree;
}

void trees_free(struct web_trees *trees) {
  if (!trees) return;
  while (trees->first) tree_release(trees_unlink(&trees->first));
  pthread_cond_destroy(&trees->built);
  pthread_mutex_destroy(&trees->lock);
  mem_free(&mem_default, trees, 1, sizeof *trees);
}

/* Creates a tree with one reference for the list of cached trees, and one for the caller. */
static struct web_tree *trees_add(struct web_trees *trees, pprofc_str key) {
  struct web_tree *tree = mem_zero_array(&mem_default, 1, sizeof *tree);
  if (!tree) return NULL;
  arena_init(&tree->arena, &mem_default);
  tree->key = text_copy(key);
  tree->building = true;
  tree->references = tree->key ? 2 : 1;
  if (tree->key) {
    trees_link(trees, tree);
    return tree;
  }
  tree_release(tree);
  return NULL;
}

/* Removes the least recently used trees until the cache is within its limits. The caller must hold
 * the lock. */
static void trees_trim(struct web_trees *trees) {
  uint64_t bytes = 0;
  size_t count = 0;
  for (struct web_tree **link = &trees->first, *tree; (tree = *link);) {
    uint64_t more = tree->building ? 0 : budget_used(budget_allocator(tree->budget));
    bool kept = tree->building || (bytes + more <= trees->most && count < TREES_MOST);
    count += kept && !tree->building;
    bytes += kept ? more : 0;
    if (kept)
      link = &tree->next;
    else
      tree_release(trees_unlink(link));
  }
}

static struct web_tree **trees_find(struct web_trees *trees, pprofc_str key) {
  struct web_tree **link = &trees->first;
  while (*link && !str_equal(str_of((*link)->key), key)) link = &(*link)->next;
  return link;
}

/* Returns the tree with a cache key (flame_key). If the tree is new, sets *mine, and the caller
 * must build the tree and then call trees_built. If another thread builds the tree, waits for that
 * thread. The caller releases the tree. Returns NULL when out of memory. */
static struct web_tree *trees_take(struct web_trees *trees, pprofc_str key, bool *mine) {
  struct web_tree *tree, **link;
  pthread_mutex_lock(&trees->lock);
  while ((tree = *(link = trees_find(trees, key))) && tree->building)
    pthread_cond_wait(&trees->built, &trees->lock);
  *mine = !tree;
  if (tree) {
    trees_link(trees, trees_unlink(link));
    __atomic_add_fetch(&tree->references, 1, __ATOMIC_RELAXED);
  } else {
    tree = trees_add(trees, key);
  }
  pthread_mutex_unlock(&trees->lock);
  return tree;
}

/* Ends the build of a tree and wakes the waiting callers. If `good` is false, removes the tree from
 * the cache. The caller must still release the tree. */
static void trees_built(struct web_trees *trees, struct web_tree *tree, bool good) {
  pthread_mutex_lock(&trees->lock);
  tree->building = false;
  if (!good) tree_release(trees_unlink(trees_find(trees, str_of(tree->key))));
  pthread_cond_broadcast(&trees->built);
  trees_trim(trees);
  pthread_mutex_unlock(&trees->lock);
}

/* Writes the cache key of a tree. The key has the ids of the chosen profiles and the query. */
static bool flame_key(const struct web_question *q, const struct state_choice *c,
                      struct buffer *query, struct buffer *key) {
  static const struct web_change without = {"node", {"", 0}};
  web_query_write(query, &q->query, &without, 1);
  buffer_printf(key, "%u %u %d ", c->head->id, c->base ? c->base->id : 0, (int)c->side);
  buffer_add_str(key, buffer_str(query));
  return !key->failed && !query->failed;
}

pprofc_status route_judge(struct web_question *q, const struct state_choice *c,
                          const pprofc_report_options *options, struct noise_report *judged,
                          pprofc_error *error) {
  const struct state_profile *head = c->head, *base = c->base;
  const struct noise_settings settings = noise_settings_of(&q->web->command->noise);
  *judged = (struct noise_report){.options = options};
  if (c->side != WEB_DIFF) return PPROFC_OK;
  const struct noise_side sides[2] = {{c->lent[0], base->runs, base->run_count},
                                      {c->lent[1], head->runs, head->run_count}};
  return noise_judge_sides(judged, sides, &settings, error);
}

/* Builds the graph. Without verdicts, divides the values by the number of runs or seconds. With
 * verdicts, flame_verdicts.ratio does this. */
static pprofc_status flame_open(struct web_question *q, const struct state_choice *c,
                                struct web_tree *tree, pprofc_error *error) {
  struct noise_report judged = {.verdicts = NULL};
  pprofc_status status = PPROFC_OK;
  if (c->side == WEB_DIFF && !noise_obstacle(&tree->options) &&
      !noise_hide_folded(tree->profile, &tree->arena, &tree->options))
    status = error_nomem(error);
  if (!status) status = route_judge(q, c, &tree->options, &judged, error);
  tree->options.verdicts = judged.verdicts;
  if (!judged.verdicts) tree->options.divide_by *= state_divisor(c, c->side);
  if (status == PPROFC_OK)
    status = flame_kept_open(tree->profile, &tree->options, &tree->graph, error);
  tree->options.verdicts = NULL;
  noise_free(&judged);
  return status;
}

/* Builds the tree within the memory and time budget of the request. */
static pprofc_status flame_build(struct web_question *q, const struct state_choice *c,
                                 pprofc_str query, struct web_tree *tree, pprofc_error *error) {
  tree->budget = budget_retain(q->budget);
  tree->options = q->web->command->report;
  pprofc_status status = web_query_parse(query, &tree->arena, &tree->query, error);
  if (status == PPROFC_OK) status = web_query_options(&tree->query, &tree->options, error);
  if (status != PPROFC_OK) return status;
  tree->options.format = "flame";
  tree->options.argument = "data";
  tree->options.warn = NULL;
  tree->profile = pprofc_profile_retain(c->shown);
  return flame_open(q, c, tree, error);
}

/* Returns the tree for the request. The caller releases the tree. */
static pprofc_status flame_take(struct web_question *q, struct web_tree **tree,
                                pprofc_error *error) {
  struct state_choice choice;
  struct buffer query, key;
  bool mine = false;
  pprofc_status status =
      state_choose(q->web->state, &q->query, budget_allocator(q->budget), &choice, error);
  buffer_init(&query, &mem_default, 1 << 20);
  buffer_init(&key, &mem_default, 1 << 20);
  if (status == PPROFC_OK && !flame_key(q, &choice, &query, &key)) status = error_nomem(error);
  if (status == PPROFC_OK) {
    *tree = trees_take(q->web->trees, buffer_str(&key), &mine);
    if (!*tree) status = error_nomem(error);
  }
  if (mine && *tree) {
    status = flame_build(q, &choice, buffer_str(&query), *tree, error);
    trees_built(q->web->trees, *tree, status == PPROFC_OK);
  }
  buffer_free(&query);
  buffer_free(&key);
  state_choice_free(&choice);
  return status;
}

static pprofc_status flame_answer(struct web_question *q, uint32_t node, struct web_reply *reply,
                                  pprofc_error *error) {
  struct web_tree *tree = NULL;
  const pprofc_allocator *mem = budget_allocator(q->budget);
  pprofc_status status = flame_take(q, &tree, error);
  if (status == PPROFC_OK)
    status = flame_kept_write(tree->graph, node, mem, reply_write, reply, error);
  status = budget_status(mem, status, error);
  tree_release(tree);
  return status;
}

struct web_reply *route_flamedata(struct web_question *q) {
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  const char *text = web_query_get(&q->query, "node");
  uint64_t node = 0;
  if (*text && (!str_parse_uint(str_of(text), 10, &node) || node >= UINT32_MAX))
    return reply_text(400, "the node is not a number");
  struct web_reply *reply = reply_new(200, REPLY_BINARY);
  if (!reply) return NULL;
  pprofc_status status = flame_answer(q, (uint32_t)node, reply, &error);
  if (status == PPROFC_OK && reply->body.failed) status = error_nomem(&error);
  reply->keep = status == PPROFC_OK;
  if (reply->keep) return reply;
  reply_release(reply);
  return route_failure(status, &error);
}
