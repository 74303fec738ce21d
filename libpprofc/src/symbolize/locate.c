/* Finds the binaries whose names are in the mappings of a profile. */
#include "symbolize/elf_file.h"
#include "symbolize/symbolize.h"

#include <dirent.h>

#define PATH_ROOM 4096

/* State of the search for the binary of one mapping. */
struct search {
  const pprofc_profile *profile;
  const struct symbolize_options *options;
  pprofc_str file, build_id;
  char found[PATH_ROOM + 8];
  bool out_of_memory; /* true if memory ran out while the search tried a file */
};

/* Checks a candidate for the binary. If it can be opened and has the right build id, stores its
 * path in search->found and returns true. */
static bool try_candidate(struct search *s, const char *path) {
  struct elf_file file;
  pprofc_status status = elf_open(&file, path, &s->profile->mem, NULL);
  s->out_of_memory |= status == PPROFC_E_NOMEM;
  if (status != PPROFC_OK) return false;
  bool right = !s->build_id.size || str_equal(str_of(file.build_id), s->build_id);
  if (!right) {
    symbolize_warn(s->options, "Ignoring local file %s: build-id mismatch (%.*s != %s)", path,
                   STR_ARG(s->build_id), file.build_id);
  } else {
    snprintf(s->found, sizeof s->found, "%s", path);
  }
  elf_close(&file);
  return right;
}

/* Tries the file whose path is the folder, a slash and the formatted text. */
static bool try_join(struct search *s, pprofc_str folder, const char *format, ...)
    PPROFC_PRINTF(3, 4);

static bool try_join(struct search *s, pprofc_str folder, const char *format, ...) {
  char joined[PATH_ROOM], clean[PATH_ROOM + 2];
  int length = snprintf(joined, sizeof joined, "%.*s/", STR_ARG(folder));
  if (length < 0 || (size_t)length >= sizeof joined) return false;
  va_list args;
  va_start(args, format);
  int more = vsnprintf(joined + length, sizeof joined - (size_t)length, format, args);
  va_end(args);
  if (more < 0 || (size_t)more >= sizeof joined - (size_t)length) return false;
  pprofc_str path = str_path_clean(str_of(joined), clean);
  clean[path.size] = '\0';
  return try_candidate(s, clean);
}

