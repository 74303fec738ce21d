/* Stores the samples and locations that a reader of an old format finds, and converts them to a
 * profile. */
#include "import/legacy/legacy.h"

/* ---- frames to drop --------------------------------- */

/* Regular expression for the functions of allocators. When their frames are dropped, an allocation
 * belongs to the function that called the allocator. */
static const char allocator_frames[] =
    /* functions of POSIX */
    "calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|valloc|realloc|"
    /* functions of TCMalloc */
    "tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|tc_posix_memalign|tc_pvalloc|"
    "tc_valloc|tc_realloc|tc_new|tc_delete|tc_newarray|tc_deletearray|tc_new_nothrow|"
    "tc_newarray_nothrow|"
    /* functions of macOS */
    "malloc_zone_malloc|malloc_zone_calloc|malloc_zone_valloc|malloc_zone_realloc|"
    "malloc_zone_memalign|malloc_zone_free|"
    /* functions of Go's runtime */
    "runtime\\..*|"
    /* various functions that allocate or free memory */
    "BaseArena::.*|(::)?do_malloc_no_errno|(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation|"
    "MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|__builtin_(vec_)?new|"
    "__gnu_cxx::new_allocator::allocate|__libc_malloc|__malloc_alloc_template::allocate|allocate|"
    "cpp_alloc|operator new(\\[\\])?|simple_alloc::allocate";

/* Functions of Go's runtime to keep, because dropping a frame also drops its callees. */
static const char runtime_frames[] = "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";

static const char lock_frames[] =
    "RecordLockProfileData|(base::)?RecordLockProfileData.*|(base::)?SubmitMutexProfileData.*|"
    "(base::)?SubmitSpinLockProfileData.*|(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|"
    "(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|(base::MutexLock::)?~MutexLock.*|"
    "(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|"
    "(MutexLock::)?~MutexLock.*|(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|"
    "(SpinLockHolder::)?~SpinLockHolder.*";

static const char profiler_frames[] =
    "ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|__pthread_sighandler|"
    "__restore";

static const struct {
  const char *types[LEGACY_MAX_TYPES];
  const char *drop, *keep;
} rules[] = {
    {{"allocations", "size"}, allocator_frames, runtime_frames},
    {{"objects", "space"}, allocator_frames, runtime_frames},
    {{"inuse_objects", "inuse_space"}, allocator_frames, runtime_frames},
    {{"alloc_objects", "alloc_space"}, allocator_frames, runtime_frames},
    {{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"},
     allocator_frames,
     runtime_frames},
    {{"contentions", "delay"}, lock_frames, ""},
};

static bool has_types(const struct legacy *l, const char *const *types) {
  for (size_t i = 0; i < LEGACY_MAX_TYPES; i++) {
    if ((i < l->type_count) != (types[i] != NULL)) return false;
    if (types[i] && !str_equal(l->types[i].type, str_of(types[i]))) return false;
  }
  return true;
}

/* Sets *drop and *keep to regular expressions for the frames to drop and to keep. The sample types
 * decide if these are frames of allocators, of locks or of the profiler. */
static void legacy_frames_to_drop(const struct legacy *l, const char **drop, const char **keep) {
  *drop = profiler_frames;
  *keep = "";
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (!has_types(l, rules[i].types)) continue;
    *drop = rules[i].drop;
    *keep = rules[i].keep;
    return;
  }
}

/* ---- types ------------------------------------------ */

void legacy_add_type(struct legacy *l, pprofc_str type, pprofc_str unit) {
  if (l->type_count < LEGACY_MAX_TYPES)
    l->types[l->type_count++] = (struct legacy_type){type, unit};
}

/* ---- samples ----------------------------------------- */

/* Returns the location of an address, and adds the location if it is new. Returns NONE when out of
 * memory. */
static uint32_t location_of(struct legacy *l, uint64_t address) {
  uint64_t hash = hash_mix(0, address);
  MAP_FIND(index, &l->by_address, hash, l->locations[index].made_for == address);
  if (index != MAP_NONE) return index;
  struct legacy_location location = {address, address, NONE, NONE, 0};
  bool added =
      l->location_count < NONE - 1 && MAP_PUSH(l->mem, &l->by_address, hash, l->locations,
                                               l->location_count, l->location_room, location);
  return import_need(l->builder, added) ? (uint32_t)l->location_count - 1 : NONE;
}

