/* The dictionary of OTLP: strings, attributes, mappings, locations and stacks become those of the
 * builder. Whatever is pointed to is checked: an index beyond its table is an error. */
#include "import/otlp/otlp.h"

#include <stdio.h>

bool otlp_check_index(struct otlp *o, int64_t index, size_t count, const char *what) {
  if (index == 0 || (index > 0 && (uint64_t)index < count)) return otlp_ok(o);
  return otlp_fail(o, PPROFC_E_FORMAT, "%s %lld of a table of %zu", what, (long long)index, count);
}

pprofc_str otlp_string(struct otlp *o, int32_t index) {
  const Otlp__Dictionary *d = o->tables.dictionary;
  if (!otlp_check_index(o, index, d->n_string_table, "string") || !d->n_string_table)
    return STR("");
  return otlp_bytes(&d->string_table[index]);
}

const Otlp__KeyValueAndUnit *otlp_attribute(struct otlp *o, int64_t index) {
  const Otlp__Dictionary *d = o->tables.dictionary;
  if (!otlp_check_index(o, index, d->n_attribute_table, "attribute") || !index) return NULL;
  return d->attribute_table[index];
}

/* ---- labels ------------------------------------------ */

static void otlp_make_label(struct otlp *o, const Otlp__KeyValueAndUnit *attribute,
                            struct label *label) {
  *label =
      (struct label){.key = builder_string(o->builder, otlp_string(o, attribute->key_strindex))};
  const Otlp__AnyValue *value = attribute->value;
  if (value && value->value_case == OTLP__ANY_VALUE__VALUE_INT_VALUE) {
    label->is_number = true;
    label->number = value->int_value;
    label->unit = builder_string(o->builder, otlp_string(o, attribute->unit_strindex));
    return;
  }
  struct buffer scratch;
  buffer_init(&scratch, o->mem, SIZE_MAX);
  label->string = builder_string(o->builder, otlp_value_text(o, value, &scratch));
  buffer_free(&scratch);
}

bool otlp_label(struct otlp *o, int64_t index, struct label *label) {
  const Otlp__KeyValueAndUnit *attribute = otlp_attribute(o, index);
  if (!attribute) return false;
  if (!o->tables.has_label[index]) otlp_make_label(o, attribute, &o->tables.label[index]);
  o->tables.has_label[index] = true;
  *label = o->tables.label[index];
  return otlp_ok(o);
}

/* ---- mappings ---------------------------------------- */

/* Attributes of a mapping, best first: an identity by the linker, then by content, then Go's own.
 */
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

