/* Finds equal stacks of several profiles, and collects their values. */
#include "leaks/leaks.h"
#include "pprofc/samples.h"
#include "verdict/walk.h"

/* ---- profiles and columns ---------------------------- */

static size_t leak_column(const pprofc_profile *profile, const char *const *names) {
  size_t count = pprofc_profile_type_count(profile);
  for (; *names; names++)
    for (size_t i = 0; i < count; i++)
      if (str_equal(pprofc_profile_type(profile, i).type, str_of(*names))) return i;
  return SIZE_MAX;
}

/* Finds the columns of a heap profile. The bytes in use are in the column "inuse_space" in Go,
 * gperftools and jemalloc, and in "space" in other heap profilers. gperftools also writes "space"
 * if nothing was freed. */
static bool leak_source_heap(const pprofc_profile *profile, struct leak_source *source) {
  static const char *const values[] = {"inuse_space", "space", "inuse_bytes", NULL};
  static const char *const allocated[] = {"alloc_space", "alloc_bytes", NULL};
  size_t value = leak_column(profile, values);
  if (value == SIZE_MAX) return false;
  *source = (struct leak_source){.kind = STR("heap"), .value = value, .is_heap = true};
  source->unit = pprofc_profile_type(profile, value).unit;
  source->allocated = leak_column(profile, allocated);
  return true;
}

/* Finds the counts in a profile "goroutine" or "threadcreate", or in a profile that the program
 * made with pprof.NewProfile. */
static bool leak_source_counts(const pprofc_profile *profile, struct leak_source *source) {
  pprofc_header header;
  pprofc_profile_header(profile, &header);
  if (pprofc_profile_type_count(profile) != 1) return false;
  pprofc_value_type type = pprofc_profile_type(profile, 0);
  if (!str_equal(type.unit, STR("count")) || !str_equal(type.type, header.period_type.type) ||
      header.period > 1 || header.duration_nanos)
    return false;
  *source = (struct leak_source){.kind = type.type, .unit = type.unit, .allocated = SIZE_MAX};
  source->proves = str_equal(type.type, STR("goroutineleak"));
  return true;
}

bool leak_source_of(const pprofc_profile *profile, struct leak_source *source) {
  return leak_source_heap(profile, source) || leak_source_counts(profile, source);
}

/* ---- names ------------------------------------------- */

/* Built-in names of functions. Stacks with a function of the lists HEAP or COUNTS are ignored.
 * Functions of the list WAY are skipped in the search for the line that allocates. docs/LEAKS.md
 * shows this table. */
static const struct leak_name leak_table[] = {
    {LEAK_LIST_HEAP, "^(runtime/pprof|net/http/pprof)\\.", "taking the profile allocates"},
    {LEAK_LIST_COUNTS, "^(runtime/pprof|net/http/pprof)\\.", "the request for the profile itself"},
    {LEAK_LIST_COUNTS, "^(testing\\.|runtime\\.ReadTrace$|runtime/trace\\.)",
     "tests and traces end by themselves"},
    {LEAK_LIST_COUNTS, "^(os/signal\\.|runtime\\.ensureSigM)", "one for the whole program"},
    {LEAK_LIST_COUNTS,
     "^runtime\\.(bgsweep|bgscavenge|forcegchelper|runfinq|runFinalizers|runCleanups|gcBgMarkWorker"
     "|timerproc|sysmon|main)$",
     "the runtime keeps as many as it wants"},
    {LEAK_LIST_COUNTS, "^net/http\\.\\(\\*persistConn\\)\\.(readLoop|writeLoop)$",
     "idle connections of a client: http.Transport limits and closes them"},
    {LEAK_LIST_WAY,
     "^(runtime|internal/[a-z/]+|sync|sync/atomic|reflect|slices|maps|strings|bytes|container/"
     "[a-z]+"
     "|bufio|time|syscall|net|internal/poll|os)\\.",
     "Go: the runtime and containers of the standard library"},
    {LEAK_LIST_WAY,
     "^(_?_?(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|strdup"
     "|strndup|mmap|libc_malloc|libc_calloc)|je_.*|tc_.*|tcmalloc::.*|do_malloc.*|prof_.*"
     "|imalloc.*|operator "
     "new.*|cfree|xmalloc|xcalloc|xrealloc)($|\\()|^\\[lib(jemalloc|tcmalloc)[^]]*\\]",
     "C and C++: allocators"},
    {LEAK_LIST_WAY, "^(std::|__gnu_cxx::|void std::|alloc::|<alloc::|hashbrown::|__rust_|__rg_)",
     "C++ and Rust: containers of the standard library"},
};

