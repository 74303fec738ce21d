/* The flags of parse_bench_regressions, and the environment variables that set them. */
#ifndef PARSE_BENCH_REGRESSIONS_OPTIONS_H
#define PARSE_BENCH_REGRESSIONS_OPTIONS_H

#include "common/flags.h"
#include "gate/gate.h"

#define LIST_MAX 64

struct gate_options {
  const char *base, *head;
  const char *since, *max_age;
  const char *threshold, *alpha, *floor, *rules, *noise_from, *today;
  int test, correction, time; /* of enum gate_test, enum gate_correction, enum gate_time */
  int64_t min_samples;
  bool strict, all, selftest, aa, version, manual;
  int format;
  const char *directions[LIST_MAX], *outs[LIST_MAX];
  size_t direction_count, out_count;
  char direction_text[4096]; /* the value of DIRECTION, cut into words */
  const char *completion;
};

extern const struct flag_table options_table;

/* Names of formats, in the order of `format`; ends with NULL. */
extern const char *const format_names[];

/* Takes the flags that the command line did not give from the environment, and marks them as given.
 */
pprofc_status options_environment(struct gate_options *options, struct flags_parsed *parsed,
                                  pprofc_error *error);

/* True when the flag of that name was on the command line, or in the environment. */
bool options_given(const struct flags_parsed *parsed, const char *name);

/* Applies the given flags to the settings of the gate. */
pprofc_status options_apply(const struct gate_options *options, const struct flags_parsed *parsed,
                            struct gate *gate, pprofc_error *error);

#endif
