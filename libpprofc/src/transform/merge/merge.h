/* The steps of a merge, which share struct merge: tables (functions, mappings, locations by key),
 * samples (hashes, equal samples, order), labels, and the resulting profile.
 *
 * A merged function replaces all equal functions of the sources. A merged mapping or location
 * replaces all equal mappings or locations. The result has the merged records that its samples use,
 * under new numbers. */
#ifndef PPROFC_TRANSFORM_MERGE_MERGE_H
#define PPROFC_TRANSFORM_MERGE_MERGE_H

#include "profile/label_table.h"
#include "profile/stack.h"

/* One of the profiles that are merged. */
struct merge_source {
  const pprofc_profile *profile;
  size_t first_sample; /* index of the source's first sample among the samples of all sources */
  bool shared;         /* true if the result uses the source's memory (region) */
  bool is_base;        /* true if the source's samples get the label that marks a base */
  uint32_t *strings;   /* for each string, its index in the result, or NONE until needed */
  /* For each function, mapping and location of the source, the index of the merged record;
   * locations[-1] is LOCATION_HIDDEN. */
  uint32_t *functions, *mappings, *locations;
  uint64_t *label_hashes; /* hash of each label set; equal sets have equal hashes */
};

/* One segment of a source: consecutive samples whose stacks use the same location numbers. */
struct merge_segment {
  size_t first; /* index of the segment's first sample among the samples of all sources */
  uint32_t source;
  const uint32_t *map;    /* for each number v in the stacks, its location; NULL: location v - 1 */
  const uint32_t *merged; /* for each number v, its merged location, or LOCATION_HIDDEN */
  size_t size;            /* number of items of `merged` */
};

#define MERGE_LOCATIONS_MAX 0x7FFFFFFFu

/* Place of the mapping or location whose fields a merged mapping or location has. */
struct merge_place {
  uint32_t source, index;
};

struct merge_location {
  struct merge_place place;
  uint32_t mapping; /* index of the merged mapping, or NONE */
};

struct merge {
  pprofc_profile *out;
  struct arena arena;  /* arena for memory that only the merge needs */
  struct arena tables; /* arena for memory that is needed only until the tables are written */
  struct merge_source *sources;
  size_t source_count;
  size_t sample_count; /* number of samples of all sources together */
  struct merge_segment *segments;
  size_t segment_count;

  struct interner strings;
  struct function_fields *functions; /* merged functions, with string indices of the result */
  struct merge_place *mappings;
  struct merge_location *locations;
  size_t function_count, mapping_count, location_count;
  /* True if records with equal keys differ in a field that pprof does not compare. The merged
   * record must then have the fields of the first record that a sample uses. */
  bool ambiguous;

  /* For each sample of the sources, the index of the first equal sample; after merge_sum_samples,
   * the index in the result. NONE if all values are 0. */
  uint32_t *result_of;
  uint32_t *origins; /* for each sample of the result, the index of its first source sample */
  int64_t *values;   /* values of the result's samples, in the result's memory (region) */
  size_t result_count;
  const uint8_t **stack; /* stack of each sample of the result; NULL after merge_drop_zeros */
  const uint32_t *stack_size;

  /* Merged locations, functions and mappings in the order of their numbers in the result. */
  uint32_t *location_order, *function_order, *mapping_order;
  /* For each merged location, function and mapping, its number in the result, or NONE. */
  uint32_t *location_number, *function_number, *mapping_number;
  size_t locations_used, functions_used, mappings_used;
};

static inline const struct samples *merge_samples_of(const struct merge *m, uint32_t source) {
  return &m->sources[source].profile->samples;
}

/* Returns the segment (samples whose stacks use the same location numbers) of a sample. The search
 * starts at the segment of an earlier sample. */
static inline const struct merge_segment *
merge_segment_next(const struct merge *m, const struct merge_segment *segment, size_t sample) {
  const struct merge_segment *end = m->segments + m->segment_count;
  while (segment + 1 < end && segment[1].first <= sample) segment++;
  return segment;
}

/* Translates a string of a source to a string of the result. Returns NONE when out of memory. */
uint32_t merge_string(struct merge *m, size_t source, uint32_t string);

/* The following steps of a merge return false when out of memory. */

/* Finds the merged record of each function, mapping and location of the sources. Also finds the
 * merged location of each number in the stacks. */
bool merge_tables(struct merge *m);

/* Numbers the merged functions, mappings and locations in the order of the sources' tables. Each
 * gets the fields of its first source record in this order. Omits location l of source i if
 * used[i][l] is 0. If `used` is NULL, omits no location. */
