/* Makes the sorted table of frames. Lines of locations become one frame if the properties that
 * stack_policy selects are equal. */
#include "core/array.h"
#include "core/budget.h"
#include "core/map.h"
#include "graph/graph.h"
#include "stacks/join_files.h"
#include "stacks/stacks.h"

#include <stdio.h>
#include <stdlib.h>

struct stacks_frames_builder {
  const pprofc_profile *profile;
  const struct stack_policy *policy;
  const pprofc_allocator *mem;
  struct stack_frames *frames;
  /* Texts of names and files. Equal texts have equal ids; id 0 is the empty text. */
  struct interner texts;
  uint32_t *name, *file; /* for each function, the ids in `texts` of its name and file as reports
                            show them */
  /* For each location, the set of sides (SIDE_...: base, head) whose samples use it; NULL if
   * there is no base. */
  const uint8_t *sides;
  struct arena scratch; /* arena for the arrays of this struct */
  struct map map;
  struct keyed_frame {
    uint32_t name, file; /* ids of the frame's name and file in `texts` */
    uint32_t index;      /* index of the frame before the frames are sorted */
    bool is_of_head;     /* true if line, function and mapping come from the head */
    struct stack_frame frame;
  } * items;
  size_t count, capacity;
};

/* ---- names ------------------------------------------- */

static pprofc_str object_name(const pprofc_profile *p, uint32_t mapping) {
  if (mapping == NONE) return STR("");
  pprofc_str file = profile_string(p, p->mappings.items[mapping].file);
  return file.size ? str_path_base(file) : file;
}

/* Returns the name of a frame that has no function: "[libc.so.6] 0x7f10". */
static pprofc_str unnamed(struct stacks_frames_builder *b, uint32_t location) {
  pprofc_str object = object_name(b->profile, b->profile->locations.mapping[location]);
  uint64_t address = b->policy->unnamed_objects ? 0 : b->profile->locations.address[location];
  if (!object.size && !address) return STR("<unknown>");
  char hex[24];
  int printed = address ? snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)address) : 0;
  size_t digits = printed > 0 ? (size_t)printed : 0;
  char *text = arena_alloc(&b->frames->arena, object.size + 3 + digits);
  if (!text) return (pprofc_str){0};
  size_t at = 0;
  if (object.size) {
    text[at++] = '[';
    memcpy(text + at, object.data, object.size);
    at += object.size;
    text[at++] = ']';
    if (digits) text[at++] = ' ';
  }
  memcpy(text + at, hex, digits);
  return (pprofc_str){text, at + digits};
}

/* True if str_path_clean may change the path. */
static bool may_be_unclean(pprofc_str path) {
  for (size_t i = 0; i < path.size; i++) {
    bool starts_name = i == 0 || path.data[i - 1] == '/';
    bool ends_here = i + 1 == path.size && i > 0 && path.data[i] == '/';
    if (ends_here || (starts_name && (path.data[i] == '.' || (i > 0 && path.data[i] == '/'))))
      return true;
  }
  return false;
}

/* Returns the file of a function as reports show it: trimmed and cleaned. */
static uint32_t stack_frame_file(struct stacks_frames_builder *b, pprofc_str file) {
  file = trim_source_path(file, b->policy->trim_path, b->policy->source_path);
  if (!file.size || !may_be_unclean(file)) return interner_add(&b->texts, file);
  char *clean = arena_alloc(&b->frames->arena, file.size + 2);
  return clean ? interner_add(&b->texts, str_path_clean(file, clean)) : MAP_NONE;
}

static uint32_t name_text(struct stacks_frames_builder *b, pprofc_str name) {
  return interner_add(&b->texts, name);
}

/* Returns for each function the id of a text such as its name: text_of(strings[function]). The
 * elements of `strings` are string indices. Calls text_of once for each distinct string. */