const struct leak_name *leak_name_at(size_t index) {
  return index < COUNT(leak_table) ? &leak_table[index] : NULL;
}

pprofc_status leak_names_init(struct regex_set *names, const pprofc_allocator *mem,
                              const char *const *more, size_t more_count, pprofc_error *error) {
  const unsigned ignored = 1u << LEAK_LIST_HEAP | 1u << LEAK_LIST_COUNTS;
  pprofc_status status = PPROFC_OK;
  *names = (struct regex_set){0};
  for (size_t i = 0; i < more_count && status == PPROFC_OK; i++)
    status = regex_set_add(names, mem, str_of(more[i]), ignored, error);
  for (size_t i = 0; i < COUNT(leak_table) && status == PPROFC_OK; i++)
    status =
        regex_set_add(names, mem, str_of(leak_table[i].pattern), 1u << leak_table[i].list, error);
  return status;
}

bool leak_names_has(const struct regex_set *names, enum leak_list list, pprofc_str function) {
  return regex_set_match(names, function) >> list & 1;
}

/* ---- places ------------------------------------------ */

#define UNNAMED_MAX 400

/* Formats "[libc.so.6]+0x1f0": the file offset of an address. Unlike the address, the offset is
 * equal in every run. */
static pprofc_str leak_unnamed(const pprofc_profile *profile, const pprofc_location *location,
                               char text[UNNAMED_MAX]) {
  pprofc_str file = STR("");
  uint64_t address = location->address;
  if (location->mapping != PPROFC_NONE) {
    pprofc_mapping mapping = pprofc_profile_mapping(profile, location->mapping);
    file = str_slice(str_path_base(mapping.file), 0, UNNAMED_MAX - 50);
    address = address - mapping.start + mapping.offset;
  }
  int size = snprintf(text, UNNAMED_MAX, "[%.*s]+0x%" PRIx64, STR_ARG(file), address);
  if (location->mapping == PPROFC_NONE) size = snprintf(text, UNNAMED_MAX, "0x%" PRIx64, address);
  return (pprofc_str){text, (size_t)size};
}

static size_t leak_frame_count(const pprofc_profile *profile, uint32_t location) {
  uint32_t lines = pprofc_profile_location(profile, location).line_count;
  return lines ? lines : 1;
}

/* Returns frame i of a location, counted from the leaf. The texts of the frame belong to the
 * profile or to `text`. */
static struct leak_frame leak_frame_view(const pprofc_profile *profile, uint32_t index, size_t i,
                                         char text[UNNAMED_MAX]) {
  struct leak_frame frame = {STR(""), STR(""), 0};
  pprofc_location location = pprofc_profile_location(profile, index);
  if (i < location.line_count) {
    pprofc_line line = pprofc_profile_line(profile, index, i);
    pprofc_function function = pprofc_profile_function(profile, line.function);
    frame = (struct leak_frame){function.name, function.filename, line.line};
  }
  if (!frame.function.size) frame.function = leak_unnamed(profile, &location, text);
  return frame;
}

static bool leak_place_key(struct buffer *key, const pprofc_profile *profile, uint32_t location) {
  char text[UNNAMED_MAX];
  size_t count = leak_frame_count(profile, location);
  buffer_clear(key);
  for (size_t i = 0; i < count; i++) {
    struct leak_frame frame = leak_frame_view(profile, location, i, text);
    buffer_printf(key, "%zu %zu %" PRId64 " ", frame.function.size, frame.file.size, frame.line);
    buffer_add_str(key, frame.function);
    buffer_add_str(key, frame.file);
  }
  return !key->failed;
}