static int is_entry(const struct dirent *entry) {
  return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Compares two folder entries by name. Unlike alphasort, does not depend on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* Tries every file of folder/id, sorted by name. */
static bool try_folder(struct search *s, pprofc_str folder) {
  char path[PATH_ROOM];
  int length = snprintf(path, sizeof path, "%.*s/%.*s", STR_ARG(folder), STR_ARG(s->build_id));
  if (length < 0 || (size_t)length >= sizeof path) return false;
  struct dirent **entries;
  int count = scandir(path, &entries, is_entry, by_name);
  bool found = false;
  for (int i = 0; i < count; i++) {
    if (!found) found = try_join(s, str_of(path), "%s", entries[i]->d_name);
    free(entries[i]); /* scandir allocated it with malloc */
  }
  if (count >= 0) free(entries);
  return found;
}

static bool try_build_id(struct search *s, pprofc_str folder) {
  pprofc_str id = s->build_id, file = s->file, base = str_path_base(file);
  if (str_find_char(id, '/') < id.size) return false;
  if (try_join(s, folder, "%.*s/%.*s", STR_ARG(id), STR_ARG(base))) return true;
  if (try_folder(s, folder)) return true;
  if (try_join(s, folder, "%.*s/%.*s", STR_ARG(file), STR_ARG(id))) return true;
  return id.size >= 2 &&
         try_join(s, folder, "%.2s/%.*s.debug", id.data, (int)id.size - 2, id.data + 2);
}

static bool try_name(struct search *s, pprofc_str folder) {
  char room[PATH_ROOM + 2];
  pprofc_str file = s->file, base = str_path_base(file);
  if (file.size > PATH_ROOM) return false;
  pprofc_str dir = str_path_dir(file, room);
  return try_join(s, folder, "%.*s", STR_ARG(base)) || try_join(s, folder, "%.*s", STR_ARG(file)) ||
         try_join(s, folder, "%.*s.debug", STR_ARG(file)) ||
         try_join(s, folder, "%.*s/.debug/%.*s.debug", STR_ARG(dir), STR_ARG(base)) ||
         try_join(s, folder, "usr/lib/debug/%.*s/%.*s.debug", STR_ARG(dir), STR_ARG(base));
}

/* True if a folder of the search path does not exist. The check saves time: it takes one system
 * call, but a search of the folder takes nine. Returns false for a file name with "..", which may
 * lead out of a missing folder. */
static bool is_missing(const struct search *s, pprofc_str folder) {
  char path[PATH_ROOM];
  struct stat info;
  if (folder.size >= sizeof path || str_contains(s->file, STR("..")) ||
      str_contains(s->build_id, STR("..")))
    return false;
  snprintf(path, sizeof path, "%.*s", STR_ARG(folder));
  return stat(folder.size ? path : ".", &info) != 0 && errno == ENOENT;
}

static bool search_mapping(struct search *s) {
  pprofc_str rest = str_of(s->options->search_path ? s->options->search_path : ""), folder;
  if (!rest.size) return false;
  while (str_next(&rest, ':', &folder)) {
    if (is_missing(s, folder)) continue;
    if (s->build_id.size && try_build_id(s, folder)) return true;
    if (s->file.size && try_name(s, folder)) return true;
  }
  return false;
}

/* ---- the new mapping column -------------------------- */

struct renames {
  pprofc_str *strings; /* new strings of the profile; their ids follow the ids of the old strings */
  size_t count;
};

static uint32_t rename_to(const pprofc_profile *p, struct renames *renames, pprofc_str text) {
  renames->strings[renames->count] = text;
  return (uint32_t)(p->strings.count + renames->count++);
}

/* Adds one mapping for all locations to a profile that has no mappings. */
static bool add_fake_mapping(pprofc_profile *p) {
  struct mapping *mapping = arena_zero_array(&p->region->arena, 1, sizeof *mapping);
  uint32_t *column = arena_zero_array(&p->region->arena, p->locations.count, sizeof *column);
  if (!mapping || !column) return false;
  mapping->id = 1;
  p->mappings = (struct mappings){1, mapping};
  p->locations.mapping = column;
  return true;
}

/* Sets the file name of a mapping to the path of its binary, if the search finds the binary.
 * Returns false when out of memory. */
static bool locate_mapping(pprofc_profile *p, const struct symbolize_options *options,
                           struct mapping *mapping, struct renames *renames) {
  struct search search = {.profile = p, .options = options};
  search.file = profile_string(p, mapping->file);
  search.build_id = profile_string(p, mapping->build_id);
  bool found = search_mapping(&search);
  if (search.out_of_memory) return false;
  if (!found) return true;
  pprofc_str copy = arena_str(&p->region->arena, str_of(search.found));
  if (!copy.data) return false;
  mapping->file = rename_to(p, renames, copy);
  return true;
}

/* Applies options of the command line to the first mapping. The path of the executable replaces the
 * mapping's path. The option -buildid applies only if the mapping has no build id. */
static void apply_own_names(const pprofc_profile *p, const struct symbolize_options *options,
                            struct mapping *first, struct renames *renames) {
  if (options->executable && *options->executable)
    first->file = rename_to(p, renames, str_of(options->executable));
  if (options->build_id && *options->build_id && !profile_string(p, first->build_id).size)
    first->build_id = rename_to(p, renames, str_of(options->build_id));
}

static pprofc_status locate(pprofc_profile *p, const struct symbolize_options *options,
                            pprofc_error *error) {
  if (!p->mappings.count && !add_fake_mapping(p)) return error_nomem(error);
  struct arena *arena = &p->region->arena;
  size_t count = p->mappings.count;
  struct mapping *items = arena_copy(arena, p->mappings.items, count * sizeof *items);
  struct renames renames = {arena_array(arena, count + 2, sizeof *renames.strings), 0};
  if (!items || !renames.strings) return error_nomem(error);
  for (size_t i = 0; i < count; i++)
    if (!locate_mapping(p, options, &items[i], &renames)) return error_nomem(error);
  apply_own_names(p, options, &items[0], &renames);
  if (!renames.count) return PPROFC_OK;
  p->mappings.items = items;
  return profile_add_strings(p, renames.strings, renames.count) ? PPROFC_OK : error_nomem(error);
}

pprofc_status symbolize_locate(const pprofc_profile *source,
                               const struct symbolize_options *options, pprofc_profile **out,
                               pprofc_error *error) {
  pprofc_profile *p = profile_edit(source);
  if (!p) return error_nomem(error);
  pprofc_status status = locate(p, options, error);
  if (status == PPROFC_OK)
    *out = p;
  else
    pprofc_profile_release(p);
  return status;
}
