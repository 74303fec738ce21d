/* Compressed names of callgrind: "(12) name" defines id 12, and "(12)" refers to it. */
#include "import/callgrind/reader.h"

void callgrind_names_init(struct callgrind_names *names, pprofc_builder *builder,
                          const pprofc_allocator *mem, struct callgrind_contexts *contexts) {
  *names = (struct callgrind_names){.builder = builder, .mem = mem, .contexts = contexts};
  map_init(&names->by_id, mem);
}

void callgrind_names_free(struct callgrind_names *names) {
  ARRAY_FREE(names->mem, names->items, names->room);
  map_free(&names->by_id);
}

/* Returns the name that an id refers to, or NULL. */
static struct callgrind_name *names_find(const struct callgrind_names *names, uint64_t id) {
  MAP_FIND(index, &names->by_id, hash_mix(0, id), names->items[index].id == id);
  return index == MAP_NONE ? NULL : &names->items[index];
}

/* Removes an id like "(12)" from *value. "(below main)" is a name, because an id has only
 * digits. */
static bool take_id(pprofc_str *value, uint64_t *id) {
  if (!str_starts(*value, STR("("))) return false;
  size_t close = str_find_char(*value, ')');
  if (close == value->size) return false;
  if (!str_parse_uint(str_slice(*value, 1, close), 10, id)) return false;
  *value = str_trim(str_from(*value, close + 1));
  return true;
}

/* Stores the name of an id. A new name replaces an earlier name of the same id. */
static void names_define(struct callgrind_names *names, const struct callgrind_name *name) {
  struct callgrind_name *known = names_find(names, name->id);
  if (known)
    *known = *name;
  else
    import_need(names->builder, MAP_PUSH(names->mem, &names->by_id, hash_mix(0, name->id),
                                         names->items, names->count, names->room, *name));
}

bool callgrind_name_read(struct callgrind_names *names, pprofc_str value,
                         struct callgrind_name *name) {
  *name = (struct callgrind_name){0};
  value = str_trim(value);
  bool has_id = take_id(&value, &name->id);
  if (has_id && !value.size) {
    const struct callgrind_name *known = names_find(names, name->id);
    if (known) *name = *known;
    return known != NULL;
  }
  name->raw = value;
  if (names->contexts)
    name->text = callgrind_contexts_name(names->contexts, value);
  else if (!str_equal(value, STR("???")))
    name->text = builder_string(names->builder, value);
  if (has_id && builder_ok(names->builder)) names_define(names, name);
  return builder_ok(names->builder);
}
