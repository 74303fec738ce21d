/* Reads a profile for a report that shows only sums: samples are added up while they are read.
 *
 * The stream is read once, in windows. Samples with equal stacks become one entry; all other
 * fields are kept and decoded at the end. Memory grows with the number of different stacks, not
 * with the number of samples. Unusual input ends the attempt: then the caller reads the whole
 * file, and that reader reports the error. README.md in this folder has the rules. */
#ifndef PPROFC_CODEC_FOLD_FOLD_H
#define PPROFC_CODEC_FOLD_FOLD_H

#include "codec/pprof_decode.h"
#include "core/map.h"
#include "profile/label_table.h"
#include "profile/stack_tree.h"

struct fold_table {
  uint64_t *slots; /* half of the hash, and index + 1; 0: free slot */
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

/* Returns the next index whose hash may match, or MAP_NONE. */
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

/* Value of `chunk` in an entry that shares the stack of another entry, whose index is in
 * `leaf`. */
#define FOLD_SAME UINT32_MAX

/* A sample while it is read. */
struct fold_parts {
  const uint8_t *stack; /* location ids of the sample, in the window or in `joined` */
  size_t stack_size, pieces;
  size_t values, labels;
  uint32_t set; /* index of the sample's label set */
  bool negative;
  uint64_t hash; /* hash of the stack */
  int64_t row[FOLD_TYPES_MAX];
};

/* A growing column: one block in a region of its own, which the profile keeps alive. */
struct fold_column {
  struct region *region;
  void *items;
  size_t bytes; /* size of the allocated block in bytes */
};

/* The samples read so far. Each entry becomes one sample of the profile. */
struct fold {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  bool labels;        /* true if entries with the same stack may differ in labels */
  const char *wanted; /* sample_index of the only type that is needed; NULL: all types */
  bool no_stacks;     /* true to drop stacks, so that samples with different stacks are added up */
  bool as_tree;       /* true to keep stacks as a tree and sort entries by it at the end */

  struct fold_column values, refs, label, sets, chunks, leaves;
  struct fold_column order; /* with labels and a tree: positions of entries before sorting */
  size_t types, count, capacity;
  size_t only;               /* the only sample type with values, SIZE_MAX for all types */
  size_t width;              /* values per entry */
  struct fold_table entries; /* index of entries: the first with a stack by stack hash, others
                                by stack, labels and zero values */
  struct fold_table chunk_table;
  struct stack_tree tree; /* view of the columns refs, chunks and leaves */
  size_t leaf_bytes;

  struct region *stacks; /* the stacks of all entries in one block, made at the end */
  const uint8_t **stack;
  uint32_t *stack_size;

  struct label_table label_table;
  size_t label_count; /* number of stored labels; labels of the current sample follow */
  bool lost_text;     /* true if labels with text were dropped */
  uint64_t largest_string;
  uint64_t largest_id; /* largest location id */
  bool id_zero;
  bool left_out; /* true if stacks were dropped; their ids count only in largest_id */
  size_t max_depth;

  struct buffer joined;                /* copy of a stack that the file stores in several fields */
  struct fold_parts batch[FOLD_BATCH]; /* samples read but not added yet */
  size_t batched;
};

void fold_init(struct fold *fold, const pprofc_allocator *mem, const pprofc_limits *limits);
void fold_free(struct fold *fold);

/* Adds a sample; false if the whole file must be read. Its bytes must stay until fold_flush. */
bool fold_sample(struct fold *fold, const uint8_t *data, size_t size);
bool fold_flush(struct fold *fold);

/* Add a label of the current sample, and complete its list of labels. The values of the sample must
 * be read before fold_labels_end. */
bool fold_label(struct fold *fold, const struct wire_field *message);
bool fold_labels_end(struct fold *fold, struct fold_parts *parts);

/* Makes room for one more item after `count` items of `size` bytes. */
bool fold_column_reserve(struct fold_column *column, const pprofc_allocator *mem, size_t count,
                         size_t size);

/* Adds a sample to the entries (codec/fold/entries.c). */
bool fold_add_entry(struct fold *fold, const struct fold_parts *parts);
/* Updates the largest id and depth for a new stack; false if an id is malformed or the stack
 * is too deep. */
bool fold_note_ids(struct fold *fold, const uint8_t *data, size_t size);
void fold_fetch_slot(const struct fold *fold, uint64_t hash);
/* Prefetches the first entry that may have the hash, and returns it or MAP_NONE. */
uint32_t fold_fetch_entry(const struct fold *fold, uint64_t hash);
void fold_fetch_stack(const struct fold *fold, uint32_t entry);
static inline struct stack_ref *fold_refs(const struct fold *fold) {
  return fold->refs.items;
}

/* Returns the ref with the stack of an entry. */
static inline const struct stack_ref *fold_ref(const struct fold *fold, size_t entry) {
  const struct stack_ref *ref = &fold_refs(fold)[entry];
  return ref->chunk == FOLD_SAME ? &fold_refs(fold)[ref->leaf] : ref;
}

/* Frees the tables that are needed only for adding samples, and sorts the entries of a tree. False
 * when out of memory. May run in parallel with the decoding of the other fields. */
bool fold_settle(void *fold);

/* Stores the entries as samples of the profile being decoded, whose locations are known. */
bool fold_publish(void *fold, struct decoder *d);

/* Store the entries as samples of `profile`: stacks as a tree and values, then the label set of
 * each sample. The second function needs a profile that already has the label sets. */
bool fold_publish_tree(struct fold *fold, pprofc_profile *profile);
bool fold_publish_sets(const struct fold *fold, pprofc_profile *profile);

#endif
