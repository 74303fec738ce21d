/* Folders become their files, and each file a profile. */
#include "runs.h"

#include "common/terminal.h"
#include "core/array.h"
#include "limit_flags.h"
#include "sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool runs_add(struct source_list *list, const char *path) {
  if (!ARRAY_RESERVE(&mem_default, list->items, list->capacity, list->count + 1)) return false;
  list->items[list->count++] = path;
  return true;
}

static const char *runs_join(struct arena *arena, const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = arena_alloc(arena, size);
  bool slash = *folder && folder[strlen(folder) - 1] == '/';
  if (path) snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
  return path;
}

static bool runs_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t runs_digits(const char *text) {
  size_t n = 0;
  while (runs_is_digit(text[n])) n++;
  return n;
}

/* Compares the numbers at the front of two texts, and moves past them. */
static int runs_by_number(const char **a, const char **b) {
  while (**a == '0' && runs_is_digit((*a)[1])) (*a)++;
  while (**b == '0' && runs_is_digit((*b)[1])) (*b)++;
  size_t x = runs_digits(*a), y = runs_digits(*b);
  if (x != y) return x < y ? -1 : 1;
  int order = memcmp(*a, *b, x);
  *a += x;
  *b += y;
  return order;
}

/* run2 comes before run10: benchmark results follow in the order of the runs. */
static int runs_by_path(const void *a, const void *b) {
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  while (*x && *y) {
    if (runs_is_digit(*x) && runs_is_digit(*y)) {
      int order = runs_by_number(&x, &y);
      if (order) return order;
    } else if (*x != *y) {
      break;
    } else {
      x++;
      y++;
    }
  }
  if (*x != *y) return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool runs_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool runs_is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The files of a folder in order of their names; hidden ones and folders are left out. */
static pprofc_status runs_add_folder(struct loaded_runs *runs, const char *folder,
                                     pprofc_error *error) {
  size_t before = runs->paths.count;
  DIR *dir = opendir(folder);
  if (!dir) return error_set(error, PPROFC_E_IO, "cannot read '%s': %s", folder, ERRNO_TEXT(errno));
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    const char *path = runs_join(&runs->arena, folder, entry->d_name);
    good = path && (!runs_is_file(path) || runs_add(&runs->paths, path));
  }
  closedir(dir);
  if (!good) return error_nomem(error);
  size_t added = runs->paths.count - before;
  if (!added) return error_set(error, PPROFC_E_INVALID, "no file in the folder '%s'", folder);
  qsort(runs->paths.items + before, added, sizeof *runs->paths.items, runs_by_path);
  return PPROFC_OK;
}

/* Whether a file of a folder is something else than a profile: results of benchmarks, a log. */
static bool runs_is_other(const pprofc_error *error) {
  return error->status == PPROFC_E_FORMAT &&
         strstr(error->message, "unrecognized profile format") != NULL;
}

static pprofc_status runs_read(const struct command *command, struct loaded_runs *runs,
                               const char *path, bool listed, pprofc_error *error) {
  pprofc_profile *profile = NULL;
  struct command quiet = *command;
  if (runs->count) quiet.report.warn = NULL; /* the same would be told of every run */
  pprofc_status status = sources_read_run(&quiet, path, &profile, error);
  if (status && listed && runs_is_other(error)) {
    message_note("'%s' is no profile: left out", path);
    return PPROFC_OK;
  }
  if (status) return status;
  runs->items[runs->count++] = (pprofc_verdict_run){.profile = profile, .name = path};
  return PPROFC_OK;
}

/* Reads what one source of the command line stands for. */
static pprofc_status runs_read_source(const struct command *command, struct loaded_runs *runs,
                                      const char *source, pprofc_error *error) {
  size_t first = runs->paths.count, before = runs->count;
  bool folder = strcmp(source, "-") != 0 && runs_is_folder(source);
  pprofc_status status = PPROFC_OK;
  if (folder)
    status = runs_add_folder(runs, source, error);
  else if (!runs_add(&runs->paths, source))
    status = error_nomem(error);
  size_t wanted = runs->count + runs->paths.count - first;
  if (status) return status;
  if (!ARRAY_RESERVE(&mem_default, runs->items, runs->capacity, wanted)) return error_nomem(error);
  for (size_t i = first; i < runs->paths.count && !status; i++)
    status = runs_read(command, runs, runs->paths.items[i], folder, error);
  if (!status && runs->count == before)
    return error_set(error, PPROFC_E_INVALID, "no profile in the folder '%s'", source);
  return status;
}

pprofc_status runs_load(const struct command *command, struct loaded_runs *runs,
                        pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  *runs = (struct loaded_runs){.count = 0};
  arena_init(&runs->arena, &mem_default);
  for (size_t i = 0; i < command->bases.count && !status; i++)
    status = runs_read_source(command, runs, command->bases.items[i], error);
  runs->bases = runs->count;
  for (size_t i = 0; i < command->source_count && !status; i++)
    status = runs_read_source(command, runs, command->sources[i], error);
  return status;
}

void runs_free(struct loaded_runs *runs) {
  for (size_t i = 0; i < runs->count; i++)
    pprofc_profile_release((pprofc_profile *)(uintptr_t)runs->items[i].profile);
  mem_free(&mem_default, runs->items, runs->capacity, sizeof *runs->items);
  ARRAY_FREE(&mem_default, runs->paths.items, runs->paths.capacity);
  arena_free(&runs->arena);
}
