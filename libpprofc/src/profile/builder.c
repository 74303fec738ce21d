/* Builds a profile. Stores equal records only once, and stores stacks as varints.
 *
 * Strings and stacks are in the region (memory) of the new profile. Columns grow outside of it.
 * pprofc_builder_finish moves them into the region, and does not copy large columns. */
#include "profile/builder_state.h"
#include "profile/stack.h"

#define PACKED_CHUNK ((size_t)1 << 20)

/* Size in bytes of an element of each column. A column that is not listed has elements of type
 * uint32_t. */
static const size_t item_sizes[COLUMN_COUNT] = {
    [TYPES] = sizeof(struct value_type),     [VALUES] = sizeof(int64_t),
    [STACKS] = sizeof(const uint8_t *),      [LABELS] = sizeof(struct label),
    [LABEL_SETS] = sizeof(struct label_set), [LOCATION_ADDRESS] = sizeof(uint64_t),
    [LINES] = sizeof(struct line),           [FUNCTION_START_LINE] = sizeof(int64_t),
    [MAPPINGS] = sizeof(struct mapping),
};

pprofc_builder *pprofc_builder_new(const pprofc_allocator *allocator) {
  const pprofc_allocator *mem = mem_or_default(allocator);
  pprofc_builder *b = mem_zero_array(mem, 1, sizeof *b);
  if (!b) return NULL;
  b->mem = *mem;
  interner_init(&b->strings, &b->mem);
  map_init(&b->functions, &b->mem);
  map_init(&b->locations, &b->mem);
  map_init(&b->mappings, &b->mem);
  label_table_init(&b->label_table, &b->mem, NULL, NULL);
  for (size_t i = 0; i < COLUMN_COUNT; i++)
    b->columns[i].item_size = item_sizes[i] ? item_sizes[i] : sizeof(uint32_t);
  b->depth_limit = SIZE_MAX;
  b->profile = profile_new(&b->mem);
  if (b->profile && interner_copy(&b->strings, &b->profile->region->arena, STR("")) == 0) return b;
  pprofc_builder_free(b);
  return NULL;
}

void pprofc_builder_free(pprofc_builder *b) {
  if (!b) return;
  for (size_t i = 0; i < COLUMN_COUNT; i++)
    loose_free(&b->mem, b->columns[i].items, b->columns[i].capacity, b->columns[i].item_size);
  map_free(&b->functions);
  map_free(&b->locations);
  map_free(&b->mappings);
  label_table_free(&b->label_table);
  interner_free(&b->strings);
  builder_times_free(b->times);
  pprofc_profile *profile = b->profile;
  pprofc_allocator mem = b->mem;
  mem_free(&mem, b, 1, sizeof *b);
  pprofc_profile_release(profile); /* Release the profile last, because its region contains the
                                      budget of `mem`. */
}

bool builder_ok(const pprofc_builder *b) {
  return b->error.status == PPROFC_OK;
}

static void builder_fail(pprofc_builder *b, pprofc_status status, const char *message) {
  if (builder_ok(b)) error_set(&b->error, status, "%s", message);
}

void builder_refuse(pprofc_builder *b, const pprofc_error *error) {
  if (builder_ok(b)) b->error = *error;
}

static void builder_fail_nomem(pprofc_builder *b) {
  if (builder_ok(b)) error_nomem(&b->error);
}

void builder_limit_depth(pprofc_builder *b, size_t frames) {
  b->depth_limit = frames;
}

/* ---- columns ----------------------------------------- */

static size_t count_of(const pprofc_builder *b, int column) {
  return b->columns[column].count;
}

static bool builder_grow(pprofc_builder *b, struct builder_column *column, size_t more) {
  bool grown = array_grow_loose(&b->mem, &column->items, &column->capacity, column->count + more,
                                column->item_size);
  if (!grown) builder_fail_nomem(b);
  return grown;
}

/* Reserves memory for `more` elements after the last element of a column. */
static inline bool reserve(pprofc_builder *b, int column, size_t more) {
  struct builder_column *c = &b->columns[column];
  return more <= c->capacity - c->count || builder_grow(b, c, more);
}

/* Appends to a column that has memory for the value. Each type of elements has its own function, so
 * the compiler checks the value. */
#define DEFINE_PUT(name, type)                                                                     \
  static inline void name(pprofc_builder *b, int column, type item) {                              \
    struct builder_column *c = &b->columns[column];                                                \
    ((type *)c->items)[c->count++] = item;                                                         \
  }
