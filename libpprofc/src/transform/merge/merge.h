/* The parts of a merge. They share one struct: tables (functions, mappings, locations by key),
 * samples (hashes, equal ones, order), labels, and the resulting profile. */
#ifndef PPROFC_TRANSFORM_MERGE_MERGE_H
#define PPROFC_TRANSFORM_MERGE_MERGE_H

#include "core/error.h"
#include "core/map.h"
#include "profile/label_table.h"
#include "profile/stack.h"

/* One profile that is merged. Its records have a class each: equal records of all sources have the
 * same class. */
struct merge_source {
  const pprofc_profile *profile;
  size_t first_sample; /* its samples are first_sample ... in the count over all sources */
  bool shared;         /* the result points into its region */
  bool is_base;        /* its samples get the label of a base */
  uint32_t *strings;   /* [strings] string of the result, or NONE while not needed */
  uint32_t *functions, *mappings, *locations; /* [...] class; locations[-1] is LOCATION_HIDDEN */
  uint64_t *label_hashes;                     /* [label_set_count] equal for equal sets */
};

/* A run of samples that are written in the same way: one segment of a source. */
struct merge_piece {
  size_t first; /* sample in the count over all sources */
  uint32_t source;
  const uint32_t *map;     /* varint to location of the source, NULL: v is location v - 1 */
  const uint32_t *classes; /* [size] varint to class, or LOCATION_HIDDEN */
  size_t size;
  size_t coding; /* pieces with the same coding write equal stacks as equal bytes */
};

struct merge_function {
  uint32_t name, system_name, filename; /* strings of the result */
  int64_t start_line;
};

/* There are fewer locations than this, so that a class has a bit to spare. */
#define MERGE_CLASSES 0x7FFFFFFFu

/* The record of a source that represents its class. */
struct merge_place {
  uint32_t source, index;
};

struct merge_location {
  struct merge_place place;
  uint32_t mapping; /* class, or NONE */
};

struct merge {
  pprofc_profile *out;
  struct arena arena;  /* for what only the merge needs */
  struct arena tables; /* and of that, what is needed no more when the tables are written */
  struct merge_source *sources;
  size_t source_count;
  size_t sample_count; /* of all sources */
  struct merge_piece *pieces;
  size_t piece_count;
  size_t piece_sizes; /* the sum of their tables */
  bool
      uniform; /* all pieces have one coding, in which equal stacks are equal bytes and no others */
  unsigned workers;

  struct interner strings;
  struct merge_function *functions;
  struct merge_place *mappings;
  struct merge_location *locations;
  size_t function_count, mapping_count, location_count; /* classes */
  bool ambiguous; /* members of a class differ in fields that are not in its key, so the merge must
                     use the first one that a sample uses */

  uint64_t *hashes;    /* [sample_count] 0: all values are 0, the sample is skipped */
  uint32_t *result_of; /* [sample_count] first equal sample, later the sample of the result; NONE:
                          all values are 0 */
  uint32_t *origins;   /* [result_count] the sample that each sample of the result comes from */
  int64_t *values;     /* [result_count * types] in the region of the result */
  size_t result_count;
  const uint8_t **stack; /* [result_count] of the result, when one pass wrote them; else NULL */
  const uint32_t *stack_size;

  uint32_t *location_order, *function_order, *mapping_order; /* classes in order of their new ids */
  uint32_t *location_number, *function_number, *mapping_number; /* class to new index or NONE */
  size_t locations_used, functions_used, mappings_used;
};

static inline const struct samples *merge_samples_of(const struct merge *m, uint32_t source) {
  return &m->sources[source].profile->samples;
}

/* The piece that sample `sample` belongs to. */
const struct merge_piece *merge_piece_of(const struct merge *m, size_t sample);

/* The same for ascending samples, from the piece of an earlier one on. */
static inline const struct merge_piece *
merge_piece_next(const struct merge *m, const struct merge_piece *piece, size_t sample) {
  const struct merge_piece *end = m->pieces + m->piece_count;
  while (piece + 1 < end && piece[1].first <= sample) piece++;
  return piece;
}

/* The string of the result for a string of a source, or NONE when out of memory. */
uint32_t merge_string(struct merge *m, size_t source, uint32_t string);

/* Every step returns false when out of memory. */

/* Gives each function, mapping and location of the sources its class, and each piece its classes.
 */
bool merge_tables(struct merge *m);

/* Numbers all classes in the order of the tables; for a merge that is not ambiguous. */
bool merge_number_tables(struct merge *m);

/* The same for a merge that is ambiguous, of locations l of source i with used[i][l] only. That is
 * as if samples were walked, where merge_is_one_to_one. */