bool merge_number_tables(struct merge *m, const uint8_t *const *used);

/* True if no source has two equal mappings or two equal locations. */
bool merge_is_one_to_one(struct merge *m);

/* Numbers the merged functions, mappings and locations in the order in which samples use them.
 * Skips samples that have only zero values. */
bool merge_number_samples(struct merge *m);

/* Numbers the merged functions, mappings and locations again, in the order in which the samples
 * that remain in the result use them. */
void merge_number_results(struct merge *m);

/* Does the same for a result with one stack tree, in whose stacks the number v means the merged
 * location v - 1. Then sets the segment's map from these numbers to locations of the result.
 * Returns false when out of memory. */
bool merge_number_tree(struct merge *m);

/* Numbers the merged functions, mappings and locations in order of use, finds equal samples, and
 * writes the stacks of the result. */
bool merge_pass(struct merge *m);

/* merge_sum_samples adds up the values of equal samples, and sets *zeros to true if a sample of the
 * result has only zero values. merge_drop_zeros removes these samples. */
bool merge_sum_samples(struct merge *m, bool *zeros);
void merge_drop_zeros(struct merge *m);

/* merge_write_tables writes the functions, mappings and locations of m->out, and frees the arena
 * `tables`. The caller then calls merge_write_samples, which writes the sample columns. */
bool merge_write_tables(struct merge *m);
bool merge_write_samples(struct merge *m);

/* These functions number locations in the order of first use. The caller calls merge_number_begin,
 * then merge_number_first for each location of a sample, then merge_number_end. A merged location
 * without a number gets the fields of the record at `place`. *next is 0 before the first call. */
bool merge_number_begin(struct merge *m);
uint32_t merge_number_first(struct merge *m, uint32_t merged, struct merge_place place,
                            uint32_t *next);
void merge_number_end(struct merge *m, uint32_t *next);

/* Result of comparing the labels of two samples. */
enum merge_answer { MERGE_NO, MERGE_YES, MERGE_OUT_OF_MEMORY };
/* Compares the labels of sample `a` of the segment `p` with the labels of sample `b` of `q`. */
enum merge_answer merge_same_labels(const struct merge *m, const struct merge_segment *p,
                                    uint32_t a, const struct merge_segment *q, uint32_t b);

/* Sets out->map, which translates the numbers in the stacks of a source's segment to locations of
 * the result. The map is NULL if each number v means location v - 1. */
bool merge_make_map(struct merge *m, const struct merge_segment *segment, struct segment *out);

/* ---- labels ------------------------------------------ */

/* State of writing the label sets of the result. */
struct merge_labels {
  struct merge *m;
  uint32_t **number; /* for each source and label set, index of the set in the result, or NONE */
  struct label mark; /* label that marks the samples of a base profile */
  struct label_table table;
  struct label *labels;
  /* With `joins`, the labels in the order of the sources, which the result gets. `labels` is then
   * sorted, so that sets with equal keys in another order get one number. */
  struct label *given;
  size_t label_count;
};

/* True if any sample of the result may have labels. */
bool merge_has_labels(const struct merge *m);

/* Adds the strings of all labels to the strings of the result. */
bool merge_label_strings(struct merge *m);

/* If `joins` is true, label sets get one number if they are equal apart from the order of keys. */
bool merge_labels_open(struct merge_labels *labels, struct merge *m, bool joins);
/* Returns the label set of the result for a sample of a source; NONE when out of memory. */
uint32_t merge_label_set(struct merge_labels *labels, uint32_t source, size_t sample);
/* Stores the label sets in the result. `label_set` (NULL, or for each sample the index of its set)
 * becomes a column of the result if any sample has labels. */
void merge_labels_close(struct merge_labels *labels, const uint32_t *label_set);

bool merge_hash_labels(struct merge *m);

/* ---- the whole --------------------------------------- */

/* Begins a merge: makes the header of the result, and finds the merged functions, mappings and
 * locations. If `share` is true, the result uses the memory of all sources, whatever their size. */
bool merge_begin(struct merge *m, const pprofc_profile *const *profiles, size_t count, bool share);
/* Ends a merge: stores the result in *out, or releases it after a failure. */
pprofc_status merge_end(struct merge *m, bool ok, pprofc_profile **out, pprofc_error *error);

/* Merges compatible profiles into one profile, and adds up equal samples. */
pprofc_status merge_profiles(const pprofc_profile *const *profiles, size_t count,
                             pprofc_profile **out, pprofc_error *error);

#endif
