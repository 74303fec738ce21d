/* Reads the inputs of the gate (the check that fails if benchmarks became slower). The inputs are
 * comparison files, or two runs. */
#ifndef PARSE_BENCH_REGRESSIONS_INPUTS_H
#define PARSE_BENCH_REGRESSIONS_INPUTS_H

#include "gate/gate.h"
#include "gate/judge.h"
#include "gate/read/read.h"
#include "options.h"

#include <time.h>

struct ages {
  struct timespec now, since; /* start of this program; time of the -since file (0: not given) */
  double most;                /* maximum age in seconds, from -max-age; negative: no maximum */
  /* largest and smallest age in seconds of the files found in folders; NaN: no such file */
  double oldest, newest;
  char oldest_path[256];
};

/* Data of all inputs. The rows of the gate point into this data. */
struct inputs {
  struct gate *gate;
  struct arena arena;   /* memory for the paths of the inputs */
  struct buffer *files; /* contents of the files */
  size_t file_count, file_capacity;
  struct ages ages;
  pprofc_bench *set;  /* results of base and head; NULL if the inputs are comparisons */
  bool keeps_results; /* true if the caller needs `set` after inputs_raw */
};

void inputs_init(struct inputs *inputs, struct gate *gate);
void inputs_free(struct inputs *inputs);

pprofc_status inputs_prepare(struct inputs *inputs, const struct gate_options *options,
                             pprofc_error *error);

/* Reads comparisons from files, or from bench_*.diff in folders. Two files with benchmark results
 * are read as base and head. An unreadable file becomes a problem that the verdict reports. The
 * only error is PPROFC_E_NOMEM. */
pprofc_status inputs_tables(struct inputs *inputs, const char *const *paths, size_t count,
                            pprofc_error *error);

/* Files or folders of base or of head. Each file has the results of one process. */
struct inputs_side {
  const char *const *paths;
  size_t count;
};

/* Lists the files of base or of head, sorted by name. A folder of criterion is one input. */
pprofc_status inputs_expand(struct inputs *inputs, struct inputs_side side,
                            struct gate_paths *files, pprofc_error *error);

/* Reads base and head. Problems and errors are the same as for inputs_tables. */
pprofc_status inputs_raw(struct inputs *inputs, const struct inputs_side sides[2],
                         pprofc_error *error);

#endif
