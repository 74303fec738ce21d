/* Internal functions of the builder (pprofc/builder.h), for importers. Strings have a length, and
 * records are identified by an index. */
#ifndef PPROFC_PROFILE_BUILDER_H
#define PPROFC_PROFILE_BUILDER_H

#include "pprofc/builder.h"
#include "profile/times.h"

/* Returns the index of a string. Copies the string if it is new. After an error, returns 0, which
 * is the index of the empty string. */
uint32_t builder_string(pprofc_builder *builder, pprofc_str s);

/* The following functions add a record like the public functions, but take string indices instead
 * of C strings. They ignore the field `id` of a mapping. */
uint32_t builder_add_mapping(pprofc_builder *builder, const struct mapping *mapping);
uint32_t builder_add_function(pprofc_builder *builder, uint32_t name, uint32_t system_name,
                              uint32_t filename, int64_t start_line);
void builder_add_type(pprofc_builder *builder, pprofc_str type, pprofc_str unit);
/* Adds a sample type when samples already exist. The existing samples get the value 0 for this
 * type. */
void builder_add_late_type(pprofc_builder *builder, pprofc_str type, pprofc_str unit);
void builder_set_unit(pprofc_builder *builder, size_t type, pprofc_str unit);
/* The following functions add a record even if an equal record exists. The readers of legacy
 * formats use them, because these formats keep equal records separate. */
uint32_t builder_append_mapping(pprofc_builder *builder, const struct mapping *mapping);
uint32_t builder_append_location(pprofc_builder *builder, uint32_t mapping, uint64_t address,
                                 const pprofc_line *lines, size_t line_count);

void builder_set_period(pprofc_builder *builder, pprofc_str type, pprofc_str unit, int64_t period);
void builder_add_label(pprofc_builder *builder, const struct label *label);

/* Sets the expressions drop_frames and keep_frames of the profile to the strings with these
 * indices. NONE keeps the current expression. */
void builder_set_frames(pprofc_builder *builder, uint32_t drop, uint32_t keep);
/* Sets the flag is_folded of a location, which means that several functions share the code of the
 * location. */
void builder_mark_folded(pprofc_builder *builder, uint32_t location);

/* Swaps a mapping with the first mapping, which names the program of the profile. Call this
 * function after the last mapping and the last location. */
void builder_main_mapping(pprofc_builder *builder, uint32_t mapping);

/* Makes pprofc_builder_finish assign mappings to locations with an address but no mapping. */
void builder_find_mappings(pprofc_builder *builder);

/* Finds mappings for the locations that have an address but no mapping. Sets mapping[i] to the
 * mapping of location i of the profile. Returns false when out of memory. */
bool builder_place_locations(const pprofc_profile *profile, uint32_t *mapping);

/* Limits the number of frames of a sample to `frames`. The builder refuses samples with more
 * frames. */
void builder_limit_depth(pprofc_builder *builder, size_t frames);

/* True if no call has failed and a sample may have `frames` frames. If a sample may not have this
 * number of frames, the builder fails. */
bool builder_allows_depth(pprofc_builder *builder, size_t frames);

/* Stores a stack, leaf first, in the packed form of profile/stack.h. Sets *size to its size in
 * bytes. Returns NULL after an error. The last bytes of a stored stack are the stacks of its
 * callers, so a sample of a caller can point to these bytes. */
const uint8_t *builder_stack(pprofc_builder *builder, const uint32_t *frames, size_t depth,
                             uint32_t *size);

/* Stores a copy of a stack in the packed form. Each varint must have the shortest form, and must
 * mean a location that exists. Returns NULL after an error. */
const uint8_t *builder_copy_stack(pprofc_builder *builder, const uint8_t *stack, uint32_t size);

/* Adds a sample with a stack from builder_stack or builder_copy_stack. */
void builder_sample(pprofc_builder *builder, const uint8_t *stack, uint32_t size, size_t depth,
                    const int64_t *values);

/* Adds a sample with the stack of an earlier sample. */
void builder_repeat_stack(pprofc_builder *builder, size_t sample, const int64_t *values);

/* Makes the builder fail with this error. Does nothing if the builder has failed before. */
void builder_refuse(pprofc_builder *builder, const pprofc_error *error);

/* True if no call has failed. */
bool builder_ok(const pprofc_builder *builder);

/* The functions below collect the times of samples while a profile is built (profile/times.h). An
 * event is a time at which a sample ran, on a track such as a thread. */

/* Makes the builder keep the times of samples if `keep` is true. Call this function before the
 * first sample. */
void builder_keep_times(pprofc_builder *builder, bool keep);

/* True if the builder keeps times. If false, the functions below do nothing, and readers need not
 * compute times. */
bool builder_keeps_times(const pprofc_builder *builder);

/* Sets the start of the recording on the clock of the events. The recording then starts at this
 * time or at the earliest event, whichever is earlier. Without this call, it starts at the earliest
 * event. */
void builder_time_origin(pprofc_builder *builder, int64_t at);

/* Sets the time at which the clock of the events was 0, in nanoseconds since 1970. */
void builder_clock_zero(pprofc_builder *builder, int64_t nanoseconds);

/* Returns the text of a string of the builder. */
pprofc_str builder_text(const pprofc_builder *builder, uint32_t string);

/* Returns the index of a track, such as a thread, that has these texts. Copies the texts. Ignores
 * the fields `first` and `count` of the track. Returns 0 after an error. */
uint32_t builder_track(pprofc_builder *builder, const struct time_track *names);

/* Adds a track even if another track has the same texts. Returns its index, or 0 after an error. */
uint32_t builder_add_track(pprofc_builder *builder, const struct time_track *names);

/* Adds an event for the last sample. Times are in nanoseconds of any clock, but all events must use
 * the same clock. A negative duration counts as 0. */
void builder_event(pprofc_builder *builder, uint32_t track, int64_t start, int64_t duration);

/* Adds an event for the sample with the index `sample`. The caller may also pass another number,
 * and replace it by the sample's index later (builder_event_numbers). */
void builder_event_of(pprofc_builder *builder, uint32_t sample, uint32_t track, int64_t start,
                      int64_t duration);

size_t builder_sample_count(const pprofc_builder *builder);

size_t builder_event_count(const pprofc_builder *builder);

/* Replaces the sample number n by number[n] in the events with index `first` and above. Drops
 * events whose number becomes NONE. */
void builder_event_numbers(pprofc_builder *builder, size_t first, const uint32_t *number);

/* ---- for builder.c ----------------------------------- */

struct builder_times;

void builder_times_free(struct builder_times *times);

/* Writes the collected times to the profile. Writes nothing if there are no events. The builder
 * fails when out of memory. */
void builder_times_finish(pprofc_builder *builder);

#endif
