/* Finds inputs that an earlier run left. */
#ifndef PARSE_BENCH_REGRESSIONS_AGES_H
#define PARSE_BENCH_REGRESSIONS_AGES_H

#include "gate/gate.h"

#include <time.h>

struct ages {
  struct timespec now, since; /* of the file of -since; 0 when there is none */
  double most;                /* seconds; negative: not given */
  double oldest, newest;      /* of the files of folders, in seconds; NaN: there are none */
  char oldest_path[256];
};

/* Takes -since and -max-age, which may be empty. */
pprofc_status ages_init(struct ages *ages, const char *since, const char *most,
                        pprofc_error *error);

/* Makes a file that is too old a problem of the gate. `found`: it was found in a folder, not named;
 * then a day is the most if -max-age is not given. Only regular files have an age. */
void ages_check(struct ages *ages, struct gate *gate, const char *path, bool found);

/* Warns when the files of a folder were written further apart than one run takes. */
void ages_compare(const struct ages *ages, struct gate *gate);

#endif