static uint32_t *function_texts(struct stacks_frames_builder *b, const uint32_t *strings,
                                uint32_t (*text_of)(struct stacks_frames_builder *, pprofc_str)) {
  size_t count = b->profile->functions.count, string_count = b->profile->strings.count;
  uint32_t *known = arena_array(&b->scratch, string_count, sizeof *known);
  uint32_t *texts = arena_array(&b->scratch, count, sizeof *texts);
  if (!known || !texts) return NULL;
  for (size_t i = 0; i < string_count; i++) known[i] = MAP_NONE;
  for (size_t i = 0; i < count; i++) {
    uint32_t string = strings[i];
    if (known[string] == MAP_NONE) known[string] = text_of(b, profile_string(b->profile, string));
    if ((texts[i] = known[string]) == MAP_NONE) return NULL;
  }
  return texts;
}

static bool stack_frame_functions(struct stacks_frames_builder *b) {
  const struct functions *f = &b->profile->functions;
  if (interner_add(&b->texts, STR("")) == MAP_NONE) return false;
  b->name = function_texts(b, f->name, name_text);
  b->file = function_texts(b, f->filename, stack_frame_file);
  uint32_t *system_name = function_texts(b, f->system_name, name_text);
  if (!b->name || !b->file || !system_name) return false;
  for (size_t i = 0; i < f->count; i++)
    if (!b->name[i]) b->name[i] = system_name[i];
  return true;
}

/* ---- base and head ----------------------------------- */

/* Range of the lines of a location that become frames. */
static struct line_range {
  uint32_t from, to;
} shown_lines(const struct stacks_frames_builder *b, size_t location) {
  const struct locations *l = &b->profile->locations;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1];
  if (!b->policy->inlines && from < to) from = to - 1;
  return (struct line_range){from, to};
}

/* Finds for each function which sides (base, head) use it. */
static void function_sides(const struct stacks_frames_builder *b,
                           struct joined_function *functions) {
  const struct locations *l = &b->profile->locations;
  for (size_t i = 0; i < l->count; i++) {
    struct line_range lines = shown_lines(b, i);
    for (uint32_t k = lines.from; k < lines.to; k++)
      if (l->lines[k].function != NONE) functions[l->lines[k].function].sides |= b->sides[i];
  }
}

/* Returns the key of a function. A function of the base and a function of the head are paired only
 * if their keys are equal. The key is the name of the function, or the name of its file if reports
 * show only files. Returns MAP_NONE when out of memory. */
static uint64_t name_key(struct stacks_frames_builder *b, size_t function) {
  if (b->policy->function && b->name[function]) return (uint64_t)b->name[function] << 1;
  uint32_t base = name_text(b, str_path_base(b->texts.items[b->file[function]]));
  return base == MAP_NONE ? MAP_NONE : (uint64_t)base << 1 | 1;
}

/* Replaces the file of each function of the base by the file of the same function in the head. */
static bool join_sides(struct stacks_frames_builder *b) {
  if (!has_sides(b->profile)) return true;
  size_t count = b->profile->functions.count;
  struct joined_function *functions = arena_zero_array(&b->scratch, count, sizeof *functions);
  b->sides = location_sides(b->profile, &b->scratch);
  if (!functions || !b->sides) return false;
  for (size_t i = 0; i < count; i++) {
    functions[i] = (struct joined_function){name_key(b, i), b->file[i], (uint32_t)i, 0};
    if (functions[i].name == MAP_NONE) return false;
  }
  function_sides(b, functions);
  if (!join_files(functions, count, &b->texts, b->mem)) return false;
  for (size_t i = 0; i < count; i++) b->file[functions[i].index] = functions[i].file;
  return true;
}

/* ---- frames ------------------------------------------ */

/* Fills in the name and the file of the function. Code without a name has the name of its file. */
static void describe_function(const struct stacks_frames_builder *b, uint32_t function,
                              struct keyed_frame *key) {
  const struct stack_policy *policy = b->policy;
  uint32_t name = b->name[function], file = b->file[function];
  if (policy->unnamed_objects && !policy->file) file = 0;
  key->name = policy->function && name ? name : file;
  if (policy->file) key->file = file;
}

/* Fills in a frame for a line of a location: its name, and the properties that distinguish it from
 * other frames. Returns false when out of memory. */
