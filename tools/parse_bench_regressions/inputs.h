/* The inputs of the gate: files of comparisons, or two runs. */
#ifndef PARSE_BENCH_REGRESSIONS_INPUTS_H
#define PARSE_BENCH_REGRESSIONS_INPUTS_H

#include "ages.h"
#include "gate/judge.h"
#include "gate/read/read.h"

/* Everything that was read; rows point into it. */
struct inputs {
  struct gate *gate;
  struct arena arena;   /* paths */
  struct buffer *files; /* contents */
  size_t file_count, file_capacity;
  struct ages ages;
  pprofc_bench *set;  /* raw results of base and head, or NULL */
  bool keeps_results; /* of the set, which inputs_raw else forgets once it has rows */
};

void inputs_init(struct inputs *inputs, struct gate *gate);
void inputs_free(struct inputs *inputs);

/* Reads a whole file, or standard input for "-". The view lives as long as `inputs`. */
pprofc_status inputs_file(struct inputs *inputs, const char *path, pprofc_str *data,
                          pprofc_error *error);

/* Reads comparisons: files, or bench_*.diff of folders; two files that are no comparisons are base
 * and head. An unreadable file is a problem of the gate; PPROFC_E_NOMEM is the only error. */
pprofc_status inputs_tables(struct inputs *inputs, const char *const *paths, size_t count,
                            pprofc_error *error);

/* Reads base and head. Problems and errors as above. */
pprofc_status inputs_raw(struct inputs *inputs, const char *base, const char *head,
                         pprofc_error *error);

#endif
