/* Reads, inspects and writes a profile.
 *
 * A profile is a set of immutable columns (see docs/ARCHITECTURE.md). Indices 0..n-1 replace the
 * ids of the file; PPROFC_NONE means "missing". Texts and arrays belong to the profile and are
 * valid until it is freed.
 *
 * Any number of threads may call these functions at once, even with the same profile. If a thread
 * releases a profile that another thread may still use, the other thread must first call
 * pprofc_profile_retain. */
#ifndef PPROFC_PROFILE_H
#define PPROFC_PROFILE_H

#include "pprofc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A profile. */
typedef struct pprofc_profile pprofc_profile;

/* Index of a missing mapping, function or location. */
#define PPROFC_NONE UINT32_MAX

/* How to convert a call graph without stacks, such as callgrind's, to samples. Every conversion
 * preserves the totals of each function and line. */
typedef enum pprofc_call_stacks {
  PPROFC_STACKS_PROPORTIONAL, /* each sample has a path of calls; the cost of a function is divided
                                 among its callers in proportion to the cost of their calls */
  PPROFC_STACKS_EDGES,        /* each sample has two frames: a function and its caller */
  PPROFC_STACKS_FLAT          /* each sample has one frame: the function */
} pprofc_call_stacks;

/* Settings of reading. The caller owns the strings during the call. */
typedef struct pprofc_read_options {
  size_t struct_size;                /* set by pprofc_read_options_init */
  const pprofc_allocator *allocator; /* allocator for everything made from the profile; the library
                                        copies the struct; NULL for malloc */
  const pprofc_limits *limits;       /* limits of reading; NULL for the defaults */
  unsigned threads;               /* number of threads; 0: as many as the machine has processors, 1:
                                     only the calling thread */
  pprofc_call_stacks call_stacks; /* conversion of call graphs; 0: PPROFC_STACKS_PROPORTIONAL */
  bool may_change; /* true if another program may write to the file while the profile is in use.
                      The library then reads the file instead of mapping it. A truncation is then an
                      error and not a SIGBUS signal. */
  /* Receives each message about missing parts of the input ("skipped: 2 of 9 lines (22.2%); ..."),
   * without newline, on the caller's thread. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context; /* first argument of `warn` */
  /* folder with files perf-PID.map, which name code that JIT compilers made; NULL: the folder of
   * the profile. The library searches /tmp for files that are not in the folder. */
  const char *map_folder;
  pprofc_progress_fn progress; /* cancels reading, and shows its progress; may be NULL */
  void *progress_context;      /* first argument of `progress` */
} pprofc_read_options;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_read_options_init(pprofc_read_options *options);

/* Reads a profile of any known format, gzip'd or uncompressed. Recognises the format by the
 * content. The `path` "-" means standard input. `options` may be NULL. The caller releases *profile
 * with pprofc_profile_release. Errors: PPROFC_E_IO, PPROFC_E_FORMAT, PPROFC_E_LIMIT,
 * PPROFC_E_NOMEM, PPROFC_E_INVALID for options of size 0, PPROFC_E_UNSUPPORTED,
 * PPROFC_E_CANCELLED. */
PPROFC_API pprofc_status pprofc_profile_read_file(const char *path,
                                                  const pprofc_read_options *options,
                                                  pprofc_profile **profile, pprofc_error *error);

/* Reads a profile from `size` bytes at `data`, which may be freed afterwards. `options` and the
 * release of *profile are as for pprofc_profile_read_file. Errors: the same except PPROFC_E_IO. */
PPROFC_API pprofc_status pprofc_profile_read_memory(const void *data, size_t size,
                                                    const pprofc_read_options *options,
                                                    pprofc_profile **profile, pprofc_error *error);

/* Adds an owner, and returns `profile`. NULL is allowed. */
PPROFC_API pprofc_profile *pprofc_profile_retain(pprofc_profile *profile);

/* Removes an owner. Frees the profile when no owner is left. NULL is allowed. */
PPROFC_API void pprofc_profile_release(pprofc_profile *profile);

