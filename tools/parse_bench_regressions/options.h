/* Declares the flags of parse_bench_regressions, and the environment variables that set them. */
#ifndef PARSE_BENCH_REGRESSIONS_OPTIONS_H
#define PARSE_BENCH_REGRESSIONS_OPTIONS_H

#include "common/about.h"
#include "gate/gate.h"

#define LIST_MAX 64

struct gate_options {
  const char *sides[2][LIST_MAX]; /* files of base and of head, from -base and -head */
  size_t side_count[2];
  const char *since, *max_age;
  const char *threshold, *alpha, *floor, *rules, *noise_from, *today;
  int test, correction, time; /* a pprofc_gate_test, pprofc_gate_correction, enum gate_time */
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

/* Sets flags from the environment if they are not on the command line. Marks them as given. */
pprofc_status options_environment(struct gate_options *options, struct flags_parsed *parsed,
                                  pprofc_error *error);

/* True if the command line or the environment sets the flag. */
bool options_given(const struct flags_parsed *parsed, const char *name);

#define OPTIONS_DAY 32 /* size of a buffer for a day such as "2026-11-20" */

/* Returns the day of -today. Without the flag, formats the current day into `out`. */
const char *options_today(const struct gate_options *options, char out[OPTIONS_DAY]);

pprofc_status options_apply(const struct gate_options *options, const struct flags_parsed *parsed,
                            struct gate *gate, pprofc_error *error);

#endif
