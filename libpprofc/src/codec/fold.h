/* Reading a profile of which only sums are asked for: samples are added up while they are read.
 *
 * The stream is read once, in windows. Samples with equal stacks become one, the first of them, and
 * everything else is kept as it came and decoded after the end. What is kept grows with what the
 * samples differ in, not with their number. Whatever is unusual ends the attempt: then the caller
 * reads the file as a whole, and that way reports what is wrong. */
#ifndef PPROFC_CODEC_FOLD_H
#define PPROFC_CODEC_FOLD_H

#include "codec/fold_table.h"
#include "codec/pprof_decode.h"
#include "profile/label_table.h"
#include "profile/stack_tree.h"

#define FOLD_TYPES_MAX 32
#define FOLD_BATCH     32

/* The chunk of an entry with the stack of another one, the index of which is in `leaf`. */
#define FOLD_SAME UINT32_MAX

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

/* What was counted of rows (codec/fold_counts.c), by id. */
struct fold_counts {
  bool on;                          /* each row that comes is counted */
  bool over;                        /* they are not, and will not be */
  struct fold_column sizes, leaves; /* of struct stack_counts */
  size_t room;                      /* ids */
  unsigned shift;                   /* sizes are in units of 2^shift */
  int64_t total;
};

/* The samples so far. Each entry is one sample of the profile that is made. */
struct fold {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  bool labels;    /* entries differ in labels, too */
  bool always;    /* goes on where it does not pay */
  bool one_type;  /* values of others are not needed */
  bool any_order; /* of entries, at the end */
  bool compact;   /* stacks may stay a tree or rows */
  bool as_rows;   /* samples are not added up, but written one behind the other */
  bool in_vain;   /* reading ended because hardly any sample was added to another */

  struct fold_column values, refs, label, sets, chunks, leaves;
  size_t types, count, capacity;
  size_t only;               /* the sample type of which values are kept; SIZE_MAX: all */
  size_t width;              /* values of an entry */
  struct fold_table entries; /* by stack, further ones of the same stack by what else differs */
  struct fold_table chunk_table;
  struct stack_tree tree; /* of the columns refs, chunks and leaves */
  size_t leaf_bytes;

  struct fold_column rows, groups; /* of struct stack_tree */
  struct fold_column row_sets;     /* the label set of each row; none where labels are not needed */
  size_t row_bytes;
  struct fold_counts counts;

  struct region *stacks; /* at the end, where each is wanted in one piece: */
  const uint8_t **stack;
  uint32_t *stack_size;

  struct label_table label_table;
  size_t label_count; /* those of the sample at hand are behind them */
  bool any_label;
  uint64_t largest_string;
  uint64_t largest_id; /* of a location */
  bool id_zero;
  bool left_out; /* stacks of which only the largest id is known */
  size_t max_depth;

  struct buffer joined;                /* a stack that comes in pieces */
  struct fold_parts batch[FOLD_BATCH]; /* samples that were read and are not added yet */
  size_t batched;
  size_t samples;       /* that were read */
  size_t checked_count; /* entries when it was last asked whether folding pays */
};

void fold_init(struct fold *fold, const pprofc_allocator *mem, const pprofc_limits *limits);
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

/* Entries, and the stacks that they have (codec/fold_entries.c). */
bool fold_add_entry(struct fold *fold, const struct fold_parts *parts);
/* Notes the ids of a stack that has no entry; false when one cannot be read or there are too many.
 */
bool fold_note_ids(struct fold *fold, const uint8_t *data, size_t size);
void fold_fetch_slot(const struct fold *fold, uint64_t hash);
/* An entry that may be that of the hash, or MAP_NONE. */
uint32_t fold_fetch_entry(const struct fold *fold, uint64_t hash);
void fold_fetch_stack(const struct fold *fold, uint32_t entry);
static inline struct stack_ref *fold_refs(const struct fold *fold) {
  return fold->refs.items;
}

/* The entry that has the stack of an entry first. */
static inline const struct stack_ref *fold_ref(const struct fold *fold, size_t entry) {
  const struct stack_ref *ref = &fold_refs(fold)[entry];
  return ref->chunk == FOLD_SAME ? &fold_refs(fold)[ref->leaf] : ref;
}

/* Rows (codec/fold_rows.c): adds a sample, and makes them the stacks of the profile being decoded.
 */
bool fold_add_row(struct fold *fold, const struct fold_parts *parts);
bool fold_publish_rows(struct fold *fold, struct decoder *d);

/* Counts of rows (codec/fold_counts.c). Counts a row that is the last, and does what fold_note_ids
 * does; to be called while counts.on is set, which it may change. */
bool fold_count_row(struct fold *fold, const uint8_t *stack, size_t size, int64_t value);
/* Begins with the rows that are there, where it is time to. */
void fold_counts_check(struct fold *fold);
/* Notes the ids that were counted. */
void fold_counts_note(struct fold *fold);
/* Gives what was counted to the tree; false when out of memory. */
bool fold_publish_counts(struct fold *fold, struct decoder *d, struct stack_tree *tree);

/* Hands a column over: the profile's region keeps it alive. */
bool fold_hand_over(struct region *to, struct fold_column *column, size_t count, size_t size);

/* Ends adding: gives back what only that needs, and sorts the entries where their order is free.
 * False when out of memory. The decoder calls it, beside its other work. */
bool fold_settle(struct fold *fold);

/* Makes the entries the samples of the profile being decoded, which has its locations. */
bool fold_publish(struct fold *fold, struct decoder *d);

#endif
