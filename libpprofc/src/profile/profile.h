/* The profile: columns of records, which do not change once the profile is made.
 *
 * A record has an index, which differs from its id in the file. Strings are indices into a table
 * whose first text is ""; two of its texts may be equal. Stacks stay in the packed form of the
 * file. profile/stack.h explains and reads this form, and explains how edits change a profile. */
#ifndef PPROFC_PROFILE_PROFILE_H
#define PPROFC_PROFILE_PROFILE_H

#include "core/base.h"
#include "core/varint.h"
#include "pprofc/profile.h"

#define NONE            PPROFC_NONE
#define LOCATION_HIDDEN UINT32_MAX

struct value_type {
  uint32_t type, unit; /* string index of the type, and of the unit */
};

struct label {
  uint32_t key;    /* string index of the label's key */
  uint32_t string; /* string index of the text; used if is_number is false */
  uint32_t unit;   /* string index of the number's unit; 0: no unit */
  uint32_t is_number;
  int64_t number;
};

/* A range of labels. Samples with equal labels usually share one set. */
struct label_set {
  uint32_t first, count; /* index of the first label, and number of labels */
};

/* A range of samples whose stacks use the same map, a table from varints to locations. The range
 * ends before `first` of the next segment. In these stacks, the varint v means location map[v], or
 * v - 1 if map is NULL. Every v of a stack is a valid index of the map. */
struct segment {
  size_t first;
  const uint32_t *map; /* for each varint, its location; LOCATION_HIDDEN removes the frame */
  size_t map_size;     /* number of elements of `map`; 0 if `map` is NULL */
};

struct samples {
  size_t count;
  const int64_t *values;              /* values of the samples: type_count values per sample */
  const uint8_t *const *stack;        /* for each sample, its packed stack, leaf first */
  const uint32_t *stack_size;         /* for each sample, the size of its stack in bytes */
  const uint32_t *label_set;          /* for each sample, its label set; NULL: no labels */
  const struct label_set *label_sets; /* label sets; the first one is empty */
  size_t label_set_count;
  const struct label *labels; /* labels in the order of the file; a label may belong to no set */
  const struct segment *segments;
  size_t segment_count; /* number of segments: at least 1 when count > 0 */
  size_t max_depth;     /* upper bound of the number of frames of a stack */
  const struct stack_tree
      *tree; /* for each segment, its stacks as a tree, or NULL. With a tree, `stack` is NULL, and
                only the functions of profile/delta.h can read the stacks */
};

struct line {
  uint32_t function;
  int64_t line, column;
};

struct locations {
  size_t count;
  const uint64_t *ids; /* for each location, its id in the file; NULL: location i has id i + 1 */
  const uint64_t *address;
  const uint32_t *mapping; /* for each location, its mapping, or NONE */
  /* for each location, the index of its first line; the last element is the number of lines */
  const uint32_t *line_from;
  const struct line *lines; /* lines of a location, innermost inlined function first */
  const uint8_t *is_folded; /* for each location, 1 if functions share its code; NULL: all 0 */
};

struct functions {
  size_t count;
  const uint64_t *ids; /* for each function, its id in the file; NULL: function i has id i + 1 */
  /* for each function, string indices of its names and its file */
  const uint32_t *name, *system_name, *filename;
  const int64_t *start_line;
};

struct mapping {
  uint64_t id, start, limit, offset;
  uint32_t file, build_id; /* string index of the file, and of the build id */
  uint32_t flags;          /* flags PPROFC_HAS_* of builder.h */
};

struct mappings {
  size_t count;
  const struct mapping *items;
};

struct strings {
  size_t count; /* number of strings, at least 1 */
  const pprofc_str *items;
};

struct pprofc_profile {
  int references; /* number of owners. It must be the first field, because profile_share copies all
                     fields after it */
  pprofc_allocator mem;  /* allocator for everything made from this profile */
  struct region *region; /* region with the memory of the columns */
  unsigned threads;      /* number of threads requested when the profile was read */
  bool disposable;       /* true if the only owner will release the profile after the next edit
                            (profile/stack.h) */
  struct region *lender; /* region with the columns that the current edit may overwrite, or NULL */
  bool folded;           /* true if the reader may have added up samples and dropped labels */
  bool has_leftovers;    /* true if there may be locations that no sample uses */
  bool in_order_of_use;  /* true if every location is used, and locations are numbered in the order
                            of first use, leaf first */

  const struct value_type *types;
  size_t type_count;
  struct samples samples;
  struct locations locations;
  struct functions functions;
  struct mappings mappings;
  struct strings strings;

