/* Finds the node_info (the identity of a node) of each line of each location once. Loops over
 * samples then only look up the index of the node_info. */
#include "graph/graph.h"

static const struct node_place no_place;

static uint32_t text_id(struct frames *f, pprofc_str text) {
  return text.size ? interner_add(&f->texts, text) : 0;
}

static uint64_t hash_info(const struct node_info *info) {
  uint64_t hash = hash_mix(info->name, info->file);
  hash = hash_mix(hash, info->object);
  hash = hash_mix(hash, info->place->address);
  hash = hash_mix(hash, (uint64_t)info->place->line);
  hash = hash_mix(hash, (uint64_t)info->place->column);
  return hash_mix(hash, (uint64_t)info->place->start_line);
}

static bool same_info(const struct node_info *a, const struct node_info *b) {
  return a->name == b->name && a->file == b->file && a->object == b->object &&
         a->place->address == b->place->address && a->place->line == b->place->line &&
         a->place->column == b->place->column && a->place->start_line == b->place->start_line;
}

/* Returns the index of a node_info, and adds the node_info if it is new. Returns NONE when out of
 * memory. */
static uint32_t info_id(struct frames *f, const struct node_info *info) {
  uint64_t hash = hash_info(info);
  MAP_FIND(index, &f->map, hash, same_info(&f->infos[index], info));
  if (index != MAP_NONE) return index;
  if (!ARRAY_RESERVE(f->mem, f->infos, f->capacity, f->count + 1)) return NONE;
  if (f->count >= FRAME_LIST || !map_insert(&f->map, hash, (uint32_t)f->count)) return NONE;
  f->infos[f->count] = *info;
  if (info->place != &no_place) {
    f->infos[f->count].place = arena_copy(&f->arena, info->place, sizeof *info->place);
    if (!f->infos[f->count].place) return NONE;
  }
  return (uint32_t)f->count++;
}

/* Maximum number of frames of a stack, counting inlined functions. Without a limit, a small file
 * could need any amount of time and memory. Stacks of real programs are far smaller. */
#define MAX_FRAMES ((size_t)1 << 20)

/* Scratch memory of frames_build. */
struct graph_frames_builder {
  struct frames *frames;
  const pprofc_profile *profile;
  const struct frame_options *options;
  struct granularity keeps;
  struct arena scratch;  /* arena for the arrays below */
  uint32_t *name, *file; /* for each function, the text ids of its name and file */
  /* For each function, the index of its node_info without line, address and object. NONE: not made
   * yet. */
  uint32_t *plain;
};

static uint32_t frames_file_text(struct graph_frames_builder *b, pprofc_str file) {
  file = trim_source_path(file, b->options->trim_path, b->options->source_path);
  if (!file.size) return 0;
  char *clean = arena_alloc(&b->frames->arena, file.size + 2);
  return clean ? text_id(b->frames, str_path_clean(file, clean)) : NONE;
}

/* Returns an array for the text ids of all strings of the profile. All ids are NONE at first. */
static uint32_t *text_cache(struct graph_frames_builder *b) {
  size_t count = b->profile->strings.count;
  uint32_t *cache = arena_array(&b->scratch, count, sizeof *cache);
  if (cache) memset(cache, 0xFF, count * sizeof *cache);
  return cache;
}

/* Fills b->name. Interns each string only once, even if several functions use it. */
static bool read_names(struct graph_frames_builder *b, const struct functions *functions) {
  if (!b->keeps.function) return true;
  uint32_t *cache = text_cache(b);
  if (!cache) return false;
  for (size_t i = 0; i < functions->count; i++) {
    uint32_t string = functions->name[i];
    if (cache[string] == NONE)
      cache[string] = text_id(b->frames, profile_string(b->profile, string));
    if ((b->name[i] = cache[string]) == NONE) return false;
  }
  return true;
}

static bool read_files(struct graph_frames_builder *b, const struct functions *functions) {
  if (!b->keeps.file) return true;
  uint32_t *cache = NULL;
  for (size_t i = 0; i < functions->count; i++) {
    uint32_t string = functions->filename[i];
    if (!profile_string(b->profile, string).size) continue;
    if (!cache && !(cache = text_cache(b))) return false;
    if (cache[string] == NONE)
      cache[string] = frames_file_text(b, profile_string(b->profile, string));
    if ((b->file[i] = cache[string]) == NONE) return false;
  }
  return true;
}

/* Reserves space for a text and a node_info of each function, which is enough for most profiles.
 * Tables that grow in steps waste memory. */
