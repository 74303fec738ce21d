/* Which inputs an earlier run left behind. */
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

/* Takes -since and -max-age, either may be empty; an error says what is wrong with them. */
pprofc_status ages_init(struct ages *ages, const char *since, const char *most,
                        pprofc_error *error);

/* Makes a file that is too old a problem of the gate. `found`: it was not named, but found in a
 * folder, where a day is the most if -max-age is not given. What is no file has no age. */
void ages_check(struct ages *ages, struct gate *gate, const char *path, bool found);

/* Warns when files of folders were written at times that one run hardly takes. */
void ages_compare(const struct ages *ages, struct gate *gate);

#endif
