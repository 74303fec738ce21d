/* Converts the bytes of a file to a profile and back: gzip, a reader of profile.proto, and a writer
 * of profile.proto. */
#ifndef PPROFC_CODEC_CODEC_H
#define PPROFC_CODEC_CODEC_H

#include "profile/profile.h"

/* The bytes of an input. They have a memory region of their own, because a profile can point into
 * them. */
struct input {
  struct region *region;
  const uint8_t *data;
  size_t size;
  uint64_t source_size; /* size of the source in bytes; for gzip, the compressed size */
};

/* input_read_file reads a file ("-": standard input). input_read_memory copies memory. Both inflate
 * gzip data with any number of members. After success, the caller owns input->region. If `map` is
 * true, a large file may be mapped into memory. The file must then not shrink during the call. */
pprofc_status input_read_file(const char *path, const pprofc_allocator *mem,
                              const pprofc_limits *limits, bool map, struct input *input,
                              pprofc_error *error);
pprofc_status input_read_memory(const void *data, size_t size, const pprofc_allocator *mem,
                                const pprofc_limits *limits, struct input *input,
                                pprofc_error *error);

/* True if the input can be read only once: standard input ("-"), or a file that is not a regular
 * file, such as a named pipe. */
bool input_is_pipe(const char *path);

/* Opens a regular file that is not empty, and sets *size to its size in bytes. Returns the file
 * descriptor, or -1 for any other file. */
int input_open_regular(const char *path, size_t *size);

/* Maps the first `size` bytes of a regular file, and sets *data to their address. The file must not
 * shrink. Only a few pages are in memory at a time. Returns NULL if the file cannot be mapped. */
struct input_map *input_map_open(int fd, size_t size, const pprofc_allocator *mem,
                                 const uint8_t **data);
void input_map_close(struct input_map *map);

/* A pipe. Its first bytes stay in memory, so that several readers can examine them. */
struct input_pipe {
  int fd;
  uint8_t *head; /* first bytes of the pipe, at most `room` bytes */
  size_t size, room;
  const pprofc_allocator *mem;
};

/* Opens a pipe and reads its first `room` bytes, or all bytes if there are fewer. */
pprofc_status input_pipe_open(struct input_pipe *pipe, const char *path, size_t room,
                              const pprofc_allocator *mem, pprofc_error *error);
void input_pipe_close(struct input_pipe *pipe);
/* Reads the rest of the pipe, and returns all its bytes. If `inflate` is true, inflates gzip. */
pprofc_status input_pipe_read(const struct input_pipe *pipe, const pprofc_limits *limits,
                              bool inflate, struct input *input, pprofc_error *error);

/* Decodes profile.proto. The profile points into input->region, and keeps this region alive.
 * Returns PPROFC_E_FORMAT with the offset if the bytes are not a profile. Sets *certain to true if
 * the input is surely a damaged profile.proto. If *certain is false, the input may have a legacy
 * format. */
pprofc_status pprof_decode(const struct input *input, const pprofc_limits *limits, unsigned threads,
                           pprofc_profile **profile, bool *certain, pprofc_error *error);

/* Options of the reader for reports that show only sums of samples. */
struct fold_options {
  const pprofc_allocator *mem;
  const pprofc_limits *limits;
  unsigned threads;
  bool labels;    /* true: add up only samples with equal labels; false: samples may lose labels */
  bool no_stacks; /* true: drop all stacks */
  bool compared;  /* true if the caller compares the profile with another; samples whose values are
                     all 0 then lose their labels */
  bool tree;      /* true: store stacks as a tree (profile/stack_tree.h), and samples in the order
                     of the tree */
  bool in_order;  /* with `tree`: keep each sample with all its values, in the order of the file;
                     drop only samples that are 0 in the type `sample_index` */
  const char *sample_index; /* if `tree` is true: the only sample type that the report needs, or
                               NULL for all types */
  bool always;              /* true (only in tests): read small profiles also */
};

/* Reads profile.proto for a report that shows only sums of samples (codec/fold/fold.h). Returns
 * PPROFC_E_NO_MATCH if the caller must use pprof_decode instead, which then reports any error. */
pprofc_status fold_read_file(const char *path, const struct fold_options *options,
                             pprofc_profile **profile);
pprofc_status fold_read_memory(const void *data, size_t size, const struct fold_options *options,
                               pprofc_profile **profile);

/* Replaces the stacks of a profile by a tree. Keeps only the values of sample type `only`; SIZE_MAX
 * keeps all values. If `sums` is true, drops all labels, unless a sample has the label pprof::base.
 * Returns NULL when out of memory, if there are too many sample types, or if `sums` is true and few
 * samples have equal stacks. */
pprofc_profile *fold_profile(const pprofc_profile *profile, size_t only, bool sums);

/* Makes one stack tree of the trees of a new profile, and adds up all samples with equal stacks and
 * labels, also negative values. The ids in the stacks become indices of locations plus 1. Returns
 * false when out of memory, or if there are too many sample types. */
bool fold_join(pprofc_profile *profile);

/* Writes profile.proto as gzip, one top-level field at a time. */
pprofc_status pprof_encode(const pprofc_profile *profile, pprofc_write_fn write, void *context,
                           pprofc_error *error);

#endif
