/* Writes the profiles of a speedscope file in the order of time. Each track (a thread, for example)
 * is a profile. */
#ifndef PPROFC_REPORT_STACKS_SPEEDSCOPE_TIMES_H
#define PPROFC_REPORT_STACKS_SPEEDSCOPE_TIMES_H

#include "core/json_write.h"
#include "profile/times.h"
#include "report/stacks/speedscope_profiles.h"

/* Number of a frame in the file. */
struct number_text {
  char text[15]; /* comma and number of the frame, such as ",17" */
  uint8_t size;  /* length of the text in bytes; 0: no stack has the frame */
};

/* The tracks of a profile with times, and the data for writing them. */
struct speedscope_tracks {
  struct json_writer *json;
  const pprofc_profile *profile;
  const struct stack_frames *frames;
  const struct number_text *numbers;
  const struct speedscope_profile *shown; /* sample type whose events are written */
  size_t max_depth;                       /* maximum number of frames, counted from the root; 0: no
                                             limit */
};

/* True if any event has a value of a sample type. */
bool speedscope_has_events(const pprofc_profile *profile, size_t type);

/* Writes the profiles. Skips events without a value of the sample type. In a track whose events
 * have durations, the weights are the durations, and empty stacks are pauses. In a track of
 * instants, the weights are values of the sample type. Sets *lost to the share of the time that the
 * file skips because events of a track overlap. Returns false when out of memory. */
bool speedscope_write_tracks(const struct speedscope_tracks *tracks, double *lost);

#endif
