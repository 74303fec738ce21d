/* Reads stack traces. Converts frames to locations, and stores equal stacks of all chunks once.
 *
 * An inlined frame becomes a line of its caller's location. */
#include "import/jfr/jfr.h"

/* Kind of code that a frame runs. */
enum stacks_kind {
  STACKS_JVM,
  STACKS_INTERPRETED,
  STACKS_INLINED,
  STACKS_NATIVE,
  STACKS_KERNEL,
  STACKS_KINDS
};

static const struct {
  const char *description;
  enum stacks_kind kind;
} stacks_kinds[] = {
    {"Interpreted", STACKS_INTERPRETED}, {"Inlined", STACKS_INLINED},
    {"Native", STACKS_NATIVE},           {"C++", STACKS_NATIVE},
    {"Kernel", STACKS_KERNEL},
};

struct stacks_item {
  size_t first; /* index of the stack's first frame in `frames` */
  uint32_t depth;
};

struct jfr_stacks {
  struct stacks_item *items;
  size_t count, capacity;
  uint32_t *frames; /* locations of all stacks, one stack after another, leaf first */
  size_t frame_count, frame_capacity;
  struct map by_frames;
  pprofc_line *lines; /* buffer for the lines of the current location */
  size_t line_count, line_capacity;
  uint32_t mapping[STACKS_KINDS]; /* for each kind of code, the index of its mapping, or NONE */
};

struct jfr_stacks *jfr_stacks_new(struct jfr *j) {
  struct jfr_stacks *s = arena_zero_array(j->names, 1, sizeof *s);
  if (s) map_init(&s->by_frames, j->mem);
  return s;
}

void jfr_stacks_free(struct jfr *j) {
  struct jfr_stacks *s = j->stacks;
  if (!s) return;
  map_free(&s->by_frames);
  ARRAY_FREE(j->mem, s->items, s->capacity);
  ARRAY_FREE(j->mem, s->frames, s->frame_capacity);
  ARRAY_FREE(j->mem, s->lines, s->line_capacity);
}

const uint32_t *jfr_stack_frames(const struct jfr *j, uint32_t stack, size_t *depth) {
  const struct stacks_item *item = &j->stacks->items[stack];
  *depth = item->depth;
  return j->stacks->frames + item->first;
}

/* ---- mappings ---------------------------------------- */

static uint32_t stacks_mapping(struct jfr *j, pprofc_str file) {
  return builder_add_mapping(j->builder, &(struct mapping){.file = builder_string(j->builder, file),
                                                           .flags = PPROFC_HAS_FUNCTIONS |
                                                                    PPROFC_HAS_LINE_NUMBERS |
                                                                    PPROFC_HAS_INLINE_FRAMES});
}

void jfr_first_mapping(struct jfr *j) {
  for (size_t i = 0; i < STACKS_KINDS; i++) j->stacks->mapping[i] = NONE;
  j->stacks->mapping[STACKS_JVM] = stacks_mapping(j, STR("[jvm]"));
}

/* Returns the name of the mapping for a native method. JFR stores the library of native code as the
 * class of the method. A native method of a Java class gets the mapping "[jvm]". */
static pprofc_str stacks_library(struct jfr *j, const struct jfr_entry *method) {
  const struct jfr_entry *c = jfr_entry_of(j, JFR_CLASSES, method->slots[JFR_CLASS]);
  pprofc_str name = c ? jfr_symbol(j, c->slots[JFR_NAME]) : STR("");
  if (jfr_is_library(name)) return name;
  return name.size ? STR("[jvm]") : STR("[native]");
}

static uint32_t stacks_native_mapping(struct jfr *j, uint64_t method) {
  struct jfr_entry *m = jfr_entry_of(j, JFR_METHODS, method);
  if (!m) return stacks_mapping(j, STR("[native]"));
  if (!m->slots[JFR_MAPPING])
    m->slots[JFR_MAPPING] = (uint64_t)stacks_mapping(j, stacks_library(j, m)) + 1;
  return (uint32_t)(m->slots[JFR_MAPPING] - 1);
}

/* Returns the mapping of a frame. Java, interpreted, native and kernel code have different
 * mappings. */
static uint32_t stacks_mapping_of(struct jfr *j, enum stacks_kind kind, uint64_t method) {
  static const char *const names[STACKS_KINDS] = {[STACKS_JVM] = "[jvm]",
                                                  [STACKS_INTERPRETED] = "[interpreted]",
                                                  [STACKS_INLINED] = "[jvm]",
                                                  [STACKS_KERNEL] = "[kernel.kallsyms]"};
  uint32_t *mapping = &j->stacks->mapping[kind];
  if (kind == STACKS_NATIVE) return stacks_native_mapping(j, method);
  if (*mapping == NONE) *mapping = stacks_mapping(j, str_of(names[kind]));
  return *mapping;
}

static enum stacks_kind stacks_kind_of(struct jfr *j, uint64_t type) {
  struct jfr_entry *entry = jfr_entry_of(j, JFR_FRAME_TYPES, type);
  if (!entry) return STACKS_JVM;
  if (entry->made != JFR_UNMADE) return (enum stacks_kind)entry->made;
  pprofc_str description = jfr_text(j, entry->slots[JFR_TEXT]);
  entry->made = STACKS_JVM;
  for (size_t i = 0; i < sizeof stacks_kinds / sizeof *stacks_kinds; i++)
    if (str_equal(description, str_of(stacks_kinds[i].description)))
      entry->made = (uint32_t)stacks_kinds[i].kind;
  return (enum stacks_kind)entry->made;
}

