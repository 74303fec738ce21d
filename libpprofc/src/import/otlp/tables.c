/* Converts the dictionary of OTLP to strings, labels, mappings, locations and stacks of the
 * builder. An index outside its table is an error. */
#include "import/otlp/otlp.h"

/* Prefix of a key that occurs several times in a sample: "pprof.label.N.KEY". */
#define OTLP_REPEATED_KEY "pprof.label."

/* Maximum number of elements of an array that become labels. The number is limited because each
 * sample with the attribute gets all these labels. */
#define OTLP_ARRAY_MOST 64u

bool otlp_check_index(struct otlp *o, int64_t index, size_t count, const char *what) {
  if (index == 0 || (index > 0 && (uint64_t)index < count)) return builder_ok(o->builder);
  return import_refuse(o->builder, PPROFC_E_FORMAT, "%s %lld is outside its table of %zu", what,
                       (long long)index, count);
}

pprofc_str otlp_string(struct otlp *o, int32_t index) {
  const struct otlp_tables *t = o->tables;
  if (!otlp_check_index(o, index, t->string_count, "string") || !t->string_count) return STR("");
  return t->strings[index];
}

const Otlp__KeyValueAndUnit *otlp_attribute(struct otlp *o, int64_t index) {
  const struct otlp_tables *t = o->tables;
  if (!otlp_check_index(o, index, t->attribute_count, "attribute") || !index) return NULL;
  return t->attributes[index];
}

/* ---- labels ------------------------------------------ */

/* Returns the key of an attribute, without the prefix "pprof.label.N." of repeated keys. */
static pprofc_str otlp_label_key(pprofc_str key) {
  uint64_t number;
  pprofc_str rest = key;
  if (!str_take(&rest, STR(OTLP_REPEATED_KEY))) return key;
  size_t dot = str_find_char(rest, '.');
  if (dot == rest.size || !str_parse_uint(str_slice(rest, 0, dot), 10, &number)) return key;
  return str_from(rest, dot + 1);
}

static void otlp_make_label(struct otlp *o, const Otlp__KeyValueAndUnit *attribute,
                            const Otlp__AnyValue *value, struct label *label) {
  pprofc_str key = otlp_label_key(otlp_string(o, attribute->key_strindex));
  *label = (struct label){.key = builder_string(o->builder, key)};
  if (value && value->value_case == OTLP__ANY_VALUE__VALUE_INT_VALUE) {
    label->is_number = true;
    label->number = value->int_value;
    label->unit = builder_string(o->builder, otlp_string(o, attribute->unit_strindex));
    return;
  }
  struct buffer scratch = buffer_make(o->mem, SIZE_MAX);
  label->string = builder_string(o->builder, otlp_value_text(o, value, &scratch));
  buffer_free(&scratch);
}

/* Returns the array in an attribute's value. Returns NULL if the value is not an array of 1 to
 * OTLP_ARRAY_MOST texts and integers. */
static const Otlp__Values *otlp_array(struct otlp *o, const Otlp__AnyValue *value) {
  if (!value || value->value_case != OTLP__ANY_VALUE__VALUE_ARRAY_VALUE) return NULL;
  ProtobufCAllocator allocator = otlp_allocator(o);
  const ProtobufCBinaryData *bytes = &value->array_value;
  Otlp__Values *array = otlp__values__unpack(&allocator, bytes->len, bytes->data);
  if (!array || !array->n_values || array->n_values > OTLP_ARRAY_MOST) return NULL;
  for (size_t i = 0; i < array->n_values; i++) {
    Otlp__AnyValue__ValueCase kind = array->values[i]->value_case;
    if (kind != OTLP__ANY_VALUE__VALUE_STRING_VALUE && kind != OTLP__ANY_VALUE__VALUE_INT_VALUE &&
        kind != OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX)
      return NULL;
  }
  return array;
}

static void otlp_make_labels(struct otlp *o, const Otlp__KeyValueAndUnit *attribute,
                             struct otlp_labels *labels) {
  const Otlp__Values *array = otlp_array(o, attribute->value);
  size_t count = array ? array->n_values : 1;
  struct label *items = arena_array(o->arena, count, sizeof *items);
  import_need(o->builder, items);
  for (size_t i = 0; items && i < count; i++)
    otlp_make_label(o, attribute, array ? array->values[i] : attribute->value, &items[i]);
  *labels = (struct otlp_labels){items, items ? count : 0};
}

