/* Implements the public functions of the builder that take texts. They convert texts to indices,
 * and call the internal functions. */
#include "profile/builder.h"

void pprofc_builder_type(pprofc_builder *b, const char *type, const char *unit) {
  builder_add_type(b, str_of(type), str_of(unit));
}

void pprofc_builder_period(pprofc_builder *b, const char *type, const char *unit, int64_t period) {
  builder_set_period(b, str_of(type), str_of(unit), period);
}

void pprofc_builder_drop_frames(pprofc_builder *b, const char *drop, const char *keep) {
  builder_set_frames(b, builder_string(b, str_of(drop)), builder_string(b, str_of(keep)));
}

uint32_t pprofc_builder_mapping(pprofc_builder *b, uint64_t start, uint64_t limit, uint64_t offset,
                                const char *file, const char *build_id, unsigned flags) {
  pprofc_mapping mapping = {.start = start,
                            .limit = limit,
                            .offset = offset,
                            .file = str_of(file),
                            .build_id = str_of(build_id),
                            .has_functions = flags & PPROFC_HAS_FUNCTIONS,
                            .has_filenames = flags & PPROFC_HAS_FILENAMES,
                            .has_line_numbers = flags & PPROFC_HAS_LINE_NUMBERS,
                            .has_inline_frames = flags & PPROFC_HAS_INLINE_FRAMES};
  return pprofc_builder_add_mapping(b, &mapping);
}

uint32_t pprofc_builder_add_mapping(pprofc_builder *b, const pprofc_mapping *m) {
  struct mapping mapping = {.start = m->start,
                            .limit = m->limit,
                            .offset = m->offset,
                            .file = builder_string(b, m->file),
                            .build_id = builder_string(b, m->build_id)};
  if (m->has_functions) mapping.flags |= PPROFC_HAS_FUNCTIONS;
  if (m->has_filenames) mapping.flags |= PPROFC_HAS_FILENAMES;
  if (m->has_line_numbers) mapping.flags |= PPROFC_HAS_LINE_NUMBERS;
  if (m->has_inline_frames) mapping.flags |= PPROFC_HAS_INLINE_FRAMES;
  return builder_add_mapping(b, &mapping);
}

uint32_t pprofc_builder_function(pprofc_builder *b, const char *name, const char *system_name,
                                 const char *filename, int64_t start_line) {
  pprofc_function function = {
      .name = str_of(name), .filename = str_of(filename), .start_line = start_line};
  if (system_name) function.system_name = str_of(system_name);
  return pprofc_builder_add_function(b, &function);
}

uint32_t pprofc_builder_add_function(pprofc_builder *b, const pprofc_function *f) {
  uint32_t name = builder_string(b, f->name);
  uint32_t system_name = f->system_name.data ? builder_string(b, f->system_name) : name;
  return builder_add_function(b, name, system_name, builder_string(b, f->filename), f->start_line);
}

uint32_t pprofc_builder_frame(pprofc_builder *b, const char *function, const char *filename,
                              int64_t line) {
  pprofc_line only = {pprofc_builder_function(b, function, NULL, filename, 0), line, 0};
  return pprofc_builder_location(b, PPROFC_NONE, 0, &only, 1);
}

void pprofc_builder_label(pprofc_builder *b, const char *key, const char *value) {
  pprofc_builder_add_label(b, &(pprofc_label){.key = str_of(key), .string = str_of(value)});
}

void pprofc_builder_number_label(pprofc_builder *b, const char *key, int64_t value,
                                 const char *unit) {
  pprofc_builder_add_label(
      b, &(pprofc_label){
             .key = str_of(key), .unit = str_of(unit), .is_number = true, .number = value});
}

void pprofc_builder_add_label(pprofc_builder *b, const pprofc_label *l) {
  struct label label = {.key = builder_string(b, l->key), .is_number = l->is_number};
  if (l->is_number) {
    label.unit = builder_string(b, l->unit);
    label.number = l->number;
  } else {
    label.string = builder_string(b, l->string);
  }
  builder_add_label(b, &label);
}
