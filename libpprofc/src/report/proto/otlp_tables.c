/* Converts the locations, mappings, functions and labels of a profile to the dictionary of OTLP. */
#include "report/proto/otlp_tables.h"
#include "pprofc/builder.h"
#include "profile/stack.h"

/* ---- dictionary ------------------------------------- */

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
  struct buffer valid = buffer_make(w->mem, SIZE_MAX);
  for (size_t at = 0; at < text.size;) {
    char bytes[4];
    int32_t c = utf8_next(text, &at);
    buffer_add(&valid, bytes, utf8_encode(c < 0 ? 0xfffd : (uint32_t)c, bytes));
  }
  pprofc_str kept = buffer_take(&valid, &w->arena);
  w->failed |= !kept.data;
  return kept.data ? kept : STR("");
}

/* Returns the dictionary index of a text, or 0 for "". Adds the text if it is new. */
static int32_t otlp_write_text(struct otlp_writer *w, pprofc_str text) {
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

/* Returns the dictionary index of an attribute. Adds the attribute if it is new. `key` and `unit`
 * are indices of strings in the dictionary. */
static int32_t otlp_write_value(struct otlp_writer *w, int32_t key, Otlp__AnyValue *value,
                                int32_t unit) {
  Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT;
  attribute.key_strindex = key;
  attribute.value = value;
  attribute.unit_strindex = unit;
  return otlp_write_entry(w, OTLP_ATTRIBUTES, &attribute.base);
}

/* Returns an attribute value that contains a text. Bytes that are not UTF-8 become U+FFFD. */
static Otlp__AnyValue otlp_text_value(struct otlp_writer *w, pprofc_str text) {
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

/* ---- labels of samples ------------------------------ */

/* The keys of a sample's attributes must differ, so several values of a key become an array. An
 * attribute has only one unit. So the texts of a key become one attribute. Its numbers become more
 * attributes: one for each sequence with the same unit. The second attribute for KEY is called
 * "pprof.label.1.KEY". An attribute has at most OTLP_RUN_MOST values, because pprofc reads a longer
 * array as one label. */

#define OTLP_RUN_MOST 64u

static Otlp__AnyValue otlp_label_value(struct otlp_writer *w, const struct label *label) {
  Otlp__AnyValue value;
  if (!label->is_number) return otlp_text_value(w, profile_string(w->profile, label->string));
  otlp__any_value__init(&value);
  value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
  value.int_value = label->number;
  return value;
}

/* Packs the values of labels as an array in `value`. */
static void otlp_array_value(struct otlp_writer *w, const struct keyed_label *labels, size_t count,
                             Otlp__AnyValue *value) {
  Otlp__Values array = OTLP__VALUES__INIT;
  Otlp__AnyValue *items = arena_array(&w->arena, count, sizeof *items);
  array.values = arena_array(&w->arena, count, sizeof *array.values);
  otlp__any_value__init(value);
  w->failed |= !items || !array.values;
  if (w->failed) return;
  for (size_t i = 0; i < count; i++) {
    items[i] = otlp_label_value(w, labels[i].label);
    array.values[array.n_values++] = &items[i];
  }
  size_t size = otlp__values__get_packed_size(&array);
  uint8_t *bytes = arena_alloc(&w->arena, size);
  w->failed |= !bytes;
  if (bytes) otlp__values__pack(&array, bytes);
  value->value_case = OTLP__ANY_VALUE__VALUE_ARRAY_VALUE;
  value->array_value = (ProtobufCBinaryData){bytes ? size : 0, bytes};
}

/* Returns the dictionary index of the key for an attribute. `before` is the number of earlier
 * attributes of the sample for the same label key. */
static int32_t otlp_write_key(struct otlp_writer *w, const struct keyed_label *label,
                              size_t before) {
  struct buffer key;
  if (!before) return otlp_write_string(w, label->label->key);
  buffer_init(&key, w->mem, SIZE_MAX);
  buffer_printf(&key, "pprof.label.%zu.", before);
  buffer_add_str(&key, label->key);
  w->failed |= key.failed;
  int32_t name = w->failed ? 0 : otlp_write_text(w, buffer_str(&key));
  buffer_free(&key);
  return name;
}

/* Adds an attribute for labels that have the same key and unit. */
static void otlp_write_run(struct otlp_writer *w, struct otlp_list *list,
                           const struct keyed_label *labels, size_t count, size_t before) {
  Otlp__AnyValue value;
  int32_t key = otlp_write_key(w, labels, before);
  if (count == 1)
    value = otlp_label_value(w, labels->label);
  else
    otlp_array_value(w, labels, count, &value);
  int32_t unit = labels->label->is_number ? otlp_write_string(w, labels->label->unit) : 0;
  if (!w->failed) list->items[list->count++] = otlp_write_value(w, key, &value, unit);
}

/* Returns how many of the first labels fit into one attribute: texts, or numbers of one unit. */
static size_t otlp_run_length(const struct otlp_writer *w, const struct keyed_label *labels,
                              size_t count) {
  pprofc_str unit = profile_string(w->profile, labels->label->unit);
  size_t length = 1;
  while (length < count && length < OTLP_RUN_MOST &&
         (!labels->label->is_number ||
          str_equal(profile_string(w->profile, labels[length].label->unit), unit)))
    length++;
  return length;
}

/* Adds the attributes for a group of labels with the same key and type. `before` is the number of
 * earlier attributes for this key. Returns the number of attributes for this key. */
static size_t otlp_write_group(struct otlp_writer *w, struct otlp_list *list,
                               const struct label_group *group, size_t before) {
  const struct keyed_label *labels = w->groups.labels + group->from;
  for (size_t from = 0; from < group->count && !w->failed; before++) {
    size_t length = otlp_run_length(w, labels + from, group->count - from);
    otlp_write_run(w, list, labels + from, length, before);
    from += length;
  }
  return before;
}

/* Converts a sample's labels to attributes. Stores the attributes' indices in w->labels. */
static void otlp_write_labels(struct otlp_writer *w, size_t sample) {
  const struct label_groups *g = &w->groups;
  struct otlp_list *list = &w->labels[w->profile->samples.label_set[sample]];
  /* Index of a group of texts. The loop advances it to the key of each group of numbers. The groups
   * of texts are sorted by key, and so are the groups of numbers. */
  size_t text = 0;
  label_groups_read(&w->groups, sample);
  list->items =
      arena_array(&w->arena, label_count(&w->profile->samples, sample), sizeof *list->items);
  w->failed |= !list->items;
  for (size_t i = 0; i < g->count && !w->failed; i++) {
    const struct label_group *group = &g->items[i];
    size_t before = 0;
    if (group->is_number) {
      while (!g->items[text].is_number && str_compare(g->items[text].key, group->key) < 0) text++;
      bool both = !g->items[text].is_number && str_equal(g->items[text].key, group->key);
      if (both) before = w->group_attributes[text];
    }
    w->group_attributes[i] = otlp_write_group(w, list, group, before);
  }
  list->made = true;
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

#define OTLP_FLAGS COUNT(otlp_write_flags)

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
