/* Chooses the profiles of a speedscope file and computes the weights of stacks. */
#ifndef PPROFC_REPORT_STACKS_SPEEDSCOPE_PROFILES_H
#define PPROFC_REPORT_STACKS_SPEEDSCOPE_PROFILES_H

#include "core/error.h"
#include "core/json_write.h"
#include "profile/profile.h"
#include "profile/times.h"
#include "report/report.h"
#include "stacks/stacks.h"

/* Values that a profile of the file shows. speedscope does not accept negative weights, so a
 * difference has one profile for increases (slower) and one for decreases (faster). */
enum speedscope_part { PART_ALL, PART_BASE, PART_HEAD, PART_SLOWER, PART_FASTER };

#define SPEEDSCOPE_PARTS_MAX 4

/* A profile of the speedscope file. */
struct speedscope_profile {
  size_t type; /* index of the sample type */
  enum speedscope_part part;
  const char *unit; /* name of the unit as speedscope spells it */
  int64_t factor;   /* factor that converts values of the pprof profile to `unit` */
  double ratio;     /* 1 / divide_by; values are multiplied by it */
  int64_t least;    /* stacks with a weight below this number share a sample */
  uint64_t total;   /* sum of all weights */
};

/* Returns the suffix for the profile's name, such as " (slower)". */
const char *speedscope_part_suffix(enum speedscope_part part);

/* Fills in the profiles of all sample types. Returns the number of profiles. Each sample type has a
 * profile for each enum speedscope_part whose total is above 0, and at least one profile.
 * `profiles` has space for SPEEDSCOPE_PARTS_MAX profiles of each type. */
size_t speedscope_choose(const struct report *report, const struct stack_set *set,
                         struct speedscope_profile *profiles);

/* Returns the index of the profile that the app shows first. It is a profile of the shown sample
 * type. In a difference, it has the increases (PART_SLOWER). */
size_t speedscope_active(const struct report *report, const struct speedscope_profile *profiles,
                         size_t count);

/* Returns the weight of a stack in the unit of speedscope. It is at least 0. */
int64_t speedscope_weight(const struct speedscope_profile *profile, const struct stack_set *set,
                          size_t stack);

/* ---- order of time ---------------------------------- */

/* Writes the profiles of a speedscope file in the order of time. The file has a profile for each
 * track (for example a thread). */

/* The index of a frame in the file, as decimal text. */
struct number_text {
  char text[15]; /* comma and index of the frame, such as ",17" */
  uint8_t size;  /* length of the text in bytes; 0: no stack has the frame */
};

/* The tracks (for example threads) of a profile with times, and the data for writing them. */
struct speedscope_tracks {
  struct json_writer *json;
  const pprofc_profile *profile;
  const struct stack_frames *frames;
  const struct number_text *numbers;
  const struct speedscope_profile *shown; /* sample type whose events are written */
  size_t max_depth;                       /* maximum number of frames, counted from the root; 0: no
                                             limit */
};

/* True if any event (a sample with a time) has a value of the sample type. */
bool speedscope_has_events(const pprofc_profile *profile, size_t type);

/* Writes the profiles of all tracks. Skips events without a value of the sample type. If the events
 * of a track have durations, these are the weights, and pauses have empty stacks. Otherwise the
 * weights are values of the sample type. Sets *lost to the share of the time that the file skips
 * because events of a track overlap. Returns false when out of memory. */
bool speedscope_write_tracks(const struct speedscope_tracks *tracks, double *lost);

/* ---- parts ------------------------------------------ */

/* A part: the samples with one value of a label. Reports can have a part for each thread, process
 * or request. */

struct label_part {
  pprofc_str value;   /* label value of the part; several values of a sample are joined by commas;
                         "(none)" if the samples do not have the label */
  size_t from, count; /* index of the part's first sample in the array `samples`, and number of
                         samples */
  uint64_t weight;    /* sum of the absolute weights of the part's samples */
};

struct label_split {
  struct arena arena;
  size_t count;
  struct label_part
      *parts; /* parts, sorted by weight, largest first, then by value; the last part may be
                 "(other)" */
  uint32_t *samples;
};

/* Splits the samples by the value of the label `key`. Weights come from the column value_index.
 * If there are more than `most` values, the values with the smallest weights share the part
 * "(other)". */
pprofc_status label_split_build(const pprofc_profile *profile, pprofc_str key, size_t value_index,
                                size_t most, const pprofc_allocator *mem, struct label_split *split,
                                pprofc_error *error);
void label_split_free(struct label_split *split);

#endif
