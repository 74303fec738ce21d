/* Converts the locations, mappings, functions and labels of a profile to the dictionary of OTLP. */
#include "report/proto/otlp_tables.h"
#include "pprofc/builder.h"
#include "profile/stack.h"

/* Packs a message. Adds it to `table` if there is no equal entry. Returns the index of the
 * entry. */
static int32_t otlp_write_entry(struct otlp_writer *w, enum otlp_table table,
                                const ProtobufCMessage *message) {
  size_t size = protobuf_c_message_get_packed_size(message);
  buffer_clear(&w->scratch);
  if (!buffer_reserve(&w->scratch, size + 1)) {
    w->failed = true;
    return 0;
  }
  protobuf_c_message_pack(message, (uint8_t *)w->scratch.data);
  uint32_t index = interner_copy(&w->tables[table], &w->arena, (pprofc_str){w->scratch.data, size});
  w->failed |= index > INT32_MAX;
  return w->failed ? 0 : (int32_t)index;
}

/* Converts text to UTF-8, because the format requires it. Invalid bytes become U+FFFD. */
static pprofc_str otlp_utf8(struct otlp_writer *w, pprofc_str text) {
  if (utf8_valid(text)) return text;
  struct buffer valid;
  buffer_init(&valid, w->mem, SIZE_MAX);
  for (size_t at = 0; at < text.size;) {
    char bytes[4];
    int32_t c = utf8_next(text, &at);
    buffer_add(&valid, bytes, utf8_encode(c < 0 ? 0xfffd : (uint32_t)c, bytes));
  }
  pprofc_str kept = buffer_take(&valid, &w->arena);
  w->failed |= !kept.data;
  return kept.data ? kept : STR("");
}

int32_t otlp_write_text(struct otlp_writer *w, pprofc_str text) {
  uint32_t index = interner_copy(&w->tables[OTLP_STRINGS], &w->arena, otlp_utf8(w, text));
  w->failed |= index > INT32_MAX;
  return w->failed ? 0 : (int32_t)index;
}

int32_t otlp_write_string(struct otlp_writer *w, uint32_t string) {
  if (w->string[string] < 0)
    w->string[string] = otlp_write_text(w, profile_string(w->profile, string));
  return w->string[string];
}

/* ---- attributes -------------------------------------- */

int32_t otlp_write_value(struct otlp_writer *w, int32_t key, Otlp__AnyValue *value, int32_t unit) {
  Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT;
  attribute.key_strindex = key;
  attribute.value = value;
  attribute.unit_strindex = unit;
  return otlp_write_entry(w, OTLP_ATTRIBUTES, &attribute.base);
}

Otlp__AnyValue otlp_text_value(struct otlp_writer *w, pprofc_str text) {
  Otlp__AnyValue value;
  otlp__any_value__init(&value);
  text = otlp_utf8(w, text);
  value.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
  value.string_value = (ProtobufCBinaryData){text.size, (uint8_t *)(uintptr_t)text.data};
  return value;
}

int32_t otlp_write_attribute(struct otlp_writer *w, const char *key, pprofc_str text) {
  Otlp__AnyValue value = otlp_text_value(w, text);
  return otlp_write_value(w, otlp_write_text(w, str_of(key)), &value, 0);
}

static int32_t otlp_write_flag(struct otlp_writer *w, const char *key) {
  Otlp__AnyValue value;
  otlp__any_value__init(&value);
  value.value_case = OTLP__ANY_VALUE__VALUE_BOOL_VALUE;
  value.bool_value = true;
  return otlp_write_value(w, otlp_write_text(w, str_of(key)), &value, 0);
}

/* ---- mappings, locations, stacks --------------------- */

static const struct {
  uint32_t flag;
  const char *key;
} otlp_write_flags[] = {
    {PPROFC_HAS_FUNCTIONS, "pprof.mapping.has_functions"},
    {PPROFC_HAS_FILENAMES, "pprof.mapping.has_filenames"},
    {PPROFC_HAS_LINE_NUMBERS, "pprof.mapping.has_line_numbers"},
    {PPROFC_HAS_INLINE_FRAMES, "pprof.mapping.has_inline_frames"},
};

