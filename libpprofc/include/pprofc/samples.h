/* Iterates over samples: values, stacks and frames.
 *
 * An iterator reads a range of the samples of a profile. It allocates memory when the caller
 * creates it, and when a stack has more frames than every stack before it. An iterator belongs to
 * one thread at a time. Several iterators may read one profile in parallel. The profile must
 * outlive its iterators. */
#ifndef PPROFC_SAMPLES_H
#define PPROFC_SAMPLES_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An iterator: a position in a range of the samples of a profile. */
typedef struct pprofc_sample_iterator pprofc_sample_iterator;

/* A sample. `values` points into the profile. `stack` points into the iterator and is valid until
 * the next call of pprofc_sample_iterator_next or pprofc_sample_iterator_free. */
typedef struct pprofc_sample {
  size_t index;          /* index of the sample in the profile, for finding its labels */
  const int64_t *values; /* a value for each sample type, in the unit of the type */
  const uint32_t *stack; /* location indices, leaf first */
  size_t depth;          /* number of locations in `stack` */
} pprofc_sample;

/* A frame of a stack. A location with inlined functions has several frames. Texts point into the
 * profile. */
typedef struct pprofc_frame {
  pprofc_str function;     /* name of the function; "" if unknown */
  pprofc_str file;         /* source file; "" if unknown */
  int64_t line;            /* line number in the source; 0 if unknown */
  int64_t column;          /* column number in the source; 0 if unknown */
  uint64_t address;        /* address of the location; 0 if unknown */
  uint32_t location;       /* index of the location in the profile */
  uint32_t function_index; /* index of the function, or PPROFC_NONE if the location has no lines */
  bool inlined;            /* true if inlined into the next frame, which is its caller */
} pprofc_frame;

/* Makes an iterator over the samples [first, end) of `profile`. If `end` is above the number of
 * samples, the iterator ends at the last sample. Uses the allocator of the profile. The caller
 * frees *iterator with pprofc_sample_iterator_free. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_sample_iterator_new(const pprofc_profile *profile, size_t first,
                                                    size_t end, pprofc_sample_iterator **iterator,
                                                    pprofc_error *error);

/* Frees an iterator. NULL is allowed. */
PPROFC_API void pprofc_sample_iterator_free(pprofc_sample_iterator *iterator);

/* Moves to the next sample, and fills in *sample. The first call moves to the first sample. Returns
 * false after the last sample, and leaves *sample unchanged. Cannot fail. */
PPROFC_API bool pprofc_sample_iterator_next(pprofc_sample_iterator *iterator,
                                            pprofc_sample *sample);

/* Returns the frames of the current sample, leaf first. An inlined function precedes the function
 * that contains it. *count is the number of frames. The array *frames is valid until the next call
 * with this iterator. *count is 0 before the first and after the last sample. After an error, the
 * iterator can still move to the next sample. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_sample_iterator_frames(pprofc_sample_iterator *iterator,
                                                       const pprofc_frame **frames, size_t *count,
                                                       pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
