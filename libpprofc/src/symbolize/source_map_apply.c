/* Replaces names and positions of generated JavaScript by the original names and positions, with
 * source maps. */
#include "core/array.h"
#include "core/buffer.h"
#include "core/map.h"
#include "symbolize/source_map.h"
#include "transform/edit.h"

/* A function of an original file. */
struct mapped_function {
  uint32_t name, system_name, file; /* string indices in the edited profile */
};

struct mapped_pass {
  pprofc_profile *p; /* copy of the profile made by profile_edit; the functions here change it */
  const struct source_map **maps; /* source map of each function; NULL: the function has no map */
  struct interner strings;        /* new strings; their indices follow the strings of the profile */
  struct map by_function;
  struct mapped_function *functions; /* new functions; their indices follow the functions of the
                                        profile */
  size_t function_count, function_room;
  struct line *lines;
  size_t changed;
};

/* Keywords that can precede the name of a function. */
static const char *const keywords[] = {"function", "const", "export"};

/* Returns the new name for a frame. Keeps a name that contains the original name, because the
 * longer name has more information. */
static pprofc_str mapped_name(struct mapped_pass *pass, pprofc_str name, pprofc_str original) {
  if (!original.size || str_find(name, original) < name.size) return name;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (str_equal(original, str_of(keywords[i]))) return name;
  if (!str_equal(original, STR("constructor"))) return original;
  struct buffer text;
  buffer_init(&text, &pass->p->mem, SIZE_MAX / 2);
  buffer_add_str(&text, name);
  buffer_add_text(&text, " constructor");
  pprofc_str kept = buffer_keep(&text, &pass->p->region->arena);
  buffer_free(&text);
  return kept;
}

static bool mapped_equal(const void *records, uint32_t index, const void *key) {
  const struct mapped_function *a = (const struct mapped_function *)records + index, *b = key;
  return a->name == b->name && a->system_name == b->system_name && a->file == b->file;
}

/* Returns the string index of a text, and adds the text if needed. Returns NONE when out of memory.
 */
static uint32_t mapped_string(struct mapped_pass *pass, pprofc_str text) {
  uint32_t id = text.data ? interner_copy(&pass->strings, &pass->p->region->arena, text) : MAP_NONE;
  return id == MAP_NONE ? NONE : (uint32_t)pass->p->strings.count + id;
}

/* Returns the function of an original position, and adds it if needed. Returns NONE when out of
 * memory. */
static uint32_t mapped_function_of(struct mapped_pass *pass, uint32_t old,
                                   const struct source_map_place *place) {
  const struct functions *f = &pass->p->functions;
  pprofc_str name = profile_string(pass->p, f->name[old]);
  pprofc_str better = mapped_name(pass, name, place->name);
  struct mapped_function made = {mapped_string(pass, better), f->name[old],
                                 mapped_string(pass, place->file)};
  if (made.name == NONE || made.file == NONE) return NONE;
  if (str_equal(better, name)) made.system_name = f->system_name[old];
  if (!ARRAY_RESERVE(&pass->p->mem, pass->functions, pass->function_room, pass->function_count + 1))
    return NONE;
  uint64_t hash = hash_mix(hash_mix(made.name, made.file), made.system_name);
  uint32_t index = map_find_or_add(&pass->by_function, hash, mapped_equal, pass->functions, &made,
                                   (uint32_t)pass->function_count);
  if (index == MAP_NONE) return NONE;
  if (index == pass->function_count) pass->functions[pass->function_count++] = made;
  return (uint32_t)f->count + index;
}

/* Finds the map of each function. Returns false if no function has a map. */
static bool mapped_find(struct mapped_pass *pass, struct source_map *const *maps, size_t count) {
  const struct functions *f = &pass->p->functions;
  bool any = false;
  for (size_t i = 0; i < f->count; i++) {
    pprofc_str file = profile_string(pass->p, f->filename[i]);
    for (size_t m = 0; m < count && !pass->maps[i]; m++)
      if (source_map_is_of(maps[m], file)) pass->maps[i] = maps[m];
    any |= pass->maps[i] != NULL;
  }
  return any;
}

