/* Runs programs under valgrind's callgrind, with the same cache model in each run. */
#ifndef PPROFC_TOOLS_CALLGRIND_H
#define PPROFC_TOOLS_CALLGRIND_H

#include "pprofc/profile.h"

/* Number of words at the start of a callgrind command: valgrind and its options. */
#define CALLGRIND_WORDS 11
extern const char *const callgrind_words[CALLGRIND_WORDS];

enum callgrind_type {
  CALLGRIND_INSTRUCTIONS,
  CALLGRIND_FIRST_MISSES, /* number of misses in the first-level caches */
  CALLGRIND_LAST_MISSES,  /* last-level cache misses; each is an access to memory */
  CALLGRIND_SYSTEM_TIME,
  CALLGRIND_CYCLES, /* estimated number of processor cycles */
  CALLGRIND_TYPES
};

struct callgrind_edits {
  const char *ignore; /* regular expression of frames whose stacks are dropped */
  pprofc_str folder;  /* folder that is removed from names of source files (profile_trim_files) */
};

/* Converts callgrind's output `from` to a profile `to`, with the edits (may be NULL). Stores the
 * sum of each sample type in `totals` (may be NULL). */
pprofc_status callgrind_convert(const char *from, const char *to,
                                const pprofc_read_options *options,
                                const struct callgrind_edits *edits, int64_t *totals,
                                pprofc_error *error);

#endif
