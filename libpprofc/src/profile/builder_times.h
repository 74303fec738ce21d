/* Collects the times of samples while a profile is built (profile/times.h). An event is a time at
 * which a sample ran, on a track such as a thread. */
#ifndef PPROFC_PROFILE_BUILDER_TIMES_H
#define PPROFC_PROFILE_BUILDER_TIMES_H

#include "profile/builder.h"
#include "profile/times.h"

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

/* Adds an event for the sample with this index. `sample` may also be another number, which the
 * caller later replaces by builder_event_numbers. */
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
