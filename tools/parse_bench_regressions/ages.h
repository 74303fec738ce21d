/* Finds inputs of an earlier run. */
#ifndef PARSE_BENCH_REGRESSIONS_AGES_H
#define PARSE_BENCH_REGRESSIONS_AGES_H

#include "gate/gate.h"

#include <time.h>

struct ages {
  struct timespec now, since; /* since: time of the file of -since, or 0 */
  double most;                /* seconds of -max-age; negative if not given */
  double oldest, newest;      /* ages in seconds of the files in folders; NaN if there are no
                                 files */
  char oldest_path[256];
};

/* Parses -since and -max-age, which may be empty. */
pprofc_status ages_init(struct ages *ages, const char *since, const char *most,
                        pprofc_error *error);

/* Adds a problem to the gate if a file is too old. `found` is true for a file found in a
 * folder; the default limit of one day applies only to such files. Only regular files have an
 * age. */
void ages_check(struct ages *ages, struct gate *gate, const char *path, bool found);

/* Warns if the times of a folder's files differ by more than a run takes. */
void ages_compare(const struct ages *ages, struct gate *gate);

#endif