struct otlp_labels otlp_labels_of(struct otlp *o, int64_t index) {
  const Otlp__KeyValueAndUnit *attribute = otlp_attribute(o, index);
  if (!attribute) return (struct otlp_labels){NULL, 0};
  struct otlp_labels *labels = &o->tables->labels[index];
  if (!labels->items) otlp_make_labels(o, attribute, labels);
  return builder_ok(o->builder) ? *labels : (struct otlp_labels){NULL, 0};
}

/* ---- mappings ---------------------------------------- */

/* Attributes with the build id of a mapping, the preferred one first: the linker's id, a hash of
 * the content, Go's id. */
static const char *const otlp_build_ids[] = {"process.executable.build_id.gnu",
                                             "process.executable.build_id.htlhash",
                                             "process.executable.build_id.go"};

static const struct {
  const char *key;
  uint32_t flag;
} otlp_mapping_flags[] = {
    {"pprof.mapping.has_functions", PPROFC_HAS_FUNCTIONS},
    {"pprof.mapping.has_filenames", PPROFC_HAS_FILENAMES},
    {"pprof.mapping.has_line_numbers", PPROFC_HAS_LINE_NUMBERS},
    {"pprof.mapping.has_inline_frames", PPROFC_HAS_INLINE_FRAMES},
};

#define OTLP_COUNT(array) (sizeof(array) / sizeof *(array))

static bool otlp_is_true(const Otlp__AnyValue *value) {
  return value && value->value_case == OTLP__ANY_VALUE__VALUE_BOOL_VALUE && value->bool_value;
}

/* Reads one attribute of a mapping. Stores a build id only if its key is in otlp_build_ids before
 * index *best. After storing it, sets *best to the index of this key. */
static void otlp_read_mapping_attribute(struct otlp *o, int32_t index, struct mapping *mapping,
                                        size_t *best) {
  const Otlp__KeyValueAndUnit *attribute = otlp_attribute(o, index);
  if (!attribute) return;
  pprofc_str key = otlp_string(o, attribute->key_strindex);
  for (size_t i = 0; i < OTLP_COUNT(otlp_mapping_flags); i++)
    if (str_equal(key, str_of(otlp_mapping_flags[i].key)) && otlp_is_true(attribute->value))
      mapping->flags |= otlp_mapping_flags[i].flag;
  for (size_t i = 0; i < *best; i++) {
    if (!str_equal(key, str_of(otlp_build_ids[i]))) continue;
    struct otlp_labels labels = otlp_labels_of(o, index);
    if (labels.count) mapping->build_id = labels.items->string;
    *best = i;
  }
}

static void otlp_read_mapping(struct otlp *o, const Otlp__Mapping *m, struct mapping *mapping) {
  *mapping = (struct mapping){
      .start = m->memory_start,
      .limit = m->memory_limit,
      .offset = m->file_offset,
      .file = builder_string(o->builder, otlp_string(o, m->filename_strindex)),
  };
  size_t best = OTLP_COUNT(otlp_build_ids);
  for (size_t i = 0; i < m->n_attribute_indices; i++)
    otlp_read_mapping_attribute(o, m->attribute_indices[i], mapping, &best);
}

static uint32_t otlp_add_mapping(struct otlp *o, const Otlp__Mapping *m) {
  struct mapping mapping;
  otlp_read_mapping(o, m, &mapping);
  return builder_add_mapping(o->builder, &mapping);
}

bool otlp_tables_begin(struct otlp *o, struct otlp_tables *t) {
  if (t->has_begun) return builder_ok(o->builder);
  t->has_begun = true;
  t->mapping = arena_array(o->arena, t->mapping_count, sizeof *t->mapping);
  t->labels = arena_zero_array(o->arena, t->attribute_count, sizeof *t->labels);
  t->location = arena_array(o->arena, t->location_count, sizeof *t->location);
  if (!import_need(o->builder, t->mapping && t->labels && t->location)) return false;
  for (size_t i = 0; i < t->location_count; i++) t->location[i] = OTLP_UNREAD;
  for (size_t i = 0; i < t->mapping_count; i++)
    t->mapping[i] = i ? otlp_add_mapping(o, t->mappings[i]) : NONE;
  return builder_ok(o->builder);
}

/* ---- locations --------------------------------------- */

static uint32_t otlp_make_function(struct otlp *o, const struct otlp_function *f) {
  return builder_add_function(o->builder, builder_string(o->builder, otlp_string(o, f->name)),
                              builder_string(o->builder, otlp_string(o, f->system_name)),
                              builder_string(o->builder, otlp_string(o, f->filename)),
                              f->start_line);
}

