/* The times of a profile: a table in addition to the samples, with a row for each event of the
 * recording.
 *
 * An event says when a sample ran: its stack was on the track for `duration`, beginning at `start`.
 * A sample of the profile has any number of events, because readers add up equal samples. Samples
 * are the same with and without this table.
 *
 * The table exists only if the caller of the reader wants it (open_sums.times in open.h) and the
 * format has times; otherwise `times` of the profile is NULL. Edits that drop samples also drop
 * their events, and update the sample indices of the other events. A merge of several profiles
 * drops the table.
 *
 * Rows are grouped by track. In a track they are sorted by start, and rows with equal starts have
 * the order of the file. Events of a track may overlap in damaged files. Every start is at least 0,
 * every duration is at least 0, and start + duration fits int64_t. */
#ifndef PPROFC_PROFILE_TIMES_H
#define PPROFC_PROFILE_TIMES_H

#include "profile/profile.h"

/* A track: a thread of the recording, or another sequence of events. Unknown texts are "". */
struct time_track {
  pprofc_str name;     /* name of the thread */
  pprofc_str process;  /* name of the process */
  pprofc_str pid, tid; /* id of the process, and id of the thread, as written in the file */
  size_t first, count; /* index of the first event, and number of events */
};

struct times {
  size_t count;            /* number of events */
  const uint32_t *sample;  /* for each event, the index of its sample */
  const int64_t *start;    /* for each event, its start in ns after the start of the recording */
  const int64_t *duration; /* for each event, its duration in nanoseconds; 0: an instant */
  size_t track_count;
  const struct time_track *tracks; /* tracks with events, in the order of the file */
  int64_t clock_start; /* start of the recording in nanoseconds since 1970; 0 if unknown */
  int64_t end;         /* end of the last event in nanoseconds since the start of the recording */
};

/* Returns the end of an event in nanoseconds since the start of the recording. */
static inline int64_t times_event_end(const struct times *times, size_t event) {
  return times->start[event] + times->duration[event];
}

/* ---- the values of events ---------------------------- */

/* Returns a + b, at most UINT64_MAX. */
static inline uint64_t time_sum(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Divides the values of a sample among its events in proportion to their durations. If all events
 * of the sample are instants, the shares are equal. */
struct time_shares {
  const pprofc_allocator *mem;
  const struct times *times;
  size_t samples;
  uint64_t *total; /* for each sample, the total duration of its events; if this is 0, the number of
                      its events */
  uint8_t *timed;  /* for each sample, 1 if `total` is a duration, 0 if it is a number of events */
};

/* Prepares `shares` for a profile that has times. If memory runs out, returns false, and there is
 * nothing to free. */
bool time_shares_init(struct time_shares *shares, const pprofc_profile *profile);
void time_shares_free(struct time_shares *shares);

/* Returns the share of a sample's values that belongs to an event of the sample, from 0 to 1. */
double time_shares_of(const struct time_shares *shares, size_t event);

/* Returns the length of the part of an event that is before the time `at`, in nanoseconds. In a
 * sample whose events are all instants, an event has the length 1. */
uint64_t time_shares_before(const struct time_shares *shares, size_t event, int64_t at);

/* ---- ranges ------------------------------------------ */

/* A range of time in nanoseconds since the start of the recording. `from` is included, `to` is
 * excluded. */
struct time_range {
  int64_t from, to; /* bounds of the range; defaults 0 and INT64_MAX */
};

#define TIME_RANGE_ALL ((struct time_range){0, INT64_MAX})

/* True if any part of the event is in the range. If the event has no duration, its start must be in
 * the range. */
static inline bool time_range_meets(struct time_range range, const struct times *times,
                                    size_t event) {
  int64_t start = times->start[event], end = times_event_end(times, event);
  return start < range.to && (start >= range.from || end > range.from);
}

/* ---- edits ------------------------------------------- */

/* times_renumber and times_clip replace the times of `copy` during an edit, and return false when
 * out of memory. times_renumber gives samples their new indices: number[i] is the new index of
 * sample i, and NONE drops the events of sample i. The profile may have no times. times_clip cuts
 * events to a range, and does not shift them. */
bool times_renumber(pprofc_profile *copy, const uint32_t *number);
bool times_clip(pprofc_profile *copy, struct time_range range);

#endif
