/* The profile: immutable columns that everything else reads.
 *
 * Ids of the file are dense indices here. Strings are indices into a table whose entry 0 is ""; two
 * entries may hold the same text. Stacks are packed as they are in the file; profile/stack.h reads
 * them and explains how edits change a profile. */
#ifndef PPROFC_PROFILE_PROFILE_H
#define PPROFC_PROFILE_PROFILE_H

#include "core/mem.h"
#include "core/str.h"
#include "core/varint.h"
#include "pprofc/profile.h"

#define NONE            PPROFC_NONE
#define LOCATION_HIDDEN UINT32_MAX

struct value_type {
  uint32_t type, unit; /* strings */
};

struct label {
  uint32_t key;    /* string */
  uint32_t string; /* when is_number is false */
  uint32_t unit;   /* string, 0: none */
  uint32_t is_number;
  int64_t number;
};

/* Samples with equal labels mostly share a set of them. */
struct label_set {
  uint32_t first, count; /* labels */
};

/* Samples [first, first of the next segment) write location i as the varint v with map[v] == i, or,
 * when map is NULL, as i + 1. Every v of a stack is known to be valid. */
struct segment {
  size_t first;
  const uint32_t *map; /* may hold LOCATION_HIDDEN: the frame is not there */
  size_t map_size;     /* entries of map, 0 when map is NULL: what an edit needs to make another */
};

struct samples {
  size_t count;
  const int64_t *values;       /* [count * type_count] */
  const uint8_t *const *stack; /* [count] the varints, leaf first */
  const uint32_t *stack_size;  /* [count] their bytes */
  const uint32_t *label_set;   /* [count] the set of labels of each sample; NULL: none at all */
  const struct label_set *label_sets; /* [label_set_count], the first of them empty */
  size_t label_set_count;
  const struct label *labels; /* strings and numbers in the order of the file; sets need not cover
                                 all of them */
  const struct segment *segments;
  size_t segment_count;          /* at least 1 when count > 0 */
  size_t max_depth;              /* no stack has more frames */
  const struct stack_tree *tree; /* not NULL: what the stacks of each segment are, and `stack` is
                                    NULL. Only passes with graph/delta.h read them
                                    (PPROFC_FOLD_SUMS) */
};

struct line {
  uint32_t function;
  int64_t line, column;
};

struct locations {
  size_t count;
  const uint64_t *ids; /* NULL: location i has id i + 1 */
  const uint64_t *address;
  const uint32_t *mapping;   /* or NONE */
  const uint32_t *line_from; /* [count + 1] */
  const struct line *lines;  /* innermost inlined function first */
  const uint8_t *is_folded;  /* NULL: none is */
};

struct functions {
  size_t count;
  const uint64_t *ids;                           /* NULL: i + 1 */
  const uint32_t *name, *system_name, *filename; /* strings */
  const int64_t *start_line;
};

struct mapping {
  uint64_t id, start, limit, offset;
  uint32_t file, build_id; /* strings */
  uint32_t flags;          /* PPROFC_HAS_* of builder.h */
};

struct mappings {
  size_t count;
  const struct mapping *items;
};

struct strings {
  size_t count; /* at least 1 */
  const pprofc_str *items;
};

struct pprofc_profile {
  int references;
  pprofc_allocator mem;  /* for everything made from this profile */
  struct region *region; /* what the columns live in */
  unsigned threads;      /* as asked for when it was read */
  bool disposable;       /* its only holder will release it after the next edit (profile/stack.h) */
  struct region *lender; /* during an edit: the edit may overwrite columns of this region */
  bool folded;   /* while it was read: samples may be sums of those in the file, without labels */
  bool one_type; /* samples have values of the default sample type only (PPROFC_FOLD_SUMS) */
  bool in_order_of_use; /* locations are numbered as samples use them, leaf first; none is unused */

  const struct value_type *types;
  size_t type_count;
  struct samples samples;
  struct locations locations;
  struct functions functions;
  struct mappings mappings;
  struct strings strings;

  uint32_t drop_frames, keep_frames; /* strings */
  int64_t time_nanos, duration_nanos, period;
  struct value_type period_type;
  const uint32_t *comments;
  size_t comment_count;
  uint32_t default_sample_type, doc_url;
};

/* Refuses a profile that was read for sums of functions only (samples.tree). */
pprofc_status profile_need_stacks(const pprofc_profile *profile, pprofc_error *error);

/* The values of one sample type: sample i has values[i * step]. */
struct value_column {
  const int64_t *values;
  size_t step;
};

struct value_column profile_values(const pprofc_profile *profile, size_t type);

/* How many values each sample has in the column: one where the others are not kept. */
size_t profile_values_each(const pprofc_profile *profile);

/* A profile with no columns yet, in a region of its own. NULL when out of memory. */
pprofc_profile *profile_new(const pprofc_allocator *mem);

/* A copy that shares every column with `source`, which lives as long as the copy does. The caller
 * replaces the columns it changes by ones allocated in copy->region->arena. NULL when out of
 * memory. */
pprofc_profile *profile_edit(const pprofc_profile *source);

/* The same profile for a caller with memory and time of its own: all that is made of it uses `mem`.
 * Shares every column with `source`. NULL when out of memory. */
pprofc_profile *profile_lend(const pprofc_profile *source, const pprofc_allocator *mem);

static inline pprofc_str profile_string(const pprofc_profile *p, uint32_t index) {
  return p->strings.items[index];
}

/* Gives the profile a string table with `more` entries behind the old ones (copied into its
 * region), so that an edit can name new things; entry old_count + i is extra[i]. False when out of
 * memory. */
bool profile_add_strings(pprofc_profile *p, const pprofc_str *extra, size_t more);

/* ---- values ------------------------------------------ */

/* Merges drop samples for which this is true. */
static inline bool values_are_zero(const int64_t *values, size_t types) {
  for (size_t t = 0; t < types; t++)
    if (values[t]) return false;
  return true;
}

/* ---- labels ------------------------------------------ */

static inline size_t label_count(const struct samples *s, size_t sample) {
  return s->label_set ? s->label_sets[s->label_set[sample]].count : 0;
}

static inline const struct label *sample_labels(const struct samples *s, size_t sample) {
  return s->label_set ? s->labels + s->label_sets[s->label_set[sample]].first : NULL;
}

/* The key of the label that marks the samples of a base; its value is "true". */
#define BASE_LABEL STR("pprof::base")

/* Whether the samples of a set are those of a base. */
bool label_set_is_base(const pprofc_profile *p, uint32_t set);
/* Whether any samples are those of a base. */
bool profile_has_base(const pprofc_profile *p);

static inline bool sample_is_base(const pprofc_profile *p, size_t sample) {
  return p->samples.label_set && label_set_is_base(p, p->samples.label_set[sample]);
}

static inline uint64_t location_id(const struct locations *l, uint32_t index) {
  return l->ids ? l->ids[index] : (uint64_t)index + 1;
}

static inline uint64_t function_id(const struct functions *f, uint32_t index) {
  return f->ids ? f->ids[index] : (uint64_t)index + 1;
}

#endif