static uint32_t otlp_function(struct otlp *o, int32_t index) {
  const struct otlp_tables *t = o->tables;
  if (!otlp_check_index(o, index, t->function_count, "function")) return NONE;
  if (!index) return builder_add_function(o->builder, 0, 0, 0, 0);
  struct otlp_function *f = &t->functions[index];
  if (f->made == OTLP_UNREAD) f->made = otlp_make_function(o, f);
  return f->made;
}

/* Data from the attributes of a location. */
struct otlp_frame_kind {
  pprofc_str type; /* frame type: "kernel", "jvm" ...; "" if not given */
  bool folded;
};

static void otlp_read_frame_attribute(struct otlp *o, int32_t index, struct otlp_frame_kind *kind) {
  const Otlp__KeyValueAndUnit *attribute = otlp_attribute(o, index);
  if (!attribute) return;
  pprofc_str key = otlp_string(o, attribute->key_strindex);
  if (str_equal(key, STR("pprof.location.is_folded")))
    kind->folded = otlp_is_true(attribute->value);
  if (!str_equal(key, STR("profile.frame.type")) || !attribute->value) return;
  if (attribute->value->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE)
    kind->type = otlp_bytes(&attribute->value->string_value);
  if (attribute->value->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX)
    kind->type = otlp_string(o, attribute->value->string_value_strindex);
}

static bool otlp_names_kernel(pprofc_str file) {
  return str_starts(file, STR("[kernel")) || str_contains(file, STR("vmlinux"));
}

/* Returns the name of the mapping for frames of this type. Modules of the kernel become
 * "[kernel.nf_tables]", because reports recognise the kernel by such names. Code without a file
 * becomes "[jvm]" or similar. `name` is a buffer of `size` bytes. */
static pprofc_str otlp_mapping_name(pprofc_str file, pprofc_str type, char *name, size_t size) {
  bool is_kernel = str_equal(type, STR("kernel"));
  if (is_kernel && otlp_names_kernel(file)) return file;
  if (is_kernel && !file.size) return STR("[kernel.kallsyms]");
  if (is_kernel)
    snprintf(name, size, "[kernel.%.*s]", (int)file.size, file.data);
  else if (file.size || !type.size || str_equal(type, STR("native")))
    return file;
  else
    snprintf(name, size, "[%.*s]", (int)type.size, type.data);
  return str_of(name);
}

/* Returns the mapping of a location. If the type of the frame changes the mapping's name, adds a
 * mapping with the new name. */
static uint32_t otlp_location_mapping(struct otlp *o, const struct otlp_location *l,
                                      pprofc_str type) {
  const struct otlp_tables *t = o->tables;
  if (!otlp_check_index(o, l->mapping, t->mapping_count, "mapping")) return NONE;
  uint32_t mapping = l->mapping ? t->mapping[l->mapping] : NONE;
  pprofc_str file = STR("");
  if (l->mapping) file = otlp_string(o, t->mappings[l->mapping]->filename_strindex);
  char text[256];
  if (type.size > 200 || file.size > 200) return mapping;
  pprofc_str name = otlp_mapping_name(file, type, text, sizeof text);
  if (str_equal(name, file)) return mapping;
  struct mapping named = {.flags = PPROFC_HAS_FUNCTIONS};
  if (l->mapping) otlp_read_mapping(o, t->mappings[l->mapping], &named);
  named.file = builder_string(o->builder, name);
  return builder_add_mapping(o->builder, &named);
}

static uint32_t otlp_make_location(struct otlp *o, const struct otlp_location *l) {
  struct otlp_frame_kind kind = {STR(""), false};
  import_need(o->builder, ARRAY_RESERVE(o->mem, o->lines, o->line_capacity, l->line_count));
  for (size_t i = 0; i < l->line_count && builder_ok(o->builder); i++) {
    const struct otlp_line *line = &o->tables->lines[l->first_line + i];
    o->lines[i] = (pprofc_line){otlp_function(o, line->function), line->line, line->column};
  }
  for (size_t i = 0; i < l->attribute_count && builder_ok(o->builder); i++)
    otlp_read_frame_attribute(o, o->tables->attribute_list[l->first_attribute + i], &kind);
  if (!builder_ok(o->builder)) return NONE;
  uint32_t mapping = otlp_location_mapping(o, l, kind.type);
  if (!builder_ok(o->builder)) return NONE;
  uint32_t location =
      pprofc_builder_location(o->builder, mapping, l->address, o->lines, l->line_count);
  if (kind.folded && location != NONE) builder_mark_folded(o->builder, location);
  return location;
}

static uint32_t otlp_location(struct otlp *o, int32_t index) {
  const struct otlp_tables *t = o->tables;
  if (!otlp_check_index(o, index, t->location_count, "location") || !index) return NONE;
  if (t->location[index] == OTLP_UNREAD)
    t->location[index] = otlp_make_location(o, &t->locations[index]);
  return t->location[index];
}

