/* Converts between bytes and profiles: gzip, the wire reader and the writer. */
#ifndef PPROFC_CODEC_CODEC_H
#define PPROFC_CODEC_CODEC_H

#include "core/buffer.h"
#include "core/error.h"
#include "profile/profile.h"

/* The bytes of an input, in a region of their own so that a profile can point into them. */
struct input {
  struct region *region;
  const uint8_t *data;
  size_t size;
  uint64_t source_size; /* size of the source before inflating */
};

/* Reads a file ("-": standard input) or copies memory, and inflates gzip (any number of
 * members). On success the caller owns input->region. With `map` a large file may be mapped:
 * it must not become shorter meanwhile. */
pprofc_status input_read_file(const char *path, const pprofc_allocator *mem,
                              const pprofc_limits *limits, bool map, struct input *input,
                              pprofc_error *error);
pprofc_status input_read_memory(const void *data, size_t size, const pprofc_allocator *mem,
                                const pprofc_limits *limits, struct input *input,
                                pprofc_error *error);

/* True if a path ("-": standard input) is not a regular file and can be read only once. */
bool input_is_pipe(const char *path);
/* Reads the bytes of a file unchanged. */
pprofc_status input_read_bytes(const char *path, const pprofc_allocator *mem,
                               const pprofc_limits *limits, struct input *input,
                               pprofc_error *error);

/* Decodes profile.proto. The profile keeps input->region alive and points into it. Returns
 * PPROFC_E_FORMAT with the offset if the bytes are not a profile. Then a legacy format may
 * still match, unless *certain is true: the input is an invalid profile. */
pprofc_status pprof_decode(const struct input *input, const pprofc_limits *limits, unsigned threads,
                           pprofc_profile **profile, bool *certain, pprofc_error *error);

/* Options of the reader for reports that show only sums of samples. */
struct fold_options {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  unsigned threads;
  bool labels; /* add up only samples with equal labels; false: labels may be missing */
  bool tree;   /* store stacks as a tree (profile/stack_tree.h) and sort samples by it */
  const char *sample_index; /* with `tree`: "" if values of the default type are enough, or NULL */
  bool always;              /* accept small profiles also, for tests */
};

/* Reads profile.proto for a report that shows only sums (codec/fold/fold.h). Returns
 * PPROFC_E_NO_MATCH if the caller must read the whole file, which also reports errors in it. */
pprofc_status fold_read_file(const char *path, const struct fold_options *options,
                             pprofc_profile **profile);
pprofc_status fold_read_memory(const void *data, size_t size, const struct fold_options *options,
                               pprofc_profile **profile);

/* Replaces the stacks of a profile by a tree, with values of sample type `only` (SIZE_MAX:
 * all). Returns NULL when out of memory or if the profile has too many sample types for a
 * tree. */
pprofc_profile *fold_profile(const pprofc_profile *profile, size_t only);

/* Writes gzip'd profile.proto, one top-level field at a time. */
pprofc_status pprof_encode(const pprofc_profile *profile, pprofc_write_fn write, void *context,
                           pprofc_error *error);

#endif
