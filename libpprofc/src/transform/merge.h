/* The parts of a merge, which keep their state in one struct: tables (functions, mappings,
 * locations by key), samples (hashes, equal ones, order), and the profile that comes out. */
#ifndef PPROFC_TRANSFORM_MERGE_H
#define PPROFC_TRANSFORM_MERGE_H

#include "base/error.h"
#include "base/map.h"
#include "model/profile.h"

/* One profile that is merged. Its records have a class each: equal records of all sources have the
 * same class. */
struct merge_source {
  const pprofc_profile *profile;
  size_t first_sample; /* its samples are first_sample ... in the count over all sources */
  bool shared;         /* the result points into its region */
  uint32_t *strings;   /* [strings] string of the result, or NONE while not needed */
  uint32_t *functions, *mappings, *locations; /* [...] class */
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

/* A record of a source that stands for its class. */
struct merge_place {
  uint32_t source, index;
};

struct merge_location {
  struct merge_place place;
  uint64_t address; /* less the start of the mapping */
  uint32_t mapping; /* class, or NONE */
};

struct merge {
  pprofc_profile *out;
  struct arena arena; /* for what only the merge needs */
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
  bool ambiguous; /* members of a class differ in what its key leaves out, so that the first one
                     used matters */

  uint64_t *hashes;    /* [sample_count] 0: all values are 0, the sample is skipped */
  uint32_t *result_of; /* [sample_count] first equal sample, later the sample of the result */
  uint32_t *origins;   /* [result_count] the sample that each sample of the result comes from */
  int64_t *values;     /* [result_count * types] in the region of the result */
  size_t result_count;

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

/* Interns what labels name. */
bool merge_label_strings(struct merge *m);

/* Numbers all classes in the order of the tables; for a merge that is not ambiguous. */
bool merge_number_tables(struct merge *m);

/* Hashes the bytes of all stacks; finds out whether m->uniform holds, without which the hashes are
 * of no use. */
bool merge_hash_uniform(struct merge *m);

/* Looks at the stacks of all samples that are not all zero, or of the results, and numbers the
 * classes in order of use. `with_hashes` also hashes all samples, frame by frame. */
bool merge_walk_samples(struct merge *m, bool with_hashes);
bool merge_walk_results(struct merge *m);

/* Numbers the classes anew in order of use by the results that are left. */
bool merge_walk_again(struct merge *m);

/* Finds equal samples and adds up their values; `zeros` tells whether a sum became all zero. */
bool merge_equal_samples(struct merge *m, bool *zeros);
void merge_drop_zeros(struct merge *m);

/* Makes each sample that is not all zero one of the result. */
bool merge_append_samples(struct merge *m);

/* Writes the tables and the sample columns of m->out. */
bool merge_write_tables(struct merge *m);
bool merge_write_samples(struct merge *m);

enum merge_kind {
  MERGE_EQUAL, /* equal samples become one */
  MERGE_APPEND /* all samples stay; locations in the order of the tables where that makes no
                  difference */
};

/* Merges compatible profiles into one. */
pprofc_status merge_profiles(const pprofc_profile *const *profiles, size_t count,
                             enum merge_kind kind, pprofc_profile **out, pprofc_error *error);

#endif