/* Converts a location of the dictionary and appends it to o->stack, which has room for it. */
static void otlp_push(struct otlp *o, uint64_t index, size_t *depth) {
  uint32_t location = otlp_location(o, (int32_t)index);
  if (location != NONE) o->stack[(*depth)++] = location;
}

/* Appends the locations of a field: one location, or a packed list. */
static void otlp_push_all(struct otlp *o, struct wire_field *field, size_t *depth) {
  if (field->type == WIRE_VARINT) {
    otlp_push(o, field->value, depth);
    return;
  }
  struct wire list = wire_inside(field);
  while (builder_ok(o->builder) && list.at < list.end && wire_varint(&list, &field->value))
    otlp_push(o, field->value, depth);
}

/* ---- stacks ------------------------------------------ */

/* True if the builder can use a copy of the list's bytes. In stacks, the builder writes the number
 * i for its location i - 1. So each location i in the list must be location i - 1 of the builder.
 * Sets *depth to the number of locations. */
static bool otlp_is_packed(struct otlp *o, struct wire list, size_t *depth) {
  const struct otlp_tables *t = o->tables;
  for (*depth = 0; list.at < list.end; ++*depth) {
    uint64_t index;
    if (!wire_varint(&list, &index) || !list.at[-1] || index >= t->location_count) return false;
    if (t->location[index] == OTLP_UNREAD) otlp_location(o, (int32_t)index);
    if (t->location[index] != index - 1) return false;
  }
  return true;
}

/* Adds a sample whose stack is a copy of the bytes in `message`. Returns false if the caller must
 * convert the stack. */
static bool otlp_copy_stack(struct otlp *o, struct wire message, const int64_t *values) {
  struct wire_field list;
  size_t depth;
  if (message.at == message.end || !wire_next(&message, &list) || message.at < message.end ||
      list.number != 1 || list.type != WIRE_BYTES || list.size > UINT32_MAX ||
      !otlp_is_packed(o, wire_inside(&list), &depth))
    return false;
  uint32_t size = (uint32_t)list.size;
  const uint8_t *stack = builder_allows_depth(o->builder, depth)
                             ? builder_copy_stack(o->builder, list.data, size)
                             : NULL;
  if (stack) builder_sample(o->builder, stack, size, depth, values);
  return true;
}

static void otlp_convert_stack(struct otlp *o, struct wire message, const int64_t *values) {
  struct wire_field field;
  size_t depth = 0;
  import_need(o->builder, ARRAY_RESERVE(o->mem, o->stack, o->stack_capacity,
                                        (size_t)(message.end - message.at)));
  while (builder_ok(o->builder) && wire_each(&message, &field))
    if (field.number == 1) otlp_push_all(o, &field, &depth);
  if (builder_ok(o->builder)) pprofc_builder_sample(o->builder, o->stack, depth, values);
}

bool otlp_add_sample(struct otlp *o, int32_t index, const int64_t *values) {
  struct otlp_tables *t = o->tables;
  struct wire_field field;
  if (!otlp_check_index(o, index, t->stack_count, "stack")) return false;
  if (!index) {
    pprofc_builder_sample(o->builder, NULL, 0, values);
    return true;
  }
  if (t->stacks[index] & OTLP_ADDED) {
    builder_repeat_stack(o->builder, (size_t)(t->stacks[index] - OTLP_ADDED), values);
    return true;
  }
  o->stack_field = (const uint8_t *)(uintptr_t)t->stacks[index];
  t->stacks[index] = OTLP_ADDED | builder_sample_count(o->builder);
  struct wire w = {o->stack_field, t->end, NULL};
  wire_next(&w, &field); /* cannot fail, because index_stack checked this field */
  if (!otlp_copy_stack(o, wire_inside(&field), values))
    otlp_convert_stack(o, wire_inside(&field), values);
  return builder_ok(o->builder);
}

bool otlp_has_stack(const struct otlp *o, int32_t index) {
  return index > 0 && (size_t)index < o->tables->stack_count;
}

void otlp_prefetch_stack(const struct otlp *o, int32_t index) {
  if (otlp_has_stack(o, index)) __builtin_prefetch(&o->tables->stacks[index]);
}

void otlp_prefetch_frames(const struct otlp *o, int32_t index) {
  if (!otlp_has_stack(o, index) || o->tables->stacks[index] & OTLP_ADDED) return;
  __builtin_prefetch((const uint8_t *)(uintptr_t)o->tables->stacks[index]);
}