static bool leak_place_keep(struct leak_collection *c, const pprofc_profile *profile,
                            uint32_t location, struct leak_place *place) {
  char text[UNNAMED_MAX];
  size_t count = leak_frame_count(profile, location);
  struct leak_frame *frames = arena_array(&c->arena, count, sizeof *frames);
  if (!frames) return false;
  for (size_t i = 0; i < count; i++) {
    frames[i] = leak_frame_view(profile, location, i, text);
    frames[i].function = arena_str(&c->arena, frames[i].function);
    frames[i].file = arena_str(&c->arena, frames[i].file);
    if (!frames[i].function.data || !frames[i].file.data) return false;
  }
  *place = (struct leak_place){.frames = frames, .count = count};
  return true;
}

static void leak_place_judge(const struct leak_collection *c, struct leak_place *place) {
  enum leak_list ignored = c->source.is_heap ? LEAK_LIST_HEAP : LEAK_LIST_COUNTS;
  place->all_way = true;
  for (size_t i = 0; i < place->count; i++) {
    pprofc_str name = place->frames[i].function;
    place->ignored |= leak_names_has(c->names, ignored, name);
    place->all_way &= leak_names_has(c->names, LEAK_LIST_WAY, name);
  }
}

/* Returns the index of a location in c->places, where equal locations of all profiles have one
 * index. Adds the location if it is new. Returns MAP_NONE when out of memory. */
static uint32_t leak_place_of(struct leak_collection *c, const pprofc_profile *profile,
                              uint32_t location, struct buffer *key) {
  size_t before = c->place_keys.count;
  if (!leak_place_key(key, profile, location)) return MAP_NONE;
  if (!ARRAY_RESERVE(c->mem, c->places, c->place_capacity, before + 1)) return MAP_NONE;
  uint32_t id = interner_copy(&c->place_keys, &c->arena, buffer_str(key));
  if (id == MAP_NONE || id < before) return id;
  if (!leak_place_keep(c, profile, location, &c->places[id])) return MAP_NONE;
  leak_place_judge(c, &c->places[id]);
  return id;
}

/* ---- stacks ------------------------------------------ */

static void leak_stack_judge(const struct leak_collection *c, struct leak_stack *stack) {
  for (size_t i = 0; i < stack->depth; i++) stack->ignored |= c->places[stack->places[i]].ignored;
  while (stack->where < stack->depth && c->places[stack->places[stack->where]].all_way)
    stack->where++;
  if (stack->where == stack->depth) stack->where = 0;
}

/* Returns the stack with these locations, and adds the stack if it is new. Returns NULL when out of
 * memory. */
static struct leak_stack *leak_stack_of(struct leak_collection *c, const uint32_t *places,
                                        size_t depth) {
  const size_t size = depth * sizeof *places;
  const uint64_t hash = hash_bytes(places, size);
  MAP_FIND(id, &c->map, hash,
           c->stacks[id].depth == depth && memcmp(c->stacks[id].places, places, size) == 0);
  if (id != MAP_NONE) return &c->stacks[id];
  struct leak_stack stack = {.depth = depth};
  stack.places = arena_copy(&c->arena, places, size);
  stack.cells = arena_zero_array(&c->arena, c->profiles, sizeof *stack.cells);
  if (!stack.places || !stack.cells) return NULL;
  leak_stack_judge(c, &stack);
  bool added = MAP_PUSH(c->mem, &c->map, hash, c->stacks, c->stack_count, c->stack_capacity, stack);
  return added ? &c->stacks[c->stack_count - 1] : NULL;
}

/* ---- samples ----------------------------------------- */

/* State while the samples of one profile are added. */
struct leak_reading {
  struct leak_collection *c;
  const pprofc_profile *profile;
  const struct leak_source *source;
  size_t index;
  struct quantum quantum;
  uint32_t *ids;    /* for each location, its index in leak_collection.places, or MAP_NONE */
  uint32_t *places; /* buffer for one stack: indices of its locations in leak_collection.places */
  struct buffer key;
};

/* Returns the mean size of the objects of a sample in bytes, or 1 for profiles that count objects.
 * Returns 0 if the size is unknown. If objects come and go by chance, the variance of the sample's
 * value is this size times the value. */
static double leak_chance(const struct leak_reading *r, const int64_t *values) {
  if (!r->source->is_heap) return 1;
  size_t objects = r->quantum.objects;
  if (objects == SIZE_MAX || values[objects] <= 0) return 0;
  return (double)values[r->source->value] / (double)values[objects];
}

