/* The flags of `pprofci run`, and what they may be together. */
#ifndef PPROFCI_RUN_OPTIONS_H
#define PPROFCI_RUN_OPTIONS_H

#include "common/flags.h"

#define RUN_PAIRS_MAX        1024 /* of -pair */
#define RUN_PROFILE_RUNS_MAX 1000
#define RUN_FAIL_ON_MAX      64

struct run_options {
  const char *base, *head, *bench_base, *bench_head; /* "": not given */
  const char *simulate_base, *simulate_head;
  const char *pair_bases[RUN_PAIRS_MAX], *pair_heads[RUN_PAIRS_MAX];
  size_t pair_count;
  const char *out, *threshold, *bundled, *title, *links;
  bool no_fail;
  const char *record, *base_ref, *bench, *benchtime, *cpu, *profiles;
  int64_t count, profile_runs;
  const char *fail_on[RUN_FAIL_ON_MAX], *fail_on_last, *noise_rules;
  size_t fail_on_count;
  bool has_base;   /* a base of something is there, else this is a first run */
  bool is_bundled; /* nothing was given: the bundled profiles are compared */
};

/* Takes the threshold from the environment where it was not given, and checks it. */
pprofc_status run_options_settle(struct run_options *options, pprofc_error *error);

/* Reads and checks the command line. */
pprofc_status run_options_read(struct run_options *options, int argc, char **argv,
                               struct flags_parsed *parsed, pprofc_error *error);

#endif