DEFINE_PUT(put_u32, uint32_t)
DEFINE_PUT(put_u64, uint64_t)
DEFINE_PUT(put_i64, int64_t)
DEFINE_PUT(put_bytes, const uint8_t *)
DEFINE_PUT(put_line, struct line)
DEFINE_PUT(put_label, struct label)
DEFINE_PUT(put_type, struct value_type)
DEFINE_PUT(put_mapping, struct mapping)

/* True if a table of `count` records may get another record. If not, makes the builder fail with
 * `message`. The number of records is limited, because indices have 32 bits and the largest values
 * are reserved. */
static bool has_index_left(pprofc_builder *b, size_t count, const char *message) {
  if (count < PPROFC_NONE - 1) return true;
  builder_fail(b, PPROFC_E_LIMIT, message);
  return false;
}

/* ---- header ------------------------------------------ */

uint32_t builder_string(pprofc_builder *b, pprofc_str s) {
  if (!builder_ok(b)) return 0;
  uint32_t index = interner_copy(&b->strings, &b->profile->region->arena, s);
  if (index != MAP_NONE) return index;
  builder_fail_nomem(b);
  return 0;
}

void builder_add_late_type(pprofc_builder *b, pprofc_str type, pprofc_str unit) {
  struct value_type item = {builder_string(b, type), builder_string(b, unit)};
  size_t types = count_of(b, TYPES), samples = count_of(b, STACKS);
  if (!builder_ok(b) || !reserve(b, TYPES, 1) || !reserve(b, VALUES, samples)) return;
  int64_t *values = b->columns[VALUES].items;
  for (size_t i = samples; i-- > 0;) {
    memmove(values + i * (types + 1), values + i * types, types * sizeof *values);
    values[i * (types + 1) + types] = 0;
  }
  b->columns[VALUES].count += samples;
  put_type(b, TYPES, item);
}

void builder_add_type(pprofc_builder *b, pprofc_str type, pprofc_str unit) {
  if (count_of(b, STACKS))
    builder_fail(b, PPROFC_E_INVALID, "a sample type after the first sample");
  builder_add_late_type(b, type, unit);
}

void builder_set_unit(pprofc_builder *b, size_t type, pprofc_str unit) {
  uint32_t text = builder_string(b, unit);
  if (builder_ok(b)) ((struct value_type *)b->columns[TYPES].items)[type].unit = text;
}

void pprofc_builder_default_type(pprofc_builder *b, const char *type) {
  if (builder_ok(b)) b->profile->default_sample_type = builder_string(b, str_of(type));
}

void builder_set_period(pprofc_builder *b, pprofc_str type, pprofc_str unit, int64_t period) {
  if (!builder_ok(b)) return;
  b->profile->period_type = (struct value_type){builder_string(b, type), builder_string(b, unit)};
  b->profile->period = period;
}

void pprofc_builder_time(pprofc_builder *b, int64_t time_nanos, int64_t duration_nanos) {
  if (!builder_ok(b)) return;
  b->profile->time_nanos = time_nanos;
  b->profile->duration_nanos = duration_nanos;
}

void pprofc_builder_comment(pprofc_builder *b, const char *comment) {
  uint32_t index = builder_string(b, str_of(comment));
  if (builder_ok(b) && reserve(b, COMMENTS, 1)) put_u32(b, COMMENTS, index);
}

void pprofc_builder_doc_url(pprofc_builder *b, const char *url) {
  if (builder_ok(b)) b->profile->doc_url = builder_string(b, str_of(url));
}

void builder_set_frames(pprofc_builder *b, uint32_t drop, uint32_t keep) {
  if (!builder_ok(b)) return;
  if (drop != PPROFC_NONE) b->profile->drop_frames = drop;
  if (keep != PPROFC_NONE) b->profile->keep_frames = keep;
}

/* ---- mappings, functions, locations ------------------ */

static bool same_mapping(const struct mapping *a, const struct mapping *b) {
  return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
         a->file == b->file && a->build_id == b->build_id && a->flags == b->flags;
}

uint32_t builder_append_mapping(pprofc_builder *b, const struct mapping *mapping) {
  size_t count = count_of(b, MAPPINGS);
  if (!builder_ok(b) || !has_index_left(b, count, "too many mappings") || !reserve(b, MAPPINGS, 1))
    return PPROFC_NONE;
  struct mapping item = *mapping;
  item.id = count + 1;
  put_mapping(b, MAPPINGS, item);
  return (uint32_t)count;
}

