/* Replaces folders by their files, and reads each file as a profile. */
#include "noise.h"

#include "pprofc/transform.h"
#include "profile/profile.h"

static bool runs_add(struct loaded_runs *runs, const char *source, const char *folder) {
  return ARRAY_PUSH(&mem_default, runs->sources, runs->source_count, runs->source_capacity,
                    (struct source_run){.source = source, .folder = folder});
}

static const char *runs_join(struct arena *arena, const char *folder, const char *name) {
  bool slash = str_ends(str_of(folder), STR("/"));
  return text_printf(arena, "%s%s%s", folder, slash ? "" : "/", name);
}

static size_t runs_digits(const char *text) {
  size_t n = 0;
  while (char_is_digit(text[n])) n++;
  return n;
}

/* Compares the numbers at the start of two texts, like strcmp. If the numbers are equal, moves both
 * pointers past them. */
static int runs_by_number(const char **a, const char **b) {
  while (**a == '0' && char_is_digit((*a)[1])) (*a)++;
  while (**b == '0' && char_is_digit((*b)[1])) (*b)++;
  size_t x = runs_digits(*a), y = runs_digits(*b);
  if (x != y) return x < y ? -1 : 1;
  int order = memcmp(*a, *b, x);
  *a += x;
  *b += y;
  return order;
}

int runs_order(const char *first, const char *second) {
  const char *x = first, *y = second;
  while (*x && *y) {
    if (char_is_digit(*x) && char_is_digit(*y)) {
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
  return strcmp(first, second);
}

static int runs_by_path(const void *a, const void *b) {
  return runs_order(((const struct source_run *)a)->source, ((const struct source_run *)b)->source);
}

bool runs_is_folder(const char *source) {
  return strcmp(source, "-") != 0 && file_is_folder(source);
}

/* Adds the files of a folder, sorted by name. Skips hidden files and folders. */
static pprofc_status runs_add_folder(struct loaded_runs *runs, const char *folder,
                                     pprofc_error *error) {
  size_t before = runs->source_count;
  DIR *dir = opendir(folder);
  if (!dir) return error_file(error, "read", folder, errno);
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    const char *path = runs_join(&runs->arena, folder, entry->d_name);
    good = path && (!file_is_regular(path) || runs_add(runs, path, folder));
  }
  closedir(dir);
  if (!good) return error_nomem(error);
  size_t added = runs->source_count - before;
  if (!added) return error_set(error, PPROFC_E_INVALID, "no file in the folder '%s'", folder);
  qsort(runs->sources + before, added, sizeof *runs->sources, runs_by_path);
  return PPROFC_OK;
}

/* Adds a source given on the command line. If the source is a folder, adds the files in it. */
static pprofc_status runs_find(struct loaded_runs *runs, const char *source, pprofc_error *error) {
  if (runs_is_folder(source)) return runs_add_folder(runs, source, error);
  return runs_add(runs, source, NULL) ? PPROFC_OK : error_nomem(error);
}

static pprofc_status runs_find_all(const struct command *command, struct loaded_runs *runs,
                                   pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < command->bases.count && !status; i++)
    status = runs_find(runs, command->bases.items[i], error);
  runs->base_sources = runs->source_count;
  for (size_t i = 0; i < runs->base_sources; i++) runs->sources[i].is_base = true;
  for (size_t i = 0; i < command->source_count && !status; i++)
    status = runs_find(runs, command->sources[i], error);
  return status;
}

/* Fails if a folder contains no profile. */
static pprofc_status runs_check_folders(const struct loaded_runs *runs, pprofc_error *error) {
  size_t found = 0;
  for (size_t i = 0; i < runs->source_count; i++) {
    const char *folder = runs->sources[i].folder;
    bool last = i + 1 == runs->source_count || runs->sources[i + 1].folder != folder;
    found += runs->sources[i].profile != NULL;
    if (folder && last && !found)
      return error_set(error, PPROFC_E_INVALID, "no profile in the folder '%s'", folder);
    if (last) found = 0;
  }
  return PPROFC_OK;
}

static pprofc_status runs_take(struct loaded_runs *runs, pprofc_error *error) {
  struct noise_runs *list = &runs->list;
  if (!ARRAY_RESERVE(&mem_default, list->items, runs->capacity, runs->source_count))
    return error_nomem(error);
  for (size_t i = 0; i < runs->source_count; i++) {
    const struct source_run *source = &runs->sources[i];
    if (!source->profile) continue;
    list->items[list->count++] =
        (pprofc_verdict_run){.profile = source->profile, .name = source->source};
    list->bases += i < runs->base_sources;
  }
  return PPROFC_OK;
}

pprofc_status runs_load(const struct command *command, const struct open_sums *needs,
                        struct loaded_runs *runs, pprofc_error *error) {
  *runs = (struct loaded_runs){.source_count = 0};
  arena_init(&runs->arena, &mem_default);
  pprofc_status status = runs_find_all(command, runs, error);
  if (!status) status = sources_read_runs(command, needs, runs->sources, runs->source_count, error);
  if (!status) status = runs_check_folders(runs, error);
  return status ? status : runs_take(runs, error);
}

void runs_free(struct loaded_runs *runs) {
  for (size_t i = 0; i < runs->source_count; i++) pprofc_profile_release(runs->sources[i].profile);
  ARRAY_FREE(&mem_default, runs->list.items, runs->capacity);
  ARRAY_FREE(&mem_default, runs->sources, runs->source_capacity);
  arena_free(&runs->arena);
}

pprofc_status runs_add_up(const pprofc_verdict_run *runs, size_t count, pprofc_profile **sum,
                          pprofc_error *error) {
  const pprofc_profile **profiles = mem_array(&mem_default, count, sizeof *profiles);
  if (!profiles) return error_nomem(error);
  for (size_t i = 0; i < count; i++) profiles[i] = runs[i].profile;
  pprofc_status status = pprofc_merge(profiles, count, sum, error);
  mem_free(&mem_default, profiles, count, sizeof *profiles);
  return status;
}

pprofc_status runs_scale(const pprofc_profile *profile, double times, const pprofc_allocator *mem,
                         pprofc_profile **scaled, pprofc_error *error) {
  pprofc_profile *lent = profile_lend(profile, mem);
  *scaled = lent;
  if (!lent) return error_nomem(error);
  if (fabs(times - 1) <= 0) return PPROFC_OK;
  double *ratios = mem_array(mem, lent->type_count, sizeof *ratios);
  for (size_t i = 0; ratios && i < lent->type_count; i++) ratios[i] = times;
  *scaled = NULL;
  pprofc_status status = ratios ? pprofc_scale(lent, ratios, scaled, error) : error_nomem(error);
  mem_free(mem, ratios, lent->type_count, sizeof *ratios);
  pprofc_profile_release(lent);
  return status;
}

pprofc_status runs_difference(const struct noise_runs *runs, bool per_run,
                              pprofc_profile **difference, pprofc_error *error) {
  pprofc_profile *base = NULL, *head = NULL, *scaled = NULL;
  size_t bases = runs->bases, heads = runs->count - bases;
  double times = (double)bases / (double)heads;
  pprofc_status status = runs_add_up(runs->items, bases, &base, error);
  if (!status) status = runs_add_up(runs->items + bases, heads, &head, error);
  if (!status && per_run && bases != heads)
    status = runs_scale(head, times, &mem_default, &scaled, error);
  if (!status)
    status = pprofc_diff(scaled ? scaled : head, base, PPROFC_COMPARE, false, difference, error);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
  pprofc_profile_release(scaled);
  return status;
}
