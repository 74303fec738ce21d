/* Parses source maps and looks up positions in them. */
#include "core/json_tree.h"
#include "symbolize/symbolize.h"
#include "transform/transform.h"

/* One segment of the JSON member `mappings`: a position in the generated file, and its original
 * position. Numbers start at 0, as in the source map. */
struct source_map_item {
  uint32_t line, column; /* position in the generated file */
  /* source: index of the source, or MAP_WITHOUT; from_line, from_column: position in that source */
  uint32_t source, from_line, from_column;
  uint32_t name; /* index of the name; MAP_WITHOUT: no name */
};

#define MAP_WITHOUT UINT32_MAX

struct source_map_source {
  pprofc_str file, content;
  uint32_t *lines; /* for each line, its offset in the text of the source */
  size_t line_count;
};

struct source_map {
  const pprofc_allocator *mem;
  struct arena arena; /* memory of the map, including this struct */
  pprofc_str stem;    /* name of the map's file up to the first '.' */
  pprofc_str file;    /* path of the generated script, from the map */
  struct source_map_item *items;
  size_t count, room;
  struct source_map_source *sources;
  size_t source_count, source_room;
  pprofc_str *names;
  size_t name_count, name_room;
};

/* A map, or a section of a map, that begins at `line` and `column` of the generated file. In the
 * tables of the map, the section has `sources` sources from the index `first_source`, and `names`
 * names from the index `first_name`. */
struct source_map_section {
  uint32_t line, column;
  size_t first_source, first_name;
  size_t sources, names;
};

/* ---- paths ------------------------------------------- */

/* Returns the path up to the first point of its file name: "http://host/app" for
 * "http://host/app.min.js". */
static pprofc_str source_map_stem(pprofc_str path) {
  size_t slash = str_find_last_char(path, '/');
  size_t from = slash < path.size ? slash + 1 : 0;
  size_t point = str_find_char(str_from(path, from), '.');
  return str_slice(path, 0, from + point);
}

/* True if the map belongs to `file`, which is a path or a URL. */
static bool source_map_is_of(const struct source_map *map, pprofc_str file) {
  if (!file.size) return false;
  size_t end = 0; /* end of the path before a query or a fragment */
  while (end < file.size && file.data[end] != '?' && file.data[end] != '#') end++;
  file = str_slice(file, 0, end);
  size_t slash = str_find_last_char(file, '/');
  pprofc_str last = slash < file.size ? str_from(file, slash + 1) : file;
  if (map->file.size && (str_equal(map->file, file) || str_equal(map->file, last))) return true;
  pprofc_str stem = source_map_stem(last);
  return stem.size && str_equal(stem, map->stem);
}

/* Returns the offset of the path in a URL, after "scheme://host"; 0 for other texts. */
static size_t source_map_host(pprofc_str path) {
  size_t scheme = str_find(path, STR("://"));
  if (scheme == path.size) return 0;
  return scheme + 3 + str_find_char(str_from(path, scheme + 3), '/');
}

/* Returns the path without "." and "..". Keeps the host of a URL. The result's `data` is NULL when
 * out of memory. */
static pprofc_str source_map_clean(struct arena *arena, pprofc_str path) {
  size_t host = source_map_host(path);
  char *text = arena_alloc(arena, path.size + 2);
  if (!text) return (pprofc_str){NULL, 0};
  if (host) memcpy(text, path.data, host);
  pprofc_str clean = str_path_clean(str_from(path, host), text + host);
  if (str_equal(clean, STR("."))) clean.size = 0;
  return (pprofc_str){text, host + clean.size};
}

/* ---- tables ------------------------------------------ */

/* Stores the offset of each line in the text of a source. */
static bool source_map_index(struct source_map *map, struct source_map_source *source) {
  pprofc_str text = source->content;
  size_t count = 1, at = 0;
  if (!text.size || text.size > UINT32_MAX) return true;
  for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
  source->lines = arena_array(&map->arena, count, sizeof *source->lines);
  if (!source->lines) return false;
  source->lines[at++] = 0;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] == '\n') source->lines[at++] = (uint32_t)(i + 1);
  source->line_count = count;
  return true;
}

static pprofc_str source_map_text(const struct node *node) {
  return node_is(node, NODE_STRING) ? node->text : STR("");
}