/* ---- frames ------------------------------------------ */

/* Adds a location with the collected lines (jfr_stacks.lines), and appends it to the frames of the
 * current stack. Returns false on failure. */
static bool stacks_push(struct jfr *j, enum stacks_kind kind, uint64_t method) {
  struct jfr_stacks *s = j->stacks;
  uint32_t mapping = stacks_mapping_of(j, kind, method);
  uint32_t location = pprofc_builder_location(j->builder, mapping, 0, s->lines, s->line_count);
  s->line_count = 0;
  if (!builder_ok(j->builder)) return false;
  return import_need(j->builder,
                     ARRAY_PUSH(j->mem, s->frames, s->frame_count, s->frame_capacity, location));
}

/* Adds a frame. `slots` has the method, line and type of the frame. `is_last` is true for the
 * outermost frame. Returns false on failure. */
static bool stacks_frame(struct jfr *j, const uint64_t *slots, bool is_last) {
  struct jfr_stacks *s = j->stacks;
  uint32_t function = jfr_function(j, slots[0]);
  int64_t line = (int64_t)slots[1];
  enum stacks_kind kind = stacks_kind_of(j, slots[2]);
  if (!builder_ok(j->builder)) return false;
  if (function == NONE)
    j->without_method++;
  else if (!import_need(j->builder, ARRAY_PUSH(j->mem, s->lines, s->line_count, s->line_capacity,
                                               (pprofc_line){function, line > 0 ? line : 0, 0})))
    return false;
  if (!s->line_count || (kind == STACKS_INLINED && !is_last)) return true;
  return stacks_push(j, kind, slots[0]);
}

static bool stacks_check_depth(struct jfr *j, size_t depth) {
  if (depth <= j->options->limits->stack_depth) return true;
  return import_refuse(j->builder, PPROFC_E_LIMIT, "a stack of more than %llu frames",
                       (unsigned long long)j->options->limits->stack_depth);
}

/* Reads the frames at an offset of the chunk and appends them to jfr_stacks.frames. Returns false
 * on failure. */
static bool stacks_read(struct jfr *j, uint64_t offset) {
  struct jfr_reader r = jfr_reader_at(j, offset);
  size_t first = j->stacks->frame_count;
  uint32_t left = jfr_int(&r);
  j->stacks->line_count = 0;
  if (!import_need(j->builder,
                   ARRAY_RESERVE(j->mem, j->stacks->frames, j->stacks->frame_capacity, first + 1)))
    return false;
  while (left) {
    const uint8_t *at = r.at;
    uint64_t slots[JFR_SLOTS] = {0};
    if (!j->frame.count || !jfr_run(j, &j->frame, &r, slots))
      return import_refuse_at(j->builder, at, "an unreadable frame");
    if (!stacks_frame(j, slots, --left == 0)) return false;
    if (!stacks_check_depth(j, j->stacks->frame_count - first + j->stacks->line_count))
      return false;
  }
  return true;
}

/* ---- stacks ------------------------------------------ */

/* Returns the index of the stack whose frames were appended last. If an equal stack exists, removes
 * these frames and returns the index of the equal stack. Returns NONE when out of memory. */
static uint32_t stacks_add(struct jfr *j) {
  struct jfr_stacks *s = j->stacks;
  size_t first = 0;
  if (s->count) first = s->items[s->count - 1].first + s->items[s->count - 1].depth;
  size_t depth = s->frame_count - first, bytes = depth * sizeof *s->frames;
  uint64_t hash = hash_bytes(s->frames + first, bytes);
  MAP_FIND(index, &s->by_frames, hash,
           s->items[index].depth == depth &&
               memcmp(s->frames + s->items[index].first, s->frames + first, bytes) == 0);
  if (index != MAP_NONE) {
    s->frame_count = first;
    return index;
  }
  if (s->count < JFR_UNMADE && MAP_PUSH(j->mem, &s->by_frames, hash, s->items, s->count,
                                        s->capacity, (struct stacks_item){first, (uint32_t)depth}))
    return (uint32_t)s->count - 1;
  import_need(j->builder, false);
  return NONE;
}

bool jfr_reserve_stacks(struct jfr *j) {
  struct jfr_stacks *s = j->stacks;
  size_t more = j->pools[JFR_STACKS].count;
  return import_need(j->builder, map_reserve(&s->by_frames, s->count + more));
}

uint32_t jfr_stack(struct jfr *j, uint64_t key) {
  struct jfr_entry *entry = jfr_entry_of(j, JFR_STACKS, key);
  if (!entry) return NONE;
  if (entry->made == JFR_UNMADE) {
    uint64_t offset = entry->slots[JFR_FRAMES];
    j->truncated += entry->slots[JFR_TRUNCATED] != 0;
    entry->made = NONE;
    if (offset && stacks_read(j, offset)) entry->made = stacks_add(j);
  }
  return entry->made;
}