static bool frames_reserve(struct frames *f, size_t functions) {
  return map_reserve(&f->texts.map, f->texts.count + functions) &&
         ARRAY_RESERVE(f->mem, f->infos, f->capacity, functions) && map_reserve(&f->map, functions);
}

static bool frames_read_functions(struct graph_frames_builder *b) {
  const struct functions *functions = &b->profile->functions;
  size_t count = functions->count;
  b->name = arena_zero_array(&b->scratch, count, sizeof *b->name);
  b->file = arena_zero_array(&b->scratch, count, sizeof *b->file);
  b->plain = arena_array(&b->scratch, count, sizeof *b->plain);
  if (!b->name || !b->file || !b->plain) return false;
  memset(b->plain, 0xFF, count * sizeof *b->plain);
  if (b->keeps.function && !frames_reserve(b->frames, count)) return false;
  return read_names(b, functions) && read_files(b, functions);
}

static pprofc_str frames_object_of(const struct graph_frames_builder *b, size_t location) {
  uint32_t mapping = b->profile->locations.mapping[location];
  if (mapping == NONE) return STR("");
  return profile_string(b->profile, b->profile->mappings.items[mapping].file);
}

/* Returns the index of the node_info that has only the name and the file of a function. Caches
 * the index in `plain`. */
static uint32_t plain_info(struct graph_frames_builder *b, uint32_t function) {
  const struct node_info info = {
      .name = b->name[function], .file = b->file[function], .place = &no_place};
  if (b->plain[function] == NONE) b->plain[function] = info_id(b->frames, &info);
  return b->plain[function];
}

/* Returns the source position of a line, with 0 in the fields that the granularity ignores. `line`
 * is NULL if the function is unknown. */
static struct node_place kept_place(const struct graph_frames_builder *b, size_t location,
                                    const struct line *line) {
  struct node_place place = {0};
  if (b->keeps.address) place.address = b->profile->locations.address[location];
  if (line && b->keeps.line) {
    place.line = line->line;
    if (b->keeps.column) place.column = line->column;
  }
  return place;
}

/* Returns the index of the node_info of a line, or NONE when out of memory. `line` is NULL for a
 * location without lines. */
static uint32_t line_info(struct graph_frames_builder *b, size_t location,
                          const struct line *line) {
  if (line && line->function == NONE) line = NULL;
  struct node_place place = kept_place(b, location, line);
  struct node_info info = {.place = &place};
  bool with_object = true;
  if (line) {
    with_object = b->options->object_names || !b->name[line->function];
    if (!with_object && !place.address && !place.line && !place.column)
      return plain_info(b, line->function);
    info.name = b->name[line->function];
    info.file = b->file[line->function];
    if (with_object) place.start_line = b->profile->functions.start_line[line->function];
  }
  if (with_object) {
    info.object = text_id(b->frames, frames_object_of(b, location));
    if (info.object == NONE) return NONE;
  }
  return info_id(b->frames, &info);
}

/* Returns the number of elements that the lists of inlined frames need together. */
static size_t list_room(const struct locations *l) {
  size_t room = 0;
  for (size_t i = 0; i < l->count; i++) {
    size_t lines = l->line_from[i + 1] - l->line_from[i];
    if (lines > 1) room += lines + 1;
  }
  return room;
}

static bool frames_allocate(struct frames *f, bool inlines) {
  size_t room = inlines ? list_room(f->locations) : 0;
  if (room >= FRAME_LIST) return false;
  f->of_location = arena_array(&f->arena, f->locations->count, sizeof *f->of_location);
  if (room) f->lists = arena_zero_array(&f->arena, room, sizeof *f->lists);
  return f->of_location && (!room || f->lists);
}

/* Writes the list of frames of a location (their number, then node_infos) at index *at of `lists`.
 * Advances *at past the list. */
static bool read_frame_list(struct graph_frames_builder *b, size_t location, uint32_t *at) {
  struct frames *f = b->frames;
  const struct locations *l = f->locations;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1];
  f->of_location[location] = FRAME_LIST + *at;
  f->lists[(*at)++] = to - from;
  for (uint32_t k = from; k < to; k++)
    if ((f->lists[(*at)++] = line_info(b, location, &l->lines[k])) == NONE) return false;
  return true;
}

