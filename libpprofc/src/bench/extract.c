/* Finds the value of a result for a key of a filter or projection: `.name`, `/size`, `goos`. */
#include "bench/extract.h"

#include "bench/names.h"

void extractor_init(struct extractor *extractor, const struct pprofc_bench *set,
                    struct arena *arena) {
  *extractor = (struct extractor){.set = set, .arena = arena};
  interner_init(&extractor->more, arena->mem);
}

void extractor_free(struct extractor *extractor) {
  interner_free(&extractor->more);
}

uint32_t extract_intern(struct extractor *extractor, pprofc_str s) {
  uint32_t id = interner_find(&extractor->set->strings, s);
  if (id != MAP_NONE) return id;
  id = interner_copy(&extractor->more, extractor->arena, s);
  if (id != MAP_NONE) return (uint32_t)extractor->set->strings.count + id;
  extractor->failed = true;
  return BENCH_EMPTY;
}

pprofc_str extract_string(const struct extractor *extractor, uint32_t id) {
  size_t own = extractor->set->strings.count;
  return id < own ? extractor->set->strings.items[id] : extractor->more.items[id - own];
}

size_t extract_ids(const struct extractor *extractor) {
  return extractor->set->strings.count + extractor->more.count;
}

struct key extract_key(struct extractor *extractor, pprofc_str text) {
  struct key key = {.text = text, .string = MAP_NONE};
  if (str_equal(text, STR(".name"))) {
    key.kind = KEY_NAME;
  } else if (str_equal(text, STR(".fullname"))) {
    key.kind = KEY_FULL_NAME;
  } else if (str_equal(text, STR(".file"))) {
    key.kind = KEY_FILE;
  } else if (text.data[0] == '/') {
    key.kind = KEY_PART;
  } else {
    key.kind = KEY_CONFIG;
    key.string = interner_find(&extractor->set->strings, text);
  }
  if (key.kind == KEY_NAME || key.kind == KEY_PART) {
    size_t count = extractor->set->strings.count;
    key.by_name = arena_array(extractor->arena, count, sizeof *key.by_name);
    for (size_t i = 0; key.by_name && i < count; i++) key.by_name[i] = MAP_NONE;
    extractor->failed |= !key.by_name;
  }
  return key;
}

static uint32_t config_value(const struct pprofc_bench *set, uint32_t config_index, uint32_t key) {
  const struct bench_config *config = &set->configs[config_index];
  /* Without configuration the array may be missing. Therefore no pointer to its first pair is
   * formed. */
  for (uint32_t i = 0; i < config->count; i++) {
    const struct bench_pair *pair = &set->pairs[config->first + i];
    if (pair->key == key) return pair->value;
  }
  return BENCH_EMPTY;
}

uint32_t extract(struct extractor *extractor, struct key *key, size_t result) {
  const struct pprofc_bench *set = extractor->set;
  const pprofc_bench_result *r = &set->results[result];
  switch (key->kind) {
  case KEY_FULL_NAME:
    return r->name;
  case KEY_FILE:
    return set->inputs[r->input].label;
  case KEY_CONFIG:
    return key->string == MAP_NONE ? BENCH_EMPTY : config_value(set, r->config, key->string);
  default:
    break;
  }
  if (!key->by_name) return BENCH_EMPTY;
  uint32_t *known = &key->by_name[r->name];
  if (*known == MAP_NONE) {
    pprofc_str name = set_string(set, r->name);
    *known = extract_intern(extractor, key->kind == KEY_NAME ? name_base(name)
                                                             : name_part_value(name, key->text));
  }
  return *known;
}