  uint32_t drop_frames, keep_frames; /* string indices of regular expressions for frames */
  int64_t time_nanos, duration_nanos, period;
  struct value_type period_type;
  const uint32_t *comments;
  size_t comment_count;
  uint32_t default_sample_type, doc_url;
  const struct times *times; /* times of the samples (profile/times.h), or NULL */
};

/* Returns an error if the profile keeps its stacks as a tree (samples.tree), because the caller
 * then cannot read the stack of each sample. */
pprofc_status profile_need_stacks(const pprofc_profile *profile, pprofc_error *error);

/* The values of a sample type: the value of sample i is values[i * step]. */
struct value_column {
  const int64_t *values;
  size_t step;
};

struct value_column profile_values(const pprofc_profile *profile, size_t type);

/* Returns the index of the sample type whose name or index is `wanted`. "" means the default type.
 * "inuse_space" also finds the type "space" of old heap profiles. Returns type_count if there is no
 * such type. */
size_t profile_find_type(const pprofc_profile *profile, pprofc_str wanted);

/* Returns how many values each sample has: the number of sample types, or 1 if the reader kept only
 * one type. */
size_t profile_values_each(const pprofc_profile *profile);

/* Returns a profile without columns in a new region, or NULL when out of memory. */
pprofc_profile *profile_new(const pprofc_allocator *mem);

/* Returns a copy that shares every column with `source`, and keeps these columns alive. The caller
 * may replace columns of the copy by columns in copy->region->arena. Returns NULL when out of
 * memory. */
pprofc_profile *profile_edit(const pprofc_profile *source);

/* Releases *profile, and replaces it by `made`. */
static inline void profile_replace(pprofc_profile **profile, pprofc_profile *made) {
  pprofc_profile_release(*profile);
  *profile = made;
}

/* Returns a profile that shares every column of `source` but allocates with `mem`. This is for a
 * caller with its own memory and time limits. Returns NULL when out of memory. */
pprofc_profile *profile_lend(const pprofc_profile *source, const pprofc_allocator *mem);

static inline pprofc_str profile_string(const pprofc_profile *p, uint32_t index) {
  return p->strings.items[index];
}

/* Returns the name of a sample type, such as "cpu". */
static inline pprofc_str profile_type(const pprofc_profile *p, size_t type) {
  return profile_string(p, p->types[type].type);
}

/* Returns the unit of a sample type, such as "nanoseconds". */
static inline pprofc_str profile_unit(const pprofc_profile *p, size_t type) {
  return profile_string(p, p->types[type].unit);
}

/* Replaces the profile's string table by a copy with `more` additional strings: the string with the
 * index old_count + i is extra[i]. Returns false when out of memory. */
bool profile_add_strings(pprofc_profile *p, const pprofc_str *extra, size_t more);

/* Removes the part up to and including `folder` from the file names of functions that contain it.
 * Returns false when out of memory. */
bool profile_trim_files(pprofc_profile *p, pprofc_str folder);

/* A row of the columns in `struct functions`: string indices of the names and the file of a
 * function, and its first line. */
struct function_fields {
  uint32_t name, system_name, filename;
  int64_t start_line;
};

/* Appends functions to the columns of a profile under construction. If functions have ids, the new
 * ids are first_id, first_id + 1 ... Returns false when out of memory. */
bool profile_add_functions(pprofc_profile *p, const struct function_fields *rows, size_t more,
                           uint64_t first_id);

/* Appends `more` ids (first, first + 1 ...) to a column of `count` ids. Does nothing if the column
 * is NULL. Returns false when out of memory. */
bool profile_add_ids(pprofc_profile *p, const uint64_t **ids, size_t count, size_t more,
                     uint64_t first);

/* Returns the largest of `count` ids plus 1. `ids` may be NULL. */
uint64_t profile_next_id(const uint64_t *ids, size_t count);

/* ---- values ------------------------------------------ */

/* True if all values of a sample are 0. A merge of profiles drops these samples. */
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

/* Key of the label that marks samples of the base, the profile that a comparison subtracts. The
 * value of the label is "true". */
#define BASE_LABEL STR("pprof::base")

/* Returns how many labels the largest label set has. */
size_t samples_most_labels(const struct samples *samples);

/* True if the label set marks a sample of the base (BASE_LABEL). */
bool label_set_is_base(const pprofc_profile *p, uint32_t set);
/* True if any sample belongs to the base of a comparison. */
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
