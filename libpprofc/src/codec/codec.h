/* Bytes to profile and back: gzip, the wire reader, the writer. */
#ifndef PPROFC_CODEC_CODEC_H
#define PPROFC_CODEC_CODEC_H

#include "core/buffer.h"
#include "core/error.h"
#include "profile/profile.h"

/* Bytes of an input in memory, in a region of their own so that a profile can point into them. */
struct input {
  struct region *region;
  const uint8_t *data;
  size_t size;
  uint64_t source_size; /* as it came, gzip'd or not */
};

/* Reads a file ("-": standard input) or takes a copy of memory, inflated when it is gzip (any
 * number of members). On success input->region is the caller's. With `map` a large file may be
 * mapped: it must not become shorter meanwhile. */
pprofc_status input_read_file(const char *path, const pprofc_allocator *mem,
                              const pprofc_limits *limits, bool map, struct input *input,
                              pprofc_error *error);
pprofc_status input_read_memory(const void *data, size_t size, const pprofc_allocator *mem,
                                const pprofc_limits *limits, struct input *input,
                                pprofc_error *error);

/* Decodes profile.proto. The profile keeps input->region alive and points into it. PPROFC_E_FORMAT
 * with the offset when the bytes are no profile; then a legacy format may still recognise them,
 * unless *certain comes back true (the input is a profile, but a bad one). */
pprofc_status pprof_decode(const struct input *input, const pprofc_limits *limits, unsigned threads,
                           pprofc_profile **profile, bool *certain, pprofc_error *error);

/* How samples are added up while they are read. */
struct fold_options {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  unsigned threads;
  bool labels;    /* labels are kept: only samples with equal ones are added up */
  bool any_order; /* of samples */
  bool compact;   /* with `any_order`: stacks may come as a tree or as rows */
  bool as_rows;   /* samples are not added up even where that pays */
  bool always;    /* also where it does not pay */
  /* With `compact`, values of one sample type are enough: of this one, the default one for "".
   * NULL: all are needed. */
  const char *sample_index;
  bool compared; /* the profile is one side of a difference */
};

/* Reads a profile of profile.proto in which samples are added up (codec/fold.h). PPROFC_E_NO_MATCH:
 * it is to be read as a whole, which also tells what is wrong with it. */
pprofc_status fold_read_file(const char *path, const struct fold_options *options,
                             pprofc_profile **profile);
pprofc_status fold_read_memory(const void *data, size_t size, const struct fold_options *options,
                               pprofc_profile **profile);

/* Writes gzip'd profile.proto, one top-level field at a time. */
pprofc_status pprof_encode(const pprofc_profile *profile, pprofc_write_fn write, void *context,
                           pprofc_error *error);

#endif