static bool source_map_add_sources(struct source_map *map, const struct node *json) {
  const struct node *sources = node_get(json, "sources");
  const struct node *contents = node_get(json, "sourcesContent");
  pprofc_str root = node_text(json, "sourceRoot");
  size_t count = map->source_count + node_size(sources);
  if (!ARRAY_RESERVE_IN(&map->arena, map->sources, map->source_room, count)) return false;
  for (size_t i = 0; i < node_size(sources); i++) {
    struct buffer path = buffer_make(map->mem, SIZE_MAX / 2);
    buffer_add_str(&path, root);
    if (root.size && !str_ends(root, STR("/"))) buffer_add_char(&path, '/');
    buffer_add_str(&path, source_map_text(node_at(sources, i)));
    struct source_map_source *source = &map->sources[map->source_count];
    *source = (struct source_map_source){
        .file =
            path.failed ? (pprofc_str){NULL, 0} : source_map_clean(&map->arena, buffer_str(&path)),
        .content = source_map_text(node_at(contents, i))};
    buffer_free(&path);
    if (!source->file.data || !source_map_index(map, source)) return false;
    map->source_count++;
  }
  return true;
}

static bool source_map_add_names(struct source_map *map, const struct node *json) {
  const struct node *names = node_get(json, "names");
  size_t count = map->name_count + node_size(names);
  if (!ARRAY_RESERVE_IN(&map->arena, map->names, map->name_room, count)) return false;
  for (size_t i = 0; i < node_size(names); i++)
    map->names[map->name_count++] = source_map_text(node_at(names, i));
  return true;
}

/* ---- mappings ---------------------------------------- */

/* Returns the value of a base64 digit, or -1. */
static int vlq_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

/* Removes a base64 VLQ number from the start of the text. Each digit has five bits of the number,
 * lowest first, and a sixth bit if more digits follow. The lowest bit of the number is the sign.
 * Returns false without a number, or if the number does not fit in 32 bits. */
static bool vlq_next(pprofc_str *text, int64_t *number) {
  uint64_t value = 0;
  for (unsigned shift = 0; text->size && shift <= 30; shift += 5) {
    int digit = vlq_digit(text->data[0]);
    if (digit < 0) return false;
    *text = str_from(*text, 1);
    value |= (uint64_t)(digit & 31) << shift;
    if (digit & 32) continue;
    int64_t size = (int64_t)(value >> 1);
    *number = value & 1 ? -size : size;
    return true;
  }
  return false;
}

/* The numbers of a segment. Each number is stored as its difference to the previous number of the
 * same kind. */
enum vlq_field { VLQ_COLUMN, VLQ_SOURCE, VLQ_FROM_LINE, VLQ_FROM_COLUMN, VLQ_NAME, VLQ_FIELDS };

/* Adds the numbers of one segment of `mappings` to `state`. Returns how many numbers the segment
 * has, or 0 if it is invalid. */
static size_t vlq_segment(pprofc_str text, int64_t state[VLQ_FIELDS]) {
  size_t count = 0;
  while (text.size && count < VLQ_FIELDS) {
    int64_t number;
    if (!vlq_next(&text, &number)) return 0;
    state[count] += number;
    if (state[count] < 0 || state[count] >= UINT32_MAX) return 0;
    count++;
  }
  return text.size ? 0 : count;
}

static bool source_map_add_item(struct source_map *map, const struct source_map_section *section,
                                uint32_t line, const int64_t state[VLQ_FIELDS], size_t fields) {
  if (!ARRAY_RESERVE(map->mem, map->items, map->room, map->count + 1)) return false;
  int64_t column = state[VLQ_COLUMN] + (line ? 0 : section->column);
  struct source_map_item item = {.line = line + section->line,
                                 .column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX,
                                 .source = MAP_WITHOUT,
                                 .name = MAP_WITHOUT};
  if (fields >= 4 && (size_t)state[VLQ_SOURCE] < section->sources) {
    item.source = (uint32_t)(section->first_source + (size_t)state[VLQ_SOURCE]);
    item.from_line = (uint32_t)state[VLQ_FROM_LINE];
    item.from_column = (uint32_t)state[VLQ_FROM_COLUMN];
  }
  if (fields >= 5 && (size_t)state[VLQ_NAME] < section->names)
    item.name = (uint32_t)(section->first_name + (size_t)state[VLQ_NAME]);
  map->items[map->count++] = item;
  return true;
}

