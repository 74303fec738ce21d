/* Reads a profile for a report that shows only sums. Samples are added up while they are read.
 *
 * The stream is read once, in blocks of a fixed size (windows). Samples with equal stacks become
 * one entry. All other fields are kept and decoded at the end. Memory grows with the number of
 * different stacks, not with the number of samples. If the input is unusual (README.md in this
 * folder has the rules), this reader gives up. The caller then uses the reader of whole files,
 * which reports any error. */
#ifndef PPROFC_CODEC_FOLD_FOLD_H
#define PPROFC_CODEC_FOLD_FOLD_H

#include "codec/pprof_decode.h"
#include "core/map.h"
#include "profile/label_table.h"
#include "profile/stack_tree.h"

struct fold_table {
  uint64_t *slots; /* in each slot: upper half of a hash, 1 + index of entry or chunk; 0: free */
  size_t capacity; /* number of slots, a power of two or 0 */
  size_t count;
};

struct fold_probe {
  size_t at;
  uint32_t half;
};

static inline struct fold_probe fold_table_start(const struct fold_table *table, uint64_t hash) {
  uint32_t half = (uint32_t)(hash >> 32);
  return (struct fold_probe){half & (table->capacity - 1), half};
}

/* Returns the index of the next entry whose hash may match, or MAP_NONE at the end. */
static inline uint32_t fold_table_next(const struct fold_table *table, struct fold_probe *probe) {
  if (!table->capacity) return MAP_NONE;
  for (;;) {
    uint64_t slot = table->slots[probe->at];
    if (!slot) return MAP_NONE;
    probe->at = (probe->at + 1) & (table->capacity - 1);
    if (slot >> 32 == probe->half) return (uint32_t)slot - 1;
  }
}

#define FOLD_TYPES_MAX 32
#define FOLD_BATCH     32
#define FOLD_LATEST    16

/* Value of the field `chunk` for an entry that has the same stack as an earlier entry. The field
 * `leaf` is then the index of the earlier entry. */
#define FOLD_SAME UINT32_MAX

/* A parsed sample. */
struct fold_parts {
  const uint8_t *stack; /* location ids; in fold.joined if the file stores them in several fields */
  size_t stack_size, pieces;
  size_t values, labels;
  uint32_t set; /* index of the sample's label set */
  bool negative;
  uint64_t hash; /* hash of the stack */
  int64_t row[FOLD_TYPES_MAX];
};

/* A growing array. It is one block in a region of its own, which the profile keeps alive. */
struct fold_column {
  struct region *region;
  void *items;
  size_t bytes; /* size of the allocated block in bytes */
};

/* The sums of the samples that were read so far. An entry is the sum of samples with equal stacks.
 * Each entry becomes a sample of the profile. */
struct fold {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  bool labels;        /* true: entries with the same stack may have different labels */
  const char *wanted; /* value of the option sample_index if only one sample type is needed; NULL:
                         all types */
  bool no_stacks;     /* true: drop stacks, and add up samples with different stacks */
  bool compared;      /* true: a sample whose values are all 0 loses its labels */
  bool as_tree;       /* true: keep stacks as a tree, and sort entries by it at the end */
  bool joins;         /* with as_tree: add up all samples with equal stacks and labels, even if a
                         value is negative or a sum overflows */
  bool in_order;      /* with as_tree: add up nothing, keep the values of all types, do not sort */

  struct fold_column values, refs, label, sets, chunks, leaves;
  struct fold_column order; /* if as_tree is set: for each entry, its index in the file's order */
  size_t types, count, capacity;
  size_t only;  /* index of the sample type to show: samples that are 0 in it are dropped, and
                   without in_order, also the values of other types; SIZE_MAX: drop nothing */
  size_t width; /* number of values that each entry (a sample of the result) keeps */
  /* Hash table of entries. Several entries may have the same stack. The key of the first of these
   * entries is the stack. The key of each other entry has three parts: the stack, the label set,
   * and the sample types in which the value is 0. */
  struct fold_table entries;
  struct fold_table chunk_table;
  uint32_t latest[FOLD_LATEST]; /* for each level of the tree, the chunk that was looked up last; 0:
                                   no chunk. Most lookups find this chunk, without a hash. */
  struct stack_tree tree;       /* tree whose arrays are the columns refs, chunks and leaves */
  size_t leaf_bytes;

