/* Functions that all edits use. An edit is a function that returns a changed copy of a profile. The
 * edit changes a copy made by profile_edit, which shares unchanged columns with the source; new
 * columns are in the region (memory) of the copy. profile/stack.h explains this copy-on-write. */
#ifndef PPROFC_TRANSFORM_EDIT_H
#define PPROFC_TRANSFORM_EDIT_H

#include "profile/stack.h"

/* Minimum number of samples per thread. */
#define EDIT_GRAIN THRESHOLD((size_t)16384)

/* Returns the result of an edit that changes nothing: the source itself. */
static inline pprofc_profile *edit_same(const pprofc_profile *source) {
  return pprofc_profile_retain((pprofc_profile *)source);
}

/* Converts a float to int64 as Go does on amd64: truncates, and returns the smallest integer for a
 * number out of range. */
static inline int64_t edit_truncate(double value) {
  return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

/* Multiplies by -1 like pprof, which converts to double and back. The result is exact for values up
 * to 2^53. */
static inline int64_t edit_negate(int64_t value) {
  const int64_t exact = (int64_t)1 << 53;
  return value >= -exact && value <= exact ? -value : edit_truncate(-(double)value);
}

/* Ends an edit: stores the copy in *out, or releases it when the edit failed. */
static inline pprofc_status edit_finish(pprofc_status status, pprofc_profile *copy,
                                        pprofc_profile **out) {
  if (copy) copy->lender = NULL;
  if (status == PPROFC_OK)
    *out = copy;
  else
    pprofc_profile_release(copy);
  return status;
}

/* Returns the memory for a new version of a column: the old column if nothing else refers to it,
 * else new memory of the same size. The edit must write entries in ascending order, and read each
 * old entry before it writes the new entry (profile/stack.h). Returns NULL when out of memory. */
static inline void *edit_column(pprofc_profile *copy, const void *column, size_t count,
                                size_t size) {
  void *own = region_own(copy->region, copy->lender, column, count * size);
  return own ? own : arena_array(&copy->region->arena, count, size);
}

/* Keeps only the samples i with keep[i] != 0. */
pprofc_status edit_keep_samples(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error);

/* Keeps only the lines i with keep[i] != 0. A location may lose all its lines. */
pprofc_status edit_keep_lines(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error);

/* Removes the locations i with hidden[i] != 0 from all stacks. */
pprofc_status edit_hide(pprofc_profile *copy, const uint8_t *hidden, pprofc_error *error);

/* Function that cuts one stack: sets `leaf` and `root` to the ends of the part to keep. Returns
 * false to drop the sample. Several threads call the function at once. */
typedef bool (*edit_cut_fn)(const void *context, struct packed_stack *stack);
pprofc_status edit_cut_stacks(pprofc_profile *copy, edit_cut_fn cut, const void *context,
                              pprofc_error *error);

/* ---- comparable profiles ---------------------------- */

/* Makes profiles comparable before they are merged: keeps the sample types that all profiles have,
 * in one order and one unit. */

/* Makes profiles compatible and stores them in out[0 .. count - 1]. The caller releases each of
 * them; after a failure there is nothing to release (docs/spec/pprof.md, 6.1 and 6.2). */
pprofc_status compatible_profiles(const pprofc_profile *const *profiles, size_t count,
                                  pprofc_profile **out, pprofc_error *error);

/* Returns an error if the period type or a sample type of the two profiles differs. */
pprofc_status compatible_check(const pprofc_profile *a, const pprofc_profile *b,
                               pprofc_error *error);

#endif