bool merge_number_used(struct merge *m, const uint8_t *const *used);

/* Whether no two mappings, and no two locations, of a source have one class. */
bool merge_is_one_to_one(struct merge *m);

/* Hashes the bytes of all stacks; finds out whether m->uniform holds, without which the hashes are
 * of no use. */
bool merge_hash_uniform(struct merge *m);

/* Looks at the stacks of all samples that are not all zero, or of the results, and numbers the
 * classes in order of use. `with_hashes` also hashes all samples, frame by frame. */
bool merge_walk_samples(struct merge *m, bool with_hashes);
bool merge_walk_results(struct merge *m);

/* Numbers the classes anew in order of use by the results that are left. */
bool merge_walk_again(struct merge *m);

/* Finds equal samples by their hashes. */
bool merge_find_equal(struct merge *m);

/* Does in one pass what merge_walk_samples and merge_find_equal do, and writes the stacks of the
 * results: for sources without values below 0, whose sums are mostly not 0. */
bool merge_pass(struct merge *m);

/* Adds up the values of equal samples; `zeros` tells whether a sum became all zero. */
bool merge_sum_samples(struct merge *m, bool *zeros);
void merge_drop_zeros(struct merge *m);

/* Writes the tables of m->out, after which classes are no more than numbers; then the sample
 * columns.
 */
bool merge_write_tables(struct merge *m);
bool merge_write_samples(struct merge *m);

/* Numbers as they are met: begin; the number of a location that a sample has, of which `place` is
 * the first when it has none yet; end. `next` is 0 at first. */
bool merge_number_begin(struct merge *m);
uint32_t merge_number_first(struct merge *m, uint32_t class, struct merge_place place,
                            uint32_t *next);
void merge_number_end(struct merge *m, uint32_t *next);

/* The hash of a sample of a source from that of its stack, never 0. */
uint64_t merge_finish_hash(const struct merge *m, uint64_t hash, uint32_t source, size_t local);

/* Whether two samples have equal labels. */
enum merge_answer { MERGE_NO, MERGE_YES, MERGE_OUT_OF_MEMORY };
enum merge_answer merge_same_labels(const struct merge *m, uint32_t a, uint32_t b);

/* Gives a segment the map from varint to new location for a piece whose stacks are shared; none
 * when that is v - 1 anyway. */
bool merge_make_map(struct merge *m, const struct merge_piece *piece, struct segment *segment);

/* ---- labels ------------------------------------------ */

/* The label sets of the result while samples are written. */
struct merge_labels {
  struct merge *m;
  uint32_t **number; /* [sources][label sets of the source] set of the result, or NONE */
  struct label mark; /* of a base */
  struct label_table table;
  struct label *labels;
  size_t label_count;
};

/* Whether any sample of the result may have labels. */
bool merge_has_labels(const struct merge *m);

/* Interns what labels name. */
bool merge_label_strings(struct merge *m);

bool merge_labels_open(struct merge_labels *labels, struct merge *m);
/* The set of the result for a sample of a source; NONE when out of memory. */
uint32_t merge_label_set(struct merge_labels *labels, uint32_t source, size_t sample);
/* Ends it; `label_set` becomes the column of the result unless it is NULL or no sample has labels.
 */
void merge_labels_close(struct merge_labels *labels, const uint32_t *label_set);

/* A label in the order in which keys do not matter: by kind and key, values of a key as they are.
 */
struct merge_sorted_label {
  uint32_t is_number, key, index;
};

/* `strings`: those of the source in the result. */
void merge_sort_labels(const struct label *labels, size_t count, const uint32_t *strings,
                       struct merge_sorted_label *sorted);
/* Hashes the label sets of all sources. */
bool merge_hash_labels(struct merge *m);

/* ---- the whole --------------------------------------- */

/* Begins a merge: the header of the result, and all tables in classes. `share` makes the result
 * point into all sources, whatever their size. */
bool merge_begin(struct merge *m, const pprofc_profile *const *profiles, size_t count, bool share);
/* Ends it: hands the result over, or releases it when something failed. */
pprofc_status merge_end(struct merge *m, bool ok, pprofc_profile **out, pprofc_error *error);

/* Merges compatible profiles into one: equal samples become one. */
pprofc_status merge_profiles(const pprofc_profile *const *profiles, size_t count,
                             pprofc_profile **out, pprofc_error *error);

/* Makes at most 128 profiles compatible and merges them. */
pprofc_status merge_group(const pprofc_profile *const *profiles, size_t count, pprofc_profile **out,
                          pprofc_error *error);

#endif
