/* Reads, inspects and writes a profile.
 *
 * A profile is a set of immutable columns (see docs/ARCHITECTURE.md). Ids of the file become dense
 * indices 0..n-1 here; PPROFC_NONE means "missing". Views point into the profile and live as long
 * as it does.
 *
 * Any number of threads may call these functions at once, also with the same profile. A thread that
 * uses a profile longer than the other threads retains it with pprofc_profile_retain. */
#ifndef PPROFC_PROFILE_H
#define PPROFC_PROFILE_H

#include "pprofc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_profile pprofc_profile;

#define PPROFC_NONE UINT32_MAX

/* Conversion of a call graph without stacks, such as callgrind's, to samples. All conversions
 * keep the totals of every function and line. */
typedef enum pprofc_call_stacks {
  PPROFC_STACKS_PROPORTIONAL, /* a tree: costs are divided among callers by their share of the
                                 calls' cost */
  PPROFC_STACKS_EDGES,        /* two frames: a function and its caller */
  PPROFC_STACKS_FLAT          /* one frame */
} pprofc_call_stacks;

typedef struct pprofc_read_options {
  size_t struct_size; /* set by pprofc_read_options_init */
  const pprofc_allocator
      *allocator; /* allocator for everything made from the profile; copied; NULL for malloc */
  const pprofc_limits *limits; /* NULL for the defaults */
  unsigned threads;            /* number of threads; 0: as many as the machine has, 1: only the
                                  caller */
  pprofc_call_stacks call_stacks;
  bool may_change; /* another program may write to the file meanwhile: the file is not mapped,
                      so truncation is an error and not a SIGBUS signal */
  /* Receives a message about skipped parts of the input ("skipped lines that are not stacks: 2 of 9
   * ..."), without newline, on the caller's thread. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context;
  /* Folder with files perf-PID.map, which name code that JIT compilers made; NULL: the folder of
   * the profile. A file that is not there is looked for in /tmp. */
  const char *map_folder;
} pprofc_read_options;

PPROFC_API void pprofc_read_options_init(pprofc_read_options *options);

/* Reads a profile of any known format, gzip'd or plain, recognised by content. `path` "-" is
 * standard input. `options` may be NULL. The caller releases *profile with
 * pprofc_profile_release. */
PPROFC_API pprofc_status pprofc_profile_read_file(const char *path,
                                                  const pprofc_read_options *options,
                                                  pprofc_profile **profile, pprofc_error *error);

/* Reads a profile from memory. `data` is copied where needed and may be freed afterwards. */
PPROFC_API pprofc_status pprofc_profile_read_memory(const void *data, size_t size,
                                                    const pprofc_read_options *options,
                                                    pprofc_profile **profile, pprofc_error *error);

/* Adds or removes an owner; removing the last one frees the profile. NULL is allowed. */
PPROFC_API pprofc_profile *pprofc_profile_retain(pprofc_profile *profile);
PPROFC_API void pprofc_profile_release(pprofc_profile *profile);

/* Writes gzip'd profile.proto (mtime 0, so equal profiles give equal bytes). */
PPROFC_API pprofc_status pprofc_profile_write(const pprofc_profile *profile, pprofc_write_fn write,
                                              void *context, pprofc_error *error);

/* Writes gzip'd profile.proto to a file that appears whole or not at all. */
PPROFC_API pprofc_status pprofc_profile_write_file(const pprofc_profile *profile, const char *path,
                                                   pprofc_error *error);

/* ---- columns ----------------------------------------- */

typedef struct pprofc_value_type {
  pprofc_str type; /* "cpu" */
  pprofc_str unit; /* "nanoseconds" */
} pprofc_value_type;

typedef struct pprofc_header {
  pprofc_str drop_frames, keep_frames; /* regular expressions; may be empty */
  int64_t time_nanos;                  /* time in nanoseconds since 1970; 0 if unknown */
  int64_t duration_nanos;
  pprofc_value_type period_type;
  int64_t period;
  pprofc_str default_sample_type;
  pprofc_str doc_url;
  size_t comment_count;
} pprofc_header;

