/* Replaces names and positions of generated JavaScript by the original ones. */
#include "core/array.h"
#include "core/buffer.h"
#include "core/map.h"
#include "symbolize/source_map.h"
#include "transform/edit.h"

struct mapped_pass {
  pprofc_profile *p; /* copy of the profile made by profile_edit; the functions here change it */
  const struct source_map **maps; /* source map of each function; NULL: the function has no map */
  struct interner strings;        /* new strings; their indices follow the strings of the profile */
  struct map by_function;
  struct function_fields *functions; /* new functions, after the functions of the profile */
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
  struct function_fields made = {mapped_string(pass, better), f->name[old],
                                 mapped_string(pass, place->file), 0};
  if (made.name == NONE || made.filename == NONE) return NONE;
  if (str_equal(better, name)) made.system_name = f->system_name[old];
  uint64_t hash = hash_mix(hash_mix(made.name, made.filename), made.system_name);
  const struct function_fields *known = pass->functions;
  MAP_FIND(index, &pass->by_function, hash,
           known[index].name == made.name && known[index].filename == made.filename &&
               known[index].system_name == made.system_name);
  if (index != MAP_NONE) return (uint32_t)f->count + index;
  index = (uint32_t)pass->function_count;
  if (!MAP_PUSH(&pass->p->mem, &pass->by_function, hash, pass->functions, pass->function_count,
                pass->function_room, made))
    return NONE;
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
  if (good && pass.changed) {
    const struct functions *f = &pass.p->functions;
    pass.p->locations.lines = pass.lines;
    good = profile_add_functions(pass.p, pass.functions, pass.function_count,
                                 profile_next_id(f->ids, f->count)) &&
           profile_add_strings(pass.p, pass.strings.items, pass.strings.count);
  }
  *changed = pass.changed;
  interner_free(&pass.strings);
  map_free(&pass.by_function);
  ARRAY_FREE(&pass.p->mem, pass.functions, pass.function_room);
  return edit_finish(good ? PPROFC_OK : error_nomem(error), pass.p, out);
}
