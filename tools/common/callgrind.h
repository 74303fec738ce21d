/* Runs programs under valgrind's callgrind, and converts the events to sample types. The cache
 * model and the addresses are the same in each run. */
#ifndef PPROFC_TOOLS_CALLGRIND_H
#define PPROFC_TOOLS_CALLGRIND_H

#include "pprofc/profile.h"

/* Number of words at the start of a callgrind command: valgrind and its options. */
#define CALLGRIND_WORDS 11
extern const char *const callgrind_words[CALLGRIND_WORDS];

/* Sample types of the converted profile. */
enum callgrind_type {
  CALLGRIND_INSTRUCTIONS,
  CALLGRIND_FIRST_MISSES, /* number of misses in the first-level caches */
  CALLGRIND_LAST_MISSES,  /* number of misses in the last-level cache; each of them is an access to
                             memory */
  CALLGRIND_SYSTEM_TIME,
  CALLGRIND_CYCLES, /* estimated number of processor cycles */
  CALLGRIND_TYPES
};

/* Reads callgrind's output file `from`, and writes a profile with these sample types to `to`. Skips
 * stacks that have a frame matching the expression `ignore`; it may be NULL. Stores the total of
 * each sample type in `totals`; it may be NULL. */
pprofc_status callgrind_convert(const char *from, const char *to,
                                const pprofc_read_options *options, const char *ignore,
                                int64_t *totals, pprofc_error *error);

#endif