PPROFC_API void pprofc_profile_header(const pprofc_profile *profile, pprofc_header *header);
PPROFC_API pprofc_str pprofc_profile_comment(const pprofc_profile *profile, size_t index);

PPROFC_API size_t pprofc_profile_type_count(const pprofc_profile *profile);
PPROFC_API pprofc_value_type pprofc_profile_type(const pprofc_profile *profile, size_t index);

/* Returns the index of the sample type that pprof shows by default: the profile's default
 * type, else the last one. */
PPROFC_API size_t pprofc_profile_default_type(const pprofc_profile *profile);

PPROFC_API size_t pprofc_profile_string_count(const pprofc_profile *profile);
PPROFC_API pprofc_str pprofc_profile_string(const pprofc_profile *profile, uint32_t index);

/* Values of the samples by row: values[sample * types + type]. */
typedef struct pprofc_samples_view {
  size_t count;
  size_t types;
  const int64_t *values;
} pprofc_samples_view;

PPROFC_API void pprofc_profile_samples(const pprofc_profile *profile, pprofc_samples_view *view);

/* Copies the stack of one sample, location indices, leaf first, into `frames` (room for
 * `capacity`). Returns the length of the stack; if it is larger than `capacity`, only the
 * first `capacity` frames were copied. This is a copy because stacks are stored in the packed
 * form of the file. */
PPROFC_API size_t pprofc_profile_stack(const pprofc_profile *profile, size_t sample,
                                       uint32_t *frames, size_t capacity);

/* Returns the depth of the deepest stack, in frames. */
PPROFC_API size_t pprofc_profile_max_depth(const pprofc_profile *profile);

/* A label has either a string (`is_number` false) or a number with an optional unit. */
typedef struct pprofc_label {
  pprofc_str key;
  pprofc_str string;
  pprofc_str unit;
  int64_t number;
  bool is_number;
} pprofc_label;

/* The label that names the benchmark of a sample. Samples of callgrind's output have it: each
 * part that a client request ended is a benchmark. */
#define PPROFC_BENCHMARK "benchmark"

PPROFC_API size_t pprofc_profile_label_count(const pprofc_profile *profile, size_t sample);
PPROFC_API pprofc_label pprofc_profile_label(const pprofc_profile *profile, size_t sample,
                                             size_t index);

typedef struct pprofc_location {
  uint64_t id; /* id in the file */
  uint64_t address;
  uint32_t mapping; /* index, or PPROFC_NONE */
  uint32_t line_count;
  bool is_folded;
} pprofc_location;

typedef struct pprofc_line {
  uint32_t function;
  int64_t line;
  int64_t column;
} pprofc_line;

typedef struct pprofc_function {
  uint64_t id;
  pprofc_str name, system_name, filename;
  int64_t start_line;
} pprofc_function;

typedef struct pprofc_mapping {
  uint64_t id, start, limit, offset;
  pprofc_str file, build_id;
  bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
} pprofc_mapping;

PPROFC_API size_t pprofc_profile_location_count(const pprofc_profile *profile);
PPROFC_API pprofc_location pprofc_profile_location(const pprofc_profile *profile, uint32_t index);

/* Returns a line of a location: index 0 is the innermost inlined function, the last is the
 * function itself. */
PPROFC_API pprofc_line pprofc_profile_line(const pprofc_profile *profile, uint32_t location,
                                           size_t index);

PPROFC_API size_t pprofc_profile_function_count(const pprofc_profile *profile);
PPROFC_API pprofc_function pprofc_profile_function(const pprofc_profile *profile, uint32_t index);

PPROFC_API size_t pprofc_profile_mapping_count(const pprofc_profile *profile);
PPROFC_API pprofc_mapping pprofc_profile_mapping(const pprofc_profile *profile, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
