/* What the two passes of the pprof reader share. pprof_scan.c is pass 1, pprof_decode.c pass 2 over
 * everything but samples, pprof_samples.c pass 2 over samples. */
#ifndef PPROFC_CODEC_PPROF_DECODE_H
#define PPROFC_CODEC_PPROF_DECODE_H

#include "codec/codec.h"
#include "codec/id_map.h"
#include "codec/wire.h"

/* Field numbers of the messages. */
enum {
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE,
  PROFILE_MAPPING,
  PROFILE_LOCATION,
  PROFILE_FUNCTION,
  PROFILE_STRING,
  PROFILE_DROP_FRAMES,
  PROFILE_KEEP_FRAMES,
  PROFILE_TIME,
  PROFILE_DURATION,
  PROFILE_PERIOD_TYPE,
  PROFILE_PERIOD,
  PROFILE_COMMENT,
  PROFILE_DEFAULT_TYPE,
  PROFILE_DOC_URL,
};
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };

/* A stretch of whole top-level fields, and how much there was before it: where a worker starts. */
struct chunk {
  const uint8_t *from, *to;
  size_t first_sample, first_label, first_side;
  bool has_samples, has_others;
};

struct decoder {
  const struct input *input;
  const pprofc_limits *limits;
  pprofc_error *error;
  pprofc_profile *profile; /* being made */
  struct arena *arena;     /* of profile->region */
  bool certain;            /* a fault now means a bad profile, not a foreign format */

  /* Pass 1. */
  struct buffer chunks; /* of struct chunk */
  size_t types, samples, labels, mappings, locations, lines, functions, strings, comments;
  size_t side;                /* bytes of stacks that are not one run in the input */
  size_t first_without_value; /* sample index, SIZE_MAX: none */

  /* Pass 2. */
  struct id_map location_ids, function_ids, mapping_ids;
};

static inline const struct chunk *decoder_chunks(const struct decoder *d, size_t *count) {
  *count = d->chunks.size / sizeof(struct chunk);
  return (const struct chunk *)(const void *)d->chunks.data;
}

/* Reports a fault of the wire at w->at. */
pprofc_status decoder_fault(struct decoder *d, const struct wire *w);
/* Reports a fault at an address of the input. */
pprofc_status decoder_fail(struct decoder *d, const uint8_t *at, const char *why);

/* Pass 1: checks the structure of every message, counts, and checks the limits. */
pprofc_status decoder_scan(struct decoder *d);

/* Pass 2 over the samples, on several threads. */
pprofc_status decoder_samples(struct decoder *d, unsigned threads);

#endif
