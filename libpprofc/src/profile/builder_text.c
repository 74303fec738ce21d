/* The public calls of the builder, which take C strings and pass indices to the internal ones. */
#include "profile/builder.h"

static uint32_t builder_literal(pprofc_builder *b, const char *s) {
  return builder_string(b, str_of(s));
}

void pprofc_builder_type(pprofc_builder *b, const char *type, const char *unit) {
  builder_add_type(b, str_of(type), str_of(unit));
}

void pprofc_builder_period(pprofc_builder *b, const char *type, const char *unit, int64_t period) {
  builder_set_period(b, str_of(type), str_of(unit), period);
}

uint32_t pprofc_builder_mapping(pprofc_builder *b, uint64_t start, uint64_t limit, uint64_t offset,
                                const char *file, const char *build_id, unsigned flags) {
  const unsigned known = PPROFC_HAS_FUNCTIONS | PPROFC_HAS_FILENAMES | PPROFC_HAS_LINE_NUMBERS |
                         PPROFC_HAS_INLINE_FRAMES;
  struct mapping mapping = {0,
                            start,
                            limit,
                            offset,
                            builder_literal(b, file),
                            builder_literal(b, build_id),
                            flags & known};
  return builder_add_mapping(b, &mapping);
}

uint32_t pprofc_builder_function(pprofc_builder *b, const char *name, const char *system_name,
                                 const char *filename, int64_t start_line) {
  uint32_t name_index = builder_literal(b, name);
  uint32_t system_index = system_name ? builder_literal(b, system_name) : name_index;
  return builder_add_function(b, name_index, system_index, builder_literal(b, filename),
                              start_line);
}

uint32_t pprofc_builder_frame(pprofc_builder *b, const char *function, const char *filename,
                              int64_t line) {
  pprofc_line only = {pprofc_builder_function(b, function, NULL, filename, 0), line, 0};
  return pprofc_builder_location(b, PPROFC_NONE, 0, &only, 1);
}

void pprofc_builder_label(pprofc_builder *b, const char *key, const char *value) {
  struct label label = {.key = builder_literal(b, key), .string = builder_literal(b, value)};
  builder_add_label(b, &label);
}

void pprofc_builder_number_label(pprofc_builder *b, const char *key, int64_t value,
                                 const char *unit) {
  struct label label = {.key = builder_literal(b, key),
                        .unit = builder_literal(b, unit),
                        .is_number = true,
                        .number = value};
  builder_add_label(b, &label);
}