#define OTLP_FLAGS (sizeof otlp_write_flags / sizeof *otlp_write_flags)

/* Writes a mapping. OTLP requires memory_start below memory_limit, or 0 for both. */
static int32_t otlp_write_mapping(struct otlp_writer *w, const struct mapping *m) {
  Otlp__Mapping mapping = OTLP__MAPPING__INIT;
  int32_t attributes[OTLP_FLAGS + 1];
  bool has_range = m->start < m->limit;
  mapping.memory_start = has_range ? m->start : 0;
  mapping.memory_limit = has_range ? m->limit : 0;
  mapping.file_offset = m->offset;
  mapping.filename_strindex = otlp_write_string(w, m->file);
  mapping.attribute_indices = attributes;
  pprofc_str build_id = profile_string(w->profile, m->build_id);
  if (build_id.size)
    attributes[mapping.n_attribute_indices++] =
        otlp_write_attribute(w, "process.executable.build_id.gnu", build_id);
  for (size_t i = 0; i < OTLP_FLAGS; i++)
    if (m->flags & otlp_write_flags[i].flag)
      attributes[mapping.n_attribute_indices++] = otlp_write_flag(w, otlp_write_flags[i].key);
  return otlp_write_entry(w, OTLP_MAPPINGS, &mapping.base);
}

static int32_t otlp_write_function(struct otlp_writer *w, uint32_t index) {
  const struct functions *f = &w->profile->functions;
  Otlp__Function function = OTLP__FUNCTION__INIT;
  function.name_strindex = otlp_write_string(w, f->name[index]);
  function.system_name_strindex = otlp_write_string(w, f->system_name[index]);
  function.filename_strindex = otlp_write_string(w, f->filename[index]);
  function.start_line = f->start_line[index] > 0 ? f->start_line[index] : 0;
  return otlp_write_entry(w, OTLP_FUNCTIONS, &function.base);
}

static bool otlp_reserve_lines(struct otlp_writer *w, size_t count) {
  if (ARRAY_RESERVE(w->mem, w->lines, w->line_capacity, count) &&
      ARRAY_RESERVE(w->mem, w->line_pointers, w->pointer_capacity, count))
    return true;
  w->failed = true;
  return false;
}

/* Fills in the lines of a location, and returns their number. Negative line and column numbers
 * become 0, because OTLP does not permit them. */
static size_t otlp_fill_lines(struct otlp_writer *w, uint32_t index) {
  const struct locations *l = &w->profile->locations;
  size_t first = l->line_from[index], count = l->line_from[index + 1] - first;
  if (!otlp_reserve_lines(w, count)) return 0;
  for (size_t i = 0; i < count; i++) {
    const struct line *line = &l->lines[first + i];
    Otlp__Line out = OTLP__LINE__INIT;
    out.function_index = line->function == NONE ? 0 : otlp_write_function(w, line->function);
    out.line = line->line > 0 ? line->line : 0;
    out.column = line->column > 0 ? line->column : 0;
    w->lines[i] = out;
    w->line_pointers[i] = &w->lines[i];
  }
  return count;
}

static int32_t otlp_write_location(struct otlp_writer *w, uint32_t index) {
  const struct locations *l = &w->profile->locations;
  Otlp__Location location = OTLP__LOCATION__INIT;
  int32_t folded;
  if (w->location[index] >= 0) return w->location[index];
  location.n_lines = otlp_fill_lines(w, index);
  location.lines = w->line_pointers;
  location.address = l->address[index];
  if (l->mapping[index] != NONE) location.mapping_index = w->mapping[l->mapping[index]];
  if (l->is_folded && l->is_folded[index]) {
    folded = otlp_write_flag(w, "pprof.location.is_folded");
    location.n_attribute_indices = 1;
    location.attribute_indices = &folded;
  }
  return w->location[index] = otlp_write_entry(w, OTLP_LOCATIONS, &location.base);
}