static pprofc_status source_map_add_mappings(struct source_map *map, pprofc_str mappings,
                                             const struct source_map_section *section,
                                             pprofc_error *error) {
  int64_t state[VLQ_FIELDS] = {0};
  pprofc_str line_text, segment;
  for (uint32_t line = 0; str_next(&mappings, ';', &line_text); line++) {
    state[VLQ_COLUMN] = 0;
    while (str_next(&line_text, ',', &segment)) {
      if (!segment.size) continue;
      size_t fields = vlq_segment(segment, state);
      if (!fields)
        return error_set(error, PPROFC_E_FORMAT, "line %u of 'mappings' cannot be read", line + 1);
      if (!source_map_add_item(map, section, line, state, fields)) return error_nomem(error);
    }
  }
  return PPROFC_OK;
}

/* Returns an error if the version is not 3 or if a required member is missing. */
static pprofc_status source_map_check(const struct node *json, pprofc_error *error) {
  const struct node *version = node_get(json, "version");
  if (version && node_integer(version) != 3)
    return error_set(error, PPROFC_E_FORMAT, "its version is not 3");
  if (!node_is(node_get(json, "mappings"), NODE_STRING))
    return error_set(error, PPROFC_E_FORMAT, "not a source map: the string 'mappings' is missing");
  if (!node_is(node_get(json, "sources"), NODE_ARRAY))
    return error_set(error, PPROFC_E_FORMAT, "not a source map: the array 'sources' is missing");
  return PPROFC_OK;
}

static pprofc_status source_map_add(struct source_map *map, const struct node *json,
                                    const struct node *offset, pprofc_error *error) {
  int64_t line = node_integer(node_get(offset, "line"));
  int64_t column = node_integer(node_get(offset, "column"));
  const struct node *mappings = node_get(json, "mappings");
  pprofc_status status = source_map_check(json, error);
  if (status != PPROFC_OK) return status;
  if (line < 0 || line > INT32_MAX || column < 0 || column > INT32_MAX)
    return error_set(error, PPROFC_E_FORMAT, "a section begins at an invalid line or column");
  struct source_map_section section = {.line = (uint32_t)line,
                                       .column = (uint32_t)column,
                                       .first_source = map->source_count,
                                       .first_name = map->name_count};
  if (!source_map_add_sources(map, json) || !source_map_add_names(map, json))
    return error_nomem(error);
  section.sources = map->source_count - section.first_source;
  section.names = map->name_count - section.first_name;
  return source_map_add_mappings(map, mappings->text, &section, error);
}