uint32_t builder_add_mapping(pprofc_builder *b, const struct mapping *mapping) {
  uint64_t hash = hash_mix(hash_mix(mapping->start, mapping->limit), mapping->offset);
  hash = hash_mix(hash, (uint64_t)mapping->file << 32 | mapping->build_id);
  hash = hash_mix(hash, mapping->flags);
  const struct mapping *items = b->columns[MAPPINGS].items;
  MAP_FIND(index, &b->mappings, hash, same_mapping(&items[index], mapping));
  if (index != MAP_NONE) return index;

  index = builder_append_mapping(b, mapping);
  if (index != PPROFC_NONE && !map_insert(&b->mappings, hash, index)) builder_fail_nomem(b);
  return index;
}

static bool builder_same_function(const pprofc_builder *b, uint32_t i,
                                  const struct function_fields *f) {
  const struct builder_column *columns = b->columns;
  return ((const uint32_t *)columns[FUNCTION_NAME].items)[i] == f->name &&
         ((const uint32_t *)columns[FUNCTION_SYSTEM_NAME].items)[i] == f->system_name &&
         ((const uint32_t *)columns[FUNCTION_FILENAME].items)[i] == f->filename &&
         ((const int64_t *)columns[FUNCTION_START_LINE].items)[i] == f->start_line;
}

static bool reserve_function(pprofc_builder *b) {
  return reserve(b, FUNCTION_NAME, 1) && reserve(b, FUNCTION_SYSTEM_NAME, 1) &&
         reserve(b, FUNCTION_FILENAME, 1) && reserve(b, FUNCTION_START_LINE, 1);
}

static uint32_t append_function(pprofc_builder *b, const struct function_fields *f) {
  size_t count = count_of(b, FUNCTION_NAME);
  if (!has_index_left(b, count, "too many functions") || !reserve_function(b)) return PPROFC_NONE;
  put_u32(b, FUNCTION_NAME, f->name);
  put_u32(b, FUNCTION_SYSTEM_NAME, f->system_name);
  put_u32(b, FUNCTION_FILENAME, f->filename);
  put_i64(b, FUNCTION_START_LINE, f->start_line);
  return (uint32_t)count;
}

uint32_t builder_add_function(pprofc_builder *b, uint32_t name, uint32_t system_name,
                              uint32_t filename, int64_t start_line) {
  struct function_fields f = {name, system_name, filename, start_line};
  if (!builder_ok(b)) return PPROFC_NONE;
  uint64_t hash = hash_mix((uint64_t)name << 32 | system_name, filename);
  hash = hash_mix(hash, (uint64_t)start_line);
  MAP_FIND(index, &b->functions, hash, builder_same_function(b, index, &f));
  if (index != MAP_NONE) return index;
  index = append_function(b, &f);
  if (index != PPROFC_NONE && !map_insert(&b->functions, hash, index)) builder_fail_nomem(b);
  return index;
}

/* True if the fields of location i equal the other arguments. */
static bool builder_same_location(const pprofc_builder *b, uint32_t i, uint32_t mapping,
                                  uint64_t address, const pprofc_line *lines, size_t line_count) {
  const uint32_t *line_from = b->columns[LOCATION_LINE_FROM].items;
  size_t end = i + 1 < count_of(b, LOCATION_ADDRESS) ? line_from[i + 1] : count_of(b, LINES);
  if (((const uint64_t *)b->columns[LOCATION_ADDRESS].items)[i] != address ||
      ((const uint32_t *)b->columns[LOCATION_MAPPING].items)[i] != mapping ||
      end - line_from[i] != line_count)
    return false;
  if (!line_count) return true;
  const struct line *own = (const struct line *)b->columns[LINES].items + line_from[i];
  for (size_t k = 0; k < line_count; k++)
    if (own[k].function != lines[k].function || own[k].line != lines[k].line ||
        own[k].column != lines[k].column)
      return false;
  return true;
}

static bool check_location(pprofc_builder *b, uint32_t mapping, const pprofc_line *lines,
                           size_t line_count) {
  if (!builder_ok(b)) return false;
  if (mapping != PPROFC_NONE && mapping >= count_of(b, MAPPINGS)) {
    builder_fail(b, PPROFC_E_INVALID, "a location with an unknown mapping");
    return false;
  }
  for (size_t k = 0; k < line_count; k++)
    if (lines[k].function >= count_of(b, FUNCTION_NAME)) {
      builder_fail(b, PPROFC_E_INVALID, "a line with an unknown function");
      return false;
    }
  return true;
}