static int32_t otlp_write_stack(struct otlp_writer *w, struct packed_stack packed) {
  Otlp__Stack stack = OTLP__STACK__INIT;
  uint32_t location;
  while (stack_take_leaf(&packed, &location))
    w->frames[stack.n_location_indices++] = otlp_write_location(w, location);
  stack.location_indices = w->frames;
  return stack.n_location_indices ? otlp_write_entry(w, OTLP_STACKS, &stack.base) : 0;
}

/* Writes the mappings that samples use, in the order of the profile, because readers take the first
 * mapping for the main program. */
static void otlp_write_mappings(struct otlp_writer *w, const uint8_t *used) {
  for (size_t i = 0; i < w->profile->mappings.count; i++)
    if (used[i]) w->mapping[i] = otlp_write_mapping(w, &w->profile->mappings.items[i]);
}

static void otlp_mark_mappings(const struct otlp_writer *w, struct packed_stack packed,
                               uint8_t *used) {
  uint32_t location;
  while (stack_take_leaf(&packed, &location))
    if (w->profile->locations.mapping[location] != NONE)
      used[w->profile->locations.mapping[location]] = 1;
}

bool otlp_write_samples(struct otlp_writer *w) {
  const struct samples *s = &w->profile->samples;
  uint8_t *used = arena_zero_array(&w->arena, w->profile->mappings.count, sizeof *used);
  if (!used) return false;
  struct stack_reader reader = stack_reader_at(s, 0);
  for (size_t i = 0; i < s->count; i++) otlp_mark_mappings(w, stack_of(&reader, i), used);
  otlp_write_mappings(w, used);
  reader = stack_reader_at(s, 0);
  for (size_t i = 0; i < s->count && !w->failed; i++) {
    w->stack[i] = otlp_write_stack(w, stack_of(&reader, i));
    if (s->label_set && !w->labels[s->label_set[i]].made) otlp_write_labels(w, i);
  }
  return !w->failed;
}

/* ---- all tables -------------------------------------- */

static int32_t *otlp_new_column(struct otlp_writer *w, size_t count) {
  int32_t *column = arena_array(&w->arena, count, sizeof *column);
  if (column) memset(column, 0xff, count * sizeof *column);
  return column;
}

bool otlp_writer_init(struct otlp_writer *w, const pprofc_profile *p) {
  *w = (struct otlp_writer){.profile = p, .mem = &p->mem};
  arena_init(&w->arena, w->mem);
  buffer_init(&w->scratch, w->mem, SIZE_MAX);
  for (size_t i = 0; i < OTLP_TABLES; i++) {
    interner_init(&w->tables[i], w->mem);
    w->failed |= interner_add(&w->tables[i], STR("")) == MAP_NONE;
  }
  w->string = otlp_new_column(w, p->strings.count);
  w->mapping = otlp_new_column(w, p->mappings.count);
  w->location = otlp_new_column(w, p->locations.count);
  w->stack = otlp_new_column(w, p->samples.count);
  w->frames = otlp_new_column(w, p->samples.max_depth + 1);
  w->labels = arena_zero_array(&w->arena, p->samples.label_set_count, sizeof *w->labels);
  w->failed |= !label_groups_init(&w->groups, p, w->mem);
  w->group_attributes = arena_array(&w->arena, w->groups.capacity, sizeof *w->group_attributes);
  w->failed |= !w->group_attributes;
  return w->string && w->mapping && w->location && w->stack && w->frames && w->labels && !w->failed;
}

void otlp_writer_free(struct otlp_writer *w) {
  for (size_t i = 0; i < OTLP_TABLES; i++) interner_free(&w->tables[i]);
  label_groups_free(&w->groups);
  ARRAY_FREE(w->mem, w->lines, w->line_capacity);
  ARRAY_FREE(w->mem, w->line_pointers, w->pointer_capacity);
  buffer_free(&w->scratch);
  arena_free(&w->arena);
}
