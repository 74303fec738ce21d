/* Implements the cache of trees as a list. The tree that was used last comes first. */
#include "web/trees.h"

#include "common/text.h"
#include "pprofc/profile.h"

#include <pthread.h>

/* Maximum number of trees in the list. */
#define TREES_MOST 16

struct web_trees {
  pthread_mutex_t lock;
  pthread_cond_t built;
  struct web_tree *first; /* tree that was used last */
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

static struct web_tree *trees_add(struct web_trees *trees, pprofc_str key) {
  struct web_tree *tree = mem_zero_array(&mem_default, 1, sizeof *tree);
  if (!tree) return NULL;
  tree->key = text_copy(key);
  if (!tree->key) {
    mem_free(&mem_default, tree, 1, sizeof *tree);
    return NULL;
  }
  arena_init(&tree->arena, &mem_default);
  tree->building = true;
  tree->references = 2; /* one reference for the list, one for the caller */
  tree->next = trees->first;
  trees->first = tree;
  return tree;
}

static void trees_free_one(struct web_tree *tree) {
  flame_kept_close(tree->graph);
  pprofc_profile_release(tree->profile);
  budget_release(tree->budget);
  arena_free(&tree->arena);
  text_free(tree->key);
  mem_free(&mem_default, tree, 1, sizeof *tree);
}

/* Drops a reference, under the lock. Returns a tree that the caller must free, or NULL. */
static struct web_tree *trees_give(struct web_tree *tree) {
  return --tree->references == 0 ? tree : NULL;
}

static struct web_tree **trees_find(struct web_trees *trees, pprofc_str key) {
  struct web_tree **link = &trees->first;
  while (*link && !str_equal(str_of((*link)->key), key)) link = &(*link)->next;
  return link;
}

static void trees_unlink(struct web_trees *trees, const struct web_tree *tree) {
  struct web_tree **link = &trees->first;
  while (*link && *link != tree) link = &(*link)->next;
  if (*link) *link = tree->next;
}

/* Removes a tree from a cache beyond its limits, and returns it, or NULL. Needs the lock. */
static struct web_tree *trees_excess(struct web_trees *trees) {
  uint64_t bytes = 0;
  size_t count = 0;
  for (struct web_tree *tree = trees->first; tree; tree = tree->next) {
    if (tree->building) continue;
    bytes += budget_used(budget_allocator(tree->budget));
    if (bytes <= trees->most && ++count <= TREES_MOST) continue;
    trees_unlink(trees, tree);
    return tree;
  }
  return NULL;
}

/* Removes and frees the trees that exceed the limits. */
static void trees_trim(struct web_trees *trees) {
  struct web_tree *tree;
  do {
    pthread_mutex_lock(&trees->lock);
    tree = trees_excess(trees);
    struct web_tree *unused = tree ? trees_give(tree) : NULL;
    pthread_mutex_unlock(&trees->lock);
    if (unused) trees_free_one(unused);
  } while (tree);
}

struct web_tree *trees_take(struct web_trees *trees, pprofc_str key, bool *mine) {
  struct web_tree *tree, **link;
  pthread_mutex_lock(&trees->lock);
  while ((tree = *(link = trees_find(trees, key))) && tree->building)
    pthread_cond_wait(&trees->built, &trees->lock);
  *mine = !tree;
  if (tree) {
    *link = tree->next;
    tree->next = trees->first;
    trees->first = tree;
    tree->references++;
  } else {
    tree = trees_add(trees, key);
  }
  pthread_mutex_unlock(&trees->lock);
  return tree;
}

void trees_built(struct web_trees *trees, struct web_tree *tree, bool good) {
  pthread_mutex_lock(&trees->lock);
  tree->building = false;
  if (!good) {
    trees_unlink(trees, tree);
    tree->references--;
  }
  pthread_cond_broadcast(&trees->built);
  pthread_mutex_unlock(&trees->lock);
  trees_trim(trees);
}

void trees_release(struct web_trees *trees, struct web_tree *tree) {
  if (!tree) return;
  pthread_mutex_lock(&trees->lock);
  struct web_tree *unused = trees_give(tree);
  pthread_mutex_unlock(&trees->lock);
  if (unused) trees_free_one(unused);
}

void trees_free(struct web_trees *trees) {
  if (!trees) return;
  while (trees->first) {
    struct web_tree *tree = trees->first;
    trees->first = tree->next;
    trees_free_one(tree);
  }
  pthread_cond_destroy(&trees->built);
  pthread_mutex_destroy(&trees->lock);
  mem_free(&mem_default, trees, 1, sizeof *trees);
}
