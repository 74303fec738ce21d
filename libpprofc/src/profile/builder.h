/* The builder as the importers use it: strings that carry their length, records by index. */
#ifndef PPROFC_PROFILE_BUILDER_H
#define PPROFC_PROFILE_BUILDER_H

#include "core/error.h"
#include "core/str.h"
#include "pprofc/builder.h"
#include "profile/profile.h"

/* The index of a string, which is copied when it is new. After an error it is 0, the empty string.
 */
uint32_t builder_string(pprofc_builder *builder, pprofc_str s);

/* Makes finding a string cheaper that is asked for soon: for several at a time. */
void builder_expect_string(const pprofc_builder *builder, pprofc_str s);

/* The same as the public calls, with string indices in place of C strings. `mapping->id` is not
 * looked at. */
uint32_t builder_add_mapping(pprofc_builder *builder, const struct mapping *mapping);
uint32_t builder_add_function(pprofc_builder *builder, uint32_t name, uint32_t system_name,
                              uint32_t filename, int64_t start_line);
void builder_add_type(pprofc_builder *builder, pprofc_str type, pprofc_str unit);
/* Always a new one, even when an equal one is there: for formats that tell such things apart. */
uint32_t builder_append_mapping(pprofc_builder *builder, const struct mapping *mapping);
uint32_t builder_append_location(pprofc_builder *builder, uint32_t mapping, uint64_t address,
                                 const pprofc_line *lines, size_t line_count);

void builder_set_period(pprofc_builder *builder, pprofc_str type, pprofc_str unit, int64_t period);
void builder_add_label(pprofc_builder *builder, const struct label *label);

/* Strings; NONE leaves what was set before. */
void builder_set_frames(pprofc_builder *builder, uint32_t drop, uint32_t keep);
/* Marks a location as one that stands for several (is_folded of profile.proto). */
void builder_mark_folded(pprofc_builder *builder, uint32_t location);

/* Stacks and columns may take this much memory; more is PPROFC_E_LIMIT. Formats whose stacks share
 * frames need it: a small file can stand for any number of long stacks. */
void builder_limit_memory(pprofc_builder *builder, uint64_t bytes);

/* Makes the builder fail with that error, unless it has failed before. */
void builder_refuse(pprofc_builder *builder, const pprofc_error *error);

/* True as long as no call has failed. */
bool builder_ok(const pprofc_builder *builder);

#endif
