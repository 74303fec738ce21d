/* What the two passes of the pprof reader share. pprof_scan.c is pass 1, pprof_decode.c pass 2 over
 * everything but samples, pprof_samples.c pass 2 over samples. */
#ifndef PPROFC_CODEC_PPROF_DECODE_H
#define PPROFC_CODEC_PPROF_DECODE_H

#include "codec/codec.h"
#include "codec/id_map.h"
#include "codec/pprof_fields.h"
#include "codec/wire.h"
#include "core/budget.h"

/* A run of whole top-level fields, for one worker, with the counts of what is before it. */
struct chunk {
  const uint8_t *from, *to;
  size_t first_sample, first_label, first_set, first_side;
  bool has_samples, has_others;
};

/* Ids of one or two bytes, the ones that make messages short. */
#define SMALL_IDS 16384

/* How many messages with ids there are. A profile with an id twice is bad, whatever follows: of
 * messages that repeat a small id only the first is counted and stored. Without that, the shortest
 * messages would take the most memory. */
struct id_count {
  size_t stored;
  uint64_t largest;
  bool other;    /* ids are not 1, 2, 3 ... */
  bool repeated; /* a small id came twice */
  uint64_t seen[SMALL_IDS / 64];
};

/* Notes an id; false when its message is not to be stored. */
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

struct fold;

struct decoder {
  const struct input *input;
  const pprofc_limits *limits;
  pprofc_error *error;
  pprofc_profile *profile; /* being made */
  struct arena *arena;     /* of profile->region */
  struct fold *fold;       /* its entries are the samples, of which the input has none; or NULL */
  bool certain;            /* a fault now means a bad profile, not a foreign format */

  /* Pass 1. */
  struct buffer chunks; /* of struct chunk */
  size_t types, samples, labels, sets, lines, strings, comments;
  bool line_without_function; /* one is stored and makes the profile bad, no other is */
  struct id_count mappings, locations, functions;
  size_t frames;      /* of all stacks, at the most */
  size_t side;        /* bytes of stacks that are not one run in the input */
  size_t values;      /* of the first sample */
  size_t other_count; /* the first sample with another number of values, SIZE_MAX: none */

  /* Pass 2. */
  struct id_map location_ids, function_ids, mapping_ids;
};

static inline const struct chunk *decoder_chunks(const struct decoder *d, size_t *count) {
  *count = d->chunks.size / sizeof(struct chunk);
  return (const struct chunk *)(const void *)d->chunks.data;
}

/* Samples that are stored: all, or those up to the first with a wrong number of values, which is
 * the last that is read. */
static inline size_t decoder_samples_kept(const struct decoder *d) {
  if (!d->samples) return 0;
  size_t bad = d->values == d->types ? d->other_count : 0;
  return bad == SIZE_MAX ? d->samples : bad + 1;
}

/* The most bytes that the varint of a stored location takes in a stack that is written anew. */
static inline size_t decoder_index_bytes(const struct decoder *d) {
  return varint_bytes(d->locations.stored);
}

/* Stacks that are written anew go into blocks, of which at most this part stays empty. */
#define REWRITING_WASTE 16

/* Reports a fault of the wire at w->at. */
pprofc_status decoder_fault(struct decoder *d, const struct wire *w);
/* Reports a fault at an address of the input. */
pprofc_status decoder_fail(struct decoder *d, const uint8_t *at, const char *why);

/* What pprof_decode does for a decoder with input, limits and error (and fold) set. */
pprofc_status decoder_decode(struct decoder *d, unsigned threads, pprofc_profile **profile);

/* Pass 1: checks the structure of every message, counts, and checks the limits. */
pprofc_status decoder_scan(struct decoder *d);

/* Pass 2 over the samples, on several threads. */
pprofc_status decoder_samples(struct decoder *d, unsigned threads);

#endif