  struct region *stacks; /* memory for the copied stacks; NULL until fold_publish copies them */
  const uint8_t **stack;
  uint32_t *stack_size;

  struct label_table label_table;
  size_t label_count; /* number of stored labels; the labels of the current sample follow them */
  bool lost_text;     /* true if any label with text was dropped */
  bool lost_labels;   /* true if any label, or the number in a label, was dropped */
  uint64_t largest_string;
  uint64_t largest_id; /* largest location id in any stack */
  bool id_zero;
  bool left_out; /* true if stacks were dropped; largest_id includes their location ids */
  size_t max_depth;

  struct buffer joined;                /* scratch for a stack that the file stores in several
                                          fields */
  struct fold_parts batch[FOLD_BATCH]; /* samples that were read but not yet added */
  size_t batched;
};

void fold_init(struct fold *fold, const pprofc_allocator *mem, const pprofc_limits *limits);
void fold_free(struct fold *fold);

/* fold_sample adds a sample to the batch. fold_flush adds the samples of the batch to the entries
 * (sums of samples). Both return false if the caller must read the whole file. The bytes of a
 * sample must stay valid until fold_flush. */
bool fold_sample(struct fold *fold, const uint8_t *data, size_t size);
bool fold_flush(struct fold *fold);

/* fold_label adds a label to the current sample. `is_only` is true if the sample has no other
 * label. fold_labels_end stores the label set of the sample. The sample must already have its
 * values. */
bool fold_label(struct fold *fold, const struct wire_field *message, bool is_only);
bool fold_labels_end(struct fold *fold, struct fold_parts *parts);

/* Reserves memory for `count` + 1 elements of `size` bytes. */
bool fold_column_reserve(struct fold_column *column, const pprofc_allocator *mem, size_t count,
                         size_t size);

/* Adds a sample to the entries (codec/fold/entries.c). */
bool fold_add_entry(struct fold *fold, const struct fold_parts *parts);
/* Updates the largest location id and the largest depth from a stack. Returns false if an id is
 * malformed or the stack is too deep. */
bool fold_note_ids(struct fold *fold, const uint8_t *data, size_t size);
void fold_fetch_slot(const struct fold *fold, uint64_t hash);
/* Prefetches the first entry that may have this hash, and returns the entry's index. Returns
 * MAP_NONE if there is no such entry. */
uint32_t fold_fetch_entry(const struct fold *fold, uint64_t hash);
void fold_fetch_stack(const struct fold *fold, uint32_t entry);
static inline struct stack_ref *fold_refs(const struct fold *fold) {
  return fold->refs.items;
}

/* Returns the reference to the stack of an entry. */
static inline const struct stack_ref *fold_ref(const struct fold *fold, size_t entry) {
  const struct stack_ref *ref = &fold_refs(fold)[entry];
  return ref->chunk == FOLD_SAME ? &fold_refs(fold)[ref->leaf] : ref;
}

/* Frees the tables that are needed only while samples are added. If stacks are kept as a tree,
 * sorts the entries by the tree. Returns false when out of memory. Meanwhile, another thread may
 * decode all fields except samples. */
bool fold_settle(void *fold);

/* Stores the entries as samples of the decoded profile. The decoder must already know the locations
 * of the profile. */
bool fold_publish(void *fold, struct decoder *d);

/* fold_publish_tree stores the values of the entries in `profile`, and their stacks as a tree.
 * fold_publish_sets stores the label set of each sample; the profile must already have the label
 * sets. */
bool fold_publish_tree(struct fold *fold, pprofc_profile *profile);
bool fold_publish_sets(const struct fold *fold, pprofc_profile *profile);

#endif
