/* Declares the flags and inputs of parse_bench_regressions, and the environment variables that
 * set flags. */
#ifndef PARSE_BENCH_REGRESSIONS_OPTIONS_H
#define PARSE_BENCH_REGRESSIONS_OPTIONS_H

#include "common/flags.h"
#include "gate/gate.h"
#include "gate/judge.h"
#include "gate/read/read.h"

#define LIST_MAX 64

struct gate_options {
  const char *sides[2][LIST_MAX]; /* files of base and of head, from -base and -head */
  size_t side_count[2];
  const char *since, *max_age;
  const char *threshold, *alpha, *floor, *rules, *noise_from, *today;
  int test, correction, time; /* values of pprofc_gate_test, pprofc_gate_correction and gate_time */
  int64_t min_samples;
  bool strict, one_process, any_load, all, selftest, aa;
  int format;
  const char *directions[LIST_MAX], *outs[LIST_MAX];
  size_t direction_count, out_count;
  char direction_text[4096]; /* copy of the variable DIRECTION, split into words */
  struct about about;
  uint64_t brief_bytes; /* size limit of the report in bytes; 0: the whole report */
  char brief_more[128]; /* command that prints a longer report */
};

extern const struct flag_table options_table;

extern const char *const format_names[];

/* Sets flags from the environment, except flags on the command line. Marks the flags as given. */
pprofc_status options_environment(struct gate_options *options, struct flags_parsed *parsed,
                                  pprofc_error *error);

/* True if the command line or the environment sets the flag. */
bool options_given(const struct flags_parsed *parsed, const char *name);

#define OPTIONS_DAY 32 /* size of a buffer for a day such as "2026-11-20" */

/* Returns the day of -today. Without the flag, formats the current day into `out`. */
const char *options_today(const struct gate_options *options, char out[OPTIONS_DAY]);

pprofc_status options_apply(const struct gate_options *options, const struct flags_parsed *parsed,
                            struct gate *gate, pprofc_error *error);

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
  struct buffer *files; /* contents of the input files */
  size_t file_count, file_capacity;
  struct ages ages;
  pprofc_bench *set;  /* results of base and head; NULL if the inputs are comparisons */
  bool keeps_results; /* true if inputs_raw must keep `set` */
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

/* Lists the files of base or of head, sorted by name. A folder of Rust's criterion is one input. */
pprofc_status inputs_expand(struct inputs *inputs, struct inputs_side side,
                            struct gate_paths *files, pprofc_error *error);

/* Reads base and head. Problems and errors are the same as for inputs_tables. */
pprofc_status inputs_raw(struct inputs *inputs, const struct inputs_side sides[2],
                         pprofc_error *error);

#endif