static pprofc_status leak_add_values(struct leak_reading *r, struct leak_stack *stack,
                                     const pprofc_sample *sample, pprofc_error *error) {
  struct leak_cell *cell = &stack->cells[r->index];
  int64_t value = sample->values[r->source->value];
  if (value < 0)
    return error_set(error, PPROFC_E_INVALID,
                     "it has negative values: it is a difference of two profiles; pass a profile "
                     "without ?seconds=");
  cell->value += (double)value;
  cell->sampling += (double)value * quantum_of_sample(&r->quantum, sample->values);
  cell->chance += (double)value * leak_chance(r, sample->values);
  if (r->source->allocated == SIZE_MAX) return PPROFC_OK;
  cell->allocated += (double)sample->values[r->source->allocated];
  r->c->totals[r->index] += (double)sample->values[r->source->allocated];
  return PPROFC_OK;
}

static bool leak_take_places(struct leak_reading *r, const pprofc_sample *sample) {
  for (size_t i = 0; i < sample->depth; i++) {
    uint32_t *id = &r->ids[sample->stack[i]];
    if (*id == MAP_NONE) *id = leak_place_of(r->c, r->profile, sample->stack[i], &r->key);
    if (*id == MAP_NONE) return false;
    r->places[i] = *id;
  }
  return true;
}

static pprofc_status leak_add_samples(struct leak_reading *r, pprofc_error *error) {
  pprofc_sample_iterator *iterator;
  pprofc_sample sample;
  pprofc_status status = pprofc_sample_iterator_new(r->profile, 0, SIZE_MAX, &iterator, error);
  if (status != PPROFC_OK) return status;
  while (status == PPROFC_OK && pprofc_sample_iterator_next(iterator, &sample)) {
    struct leak_stack *stack = NULL;
    if (leak_take_places(r, &sample)) stack = leak_stack_of(r->c, r->places, sample.depth);
    status = stack ? leak_add_values(r, stack, &sample, error) : error_nomem(error);
  }
  pprofc_sample_iterator_free(iterator);
  return status;
}

pprofc_status leak_collection_add(struct leak_collection *c, const pprofc_profile *profile,
                                  const struct leak_source *source, size_t index,
                                  pprofc_error *error) {
  size_t locations = pprofc_profile_location_count(profile);
  size_t depth = pprofc_profile_max_depth(profile) + 1;
  struct leak_reading r = {.c = c, .profile = profile, .source = source, .index = index};
  r.quantum = quantum_of(profile, source->value);
  r.ids = mem_array(c->mem, locations, sizeof *r.ids);
  r.places = mem_array(c->mem, depth, sizeof *r.places);
  buffer_init(&r.key, c->mem, SIZE_MAX / 2);
  for (size_t i = 0; r.ids && i < locations; i++) r.ids[i] = MAP_NONE;
  pprofc_status status = r.ids && r.places ? leak_add_samples(&r, error) : error_nomem(error);
  buffer_free(&r.key);
  mem_free(c->mem, r.ids, locations, sizeof *r.ids);
  mem_free(c->mem, r.places, depth, sizeof *r.places);
  return status;
}

/* ---- the collection ---------------------------------- */

pprofc_status leak_collection_init(struct leak_collection *c, const pprofc_allocator *mem,
                                   const struct regex_set *names, const struct leak_source *source,
                                   size_t profiles, pprofc_error *error) {
  *c = (struct leak_collection){.mem = mem, .names = names, .source = *source};
  c->profiles = profiles;
  arena_init(&c->arena, mem);
  interner_init(&c->place_keys, mem);
  map_init(&c->map, mem);
  c->source.kind = arena_str(&c->arena, source->kind);
  c->source.unit = arena_str(&c->arena, source->unit);
  c->totals = arena_zero_array(&c->arena, profiles, sizeof *c->totals);
  return c->source.kind.data && c->source.unit.data && c->totals ? PPROFC_OK : error_nomem(error);
}

void leak_collection_free(struct leak_collection *c) {
  ARRAY_FREE(c->mem, c->places, c->place_capacity);
  ARRAY_FREE(c->mem, c->stacks, c->stack_capacity);
  map_free(&c->map);
  interner_free(&c->place_keys);
  arena_free(&c->arena);
}
