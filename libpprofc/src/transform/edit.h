/* What the edits share: each changes a copy made by profile_edit, in which unchanged columns stay
 * those of the source. New columns live in the copy's region. */
#ifndef PPROFC_TRANSFORM_EDIT_H
#define PPROFC_TRANSFORM_EDIT_H

#include "core/error.h"
#include "profile/stack.h"

/* Samples that make a thread worth its start. */
#define EDIT_GRAIN ((size_t)16384)

/* An edit that changed nothing hands its source on. */
static inline pprofc_profile *edit_same(const pprofc_profile *source) {
  return pprofc_profile_retain((pprofc_profile *)source);
}

/* Go's conversion of a float to int64 on amd64: towards zero, and what does not fit is the smallest
 * integer. */
static inline int64_t edit_truncate(double value) {
  return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

/* Times -1 as pprof has it, by way of a double; values that one holds exactly need no detour. */
static inline int64_t edit_negate(int64_t value) {
  const int64_t exact = (int64_t)1 << 53;
  return value >= -exact && value <= exact ? -value : edit_truncate(-(double)value);
}

/* Ends an edit: hands the copy over, or releases it when the edit failed. */
static inline pprofc_status edit_finish(pprofc_status status, pprofc_profile *copy,
                                        pprofc_profile **out) {
  if (copy) copy->lender = NULL;
  if (status == PPROFC_OK)
    *out = copy;
  else
    pprofc_profile_release(copy);
  return status;
}

/* A column for an edit to write: the old one itself when nobody else will look at it, else a new
 * one of the same size. Writers go from first to last and put nothing behind what they have read.
 * NULL when out of memory. */
static inline void *edit_column(pprofc_profile *copy, const void *column, size_t count,
                                size_t size) {
  void *own = region_own(copy->region, copy->lender, column, count * size);
  return own ? own : arena_array(&copy->region->arena, count, size);
}

/* Leaves samples i with keep[i] != 0. */
pprofc_status edit_keep_samples(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error);

/* Leaves lines i of the table of lines with keep[i] != 0; locations may lose all of theirs. */
pprofc_status edit_keep_lines(pprofc_profile *copy, const uint8_t *keep, pprofc_error *error);

/* Takes locations i with hidden[i] != 0 out of all stacks. */
pprofc_status edit_hide(pprofc_profile *copy, const uint8_t *hidden, pprofc_error *error);

/* Cuts one stack: moves its `leaf` and `root` to the frames to keep. Returns false to drop the
 * sample. Called from several threads. */
typedef bool (*edit_cut_fn)(const void *context, struct packed_stack *stack);
pprofc_status edit_cut_stacks(pprofc_profile *copy, edit_cut_fn cut, const void *context,
                              pprofc_error *error);

#endif
