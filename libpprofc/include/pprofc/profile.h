/* Reading, looking at, and writing a profile.
 *
 * A profile is a set of immutable columns (see docs/ARCHITECTURE.md). Ids of the file become dense
 * indices 0..n-1 here; PPROFC_NONE stands for "no such thing". Views point into the profile and
 * live as long as it does.
 *
 * Any number of threads may call these functions at once, with one profile, too. A thread that uses
 * a profile longer than the others holds it by pprofc_profile_retain. */
#ifndef PPROFC_PROFILE_H
#define PPROFC_PROFILE_H

#include "pprofc/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofc_profile pprofc_profile;

#define PPROFC_NONE UINT32_MAX

/* What becomes of a call graph without stacks, such as callgrind's. All of them keep the totals of
 * every function and line. */
typedef enum pprofc_call_stacks {
  PPROFC_STACKS_PROPORTIONAL, /* a tree: costs go to callers by their share of the calls' cost */
  PPROFC_STACKS_EDGES,        /* two frames: a function and its caller */
  PPROFC_STACKS_FLAT          /* one frame */
} pprofc_call_stacks;

/* What a caller needs of the samples of a profile.proto that it reads. Where only sums are shown,
 * large profiles with many equal stacks are read faster, and in less memory, when samples are added
 * up at once. It is a permission: the samples may come as they are, too. */
typedef enum pprofc_folding {
  PPROFC_FOLD_NOTHING, /* every sample */
  PPROFC_FOLD_EQUAL,   /* equal stacks with equal labels may have become one sample */
  PPROFC_FOLD_STACKS,  /* equal stacks may have become one, and labels may be missing */
  PPROFC_FOLD_ORDER,   /* the same, and in any order */
  PPROFC_FOLD_SUMS     /* the same: for one report of sums of nodes (top, text, list, disasm)
                          without filters. Nothing else can read such samples: views of them are
                          empty */
} pprofc_folding;

typedef struct pprofc_read_options {
  size_t struct_size; /* set by pprofc_read_options_init */
  const pprofc_allocator
      *allocator; /* copied; NULL for malloc; used for all that is made from the profile */
  const pprofc_limits *limits; /* NULL for the defaults */
  unsigned threads;            /* 0: as many as the machine has, 1: none beside the caller */
  pprofc_call_stacks call_stacks;
  bool may_change; /* another program may write to the file meanwhile: it is not mapped, so that a
                      file that is cut short is an error and no signal SIGBUS */
  pprofc_folding folding;
  const char *fold_sample_index; /* with PPROFC_FOLD_SUMS: the sample_index of the report; values of
                                    other types may be missing then. NULL: all are needed */
  bool fold_always;              /* samples are added up even where that does not pay: for tests */
  bool fold_rows;                /* they are not, even where that pays: for tests */
  /* Told of what was left out of a source that was read ("2 of 9 lines are no folded stacks ..."),
   * one line without newline, on the thread of the caller. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context;
  bool fold_compared; /* with PPROFC_FOLD_SUMS: the profile is one side of a difference, and what
                         would serve a report of it alone is not counted */
} pprofc_read_options;

PPROFC_API void pprofc_read_options_init(pprofc_read_options *options);

/* Reads a profile of any known format, gzip'd or plain, recognised by content. `path` "-" is
 * standard input. `options` may be NULL. On success *profile is to be given back with
 * pprofc_profile_release. */
PPROFC_API pprofc_status pprofc_profile_read_file(const char *path,
                                                  const pprofc_read_options *options,
                                                  pprofc_profile **profile, pprofc_error *error);

/* The same from memory; `data` is copied where needed and may be freed afterwards. */
PPROFC_API pprofc_status pprofc_profile_read_memory(const void *data, size_t size,
                                                    const pprofc_read_options *options,
                                                    pprofc_profile **profile, pprofc_error *error);

/* One more owner, and one fewer; the last one frees. NULL is allowed. */
PPROFC_API pprofc_profile *pprofc_profile_retain(pprofc_profile *profile);
PPROFC_API void pprofc_profile_release(pprofc_profile *profile);

/* Writes gzip'd profile.proto (mtime 0, so equal profiles give equal bytes). */
PPROFC_API pprofc_status pprofc_profile_write(const pprofc_profile *profile, pprofc_write_fn write,
                                              void *context, pprofc_error *error);

/* The same into a file that appears whole or not at all. */
PPROFC_API pprofc_status pprofc_profile_write_file(const pprofc_profile *profile, const char *path,
                                                   pprofc_error *error);

/* ---- columns ----------------------------------------- */

typedef struct pprofc_value_type {
  pprofc_str type; /* "cpu" */
  pprofc_str unit; /* "nanoseconds" */
} pprofc_value_type;

typedef struct pprofc_header {
  pprofc_str drop_frames, keep_frames; /* regular expressions, may be empty */
  int64_t time_nanos;                  /* since 1970, 0 when unknown */
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

/* Index of the sample type that pprof shows when none is asked for: the default one, else the last.
 */
PPROFC_API size_t pprofc_profile_default_type(const pprofc_profile *profile);

PPROFC_API size_t pprofc_profile_string_count(const pprofc_profile *profile);
PPROFC_API pprofc_str pprofc_profile_string(const pprofc_profile *profile, uint32_t index);

/* values[sample * types + type], row by row. */
typedef struct pprofc_samples_view {
  size_t count;
  size_t types;
  const int64_t *values;
} pprofc_samples_view;

PPROFC_API void pprofc_profile_samples(const pprofc_profile *profile, pprofc_samples_view *view);

/* Copies the stack of one sample, location indices, leaf first, into `frames` (room for `capacity`)
 * and returns how many there are; more than `capacity` means that only the first ones were copied.
 * Stacks are kept in the packed form of the file, which is why this is a copy. */
PPROFC_API size_t pprofc_profile_stack(const pprofc_profile *profile, size_t sample,
                                       uint32_t *frames, size_t capacity);

/* The greatest number of frames that any stack has. */
PPROFC_API size_t pprofc_profile_max_depth(const pprofc_profile *profile);

/* A label has either a string (`is_number` false) or a number with an optional unit. */
typedef struct pprofc_label {
  pprofc_str key;
  pprofc_str string;
  pprofc_str unit;
  int64_t number;
  bool is_number;
} pprofc_label;

PPROFC_API size_t pprofc_profile_label_count(const pprofc_profile *profile, size_t sample);
PPROFC_API pprofc_label pprofc_profile_label(const pprofc_profile *profile, size_t sample,
                                             size_t index);

typedef struct pprofc_location {
  uint64_t id; /* as the file has it */
  uint64_t address;
  uint32_t mapping; /* or PPROFC_NONE */
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

/* Line `index` of a location, 0 = innermost inlined function, last = the function itself. */
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