uint32_t builder_append_location(pprofc_builder *b, uint32_t mapping, uint64_t address,
                                 const pprofc_line *lines, size_t line_count) {
  size_t count = count_of(b, LOCATION_ADDRESS), line_from = count_of(b, LINES);
  if (!check_location(b, mapping, lines, line_count) ||
      !has_index_left(b, count, "too many locations") ||
      !has_index_left(b, line_from + line_count, "too many lines") ||
      !reserve(b, LOCATION_ADDRESS, 1) || !reserve(b, LOCATION_MAPPING, 1) ||
      !reserve(b, LOCATION_LINE_FROM, 1) || !reserve(b, LINES, line_count))
    return PPROFC_NONE;
  put_u64(b, LOCATION_ADDRESS, address);
  put_u32(b, LOCATION_MAPPING, mapping);
  put_u32(b, LOCATION_LINE_FROM, (uint32_t)line_from);
  for (size_t k = 0; k < line_count; k++)
    put_line(b, LINES, (struct line){lines[k].function, lines[k].line, lines[k].column});
  return (uint32_t)count;
}

uint32_t pprofc_builder_location(pprofc_builder *b, uint32_t mapping, uint64_t address,
                                 const pprofc_line *lines, size_t line_count) {
  if (!check_location(b, mapping, lines, line_count)) return PPROFC_NONE;
  uint64_t hash = hash_mix(address, mapping);
  for (size_t k = 0; k < line_count; k++) {
    hash = hash_mix(hash_mix(hash, lines[k].function), (uint64_t)lines[k].line);
    hash = hash_mix(hash, (uint64_t)lines[k].column);
  }
  MAP_FIND(index, &b->locations, hash,
           builder_same_location(b, index, mapping, address, lines, line_count));
  if (index != MAP_NONE) return index;
  index = builder_append_location(b, mapping, address, lines, line_count);
  if (index != PPROFC_NONE && !map_insert(&b->locations, hash, index)) builder_fail_nomem(b);
  return index;
}

void builder_mark_folded(pprofc_builder *b, uint32_t location) {
  if (builder_ok(b) && reserve(b, FOLDED, 1)) put_u32(b, FOLDED, location);
}

void builder_main_mapping(pprofc_builder *b, uint32_t mapping) {
  struct mapping *items = b->columns[MAPPINGS].items;
  uint32_t *of_location = b->columns[LOCATION_MAPPING].items;
  if (!builder_ok(b) || mapping >= count_of(b, MAPPINGS)) return;
  struct mapping first = items[0], main = items[mapping];
  uint64_t id = first.id;
  first.id = main.id;
  main.id = id;
  items[0] = main;
  items[mapping] = first;
  for (size_t i = 0; i < count_of(b, LOCATION_MAPPING); i++)
    if (of_location[i] == 0 || of_location[i] == mapping)
      of_location[i] = of_location[i] ? 0 : mapping;
}

void builder_find_mappings(pprofc_builder *b) {
  b->finds_mappings = true;
}

/* ---- samples ----------------------------------------- */

/* Reserves memory for the varints of a stack. Returns false when out of memory. */
static bool reserve_stack(pprofc_builder *b, size_t depth) {
  size_t room = (size_t)(b->chunk_end - b->chunk);
  if (b->chunk && depth <= room / VARINT32_BYTES_MAX) return true;
  if (!has_index_left(b, depth, "too many frames in one sample")) return false;
  size_t size =
      depth > PACKED_CHUNK / VARINT32_BYTES_MAX ? depth * VARINT32_BYTES_MAX : PACKED_CHUNK;
  uint8_t *chunk = arena_alloc(&b->profile->region->arena, size);
  if (!chunk) {
    builder_fail_nomem(b);
    return false;
  }
  b->chunk = chunk;
  b->chunk_end = chunk + size;
  return true;
}

