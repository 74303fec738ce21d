/* CPU profiles of V8: declarations shared by the files of this reader. */
#ifndef PPROFC_IMPORT_JSON_V8_H
#define PPROFC_IMPORT_JSON_V8_H

#include "import/json/call_tree.h"
#include "import/json/json.h"

/* A recording: nodes and samples. A trace has it in several pieces. */
struct v8_recording {
  struct json_call_tree tree;
  struct call_paths paths;
  const struct node **samples; /* node ids of the samples */
  size_t sample_count, sample_room;
  int64_t *deltas; /* nanoseconds since the previous sample */
  size_t delta_count, delta_room;
  bool failed; /* true when out of memory */
};

void v8_init(struct v8_recording *recording, struct arena *arena, pprofc_builder *builder);
void v8_free(struct v8_recording *recording);

/* Append a piece. A missing array (NULL) is empty. */
void v8_add_nodes(struct v8_recording *recording, pprofc_builder *builder,
                  const struct node *nodes);
void v8_add_samples(struct v8_recording *recording, const struct node *samples);
void v8_add_deltas(struct v8_recording *recording, pprofc_builder *builder,
                   const struct node *deltas);

/* Adds the sample types of V8's CPU profiles. */
void v8_types(pprofc_builder *builder);

/* Adds the samples, each with the labels of `label` (or NULL). */
pprofc_status v8_finish(struct v8_recording *recording, pprofc_builder *builder,
                        call_label_fn label, const void *context, pprofc_error *error);

#endif