static bool stack_frame_describe(struct stacks_frames_builder *b, uint32_t location,
                                 const struct line *line, struct keyed_frame *key) {
  const pprofc_profile *p = b->profile;
  const struct stack_policy *policy = b->policy;
  struct stack_frame *frame = &key->frame;
  frame->mapping = p->locations.mapping[location];
  frame->address = policy->address ? p->locations.address[location] : 0;
  frame->function = line ? line->function : NONE;
  if (frame->function != NONE) {
    describe_function(b, frame->function, key);
    if (policy->line) frame->line = line->line;
    if (policy->column) frame->column = line->column;
  }
  if (!key->name) {
    pprofc_str name = unnamed(b, location);
    key->name = name.data ? name_text(b, name) : MAP_NONE;
    if (key->name == MAP_NONE) return false;
  }
  frame->name = b->texts.items[key->name];
  frame->file = b->texts.items[key->file];
  return true;
}

/* Chooses the line that a frame shows if lines do not distinguish frames. This is the first line of
 * the function. If that line is unknown, it is the smallest line in the frame. */
static void note_line(struct stacks_frames_builder *b, struct stack_frame *frame,
                      const struct line *line) {
  if (b->policy->line || !line || line->function == NONE) return;
  int64_t start = b->profile->functions.start_line[line->function];
  int64_t candidate = start > 0 ? start : line->line;
  if (candidate <= 0 || (frame->line > 0 && candidate >= frame->line)) return;
  frame->line = candidate;
  frame->is_line_seen = start <= 0;
}

/* Updates a frame, because another line has the same frame. In a difference, the function, mapping
 * and line of the head take precedence. */
static void note_use(struct stacks_frames_builder *b, struct keyed_frame *item,
                     const struct keyed_frame *use, uint32_t location, const struct line *line) {
  bool is_of_head = !b->sides || b->sides[location] & SIDE_HEAD;
  item->frame.inlined = item->frame.inlined && use->frame.inlined;
  if (item->is_of_head && !is_of_head) return;
  if (is_of_head && !item->is_of_head) {
    item->is_of_head = true;
    item->frame.function = use->frame.function;
    item->frame.mapping = use->frame.mapping;
    if (!b->policy->line) item->frame.line = 0;
  }
  note_line(b, &item->frame, line);
}

/* ---- one entry per distinct frame -------------------- */

static bool same_frame(const struct stacks_frames_builder *b, const struct keyed_frame *x,
                       const struct keyed_frame *y) {
  return x->name == y->name && x->file == y->file && x->frame.address == y->frame.address &&
         (!b->policy->line || x->frame.line == y->frame.line) &&
         x->frame.column == y->frame.column && (b->sides || x->frame.inlined == y->frame.inlined);
}

static uint64_t frame_hash(const struct stacks_frames_builder *b, const struct keyed_frame *key) {
  uint64_t hash = hash_mix(key->name, key->file);
  hash = hash_mix(hash, b->policy->line ? (uint64_t)key->frame.line : 0);
  hash = hash_mix(hash, (uint64_t)key->frame.column);
  hash = hash_mix(hash, key->frame.address);
  return hash_mix(hash, !b->sides && key->frame.inlined);
}

/* Returns the index of a frame. Adds the frame if it is new. Returns MAP_NONE when out of
 * memory. */
static uint32_t stack_frame_add(struct stacks_frames_builder *b, struct keyed_frame *key) {
  uint64_t hash = frame_hash(b, key);
  MAP_FIND(index, &b->map, hash, same_frame(b, &b->items[index], key));
  if (index != MAP_NONE) return index;
  if (!ARRAY_RESERVE(b->mem, b->items, b->capacity, b->count + 1)) return MAP_NONE;
  if (b->count >= MAP_NONE || !map_insert(&b->map, hash, (uint32_t)b->count)) return MAP_NONE;
  key->index = (uint32_t)b->count;
  b->items[b->count++] = *key;
  return key->index;
}

static bool stack_frame_add_line(struct stacks_frames_builder *b, uint32_t location,
                                 const struct line *line, bool inlined, uint32_t *out) {
  struct keyed_frame key = {.name = 0};
  key.frame.inlined = inlined && b->policy->inlined;
  if (!stack_frame_describe(b, location, line, &key)) return false;
  *out = stack_frame_add(b, &key);
  if (*out == MAP_NONE) return false;
  note_use(b, &b->items[*out], &key, location, line);
  return true;
}