/* Takes one attribute of a mapping. *best is the rank of the build id so far. */
static void otlp_read_mapping_attribute(struct otlp *o, int32_t index, struct mapping *mapping,
                                        size_t *best) {
  const Otlp__KeyValueAndUnit *attribute = otlp_attribute(o, index);
  struct label label;
  if (!attribute) return;
  pprofc_str key = otlp_string(o, attribute->key_strindex);
  for (size_t i = 0; i < OTLP_COUNT(otlp_mapping_flags); i++)
    if (str_equal(key, str_of(otlp_mapping_flags[i].key)) && otlp_is_true(attribute->value))
      mapping->flags |= otlp_mapping_flags[i].flag;
  for (size_t i = 0; i < *best; i++) {
    if (!str_equal(key, str_of(otlp_build_ids[i]))) continue;
    if (otlp_label(o, index, &label)) mapping->build_id = label.string;
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

bool otlp_tables_init(struct otlp *o, const Otlp__Dictionary *d) {
  struct otlp_tables *t = &o->tables;
  *t = (struct otlp_tables){.dictionary = d};
  arena_init(&t->arena, o->mem);
  t->mapping = arena_array(&t->arena, d->n_mapping_table, sizeof *t->mapping);
  t->location = arena_array(&t->arena, d->n_location_table, sizeof *t->location);
  t->label = arena_array(&t->arena, d->n_attribute_table, sizeof *t->label);
  t->has_label = arena_zero_array(&t->arena, d->n_attribute_table, sizeof *t->has_label);
  if (!t->mapping || !t->location || !t->label || !t->has_label) return otlp_fail_nomem(o);
  for (size_t i = 0; i < d->n_location_table; i++) t->location[i] = OTLP_UNREAD;
  for (size_t i = 0; i < d->n_mapping_table; i++)
    t->mapping[i] = i ? otlp_add_mapping(o, d->mapping_table[i]) : NONE;
  return otlp_ok(o);
}

void otlp_tables_free(struct otlp *o) {
  arena_free(&o->tables.arena);
}

/* ---- locations --------------------------------------- */

static uint32_t otlp_function(struct otlp *o, int32_t index) {
  const Otlp__Dictionary *d = o->tables.dictionary;
  if (!otlp_check_index(o, index, d->n_function_table, "function")) return NONE;
  if (!index) return builder_add_function(o->builder, 0, 0, 0, 0);
  const Otlp__Function *f = d->function_table[index];
  return builder_add_function(
      o->builder, builder_string(o->builder, otlp_string(o, f->name_strindex)),
      builder_string(o->builder, otlp_string(o, f->system_name_strindex)),
      builder_string(o->builder, otlp_string(o, f->filename_strindex)), f->start_line);
}

/* What the attributes of a location say. */
struct otlp_frame_kind {
  pprofc_str type; /* "kernel", "jvm" ...; "" when not said */
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
  return str_starts(file, STR("[kernel")) || str_find(file, STR("vmlinux")) < file.size;
}

/* The file of a mapping for the type of its frames: the kernel's modules are "[kernel.nf_tables]",
 * so that reports tell the kernel from programs, and code without a file is "[jvm]" or the like. */
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

/* The mapping of a location. */
static uint32_t otlp_location_mapping(struct otlp *o, const Otlp__Location *l, pprofc_str type) {
  const Otlp__Dictionary *d = o->tables.dictionary;
  if (!otlp_check_index(o, l->mapping_index, d->n_mapping_table, "mapping")) return NONE;
  uint32_t mapping = l->mapping_index ? o->tables.mapping[l->mapping_index] : NONE;
  pprofc_str file = STR("");
  if (l->mapping_index)
    file = otlp_string(o, d->mapping_table[l->mapping_index]->filename_strindex);
  char text[256];
  if (type.size > 200 || file.size > 200) return mapping;
  pprofc_str name = otlp_mapping_name(file, type, text, sizeof text);
  if (str_equal(name, file)) return mapping;
  struct mapping named = {.flags = PPROFC_HAS_FUNCTIONS};
  if (l->mapping_index) otlp_read_mapping(o, d->mapping_table[l->mapping_index], &named);
  named.file = builder_string(o->builder, name);
  return builder_add_mapping(o->builder, &named);
}

static uint32_t otlp_make_location(struct otlp *o, const Otlp__Location *l) {
  struct otlp_frame_kind kind = {STR(""), false};
  if (!ARRAY_RESERVE(o->mem, o->lines, o->line_capacity, l->n_lines)) otlp_fail_nomem(o);
  for (size_t i = 0; i < l->n_lines && otlp_ok(o); i++)
    o->lines[i] = (pprofc_line){otlp_function(o, l->lines[i]->function_index), l->lines[i]->line,
                                l->lines[i]->column};
  for (size_t i = 0; i < l->n_attribute_indices && otlp_ok(o); i++)
    otlp_read_frame_attribute(o, l->attribute_indices[i], &kind);
  if (!otlp_ok(o)) return NONE;
  uint32_t mapping = otlp_location_mapping(o, l, kind.type);
  if (!otlp_ok(o)) return NONE;
  uint32_t location =
      pprofc_builder_location(o->builder, mapping, l->address, o->lines, l->n_lines);
  if (kind.folded && location != NONE) builder_mark_folded(o->builder, location);
  return location;
}

static uint32_t otlp_location(struct otlp *o, int32_t index) {
  const Otlp__Dictionary *d = o->tables.dictionary;
  if (!otlp_check_index(o, index, d->n_location_table, "location") || !index) return NONE;
  uint32_t *known = &o->tables.location[index];
  if (*known == OTLP_UNREAD) *known = otlp_make_location(o, d->location_table[index]);
  return *known;
}

size_t otlp_stack(struct otlp *o, int32_t index) {
  const Otlp__Dictionary *d = o->tables.dictionary;
  size_t depth = 0;
  if (!otlp_check_index(o, index, d->n_stack_table, "stack") || !index) return 0;
  const Otlp__Stack *stack = d->stack_table[index];
  if (!ARRAY_RESERVE(o->mem, o->stack, o->stack_capacity, stack->n_location_indices))
    otlp_fail_nomem(o);
  for (size_t i = 0; i < stack->n_location_indices && otlp_ok(o); i++) {
    uint32_t location = otlp_location(o, stack->location_indices[i]);
    if (location != NONE) o->stack[depth++] = location;
  }
  return otlp_ok(o) ? depth : 0;
}
