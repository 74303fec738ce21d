/* Declares the flags of `pprofci run` and the checks of these flags. */
#ifndef PPROFCI_RUN_OPTIONS_H
#define PPROFCI_RUN_OPTIONS_H

#include "commands.h"

#define RUN_PAIRS_MAX        1024 /* maximum number of -pair flags */
#define RUN_PROFILE_RUNS_MAX 1000
#define RUN_FAIL_ON_MAX      64
#define RUN_SIMULATED_MAX    100
#define RUN_BENCH_MAX        256

enum run_profile { RUN_PROFILE_REGRESSED, RUN_PROFILE_ALL };

struct run_options {
  const char *base, *head, *bench_base, *bench_head; /* "" if absent */
  const char *bench_paths[2][RUN_BENCH_MAX];         /* values of -bench-base and of -bench-head */
  size_t bench_count[2];
  const char *simulate_base, *simulate_head;
  const char *simulate, *setup, *simulate_toggle, *walltime;
  const char *pair_bases[RUN_PAIRS_MAX], *pair_heads[RUN_PAIRS_MAX];
  size_t pair_count;
  const char *out, *threshold, *bundled, *title, *links;
  bool no_fail, one_process, any_load, all, layout;
  const char *record, *base_ref, *bench, *benchtime, *cpu, *profiles;
  int64_t count, profile_runs, simulated_runs;
  int profile;      /* benchmarks to profile (enum run_profile) */
  int normalize_by; /* quantity by which values are divided (enum pprofc_verdict_exposure) */
  const char *ops, *program_base, *program_head;
  const char *fail_on[RUN_FAIL_ON_MAX], *fail_on_last, *noise_rules;
  size_t fail_on_count;
  uint64_t brief_bytes;
  bool counts_base; /* true if -simulate also counts instructions of a base */
  bool has_base;    /* true if a base is given; false if there is only a head */
  bool is_bundled;  /* true if no input is given, and the run compares the bundled profiles */
};

/* Reads the threshold from the environment, unless a flag sets it. Then checks the threshold. */
void run_options_settle(struct run_options *options);
void run_check(void *options, const struct command_line *line);

#endif