static bool read_locations(struct graph_frames_builder *b) {
  struct frames *f = b->frames;
  const struct locations *l = &b->profile->locations;
  uint32_t used = 0;
  if (!frames_allocate(f, b->keeps.inlines)) return false;
  for (size_t i = 0; i < l->count; i++) {
    uint32_t from = l->line_from[i], to = l->line_from[i + 1];
    if (b->keeps.inlines && to - from > 1) {
      if (!read_frame_list(b, i, &used)) return false;
      continue;
    }
    f->of_location[i] = line_info(b, i, to > from ? &l->lines[to - 1] : NULL);
    if (f->of_location[i] == NONE) return false;
  }
  return true;
}

static size_t frames_most_lines(const struct locations *l) {
  size_t most = 1;
  for (size_t i = 0; i < l->count; i++) {
    size_t lines = l->line_from[i + 1] - l->line_from[i];
    if (lines > most) most = lines;
  }
  return most;
}

static size_t frames_of_stack(const pprofc_profile *profile, struct packed_stack stack) {
  const uint32_t *line_from = profile->locations.line_from;
  size_t frames = 0;
  uint32_t location;
  while (frames <= MAX_FRAMES && stack_take_leaf(&stack, &location))
    frames += line_from[location + 1] - line_from[location];
  return frames;
}

/* Checks the numbers of frames of all stacks. */
static pprofc_status frames_check_stacks(const pprofc_profile *profile, struct stack_delta *delta,
                                         pprofc_error *error) {
  uint64_t bytes = 0, sum = 0;
  for (size_t i = 0; i < profile->samples.count; i++) {
    delta_move(delta, i);
    size_t frames = frames_of_stack(profile, delta->stack);
    bytes += delta->size;
    sum += frames;
    if (frames > MAX_FRAMES)
      return error_set(error, PPROFC_E_LIMIT,
                       "a stack has more than %zu frames, inlined ones included", MAX_FRAMES);
    if (sum > frames_permitted(bytes)) return frames_too_many(frames_permitted(bytes), error);
  }
  return PPROFC_OK;
}

pprofc_status frames_too_many(uint64_t most, pprofc_error *error) {
  return error_set(error, PPROFC_E_LIMIT,
                   "stacks have more than %llu frames in total (-noinlines drops inlined calls)",
                   (unsigned long long)most);
}

pprofc_status frames_check(const pprofc_profile *profile, pprofc_error *error) {
  struct stack_delta delta;
  size_t most = frames_most_lines(&profile->locations);
  /* Skip the count if no limit can be exceeded. A stack has at most max_depth locations. A location
   * has at most `most` frames, and takes at least one byte of the encoded stack. */
  if (profile->samples.max_depth <= MAX_FRAMES / most && most <= FRAMES_TIMES) return PPROFC_OK;
  if (!delta_init(&delta, &profile->mem, &profile->samples, 0)) return error_nomem(error);
  pprofc_status status = frames_check_stacks(profile, &delta, error);
  delta_free(&delta, &profile->mem);
  return status;
}

pprofc_status frames_build(struct frames *f, const pprofc_profile *profile,
                           const struct frame_options *options, pprofc_error *error) {
  *f = (struct frames){.mem = &profile->mem, .locations = &profile->locations};
  arena_init(&f->arena, f->mem);
  interner_init(&f->texts, f->mem);
  map_init(&f->map, f->mem);
  static const struct granularity everything = {true, true, true, true, true, true};
  struct graph_frames_builder b = {.frames = f, .profile = profile, .options = options};
  b.keeps = options->granularity ? *options->granularity : everything;
  pprofc_status status = b.keeps.inlines ? frames_check(profile, error) : PPROFC_OK;
  if (status != PPROFC_OK) return status;
  arena_init(&b.scratch, f->mem);
  bool done = interner_add(&f->texts, STR("")) != MAP_NONE && frames_read_functions(&b) &&
              read_locations(&b);
  arena_free(&b.scratch);
  map_free(&f->map);
  /* With object_names, the caller looks up texts later, so keep the map. */
  if (!options->object_names) map_free(&f->texts.map);
  return done ? PPROFC_OK : error_nomem(error);
}

pprofc_str frame_name(const struct frames *f, uint32_t index, struct arena *arena) {
  const struct node_info *info = &f->infos[index];
  const pprofc_str *texts = f->texts.items;
  if (info->name && !info->place->address && !info->place->line && !info->file)
    return texts[info->name];
  return frame_name_of(info->place, texts[info->name], texts[info->file], texts[info->object],
                       STR(" "), arena);
}

void frames_free(struct frames *f) {
  mem_free(f->mem, f->infos, f->capacity, sizeof *f->infos);
  map_free(&f->map);
  interner_free(&f->texts);
  arena_free(&f->arena);
}