const uint8_t *builder_stack(pprofc_builder *b, const uint32_t *frames, size_t depth,
                             uint32_t *size) {
  if (!builder_ok(b) || !reserve_stack(b, depth)) return NULL;
  size_t locations = count_of(b, LOCATION_ADDRESS);
  uint8_t *stack = b->chunk, *out = stack;
  for (size_t i = 0; i < depth; i++) {
    if (frames[i] >= locations) {
      builder_fail(b, PPROFC_E_INVALID, "a sample with an unknown location");
      return NULL;
    }
    out += varint_put(out, frames[i] + 1);
  }
  if ((size_t)(out - stack) > UINT32_MAX) {
    builder_fail(b, PPROFC_E_LIMIT, "too many frames in one sample");
    return NULL;
  }
  *size = (uint32_t)(out - stack);
  b->chunk = out;
  return stack;
}

const uint8_t *builder_copy_stack(pprofc_builder *b, const uint8_t *stack, uint32_t size) {
  if (!builder_ok(b) || !reserve_stack(b, size)) return NULL;
  uint8_t *copy = memcpy(b->chunk, stack, size);
  b->chunk += size;
  return copy;
}

bool builder_allows_depth(pprofc_builder *b, size_t depth) {
  if (depth > b->depth_limit && builder_ok(b))
    error_set(&b->error, PPROFC_E_LIMIT,
              "sample has more than %zu frames (raise the limit stack_depth)", b->depth_limit);
  return builder_ok(b);
}

/* Moves the labels of the last sample into a label set. If an equal set exists, uses that set, and
 * drops the labels. */
static void builder_close_labels(pprofc_builder *b) {
  struct label_table *table = &b->label_table;
  struct builder_column *labels = &b->columns[LABELS];
  size_t first = b->first_label, count = labels->count - first;
  if (!count || !builder_ok(b) || !reserve(b, LABEL_SETS, table->count ? 1 : 2)) return;
  table->labels = labels->items;
  table->sets = b->columns[LABEL_SETS].items;
  if (!table->count) table->sets[table->count++] = (struct label_set){0, 0};
  uint32_t set = label_table_add(table, first, count);
  if (set == MAP_NONE) {
    builder_fail_nomem(b);
    return;
  }
  if (table->sets[set].first != first) labels->count = first;
  b->first_label = labels->count;
  b->columns[LABEL_SETS].count = table->count;
  ((uint32_t *)b->columns[LABEL_SET].items)[count_of(b, LABEL_SET) - 1] = set;
}

void builder_sample(pprofc_builder *b, const uint8_t *stack, uint32_t size, size_t depth,
                    const int64_t *values) {
  size_t types = count_of(b, TYPES);
  if (!types) builder_fail(b, PPROFC_E_INVALID, "missing sample type information");
  builder_close_labels(b);
  if (!builder_allows_depth(b, depth) || !reserve(b, VALUES, types) || !reserve(b, STACKS, 1) ||
      !reserve(b, STACK_SIZES, 1) || !reserve(b, LABEL_SET, 1))
    return;
  put_bytes(b, STACKS, stack);
  put_u32(b, STACK_SIZES, size);
  put_u32(b, LABEL_SET, 0);
  for (size_t t = 0; t < types; t++) put_i64(b, VALUES, values[t]);
  if (depth > b->max_depth) b->max_depth = depth;
}

void builder_repeat_stack(pprofc_builder *b, size_t sample, const int64_t *values) {
  if (!builder_ok(b)) return;
  const uint8_t *const *stacks = b->columns[STACKS].items;
  const uint32_t *sizes = b->columns[STACK_SIZES].items;
  /* Pass the depth 0: the first sample with this stack already updated max_depth. */
  builder_sample(b, stacks[sample], sizes[sample], 0, values);
}

void pprofc_builder_sample(pprofc_builder *b, const uint32_t *frames, size_t depth,
                           const int64_t *values) {
  uint32_t size = 0;
  const uint8_t *stack =
      builder_allows_depth(b, depth) ? builder_stack(b, frames, depth, &size) : NULL;
  if (stack) builder_sample(b, stack, size, depth, values);
}

void builder_add_label(pprofc_builder *b, const struct label *label) {
  if (!count_of(b, STACKS)) builder_fail(b, PPROFC_E_INVALID, "a label before the first sample");
  if (!builder_ok(b) || !has_index_left(b, count_of(b, LABELS), "too many labels") ||
      !reserve(b, LABELS, 1))
    return;
  put_label(b, LABELS, *label);
}

/* ---- finishing --------------------------------------- */

