/* Splits benchmark names. "Encode/format=json/size=4k-8" has the base "Encode", two parts that
 * begin with '/', and the suffix "-8". Finds the value that a result has for a key such as `.name`,
 * `/size` or `goos`. */
#include "bench/set.h"

/* Returns the length of the name without a suffix such as "-8". */
static size_t name_without_procs(pprofc_str name) {
  size_t i = name.size;
  while (i > 0 && char_is_digit(name.data[i - 1])) i--;
  return i > 0 && i < name.size && name.data[i - 1] == '-' ? i - 1 : name.size;
}

pprofc_str name_base(pprofc_str name) {
  size_t slash = str_find_char(name, '/');
  return str_slice(name, 0, slash < name.size ? slash : name_without_procs(name));
}

/* Takes the next part of a name, such as "/size=1", from the start of *rest. */
static pprofc_str name_next_part(pprofc_str *rest) {
  size_t end = 1 + str_find_char(str_slice(*rest, 1, rest->size), '/');
  pprofc_str part = str_slice(*rest, 0, end);
  *rest = str_slice(*rest, end, rest->size);
  return part;
}

pprofc_str name_part_value(pprofc_str name, pprofc_str key) {
  size_t procs = name_without_procs(name);
  if (str_equal(key, STR("/gomaxprocs")) && procs < name.size)
    return str_slice(name, procs + 1, name.size);
  pprofc_str body = str_slice(name, 0, procs);
  pprofc_str rest = str_slice(body, str_find_char(body, '/'), body.size);
  while (rest.size) {
    pprofc_str part = name_next_part(&rest);
    if (part.size > key.size && str_starts(part, key) && part.data[key.size] == '=')
      return str_slice(part, key.size + 1, part.size);
  }
  return STR("");
}

static bool excluded(pprofc_str part, const pprofc_str *keys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (part.data[0] == '-' && str_equal(keys[i], STR("/gomaxprocs"))) return true;
    if (keys[i].data[0] == '/' && part.size > keys[i].size && str_starts(part, keys[i]) &&
        part.data[keys[i].size] == '=')
      return true;
  }
  return false;
}

void name_exclude(struct buffer *out, pprofc_str name, const pprofc_str *keys, size_t count) {
  bool star = false;
  for (size_t i = 0; i < count; i++) star |= str_equal(keys[i], STR(".name"));
  size_t procs = name_without_procs(name);
  pprofc_str body = str_slice(name, 0, procs);
  size_t at = str_find_char(body, '/');
  buffer_add_str(out, star ? STR("*") : str_slice(body, 0, at));
  pprofc_str rest = str_slice(body, at, body.size);
  while (rest.size) {
    pprofc_str part = name_next_part(&rest);
    if (!excluded(part, keys, count)) buffer_add_str(out, part);
  }
  pprofc_str suffix = str_slice(name, procs, name.size);
  if (suffix.size && !excluded(suffix, keys, count)) buffer_add_str(out, suffix);
}

void name_encode(struct buffer *out, pprofc_str text, bool keep_slashes) {
  while (text.size) {
    size_t blank = space_at(text), size = blank ? blank : 1;
    unsigned char c = (unsigned char)text.data[0];
    if (blank)
      buffer_add_char(out, '_');
    else if (c >= 0x20 && c != 0x7F && (c != '/' || keep_slashes))
      buffer_add_char(out, text.data[0]);
    else
      buffer_printf(out, "%%%02X", c);
    text = str_slice(text, size, text.size);
  }
}

/* ---- values of keys --------------------------------- */

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
  /* If no result has a configuration, set->pairs may be NULL. So do not compute a pointer to the
   * first pair before the loop. */
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
