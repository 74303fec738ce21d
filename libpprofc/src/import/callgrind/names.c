/* Compressed names of callgrind: "(12) name" defines id 12, and "(12)" refers to it. */
#include "import/callgrind/reader.h"

#include "core/array.h"

/* Limit of small ids: this number plus twice the number of names. Small ids are indices of an
 * array; a hash table finds larger ids. */
#define SMALL_IDS 1024u

void callgrind_names_init(struct callgrind_names *names, const pprofc_allocator *mem,
                          struct callgrind_contexts *contexts) {
  names->contexts = contexts;
  buffer_init(&names->items, mem, PTRDIFF_MAX);
  map_init(&names->by_id, mem);
}

void callgrind_names_free(struct callgrind_names *names) {
  buffer_free(&names->items);
  ARRAY_FREE(names->by_id.mem, names->by_number, names->room);
  map_free(&names->by_id);
}

/* Returns the name that an id refers to, or NULL. */
static struct callgrind_name *names_find(const struct callgrind_names *names, uint64_t id) {
  struct callgrind_name *items = (struct callgrind_name *)(void *)names->items.data;
  if (id < names->room && names->by_number[id] != NONE) return &items[names->by_number[id]];
  MAP_FIND(index, &names->by_id, hash_mix(0, id), items[index].id == id);
  return index == MAP_NONE ? NULL : &items[index];
}

/* Makes an id refer to the name at `index`. Returns false when out of memory. */
static bool names_enter(struct callgrind_names *names, uint64_t id, uint32_t index) {
  size_t old = names->room;
  if (id >= SMALL_IDS + 2 * (uint64_t)index)
    return map_insert(&names->by_id, hash_mix(0, id), index);
  if (!ARRAY_RESERVE(names->by_id.mem, names->by_number, names->room, (size_t)id + 1)) return false;
  if (names->room > old)
    memset(names->by_number + old, 0xFF, (names->room - old) * sizeof *names->by_number);
  names->by_number[id] = index;
  return true;
}

static bool take_text(const struct callgrind_names *names, struct callgrind_name *name,
                      pprofc_builder *builder, pprofc_str text) {
  name->raw = text;
  if (names->contexts) {
    name->text = callgrind_contexts_name(names->contexts, text);
    return name->text != NONE;
  }
  name->text = str_equal(text, STR("???")) ? 0 : builder_string(builder, text);
  return true;
}

/* Removes an id like "(12)" from *value. "(below main)" is a name, because an id has only
 * digits. */
static bool take_id(pprofc_str *value, uint64_t *id) {
  if (!str_starts(*value, STR("("))) return false;
  size_t close = str_find_char(*value, ')');
  if (close == value->size) return false;
  if (!str_parse_uint(str_slice(*value, 1, close), 10, id)) return false;
  *value = str_trim(str_slice(*value, close + 1, value->size));
  return true;
}

/* Stores the name of an id. A new name replaces an earlier name of the same id. */
static void names_define(struct callgrind_names *names, const struct callgrind_name *name) {
  struct callgrind_name *known = names_find(names, name->id);
  if (known) {
    *known = *name;
    return;
  }
  uint32_t index = (uint32_t)(names->items.size / sizeof *name);
  buffer_add(&names->items, name, sizeof *name);
  if (!names_enter(names, name->id, index)) names->items.failed = true;
}

bool callgrind_name_read(struct callgrind_names *names, pprofc_builder *builder, pprofc_str value,
                         struct callgrind_name *name) {
  *name = (struct callgrind_name){0};
  value = str_trim(value);
  bool has_id = take_id(&value, &name->id);
  if (has_id && !value.size) {
    const struct callgrind_name *known = names_find(names, name->id);
    if (known) *name = *known;
    return known != NULL;
  }
  if (!take_text(names, name, builder, value)) names->items.failed = true;
  if (has_id && !names->items.failed) names_define(names, name);
  return !names->items.failed;
}
