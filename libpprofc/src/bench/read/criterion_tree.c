/* Finds the samples of criterion in a folder such as target/criterion. */
#include "bench/read/readers.h"

#include "core/array.h"
#include "core/str.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Maximum depth of the search. GROUP/FUNCTION/VALUE/new is four folders deep. The search does not
 * follow links, so it cannot loop. */
#define DEEPEST     6
#define MAX_FOLDERS 100000

struct folder {
  const char *path;
  unsigned depth;
};

struct criterion_tree_walk {
  struct arena *arena;
  struct criterion_tree *tree;
  struct folder *stack;
  size_t count, capacity;
  size_t seen;
  bool nomem;
};

static const char *criterion_tree_join(struct criterion_tree_walk *w, const char *folder,
                                       const char *name) {
  size_t a = strlen(folder), b = strlen(name);
  char *path = arena_alloc(w->arena, a + b + 2);
  if (!path) {
    w->nomem = true;
    return NULL;
  }
  memcpy(path, folder, a);
  path[a] = '/';
  memcpy(path + a + 1, name, b + 1);
  return path;
}

static bool is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool criterion_tree_is_folder(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool criterion_tree_add_sample(struct criterion_tree_walk *w, const char *folder) {
  const char *path = criterion_tree_join(w, folder, "sample.json");
  if (!path || !is_file(path)) return false;
  struct criterion_tree *tree = w->tree;
  w->nomem |= !ARRAY_PUSH_IN(w->arena, tree->paths, tree->count, tree->capacity, path);
  return true;
}

static void criterion_tree_push(struct criterion_tree_walk *w, const char *path, unsigned depth) {
  if (path && ARRAY_RESERVE_IN(w->arena, w->stack, w->capacity, w->count + 1))
    w->stack[w->count++] = (struct folder){path, depth};
  else
    w->nomem = true;
}

/* Adds the sample file of a folder named "new". Visits the subfolders of any other folder. */
static void visit(struct criterion_tree_walk *w, struct folder folder) {
  DIR *directory = opendir(folder.path);
  if (!directory) return;
  const struct dirent *entry;
  while (!w->nomem && (entry = readdir(directory)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    const char *path = criterion_tree_join(w, folder.path, entry->d_name);
    if (!path || !criterion_tree_is_folder(path) || ++w->seen > MAX_FOLDERS) continue;
    if (strcmp(entry->d_name, "new") == 0)
      (void)criterion_tree_add_sample(w, path);
    else if (folder.depth < DEEPEST)
      criterion_tree_push(w, path, folder.depth + 1);
  }
  closedir(directory);
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

pprofc_status criterion_tree_find(struct arena *arena, const char *folder,
                                  struct criterion_tree *tree, pprofc_error *error) {
  struct criterion_tree_walk w = {.arena = arena, .tree = tree};
  *tree = (struct criterion_tree){.paths = NULL};
  if (!criterion_tree_add_sample(&w, folder)) criterion_tree_push(&w, folder, 0);
  while (w.count && !w.nomem) visit(&w, w.stack[--w.count]);
  if (w.nomem) return error_nomem(error);
  if (w.seen > MAX_FOLDERS)
    return error_set(error, PPROFC_E_LIMIT, "%s: more than %d folders", folder, MAX_FOLDERS);
  /* Sort the paths, because the file system returns entries in any order. */
  if (tree->count) qsort(tree->paths, tree->count, sizeof *tree->paths, compare_paths);
  return PPROFC_OK;
}
