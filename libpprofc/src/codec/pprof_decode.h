/* State that the two passes of the profile.proto reader share. Pass 1 is in pprof_scan.c. Pass 2 is
 * in pprof_samples.c for samples, and in pprof_decode.c for all other fields. */
#ifndef PPROFC_CODEC_PPROF_DECODE_H
#define PPROFC_CODEC_PPROF_DECODE_H

#include "codec/codec.h"
#include "codec/id_map.h"
#include "codec/pprof_fields.h"
#include "codec/wire.h"

/* Part of the input that one worker thread reads. It consists of complete top-level fields.
 * first_sample, first_label and first_set are the numbers of samples, labels and label sets in all
 * earlier parts. first_side is the size in bytes of the copied stacks in earlier parts. A stack is
 * copied if it consists of several lists. */
struct chunk {
  const uint8_t *from, *to;
  size_t first_sample, first_label, first_set, first_side;
  bool has_samples, has_others;
};

/* An id below this number is small. Its varint has one or two bytes, so the shortest messages can
 * contain it. */
#define SMALL_IDS 16384

/* Counts messages that have an id. A profile with a repeated id is invalid, so only the first
 * repetition of a small id is stored. Otherwise a file of very short messages could fill the
 * memory. */
struct id_count {
  size_t stored;
  uint64_t largest;
  bool other;    /* true if the ids are not 1, 2, 3 ... */
  bool repeated; /* true if any id below SMALL_IDS occurs twice */
  uint64_t seen[SMALL_IDS / 64];
};

/* Counts an id. Returns false if the caller must not store the message with this id, because a
 * small id is repeated and an earlier message already shows that error. */
static inline bool id_count_add(struct id_count *count, uint64_t id) {
  if (id < SMALL_IDS) {
    uint64_t bit = (uint64_t)1 << id % 64;
    bool again = (count->seen[id / 64] & bit) != 0;
    if (again && count->repeated) return false;
    count->repeated |= again;
    count->seen[id / 64] |= bit;
  }
  if (id > count->largest) count->largest = id;
  count->other |= id != ++count->stored;
  return true;
}

struct decoder;

/* Source of the samples if they are not in the input. */
struct decoder_source {
  void *context;
  bool (*settle)(void *context); /* called while another thread may decode the other fields */
  bool (*publish)(void *context, struct decoder *d);
};

struct decoder {
  const struct input *input;
  const pprofc_limits *limits;
  pprofc_error *error;
  pprofc_profile *profile;             /* profile under construction */
  struct arena *arena;                 /* memory for the profile */
  const struct decoder_source *source; /* source of the samples; NULL: the input */
  bool certain; /* after an error: true if the input is surely a profile, but invalid; false if the
                   input may have another format */

  /* results of pass 1 */
  struct buffer chunks; /* parts of the input for the workers: array of struct chunk */
  size_t types, samples, labels, sets, lines, strings, comments;
  bool line_without_function; /* true if a line has no function. The profile is then invalid, and
                                 the reader stores only the first line without a function. */
  struct id_count mappings, locations, functions;
  size_t frames; /* upper bound of the number of frames in all stacks together */
  size_t side;   /* total size in bytes of the stacks that consist of several lists in the input */
  size_t values; /* number of values of the first sample */
  size_t other_count; /* index of the first sample with a number of values other than `values`;
                         SIZE_MAX: no such sample */

  /* tables of pass 2 */
  struct id_map location_ids, function_ids, mapping_ids;
};

static inline const struct chunk *decoder_chunks(const struct decoder *d, size_t *count) {
  *count = d->chunks.size / sizeof(struct chunk);
  return (const struct chunk *)(const void *)d->chunks.data;
}

/* Returns the number of samples that are stored. The reader stops at the first sample with a wrong
 * number of values. */
static inline size_t decoder_samples_kept(const struct decoder *d) {
  if (!d->samples) return 0;
  size_t bad = d->values == d->types ? d->other_count : 0;
  return bad == SIZE_MAX ? d->samples : bad + 1;
}

/* Returns the maximum number of bytes that one location takes in a rewritten stack. */
static inline size_t decoder_index_bytes(const struct decoder *d) {
  return varint_bytes(d->locations.stored);
}

/* Rewritten stacks are stored in blocks. At most 1/REWRITING_WASTE of a block stays empty. */
#define REWRITING_WASTE 16

/* Reports a wire error at w->at. */
pprofc_status decoder_fault(struct decoder *d, const struct wire *w);
/* Reports an error at an address in the input. */
pprofc_status decoder_fail(struct decoder *d, const uint8_t *at, const char *why);

/* Decodes a profile. The caller must set the fields input, limits and error; the field source is
 * optional. */
pprofc_status decoder_decode(struct decoder *d, unsigned threads, pprofc_profile **profile);

/* Runs pass 1: checks the structure of every message, counts messages, and checks the limits. */
pprofc_status decoder_scan(struct decoder *d);

/* Runs pass 2 for the samples. Uses several threads. */
pprofc_status decoder_samples(struct decoder *d, unsigned threads);

#endif
