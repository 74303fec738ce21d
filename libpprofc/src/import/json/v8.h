/* CPU profiles of V8: what the files of every age have in common. */
#ifndef PPROFC_IMPORT_JSON_V8_H
#define PPROFC_IMPORT_JSON_V8_H

#include "import/json/call_tree.h"
#include "import/json/json.h"

/* A recording: nodes and samples, which a trace has in several pieces. */
struct v8_recording {
  struct json_call_tree tree;
  const struct node **samples; /* ids */
  size_t sample_count, sample_room;
  int64_t *deltas; /* nanoseconds since the sample before */
  size_t delta_count, delta_room;
  bool failed; /* out of memory */
};

void v8_init(struct v8_recording *recording, struct arena *arena);
void v8_free(struct v8_recording *recording);

/* Appends a piece. Arrays that are missing (NULL) are empty. */
void v8_add_nodes(struct v8_recording *recording, pprofc_builder *builder,
                  const struct node *nodes);
void v8_add_samples(struct v8_recording *recording, const struct node *samples);
void v8_add_deltas(struct v8_recording *recording, pprofc_builder *builder,
                   const struct node *deltas);

/* The sample types of all CPU profiles of V8. */
void v8_types(pprofc_builder *builder);

/* Adds the samples, each with the labels of `label` (or NULL). `frames` has room for
 * JSON_MOST_DEPTH. */
pprofc_status v8_finish(struct v8_recording *recording, pprofc_builder *builder, uint32_t *frames,
                        call_label_fn label, const void *context, pprofc_error *error);

#endif