void legacy_add_frame(struct legacy *l, uint64_t address) {
  uint32_t location = location_of(l, address);
  import_need(l->builder, location != NONE && ARRAY_PUSH(l->mem, l->frames, l->frame_count,
                                                         l->frame_room, location));
}

bool legacy_add_hex_frames(struct legacy *l, pprofc_str text, size_t as_they_are) {
  size_t index = l->frame_count - l->open_frame;
  uint64_t address;
  pprofc_str digits;
  while (text_next_hex(&text, &digits)) {
    if (!str_parse_uint(digits, 16, &address)) return false;
    legacy_add_frame(l, address - (index++ >= as_they_are));
  }
  return true;
}

void legacy_add_sample(struct legacy *l, const int64_t *values, int64_t block_size) {
  size_t types = l->type_count, at = l->sample_count * types;
  struct legacy_sample sample = {l->open_frame, l->frame_count - l->open_frame, block_size};
  if (!builder_allows_depth(l->builder, sample.depth) ||
      !import_need(l->builder,
                   ARRAY_RESERVE(l->mem, l->values, l->value_room, at + types) &&
                       ARRAY_PUSH(l->mem, l->samples, l->sample_count, l->sample_room, sample)))
    return;
  memcpy(l->values + at, values, types * sizeof *values);
  l->open_frame = l->frame_count;
}

void legacy_drop_second_frame(struct legacy *l, struct legacy_sample *sample) {
  uint32_t *frames = l->frames + sample->first;
  frames[1] = frames[0];
  sample->first++;
  sample->depth--;
}

void legacy_drop_repeated_leaves(struct legacy *l) {
  for (size_t i = 0; builder_ok(l->builder) && i < l->sample_count; i++) {
    struct legacy_sample *s = &l->samples[i];
    if (s->depth > 1 && legacy_frame_address(l, s, 0) == legacy_frame_address(l, s, 1) + 1)
      legacy_drop_second_frame(l, s);
  }
}

/* ---- numbers ----------------------------------------- */