static bool mapped_lines(struct mapped_pass *pass) {
  const struct locations *l = &pass->p->locations;
  size_t count = l->line_from[l->count];
  pass->lines = arena_array(&pass->p->region->arena, count, sizeof *pass->lines);
  if (!pass->lines) return false;
  for (size_t i = 0; i < count; i++) {
    struct line line = l->lines[i];
    struct source_map_place place;
    pass->lines[i] = line;
    if (line.function == NONE || !pass->maps[line.function] || line.line <= 0 || line.column <= 0 ||
        !source_map_find(pass->maps[line.function], line.line, line.column, &place))
      continue;
    uint32_t function = mapped_function_of(pass, line.function, &place);
    if (function == NONE) return false;
    pass->lines[i] = (struct line){function, place.line, place.column};
    pass->changed++;
  }
  return true;
}

/* Returns the ids of all functions. The ids of new functions follow the largest old id. */
static uint64_t *mapped_ids(struct mapped_pass *pass, size_t count) {
  const struct functions *f = &pass->p->functions;
  uint64_t *ids = arena_array(&pass->p->region->arena, count, sizeof *ids), last = 0;
  if (!ids) return NULL;
  for (size_t i = 0; i < f->count; i++) {
    ids[i] = f->ids[i];
    if (ids[i] > last) last = ids[i];
  }
  for (size_t i = f->count; i < count; i++) ids[i] = ++last;
  return ids;
}

/* Stores the new lines, functions and strings in the columns. */
static bool mapped_store(struct mapped_pass *pass) {
  pprofc_profile *p = pass->p;
  struct arena *arena = &p->region->arena;
  const struct functions *f = &p->functions;
  size_t old = f->count, count = old + pass->function_count;
  uint32_t *name = arena_array(arena, count, sizeof *name);
  uint32_t *system_name = arena_array(arena, count, sizeof *system_name);
  uint32_t *filename = arena_array(arena, count, sizeof *filename);
  int64_t *start_line = arena_zero_array(arena, count, sizeof *start_line);
  uint64_t *ids = f->ids ? mapped_ids(pass, count) : NULL;
  if (!name || !system_name || !filename || !start_line || (f->ids && !ids)) return false;
  memcpy(name, f->name, old * sizeof *name);
  memcpy(system_name, f->system_name, old * sizeof *system_name);
  memcpy(filename, f->filename, old * sizeof *filename);
  memcpy(start_line, f->start_line, old * sizeof *start_line);
  for (size_t i = 0; i < pass->function_count; i++) {
    name[old + i] = pass->functions[i].name;
    system_name[old + i] = pass->functions[i].system_name;
    filename[old + i] = pass->functions[i].file;
  }
  p->locations.lines = pass->lines;
  p->functions = (struct functions){count, ids, name, system_name, filename, start_line};
  return profile_add_strings(p, pass->strings.items, pass->strings.count);
}

pprofc_status source_maps_apply(const pprofc_profile *source, struct source_map *const *maps,
                                size_t count, pprofc_profile **out, size_t *changed,
                                pprofc_error *error) {
  struct mapped_pass pass = {.p = profile_edit(source)};
  *changed = 0;
  if (!pass.p) return error_nomem(error);
  interner_init(&pass.strings, &pass.p->mem);
  map_init(&pass.by_function, &pass.p->mem);
  pass.maps = arena_zero_array(&pass.p->region->arena, source->functions.count, sizeof *pass.maps);
  bool good = pass.maps != NULL;
  if (good && mapped_find(&pass, maps, count)) good = mapped_lines(&pass);
  if (good && pass.changed) good = mapped_store(&pass);
  *changed = pass.changed;
  interner_free(&pass.strings);
  map_free(&pass.by_function);
  ARRAY_FREE(&pass.p->mem, pass.functions, pass.function_room);
  return edit_finish(good ? PPROFC_OK : error_nomem(error), pass.p, out);
}
