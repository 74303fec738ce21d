/* Stores the samples and locations of a profile in an old format, and makes a profile of them. */
#include "import/legacy/legacy.h"

#include "import/account.h"
#include "profile/builder.h"

#include <math.h>

#define FRAMES_AT_ONCE 16u /* maximum number of addresses that the reader looks up at a time */
#define NAMES_AHEAD    8u  /* number of locations between the prefetch of a name and its lookup */

static void legacy_init(struct legacy *l) {
  const pprofc_allocator *mem = l->mem;
  l->period_type = (struct legacy_type){STR(""), STR("")};
  arena_init(&l->texts, mem);
  map_init(&l->by_address, mem);
  struct buffer *const buffers[] = {&l->samples,   &l->frames,   &l->values,   &l->block_sizes,
                                    &l->locations, &l->mappings, &l->functions};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    buffer_init(buffers[i], mem, PTRDIFF_MAX);
}

static void legacy_free(struct legacy *l) {
  struct buffer *const buffers[] = {&l->samples,   &l->frames,   &l->values,   &l->block_sizes,
                                    &l->locations, &l->mappings, &l->functions};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) buffer_free(buffers[i]);
  map_free(&l->by_address);
  arena_free(&l->texts);
}

void legacy_add_type(struct legacy *l, pprofc_str type, pprofc_str unit) {
  if (l->type_count < LEGACY_MAX_TYPES)
    l->types[l->type_count++] = (struct legacy_type){type, unit};
}

pprofc_status legacy_status(struct legacy *l) {
  if (l->samples.failed || l->frames.failed || l->values.failed || l->block_sizes.failed ||
      l->locations.failed || l->mappings.failed || l->functions.failed)
    return error_nomem(l->error);
  for (size_t i = 0; i < legacy_sample_count(l); i++)
    if (legacy_samples(l)[i].depth > l->limits->stack_depth)
      return error_set(l->error, PPROFC_E_LIMIT,
                       "sample has more than %u frames (raise the limit stack_depth)",
                       l->limits->stack_depth);
  return PPROFC_OK;
}

/* ---- samples ----------------------------------------- */

/* Returns the location of an address, and adds the location if it is new. Returns NONE when out of
 * memory; legacy_status reports this failure. */
static uint32_t location_of(struct legacy *l, uint64_t address) {
  uint64_t hash = hash_mix(0, address);
  MAP_FIND(index, &l->by_address, hash, legacy_locations(l)[index].made_for == address);
  if (index != MAP_NONE) return index;
  size_t count = legacy_location_count(l);
  struct legacy_location location = {address, address, NONE, NONE, 0};
  buffer_add(&l->locations, &location, sizeof location);
  if (l->locations.failed || count >= NONE - 1 ||
      !map_insert(&l->by_address, hash, (uint32_t)count)) {
    l->locations.failed = true;
    return NONE;
  }
  return (uint32_t)count;
}

void legacy_add_frame(struct legacy *l, uint64_t address) {
  uint32_t location = location_of(l, address);
  if (location != NONE) buffer_add(&l->frames, &location, sizeof location);
}

/* Reads up to FRAMES_AT_ONCE addresses. Returns false at the end of the text. Also returns false,
 * with *good set to false, at an address that does not fit 64 bits. */
static bool legacy_take_addresses(pprofc_str *text, uint64_t *addresses, size_t *count,
                                  bool *good) {
  pprofc_str digits;
  for (*count = 0; *count < FRAMES_AT_ONCE; ++*count) {
    if (!text_next_hex(text, &digits)) return false;
    *good = str_parse_uint(digits, 16, &addresses[*count]);
    if (!*good) return false;
  }
  return true;
}

bool legacy_add_hex_frames(struct legacy *l, pprofc_str text, size_t as_they_are) {
  uint64_t addresses[FRAMES_AT_ONCE];
  size_t count, index = l->frames.size / sizeof(uint32_t) - l->open_frame;
  bool good = true, more = true;
  while (more) {
    more = legacy_take_addresses(&text, addresses, &count, &good);
    for (size_t i = 0; i < count; i++) {
      addresses[i] -= index++ >= as_they_are;
      map_expect(&l->by_address, hash_mix(0, addresses[i]));
    }
    for (size_t i = 0; i < count; i++) legacy_add_frame(l, addresses[i]);
  }
  return good;
}

