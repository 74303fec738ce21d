/* Reads the runs of base and head, and computes the verdicts of -noise. */
#ifndef PPROFC_TOOLS_NOISE_H
#define PPROFC_TOOLS_NOISE_H

#include "pipeline/pipeline.h"
#include "pprofc/verdict.h"
#include "steps.h"
#include "verdict/print/print.h"
#include "verdict/sums.h"

/* ---- runs (runs.c) -------------------------------- */

struct loaded_runs {
  struct arena arena;
  struct source_run *sources; /* sources of base, then head; folders are replaced by their files */
  size_t source_count, source_capacity, base_sources;
  /* runs of `sources`, in the form of the library; `sources` owns their profiles */
  struct noise_runs list;
  size_t capacity; /* number of items for which list.items has space */
};

/* Reads the runs of base and head. `needs` as for sources_read_runs. */
pprofc_status runs_load(const struct command *command, const struct open_sums *needs,
                        struct loaded_runs *runs, pprofc_error *error);
void runs_free(struct loaded_runs *runs);

/* Adds up the profiles of `count` runs, at least 1. The caller releases the sum. */
pprofc_status runs_add_up(const pprofc_verdict_run *runs, size_t count, pprofc_profile **sum,
                          pprofc_error *error);

/* Sets *scaled to a copy of the profile in which all values are multiplied by `times`. The caller
 * releases the copy. */
pprofc_status runs_scale(const pprofc_profile *profile, double times, const pprofc_allocator *mem,
                         pprofc_profile **scaled, pprofc_error *error);

/* Computes the difference between the sums of base and head. With `per_run`, scales the head if
 * base and head have different numbers of runs. The caller releases the difference. */
pprofc_status runs_difference(const struct noise_runs *runs, bool per_run,
                              pprofc_profile **difference, pprofc_error *error);

/* True if the source is a folder. The source then means all profiles in the folder. */
bool runs_is_folder(const char *source);

/* Compares the paths of two runs. The result is like strcmp's, but numbers compare by value: run2
 * is before run10. Benchmark results use the same order. */
int runs_order(const char *first, const char *second);

/* ---- verdicts (noise.c, gate.c, benches.c, sums.c) ---- */

/* True if the command shows verdicts (-noise, -blame). */
bool noise_wanted(const struct command *command);

/* Sets options->how from the flags. With -blame, also sets options->show. */
void noise_complete(struct noise_options *options);

/* Reads the runs, judges them and writes the report. Sets *code to the exit status. */
pprofc_status noise_run(struct command *command, int *code, pprofc_error *error);

/* True if the command's format can show verdicts. */
bool noise_has_format(const struct command *command);

/* True if the command's format is a flame graph. Its colors then show the verdicts. */
bool noise_is_picture(const struct command *command);

/* Returns an error if an option and verdicts cannot be combined, else NULL. */
const char *noise_conflict(const struct command *command);

/* Returns the settings of the verdicts from the flags. NULL means the defaults. */
struct noise_settings noise_settings_of(const struct noise_options *flags);

/* Finds the operations of the runs (benches_match), and judges the runs (noise_judge_runs). */
pprofc_status noise_judge(struct noise_report *report, const struct noise_options *flags,
                          const struct noise_runs *runs, pprofc_error *error);

/* Reads the files of -bench_base and -bench_head, and sets the cost per operation of each run.
 * Writes the names of the benchmark and of its unit to `shown`, or "" without these flags. */
pprofc_status benches_match(const pprofc_report_options *options, const struct noise_options *n,
                            const struct noise_runs *runs, char shown[BENCHES_TEXT],
                            pprofc_error *error);

pprofc_status noise_write(const struct command *command, pprofc_write_fn write, void *context,
                          pprofc_error *error);

/* Checks the syntax of all -fail_on conditions. */
pprofc_status noise_gate_check(const struct command *command, pprofc_error *error);

/* Prints the changes that satisfy -fail_on to standard error. Returns the exit status. */
int noise_gate(const struct noise_options *flags, const struct noise_report *report);

/* Adds a profile to the sums as one run. Does nothing if sums->mem or `profile` is NULL. */
pprofc_status noise_sums_add(struct sums *sums, pprofc_profile *profile, const char *name,
                             pprofc_error *error);

/* Writes the sums to the file that -sums names, if `status` is PPROFC_OK. Always frees the sums. */
pprofc_status noise_sums_end(const struct command *command, struct sums *sums, pprofc_status status,
                             pprofc_error *error);

/* True if a source or base is a file that -sums wrote. */
bool noise_sums_given(const struct command *command);

/* Judges files that -sums wrote, instead of runs. */
pprofc_status noise_sums_judge(const struct command *command, struct noise_report *report,
                               pprofc_error *error);

#endif