/* Stores in *watched a profile with the same data, which the caller releases. Calls that use
 * *watched, or a profile made from it, call `progress` with `context` and can return
 * PPROFC_E_CANCELLED. After `progress` has returned false, all further calls that use *watched
 * fail. `profile` itself stays usable. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT. */
PPROFC_API pprofc_status pprofc_profile_watch(const pprofc_profile *profile,
                                              pprofc_progress_fn progress, void *context,
                                              pprofc_profile **watched, pprofc_error *error);

/* Writes the profile as gzip'd profile.proto. Equal profiles give equal bytes, because the time
 * stamp in the gzip header is 0. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT, PPROFC_E_IO when `write`
 * fails. */
PPROFC_API pprofc_status pprofc_profile_write(const pprofc_profile *profile, pprofc_write_fn write,
                                              void *context, pprofc_error *error);

/* Writes the profile as gzip'd profile.proto to a file. The file appears whole or not at all.
 * Errors: as for pprofc_profile_write. */
PPROFC_API pprofc_status pprofc_profile_write_file(const pprofc_profile *profile, const char *path,
                                                   pprofc_error *error);

/* ---- columns ----------------------------------------- */

/* A sample type, or the type of the period. */
typedef struct pprofc_value_type {
  pprofc_str type; /* name of the type: "cpu" */
  pprofc_str unit; /* name of the unit: "nanoseconds" */
} pprofc_value_type;

/* Data about the whole profile. Texts that are not set are empty. */
typedef struct pprofc_header {
  pprofc_str drop_frames, keep_frames; /* regular expressions of the frames to drop and to keep; ""
                                          if not set */
  int64_t time_nanos;                  /* start of the recording in nanoseconds since 1970; 0 if
                                          unknown */
  int64_t duration_nanos;              /* duration of the recording in nanoseconds; 0 if unknown */
  pprofc_value_type period_type;       /* event type and unit of `period` */
  int64_t period;                      /* amount of the event between two samples; 0 if unknown */
  pprofc_str default_sample_type;      /* name of the sample type that reports show by default */
  pprofc_str doc_url;                  /* page that describes the profile */
  size_t comment_count;                /* number of comments; see pprofc_profile_comment */
} pprofc_header;

/* Fills in *header. */
PPROFC_API void pprofc_profile_header(const pprofc_profile *profile, pprofc_header *header);

/* Returns a comment; "" for an index out of range. */
PPROFC_API pprofc_str pprofc_profile_comment(const pprofc_profile *profile, size_t index);

/* The first function returns the number of sample types. The second returns the type at an index,
 * with empty texts if the index is out of range. */
PPROFC_API size_t pprofc_profile_type_count(const pprofc_profile *profile);
PPROFC_API pprofc_value_type pprofc_profile_type(const pprofc_profile *profile, size_t index);

/* Returns the index of the sample type that pprof shows by default: the default type of the
 * profile, else its last type. */
PPROFC_API size_t pprofc_profile_default_type(const pprofc_profile *profile);

/* The first function returns the number of strings in the profile's string table. The second
 * returns the string at an index, or "" if the index is out of range. */
PPROFC_API size_t pprofc_profile_string_count(const pprofc_profile *profile);
PPROFC_API pprofc_str pprofc_profile_string(const pprofc_profile *profile, uint32_t index);

/* Values of the samples. Each sample has a row: values[sample * types + type]. */
typedef struct pprofc_samples_view {
  size_t count;          /* number of samples */
  size_t types;          /* number of sample types */
  const int64_t *values; /* values of all samples: one row of `types` values per sample, each in the
                            unit of its type */
} pprofc_samples_view;

/* Fills in *view with the values of all samples. */
PPROFC_API void pprofc_profile_samples(const pprofc_profile *profile, pprofc_samples_view *view);

/* Copies the stack of one sample into `frames`: location indices, leaf first, at most `capacity`.
 * Returns the number of locations in the stack, which may be larger than `capacity`. The function
 * copies because the profile stores stacks as variable-length numbers. */
PPROFC_API size_t pprofc_profile_stack(const pprofc_profile *profile, size_t sample,
                                       uint32_t *frames, size_t capacity);

