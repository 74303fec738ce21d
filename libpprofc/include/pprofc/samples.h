/* Samples one after the other: their values, stacks and frames.
 *
 * An iterator reads a range of the samples of a profile. It allocates when it is made, and when a
 * stack resolves to more frames than any stack before it; never for each sample. It belongs to one
 * thread at a time. Several iterators, one a thread, may read one profile in parallel, each a range
 * of its own. The profile must outlive its iterators. */
#ifndef PPROFC_SAMPLES_H
#define PPROFC_SAMPLES_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_sample_iterator pprofc_sample_iterator;

/* One sample. `values` points into the profile, `stack` into the iterator: it is valid until the
 * next call of pprofc_sample_iterator_next or pprofc_sample_iterator_free. */
typedef struct pprofc_sample {
  size_t index;          /* of the sample in the profile: for labels */
  const int64_t *values; /* one for each sample type, in the unit of the type */
  const uint32_t *stack; /* location indices, leaf first */
  size_t depth;          /* locations in `stack`; 0 for a sample without a stack */
} pprofc_sample;

/* One frame of a stack. A location with inlined functions is several frames. Texts point into the
 * profile. */
typedef struct pprofc_frame {
  pprofc_str function;     /* name of the function; "" where it is not known */
  pprofc_str file;         /* "" where it is not known */
  int64_t line;            /* 0: not known */
  int64_t column;          /* 0: not known */
  uint64_t address;        /* of the location; 0: not known */
  uint32_t location;       /* index in the profile */
  uint32_t function_index; /* index in the profile, or PPROFC_NONE for a location without lines */
  bool inlined;            /* into the next frame, its caller */
} pprofc_frame;

/* Makes an iterator over the samples [first, end) of `profile`; an `end` beyond the last sample is
 * the number of samples. It allocates through the allocator of the profile. On success *iterator is
 * to be freed with pprofc_sample_iterator_free. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_sample_iterator_new(const pprofc_profile *profile, size_t first,
                                                    size_t end, pprofc_sample_iterator **iterator,
                                                    pprofc_error *error);

/* Frees an iterator; NULL is allowed. */
PPROFC_API void pprofc_sample_iterator_free(pprofc_sample_iterator *iterator);

/* Moves to the next sample, the first one at the first call, and fills *sample. Returns false, and
 * leaves *sample alone, after the last one. Cannot fail. */
PPROFC_API bool pprofc_sample_iterator_next(pprofc_sample_iterator *iterator,
                                            pprofc_sample *sample);

/* The frames of the sample that pprofc_sample_iterator_next gave last, leaf first, inlined
 * functions before the one that they are inlined into. *frames is an array of *count frames, valid
 * until the next call with this iterator. Before the first sample and after the last one the count
 * is 0. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT; the iterator may still be moved on then. */
PPROFC_API pprofc_status pprofc_sample_iterator_frames(pprofc_sample_iterator *iterator,
                                                       const pprofc_frame **frames, size_t *count,
                                                       pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
