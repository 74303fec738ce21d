/* Reads source maps of JavaScript, from -source_map or next to the profile. */
#include "steps.h"

#include "codec/codec.h"

static pprofc_status source_maps_read(const struct command *command, const char *path,
                                      struct source_map **map, pprofc_error *error) {
  const pprofc_allocator *mem = budget_allocator(command->budget);
  struct input input;
  pprofc_status status = input_read_file(path, mem, &command->limits, false, &input, error);
  if (status == PPROFC_OK) {
    pprofc_str json = {(const char *)input.data, input.size};
    status = source_map_parse(json, str_path_base(str_of(path)), mem, map, error);
    region_release(input.region);
  }
  if (status != PPROFC_OK) error_prefix(error, "cannot read the source map '%s': ", path);
  return status;
}

static pprofc_status source_maps_add(const struct command *command, struct source_map_list *list,
                                     const char *path, pprofc_error *error) {
  if (!ARRAY_RESERVE(&mem_default, list->items, list->capacity, list->count + 1))
    return error_nomem(error);
  pprofc_status status = source_maps_read(command, path, &list->items[list->count], error);
  if (status == PPROFC_OK) list->count++;
  return status;
}

pprofc_status source_maps_load(const struct command *command, struct source_map_list *list,
                               pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < command->source_maps.count && status == PPROFC_OK; i++)
    status = source_maps_add(command, list, command->source_maps.items[i], error);
  return status;
}

void source_maps_free(struct source_map_list *list) {
  for (size_t i = 0; i < list->count; i++) source_map_free(list->items[i]);
  ARRAY_FREE(&mem_default, list->items, list->capacity);
}

/* Returns the file name in the URL of a script, such as "app.js", or "" for other URLs. */
static pprofc_str source_maps_script(pprofc_str file) {
  static const pprofc_str endings[] = {{".js", 3},  {".mjs", 4},    {".cjs", 4},
                                       {".jsx", 4}, {".bundle", 7}, {".jsbundle", 9}};
  size_t end = str_find_char(file, '?');
  pprofc_str path = str_slice(file, 0, end);
  path = str_slice(path, 0, str_find_char(path, '#'));
  bool script = false;
  for (size_t i = 0; !script && i < sizeof endings / sizeof *endings; i++)
    script = str_ends(path, endings[i]);
  pprofc_str name = script ? str_path_base(path) : STR("");
  bool plain = str_find_char(name, '\0') == name.size && name.size < 200;
  return plain ? name : STR("");
}

static void source_maps_try(const struct command *command, struct source_map_list *list,
                            const struct buffer *path) {
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  if (path->failed || !file_is_regular(path->data)) return;
  if (source_maps_add(command, list, path->data, &error) != PPROFC_OK)
    message_error("%s", error.message);
}

/* Reads `path`.map. Also reads SCRIPT.map in the same folder for each script of the profile. */
static void source_maps_find(const struct command *command, const char *path,
                             const pprofc_profile *profile, struct source_map_list *list) {
  struct interner scripts;
  pprofc_str folder = str_slice(str_of(path), 0, 0);
  size_t slash = str_find_last_char(str_of(path), '/');
  if (path[slash]) folder = str_slice(str_of(path), 0, slash + 1);
  interner_init(&scripts, &mem_default);
  struct buffer name = buffer_make(&mem_default, SIZE_MAX / 2);
  for (size_t i = 0; i < profile->functions.count; i++) {
    uint32_t file = profile->functions.filename[i];
    if (i && file == profile->functions.filename[i - 1]) continue;
    pprofc_str script = source_maps_script(profile_string(profile, file));
    size_t before = scripts.count;
    if (!script.size || interner_add(&scripts, script) == MAP_NONE || scripts.count == before)
      continue;
    buffer_clear(&name);
    buffer_add_str(&name, folder);
    buffer_add_str(&name, script);
    buffer_add(&name, ".map", sizeof ".map");
    source_maps_try(command, list, &name);
  }
  buffer_clear(&name);
  buffer_add_text(&name, path);
  buffer_add(&name, ".map", sizeof ".map");
  if (scripts.count) source_maps_try(command, list, &name);
  buffer_free(&name);
  interner_free(&scripts);
}

static pprofc_status source_maps_rename(const struct source_map_list *list,
                                        pprofc_profile **profile, bool *used, pprofc_error *error) {
  pprofc_profile *renamed;
  size_t changed;
  if (!list->count) return PPROFC_OK;
  pprofc_status status =
      source_maps_apply(*profile, list->items, list->count, &renamed, &changed, error);
  if (status != PPROFC_OK) return status;
  if (changed) *used = true;
  profile_replace(profile, renamed);
  return PPROFC_OK;
}

pprofc_status source_maps_use(const struct command *command, const struct source_map_list *given,
                              const char *path, pprofc_profile **profile, bool *used,
                              pprofc_error *error) {
  struct source_map_list beside = {0};
  if (given->count) return source_maps_rename(given, profile, used, error);
  if (!path || strcmp(path, "-") == 0) return PPROFC_OK;
  source_maps_find(command, path, *profile, &beside);
  pprofc_status status = source_maps_rename(&beside, profile, used, error);
  source_maps_free(&beside);
  return status;
}