void legacy_add_sample(struct legacy *l, const int64_t *values, int64_t block_size) {
  size_t frames = l->frames.size / sizeof(uint32_t);
  struct legacy_sample sample = {l->open_frame, frames - l->open_frame};
  buffer_add(&l->samples, &sample, sizeof sample);
  buffer_add(&l->values, values, l->type_count * sizeof *values);
  if (l->has_block_size) buffer_add(&l->block_sizes, &block_size, sizeof block_size);
  l->open_frame = frames;
}

void legacy_drop_second_frame(struct legacy *l, struct legacy_sample *sample) {
  uint32_t *frames = legacy_frames(l) + sample->first;
  frames[1] = frames[0];
  sample->first++;
  sample->depth--;
}

void legacy_drop_repeated_leaves(struct legacy *l) {
  for (size_t i = 0; i < legacy_sample_count(l); i++) {
    struct legacy_sample *s = &legacy_samples(l)[i];
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

static pprofc_status number_locations(struct legacy *l) {
  size_t count = legacy_location_count(l), used = 0;
  uint32_t *number = mem_array(l->mem, count, sizeof *number);
  struct buffer ordered;
  buffer_init(&ordered, l->mem, PTRDIFF_MAX);
  if (!number || !buffer_reserve(&ordered, l->locations.size)) {
    mem_free(l->mem, number, count, sizeof *number);
    return error_nomem(l->error);
  }
  memset(number, 0xFF, count * sizeof *number);
  for (size_t i = 0; i < legacy_sample_count(l); i++) {
    struct legacy_sample sample = legacy_samples(l)[i];
    for (size_t k = 0; k < sample.depth; k++) {
      uint32_t *frame = &legacy_frames(l)[sample.first + k];
      if (number[*frame] == NONE) {
        number[*frame] = (uint32_t)used++;
        buffer_add(&ordered, &legacy_locations(l)[*frame], sizeof(struct legacy_location));
      }
      *frame = number[*frame];
    }
  }
  mem_free(l->mem, number, count, sizeof *number);
  buffer_free(&l->locations);
  l->locations = ordered;
  map_free(&l->by_address); /* the indices in this map are out of date */
  return PPROFC_OK;
}

pprofc_status legacy_place_locations(struct legacy *l) {
  pprofc_status status = legacy_status(l);
  if (status == PPROFC_OK) status = number_locations(l);
  return status == PPROFC_OK ? legacy_assign_mappings(l) : status;
}

/* ---- making the profile ------------------------------ */

static void legacy_add_header(const struct legacy *l, pprofc_builder *b) {
  for (size_t i = 0; i < l->type_count; i++)
    builder_add_type(b, l->types[i].type, l->types[i].unit);
  builder_set_period(b, l->period_type.type, l->period_type.unit, l->period);
  pprofc_builder_time(b, 0, l->duration_nanos);
  const char *drop, *keep;
  legacy_frames_to_drop(l, &drop, &keep);
  pprofc_builder_drop_frames(b, l->drop_frames ? l->drop_frames : drop, keep);
}

/* Prefetches the names of location i, which will be added soon. */
static void legacy_expect_names(const struct legacy *l, const pprofc_builder *b, size_t i) {
  if (i >= legacy_location_count(l) || legacy_locations(l)[i].function == NONE) return;
  const struct legacy_function *functions = (const void *)l->functions.data;
  const struct legacy_function *f = &functions[legacy_locations(l)[i].function];
  builder_expect_string(b, f->name);
  builder_expect_string(b, f->file);
}

static void legacy_add_locations(const struct legacy *l, pprofc_builder *b) {
  const struct legacy_function *functions = (const void *)l->functions.data;
  for (size_t i = 0; i < legacy_mapping_count(l); i++) {
    const struct legacy_mapping *m = &legacy_mappings(l)[i];
    struct mapping mapping = {.start = m->start, .limit = m->limit, .offset = m->offset};
    mapping.file = builder_string(b, m->file);
    mapping.build_id = builder_string(b, m->build_id);
    builder_append_mapping(b, &mapping);
  }
  for (size_t i = 0; i < legacy_location_count(l); i++) {
    const struct legacy_location *location = &legacy_locations(l)[i];
    pprofc_line line = {NONE, location->line, 0};
    bool has_line = location->function != NONE;
    legacy_expect_names(l, b, i + NAMES_AHEAD);
    if (has_line) {
      const struct legacy_function *f = &functions[location->function];
      uint32_t name = builder_string(b, f->name);
      line.function = builder_add_function(b, name, name, builder_string(b, f->file), 0);
    }
    builder_append_location(b, location->mapping, location->address, &line, has_line);
  }
}

static void legacy_account(const struct legacy *l, pprofc_builder *b) {
  import_account_one(b, legacy_sample_count(l), "stacks and lines", l->bad_lines,
                     "line could not be read", "lines could not be read");
  /* jemalloc scales each count separately, so the sums differ a little by rounding. */
  uint64_t much = l->said / 100 + l->read / 100 + 1;
  if (l->said > l->read ? l->said - l->read > much : l->read - l->said > much)
    import_compare_total(b, "bytes", l->said, l->read);
}

/* True if a location is in a library that allocates memory. */
static bool legacy_is_allocator(const struct legacy *l, uint32_t location) {
  uint32_t mapping = legacy_locations(l)[location].mapping;
  if (mapping == NONE) return false;
  pprofc_str name = str_path_base(legacy_mappings(l)[mapping].file);
  return str_starts(name, STR("libjemalloc")) || str_starts(name, STR("libtcmalloc"));
}

/* Drops the frames of an allocator's library at the leaf of a stack, but keeps at least one
 * frame. */
static void legacy_skip_allocator(const struct legacy *l, struct legacy_sample *sample) {
  while (l->skips_allocator && sample->depth > 1 &&
         legacy_is_allocator(l, legacy_frames(l)[sample->first])) {
    sample->first++;
    sample->depth--;
  }
}

static void legacy_add_samples(const struct legacy *l, pprofc_builder *b) {
  const int64_t *values = (const void *)l->values.data;
  const int64_t *block_sizes = (const void *)l->block_sizes.data;
  struct label label = {.key = builder_string(b, STR("bytes")), .is_number = true};
  for (size_t i = 0; i < legacy_sample_count(l); i++) {
    struct legacy_sample sample = legacy_samples(l)[i];
    legacy_skip_allocator(l, &sample);
    const uint32_t *frames = sample.depth ? legacy_frames(l) + sample.first : NULL;
    pprofc_builder_sample(b, frames, sample.depth, values + i * l->type_count);
    if (!l->has_block_size) continue;
    label.number = block_sizes[i];
    builder_add_label(b, &label);
  }
}

static pprofc_status legacy_finish(struct legacy *l, pprofc_profile **profile) {
  pprofc_status status = legacy_status(l);
  if (status != PPROFC_OK) return status;
  if (!l->type_count && legacy_sample_count(l))
    return error_set(l->error, PPROFC_E_FORMAT,
                     "malformed profile: missing sample type information");
  pprofc_builder *b = pprofc_builder_new(l->mem);
  if (!b) return error_nomem(l->error);
  legacy_add_header(l, b);
  legacy_add_locations(l, b);
  legacy_add_samples(l, b);
  legacy_account(l, b);
  status = pprofc_builder_finish(b, profile, l->error);
  pprofc_builder_free(b);
  return status;
}

pprofc_status legacy_import(legacy_read_fn read, pprofc_str data, const pprofc_allocator *mem,
                            const struct import_options *options, pprofc_profile **profile,
                            pprofc_error *error) {
  struct legacy l = {.mem = mem, .limits = options->limits, .error = error};
  legacy_init(&l);
  pprofc_status status = read(&l, data);
  if (status == PPROFC_OK) status = legacy_finish(&l, profile);
  legacy_free(&l);
  return status;
}
