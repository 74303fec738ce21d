/* Declarations that the files of the reader of V8's CPU profiles share. */
#ifndef PPROFC_IMPORT_JSON_V8_H
#define PPROFC_IMPORT_JSON_V8_H

#include "import/json/call_tree.h"
#include "import/json/json.h"

/* A recording of V8: its nodes and samples. In a trace, several events contain parts of the same
 * recording. */
struct v8_recording {
  struct json_call_tree tree;
  struct call_paths paths;
  struct interner ids;
  uint32_t *node_of; /* for each id: index of the node with this id, or MAP_NONE */
  uint32_t *samples; /* for each sample: index in `ids` of its node's id, or MAP_NONE if the sample
                        has no id */
  size_t sample_count, sample_room;
  int64_t *deltas; /* for each sample: time since the previous sample, in nanoseconds */
  size_t delta_count, delta_room;
  uint32_t track; /* track for the times of the samples (profile/builder_times.h) */
  int64_t start;  /* start time of the recording in nanoseconds, on the clock of the trace */
};

/* Counts of samples, summed over the recordings of a file. */
struct v8_counts {
  /* Number of samples that were read, and number of samples whose node is not in the file. */
  uint64_t read, missing;
  uint64_t idle;     /* number of samples taken while the program did not run */
  uint64_t untimed;  /* number of samples without a time */
  int64_t idle_time; /* time while the program did not run, in nanoseconds */
};

void v8_init(struct v8_recording *recording, struct arena *arena, pprofc_builder *builder);
void v8_free(struct v8_recording *recording);

/* These functions append nodes, samples or time deltas to a recording. A missing array (NULL)
 * counts as empty. */
void v8_add_nodes(struct v8_recording *recording, const struct node *nodes);
void v8_add_samples(struct v8_recording *recording, const struct node *samples);
void v8_add_deltas(struct v8_recording *recording, const struct node *deltas);

/* Adds the recording's samples to the profile and counts them. Calls `label`, unless it is NULL, to
 * add labels to each sample. */
void v8_finish(struct v8_recording *recording, call_label_fn label, const void *context,
               struct v8_counts *counts);

/* Adds comments to the profile about skipped samples and idle time. */
void v8_account(pprofc_builder *builder, const struct v8_counts *counts);

#endif