/* Returns the number of locations in the deepest stack. */
PPROFC_API size_t pprofc_profile_max_depth(const pprofc_profile *profile);

/* A label: a string (`is_number` false), or a number with an optional unit. */
typedef struct pprofc_label {
  pprofc_str key;    /* name of the label: "thread" */
  pprofc_str string; /* text of a label with a string; "" for a label with a number */
  pprofc_str unit;   /* unit of the number; "" if it has no unit */
  int64_t number;    /* value of a label with a number; 0 for a label with a string */
  bool is_number;    /* true for a label with a number, false for a label with a string */
} pprofc_label;

/* Key of the label that names the benchmark of a sample. The reader of callgrind files adds this
 * label. A program under callgrind can divide its output file by client requests. Each part of the
 * file is then one benchmark. */
#define PPROFC_BENCHMARK "benchmark"

/* The first function returns the number of labels of a sample. The second returns the label at an
 * index, or an empty label if the index is out of range. */
PPROFC_API size_t pprofc_profile_label_count(const pprofc_profile *profile, size_t sample);
PPROFC_API pprofc_label pprofc_profile_label(const pprofc_profile *profile, size_t sample,
                                             size_t index);

/* An address of the program. It has the source line of its function, and the lines of the functions
 * inlined at this address. */
typedef struct pprofc_location {
  uint64_t id;         /* id in the file */
  uint64_t address;    /* address in the program; 0 if unknown */
  uint32_t mapping;    /* index of the mapping, or PPROFC_NONE */
  uint32_t line_count; /* number of lines; 0 if the function is unknown */
  bool is_folded;      /* true if the linker merged several functions with equal code into one */
} pprofc_location;

/* A function and the source line in it. */
typedef struct pprofc_line {
  uint32_t function; /* index of the function, or PPROFC_NONE */
  int64_t line;      /* line number from 1; 0 if unknown */
  int64_t column;    /* column number from 1; 0 if unknown */
} pprofc_line;

/* A function of the program. */
typedef struct pprofc_function {
  uint64_t id;            /* id in the file */
  pprofc_str name;        /* name to show */
  pprofc_str system_name; /* mangled name, or the same as `name` */
  pprofc_str filename;    /* source file; "" if unknown */
  int64_t start_line;     /* first line of the function; 0 if unknown */
} pprofc_function;

/* A range of addresses, [start, limit), to which a binary is mapped. */
typedef struct pprofc_mapping {
  uint64_t id;           /* id in the file */
  uint64_t start, limit; /* first address, and the address after the last */
  uint64_t offset;       /* offset of `start` in the binary, in bytes */
  pprofc_str file;       /* path of the binary; "" if unknown */
  pprofc_str build_id;   /* build id in hexadecimal; "" if unknown */
  /* true if the locations of the mapping already have functions, file names, line numbers and
   * inlined functions */
  bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
} pprofc_mapping;

/* The first function returns the number of locations. The second returns the location at an index.
 * If the index is out of range, mapping is PPROFC_NONE and the other fields are 0. */
PPROFC_API size_t pprofc_profile_location_count(const pprofc_profile *profile);
PPROFC_API pprofc_location pprofc_profile_location(const pprofc_profile *profile, uint32_t index);

/* Returns a line of a location. Index 0 is the innermost inlined function. The last index is the
 * function that contains all of them. The function of the line is PPROFC_NONE if the index is out
 * of range. */
PPROFC_API pprofc_line pprofc_profile_line(const pprofc_profile *profile, uint32_t location,
                                           size_t index);

/* pprofc_profile_function_count returns the number of functions in the profile.
 * pprofc_profile_function returns one of them, with empty texts for an index out of range. */
PPROFC_API size_t pprofc_profile_function_count(const pprofc_profile *profile);
PPROFC_API pprofc_function pprofc_profile_function(const pprofc_profile *profile, uint32_t index);

/* The first function returns the number of mappings. The second returns the mapping at an index,
 * with empty texts if the index is out of range. */
PPROFC_API size_t pprofc_profile_mapping_count(const pprofc_profile *profile);
PPROFC_API pprofc_mapping pprofc_profile_mapping(const pprofc_profile *profile, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