/* Compares segments by their positions in the generated file, then in the original file. */
static int source_map_by_place(const void *a, const void *b) {
  const struct source_map_item *x = a, *y = b;
  const uint32_t keys[][2] = {
      {x->line, y->line},           {x->column, y->column},           {x->source, y->source},
      {x->from_line, y->from_line}, {x->from_column, y->from_column}, {x->name, y->name}};
  for (size_t i = 0; i < COUNT(keys); i++)
    if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static pprofc_status source_map_read(struct source_map *map, const struct node *root,
                                     pprofc_error *error) {
  const struct node *sections = node_get(root, "sections");
  pprofc_status status = PPROFC_OK;
  map->file = node_text(root, "file");
  if (!sections) status = source_map_add(map, root, NULL, error);
  for (size_t i = 0; i < node_size(sections) && status == PPROFC_OK; i++) {
    const struct node *section = node_at(sections, i);
    if (!node_get(section, "map"))
      return error_set(error, PPROFC_E_FORMAT, "section %zu has no map, or a map in another file",
                       i + 1);
    status = source_map_add(map, node_get(section, "map"), node_get(section, "offset"), error);
  }
  if (status == PPROFC_OK && map->count)
    qsort(map->items, map->count, sizeof *map->items, source_map_by_place);
  return status;
}

pprofc_status source_map_parse(pprofc_str json, pprofc_str name, const pprofc_allocator *mem,
                               struct source_map **map, pprofc_error *error) {
  struct source_map *made = mem_zero_array(mem, 1, sizeof *made);
  if (!made) return error_nomem(error);
  made->mem = mem;
  arena_init(&made->arena, mem);
  if (str_starts(json, STR(")]}'"))) /* this prefix keeps a page from running the file as a
                                        script */
    json = str_from(json, str_find_char(json, '\n'));
  pprofc_str own = arena_str(&made->arena, json), stem = arena_str(&made->arena, name);
  made->stem = source_map_stem(stem);
  struct node *root;
  pprofc_status status = own.data && stem.data
                             ? json_tree_parse(&made->arena, NULL, own, &root, error)
                             : error_nomem(error);
  if (status == PPROFC_E_FORMAT) error_prefix(error, "not a source map: ");
  if (status == PPROFC_OK) status = source_map_read(made, root, error);
  if (status == PPROFC_OK)
    *map = made;
  else
    source_map_free(made);
  return status;
}

void source_map_free(struct source_map *map) {
  if (!map) return;
  ARRAY_FREE(map->mem, map->items, map->room);
  arena_free(&map->arena);
  mem_free(map->mem, map, 1, sizeof *map);
}

/* ---- looking up -------------------------------------- */

/* Returns the byte offset of a column in a line. Columns count units of UTF-16. */
static size_t source_map_byte(pprofc_str line, uint32_t column) {
  size_t at = 0;
  for (uint32_t units = 0; at < line.size && units < column; at++) {
    unsigned char c = (unsigned char)line.data[at];
    units += (c & 0xC0) != 0x80; /* only the first byte of a character counts */
    units += c >= 0xF0;          /* a character above U+FFFF has two UTF-16 units */
  }
  while (at < line.size && ((unsigned char)line.data[at] & 0xC0) == 0x80) at++;
  return at;
}

/* Returns the first word of the original text at or after a position, or "" if the text does not
 * have that line. */
static pprofc_str source_map_word(const struct source_map_source *source, uint32_t line,
                                  uint32_t column) {
  if (line >= source->line_count) return STR("");
  pprofc_str rest = str_from(source->content, source->lines[line]);
  pprofc_str text = str_slice(rest, 0, str_find_char(rest, '\n'));
  size_t from = source_map_byte(text, column);
  while (from < text.size && !char_is_word(text.data[from])) from++;
  size_t end = from;
  while (end < text.size && char_is_word(text.data[end])) end++;
  return str_slice(text, from, end);
}

/* Returns the number of segments that precede a position in the generated file. */
static size_t source_map_before(const struct source_map *map, int64_t line, int64_t column) {
  const struct source_map_item *items = map->items;
  BISECT(at, map->count,
         items[at].line != line ? items[at].line < line : items[at].column < column);
  return at;
}

/* Finds the last segment of `mappings` before a position in the generated file, and sets *place to
 * the original position of this segment. Lines and columns start at 1. Returns false if no segment
 * precedes the position or the segment has no original file. */
static bool source_map_find(const struct source_map *map, int64_t line, int64_t column,
                            struct source_map_place *place) {
  size_t before = source_map_before(map, line - 1, column - 1);
  if (!before) return false;
  const struct source_map_item *item = &map->items[before - 1];
  if (item->source == MAP_WITHOUT) return false;
  const struct source_map_source *source = &map->sources[item->source];
  *place = (struct source_map_place){.name = STR(""),
                                     .file = source->file,
                                     .line = (int64_t)item->from_line + 1,
                                     .column = (int64_t)item->from_column + 1};
  place->name = item->name != MAP_WITHOUT
                    ? map->names[item->name]
                    : source_map_word(source, item->from_line, item->from_column);
  return true;
}

/* ---- a profile -------------------------------------- */

struct mapped_pass {
  pprofc_profile *p;              /* copy of the profile from profile_edit; may be changed */
  const struct source_map **maps; /* source map of each function; NULL: the function has no map */
  struct interner strings;        /* new strings; their indices follow the strings of the profile */
  struct map by_function;
  struct function_fields *functions; /* new functions, after the functions of the profile */
  size_t function_count, function_room;
  struct line *lines;
  size_t changed;
};

/* Returns the new name for a frame. Keeps a name that contains the original name, because the
 * longer name has more information. */
static pprofc_str mapped_name(struct mapped_pass *pass, pprofc_str name, pprofc_str original) {
  if (!original.size || str_contains(name, original)) return name;
  /* These keywords can precede the name of a function. */
  if (STR_ANY(str_equal, original, "function", "const", "export")) return name;
  if (!str_equal(original, STR("constructor"))) return original;
  struct buffer text = buffer_make(&pass->p->mem, SIZE_MAX / 2);
  buffer_add_str(&text, name);
  buffer_add_text(&text, " constructor");
  pprofc_str kept = buffer_keep(&text, &pass->p->region->arena);
  buffer_free(&text);
  return kept;
}

/* Returns the string index of a text. Adds it if needed. Returns NONE when out of memory. */
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

/* Finds the source map of each function. Returns false if no function has one. */
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
