/* Reads the inputs of the gate: comparison files, or two runs. */
#ifndef PARSE_BENCH_REGRESSIONS_INPUTS_H
#define PARSE_BENCH_REGRESSIONS_INPUTS_H

#include "gate/gate.h"
#include "gate/judge.h"
#include "gate/read/files.h"
#include "gate/read/read.h"
#include "options.h"

#include <time.h>

struct ages {
  struct timespec now, since; /* start of this run; time of the file given by -since, or 0 */
  double most;                /* maximum age in seconds, from -max-age; negative: not given */
  /* Largest and smallest age in seconds of the files in folders; NaN if there are no files. */
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
  bool keeps_results; /* true if the caller still needs the set after inputs_raw has created the
                         rows */
};

void inputs_init(struct inputs *inputs, struct gate *gate);
void inputs_free(struct inputs *inputs);

/* Parses the age limits and rules of the options. */
pprofc_status inputs_prepare(struct inputs *inputs, const struct gate_options *options,
                             pprofc_error *error);

/* Reads comparisons: files, or bench_*.diff in folders. If there are two files and both are
 * results, the files are base and head. An unreadable file becomes a problem of the gate. The only
 * error is PPROFC_E_NOMEM. */
pprofc_status inputs_tables(struct inputs *inputs, const char *const *paths, size_t count,
                            pprofc_error *error);

/* Files or folders of base or head. Each file contains the results of one process. */
struct inputs_side {
  const char *const *paths;
  size_t count;
};

/* Lists the files of base or head. Sorts the files of a folder by name. A results folder of
 * criterion is one input. */
pprofc_status inputs_expand(struct inputs *inputs, struct inputs_side side,
                            struct gate_paths *files, pprofc_error *error);

/* Reads base and head. Reports problems and errors as inputs_tables does. */
pprofc_status inputs_raw(struct inputs *inputs, const struct inputs_side sides[2],
                         pprofc_error *error);

#endif