static bool stack_frame_add_locations(struct stacks_frames_builder *b) {
  const struct locations *l = &b->profile->locations;
  struct stack_frames *frames = b->frames;
  size_t most = (l->count ? l->line_from[l->count] : 0) + l->count;
  frames->location_from = arena_array(&frames->arena, l->count + 1, sizeof *frames->location_from);
  frames->location_frames = arena_array(&frames->arena, most, sizeof *frames->location_frames);
  if (most >= UINT32_MAX || !frames->location_from || !frames->location_frames) return false;
  uint32_t filled = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    struct line_range lines = shown_lines(b, i);
    if (budget_poll(frames->arena.mem, i)) return false;
    frames->location_from[i] = filled;
    if (lines.from == lines.to &&
        !stack_frame_add_line(b, i, NULL, false, &frames->location_frames[filled++]))
      return false;
    for (uint32_t k = lines.to; k > lines.from; k--)
      if (!stack_frame_add_line(b, i, &l->lines[k - 1], k < lines.to,
                                &frames->location_frames[filled++]))
        return false;
  }
  frames->location_from[l->count] = filled;
  return true;
}

/* ---- order ------------------------------------------- */

static int compare_unsigned(uint64_t x, uint64_t y) {
  return x < y ? -1 : x > y;
}

static int compare_signed(int64_t x, int64_t y) {
  return x < y ? -1 : x > y;
}

static int compare_frames(const void *left, const void *right) {
  const struct keyed_frame *x = left, *y = right;
  int order = x->name == y->name ? 0 : str_compare(x->frame.name, y->frame.name);
  if (!order && x->file != y->file) order = str_compare(x->frame.file, y->frame.file);
  if (!order) order = compare_signed(x->frame.line, y->frame.line);
  if (!order) order = compare_signed(x->frame.column, y->frame.column);
  if (!order) order = compare_unsigned(x->frame.address, y->frame.address);
  return order ? order : (int)x->frame.inlined - (int)y->frame.inlined;
}

/* Sorts the frames, and updates the frame indices in the locations. */
static bool sort_frames(struct stacks_frames_builder *b) {
  struct stack_frames *frames = b->frames;
  frames->count = b->count;
  frames->items = arena_array(&frames->arena, b->count + 1, sizeof *frames->items);
  uint32_t *place = mem_array(b->mem, b->count, sizeof *place);
  bool ok = frames->items && place;
  if (ok) {
    if (b->count > 1) qsort(b->items, b->count, sizeof *b->items, compare_frames);
    for (uint32_t i = 0; i < b->count; i++) {
      frames->items[i] = b->items[i].frame;
      place[b->items[i].index] = i;
    }
    uint32_t total = frames->location_from[b->profile->locations.count];
    for (uint32_t i = 0; i < total; i++)
      frames->location_frames[i] = place[frames->location_frames[i]];
  }
  mem_free(b->mem, place, b->count, sizeof *place);
  return ok;
}

pprofc_status stack_frames_build(const pprofc_profile *profile, const struct stack_policy *policy,
                                 const pprofc_allocator *mem, struct stack_frames *frames,
                                 pprofc_error *error) {
  *frames = (struct stack_frames){.profile = profile};
  arena_init(&frames->arena, mem);
  struct stacks_frames_builder b = {
      .profile = profile, .policy = policy, .mem = mem, .frames = frames};
  interner_init(&b.texts, mem);
  map_init(&b.map, mem);
  arena_init(&b.scratch, mem);
  bool ok = stack_frame_functions(&b) && join_sides(&b) && stack_frame_add_locations(&b) &&
            sort_frames(&b);
  interner_free(&b.texts);
  map_free(&b.map);
  arena_free(&b.scratch);
  mem_free(mem, b.items, b.capacity, sizeof *b.items);
  if (ok) return PPROFC_OK;
  arena_free(&frames->arena);
  return error_nomem(error);
}

void stack_frames_free(struct stack_frames *frames) {
  arena_free(&frames->arena);
}