/* Moves a column into the region of the profile. Returns NULL after an error. */
static const void *builder_take_column(pprofc_builder *b, int column) {
  struct builder_column *c = &b->columns[column];
  void *items =
      arena_take(&b->profile->region->arena, c->items, c->capacity, c->count, c->item_size);
  if (!items) {
    builder_fail_nomem(b);
    return NULL;
  }
  *c = (struct builder_column){.item_size = c->item_size};
  return items;
}

static void builder_finish_labels(pprofc_builder *b) {
  struct samples *s = &b->profile->samples;
  builder_close_labels(b);
  if (!count_of(b, LABELS)) return;
  s->label_set_count = count_of(b, LABEL_SETS);
  s->label_set = builder_take_column(b, LABEL_SET);
  s->label_sets = builder_take_column(b, LABEL_SETS);
  s->labels = builder_take_column(b, LABELS);
}

static void builder_finish_samples(pprofc_builder *b) {
  struct samples *s = &b->profile->samples;
  s->count = count_of(b, STACKS);
  s->max_depth = b->max_depth;
  builder_finish_labels(b);
  s->values = builder_take_column(b, VALUES);
  s->stack = builder_take_column(b, STACKS);
  s->stack_size = builder_take_column(b, STACK_SIZES);
  struct segment *segment = arena_zero_array(&b->profile->region->arena, 1, sizeof *segment);
  if (!segment) builder_fail_nomem(b);
  s->segments = segment;
  s->segment_count = 1;
}

/* Converts the list of the locations with is_folded set to a column of flags. */
static void builder_finish_folded(pprofc_builder *b) {
  size_t count = count_of(b, FOLDED);
  if (!count) return;
  uint8_t *is_folded =
      arena_zero_array(&b->profile->region->arena, b->profile->locations.count, sizeof *is_folded);
  if (!is_folded) {
    builder_fail_nomem(b);
    return;
  }
  const uint32_t *folded = b->columns[FOLDED].items;
  for (size_t i = 0; i < count; i++) is_folded[folded[i]] = 1;
  b->profile->locations.is_folded = is_folded;
}

static void builder_finish_tables(pprofc_builder *b) {
  pprofc_profile *p = b->profile;
  p->locations.count = count_of(b, LOCATION_ADDRESS);
  if (reserve(b, LOCATION_LINE_FROM, 1))
    put_u32(b, LOCATION_LINE_FROM, (uint32_t)count_of(b, LINES));
  p->locations.line_from = builder_take_column(b, LOCATION_LINE_FROM);
  p->locations.address = builder_take_column(b, LOCATION_ADDRESS);
  p->locations.mapping = builder_take_column(b, LOCATION_MAPPING);
  p->locations.lines = builder_take_column(b, LINES);
  builder_finish_folded(b);

  p->functions.count = count_of(b, FUNCTION_NAME);
  p->functions.name = builder_take_column(b, FUNCTION_NAME);
  p->functions.system_name = builder_take_column(b, FUNCTION_SYSTEM_NAME);
  p->functions.filename = builder_take_column(b, FUNCTION_FILENAME);
  p->functions.start_line = builder_take_column(b, FUNCTION_START_LINE);

  p->mappings.count = count_of(b, MAPPINGS);
  p->mappings.items = builder_take_column(b, MAPPINGS);
  p->type_count = count_of(b, TYPES);
  p->types = builder_take_column(b, TYPES);
  p->comment_count = count_of(b, COMMENTS);
  p->comments = builder_take_column(b, COMMENTS);
  if (b->finds_mappings && builder_ok(b) &&
      !builder_place_locations(p, (uint32_t *)(uintptr_t)p->locations.mapping))
    builder_fail_nomem(b);

  p->strings.count = b->strings.count; /* Read the count first, because interner_take resets it. */
  p->strings.items = interner_take(&b->strings, &p->region->arena);
  if (!p->strings.items) builder_fail_nomem(b);
}

pprofc_status pprofc_builder_finish(pprofc_builder *b, pprofc_profile **profile,
                                    pprofc_error *error) {
  if (!b->profile) builder_fail(b, PPROFC_E_INVALID, "the builder was finished before");
  if (builder_ok(b)) builder_finish_samples(b);
  if (builder_ok(b)) builder_finish_tables(b);
  if (builder_ok(b)) builder_times_finish(b);
  if (!builder_ok(b)) {
    if (error) *error = b->error;
    return b->error.status;
  }
  *profile = b->profile;
  b->profile = NULL;
  builder_fail(b, PPROFC_E_INVALID, "the builder was finished before");
  return PPROFC_OK;
}
