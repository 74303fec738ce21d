/* Reading a profile of which only sums are asked for: samples are added up while they are read.
 *
 * The stream is read once, in windows. Samples with equal stacks become one, the first of them, and
 * everything else is kept as it came and decoded after the end. What is kept grows with what the
 * samples differ in, not with their number. Whatever is unusual ends the attempt: then the caller
 * reads the file as a whole, and that way reports what is wrong. */
#ifndef PPROFC_CODEC_FOLD_H
#define PPROFC_CODEC_FOLD_H

#include "codec/pprof_decode.h"
#include "profile/label_table.h"

#define FOLD_TYPES_MAX 32
#define FOLD_BATCH     16

/* What is read of a sample. */
struct fold_parts {
  const uint8_t *stack; /* in the window, or joined */
  size_t stack_size, pieces;
  size_t values, labels;
  uint32_t set; /* of labels */
  bool negative;
  uint64_t hash; /* of the stack */
  int64_t row[FOLD_TYPES_MAX];
};

/* A column that grows: a block alone in a region, which the profile keeps alive. */
struct fold_column {
  struct region *region;
  void *items;
  size_t bytes; /* room */
};

/* The samples so far. Each entry is one sample of the profile that is made. */
struct fold {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  bool labels; /* entries differ in labels, too */
  bool always; /* goes on where it does not pay */

  struct fold_column values, stack, stack_size, label_set, label, sets;
  size_t types, count, capacity;
  struct map map; /* entries by stack, further ones of the same stack by what else differs */
  struct region *stacks;
  uint8_t *room; /* for stacks */
  size_t room_left;

  struct label_table label_table;
  size_t label_count; /* those of the sample at hand are behind them */
  bool any_label;
  uint64_t largest_string;
  uint64_t largest_id; /* of a location */
  bool id_zero;
  size_t max_depth;

  struct buffer joined;                /* a stack that comes in pieces */
  struct fold_parts batch[FOLD_BATCH]; /* samples that were read and are not added yet */
  size_t batched;
  size_t samples;       /* that were read */
  size_t checked_count; /* entries when it was last asked whether folding pays */
};

bool fold_init(struct fold *fold, const pprofc_allocator *mem, const pprofc_limits *limits);
void fold_free(struct fold *fold);

/* Adds a sample; false: the profile is to be read as a whole. Its bytes stay until fold_flush. */
bool fold_sample(struct fold *fold, const uint8_t *data, size_t size);
bool fold_flush(struct fold *fold);

/* Takes the labels of the sample at hand: one, and then all of them together. */
bool fold_label(struct fold *fold, const struct wire_field *message);
bool fold_labels_end(struct fold *fold, size_t count, uint32_t *set);

/* Room for an item behind `count` items of `size` bytes. */
bool fold_column_reserve(struct fold_column *column, const pprofc_allocator *mem, size_t count,
                         size_t size);

/* Gives back what only adding needs. */
void fold_settle(struct fold *fold);

/* Makes the entries the samples of the profile being decoded, which has its locations. */
bool fold_publish(struct fold *fold, struct decoder *d);

#endif