int64_t legacy_to_int(double value) {
  return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

void legacy_unsample(int64_t *count, int64_t *size, int64_t rate) {
  if (*count == 0 || *size == 0) {
    *count = *size = 0;
    return;
  }
  if (rate <= 1) return;
  double average = (double)*size / (double)*count;
  double scale = 1 / (1 - exp(-average / (double)rate));
  *count = legacy_to_int((double)*count * scale);
  *size = legacy_to_int((double)*size * scale);
}

/* ---- order of locations ------------------------------ */

static void number_locations(struct legacy *l) {
  size_t count = l->location_count, used = 0;
  uint32_t *number = mem_array(l->mem, count, sizeof *number);
  struct legacy_location *ordered = mem_array(l->mem, count, sizeof *ordered);
  if (import_need(l->builder, number && ordered)) {
    memset(number, 0xFF, count * sizeof *number);
    for (size_t i = 0; i < l->sample_count; i++)
      for (size_t k = 0; k < l->samples[i].depth; k++) {
        uint32_t *frame = &l->frames[l->samples[i].first + k];
        if (number[*frame] == NONE) {
          number[*frame] = (uint32_t)used;
          ordered[used++] = l->locations[*frame];
        }
        *frame = number[*frame];
      }
    if (used) memcpy(l->locations, ordered, used * sizeof *ordered);
    l->location_count = used;
  }
  mem_free(l->mem, number, count, sizeof *number);
  mem_free(l->mem, ordered, count, sizeof *ordered);
}

void legacy_place_locations(struct legacy *l) {
  if (builder_ok(l->builder)) number_locations(l);
  if (builder_ok(l->builder)) legacy_assign_mappings(l);
}

/* ---- making the profile ------------------------------ */

static void legacy_add_header(const struct legacy *l) {
  for (size_t i = 0; i < l->type_count; i++)
    builder_add_type(l->builder, l->types[i].type, l->types[i].unit);
  builder_set_period(l->builder, l->period_type.type, l->period_type.unit, l->period);
  pprofc_builder_time(l->builder, 0, l->duration_nanos);
  const char *drop, *keep;
  legacy_frames_to_drop(l, &drop, &keep);
  pprofc_builder_drop_frames(l->builder, l->drop_frames ? l->drop_frames : drop, keep);
}

static void legacy_add_locations(const struct legacy *l) {
  pprofc_builder *b = l->builder;
  for (size_t i = 0; i < l->mapping_count; i++) {
    const struct legacy_mapping *m = &l->mappings[i];
    struct mapping mapping = {.start = m->start, .limit = m->limit, .offset = m->offset};
    mapping.file = builder_string(b, m->file);
    mapping.build_id = builder_string(b, m->build_id);
    builder_append_mapping(b, &mapping);
  }
  for (size_t i = 0; i < l->location_count; i++) {
    const struct legacy_location *location = &l->locations[i];
    pprofc_line line = {NONE, location->line, 0};
    bool has_line = location->function != NONE;
    if (has_line) {
      const struct legacy_function *f = &l->functions[location->function];
      uint32_t name = builder_string(b, f->name);
      line.function = builder_add_function(b, name, name, builder_string(b, f->file), 0);
    }
    builder_append_location(b, location->mapping, location->address, &line, has_line);
  }
}

static void legacy_account(const struct legacy *l) {
  import_account_one(l->builder, l->sample_count, "stacks and lines", l->bad_lines,
                     "line could not be read", "lines could not be read");
  /* jemalloc scales each count separately, so the sums differ a little by rounding. Ignore a small
   * difference. */
  uint64_t much = l->said / 100 + l->read / 100 + 1;
  if (l->said > l->read ? l->said - l->read > much : l->read - l->said > much)
    import_compare_total(l->builder, "bytes", l->said, l->read);
}

/* True if a location is in a library that allocates memory. */
static bool legacy_is_allocator(const struct legacy *l, uint32_t location) {
  uint32_t mapping = l->locations[location].mapping;
  if (mapping == NONE) return false;
  pprofc_str name = str_path_base(l->mappings[mapping].file);
  return str_starts(name, STR("libjemalloc")) || str_starts(name, STR("libtcmalloc"));
}

static void legacy_add_samples(const struct legacy *l) {
  struct label label = {.key = builder_string(l->builder, STR("bytes")), .is_number = true};
  for (size_t i = 0; i < l->sample_count; i++) {
    struct legacy_sample sample = l->samples[i];
    /* Drop the frames of an allocator's library at the leaf, but keep at least one frame. */
    while (l->skips_allocator && sample.depth > 1 &&
           legacy_is_allocator(l, l->frames[sample.first])) {
      sample.first++;
      sample.depth--;
    }
    const uint32_t *frames = sample.depth ? l->frames + sample.first : NULL;
    pprofc_builder_sample(l->builder, frames, sample.depth, l->values + i * l->type_count);
    if (!l->has_block_size) continue;
    label.number = sample.block_size;
    builder_add_label(l->builder, &label);
  }
}

static void legacy_finish(const struct legacy *l) {
  if (!l->type_count && l->sample_count)
    import_refuse(l->builder, PPROFC_E_FORMAT,
                  "malformed profile: missing sample type information");
  if (!builder_ok(l->builder)) return;
  legacy_add_header(l);
  legacy_add_locations(l);
  legacy_add_samples(l);
  legacy_account(l);
}

void legacy_import(void (*read)(struct legacy *l), pprofc_str data, pprofc_builder *builder,
                   struct arena *arena) {
  const pprofc_allocator *mem = arena->mem;
  struct legacy l = {.builder = builder, .mem = mem, .arena = arena, .rest = data, .line = STR("")};
  l.period_type = (struct legacy_type){STR(""), STR("")};
  map_init(&l.by_address, mem);
  read(&l);
  map_free(&l.by_address);
  legacy_finish(&l);
  ARRAY_FREE(mem, l.samples, l.sample_room);
  ARRAY_FREE(mem, l.frames, l.frame_room);
  ARRAY_FREE(mem, l.values, l.value_room);
  ARRAY_FREE(mem, l.locations, l.location_room);
  ARRAY_FREE(mem, l.mappings, l.mapping_room);
  ARRAY_FREE(mem, l.functions, l.function_room);
}
