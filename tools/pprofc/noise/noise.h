/* Makes verdicts on the command line: -noise and its related flags. */
#ifndef PPROFC_TOOLS_NOISE_H
#define PPROFC_TOOLS_NOISE_H

#include "benches.h"
#include "pipeline/filter_options.h"
#include "verdict/print/print.h"

/* Warnings that filters gave, collected from each run. A warning is printed once, if all runs have
 * it. */
#define NOISE_WARNINGS 16
struct noise_warnings {
  size_t count;
  struct noise_warning {
    char text[160];
    size_t runs;
  } items[NOISE_WARNINGS];
};

/* True if the command has -noise. */
bool noise_wanted(const struct command *command);

/* Sets the options that follow from the words of flags. */
void noise_complete(struct noise_options *options);

/* Reads the runs, judges them, and writes the report. *code becomes the exit status. */
pprofc_status noise_run(struct command *command, int *code, pprofc_error *error);

/* True if verdicts can be printed in the command's format. */
bool noise_has_format(const struct command *command);

/* True if the report is a picture of the difference, with verdicts as marks
 * (command->report.verdicts). */
bool noise_is_picture(const struct command *command);

/* Returns a message about an option that excludes verdicts, or NULL. */
const char *noise_conflict(const struct command *command);

/* Returns a report without verdicts that is printed as the flags say. */
struct noise_report noise_report_of(const pprofc_report_options *options,
                                    const struct noise_options *flags);

/* Judges the runs by the flags and fills in the rest of the report. The caller frees the
 * verdicts, also after an error. */
pprofc_status noise_judge(struct noise_report *report, const struct noise_options *flags,
                          struct loaded_runs *runs, pprofc_error *error);

/* Sets the operations of -ops: one number for each side, or one for each run. */
pprofc_status noise_set_ops(const char *text, pprofc_verdict_run *runs, size_t count, size_t bases,
                            pprofc_error *error);

/* Writes the report of command->verdicts. */
pprofc_status noise_write(const struct command *command, pprofc_write_fn write, void *context,
                          pprofc_error *error);

/* Hides the frames that verdicts fold (runtime.asyncPreempt) in a difference, so that a picture has
 * the amounts of the table. False when out of memory. */
bool noise_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options);

/* Checks all conditions of -fail_on. */
pprofc_status noise_gate_check(const struct command *command, pprofc_error *error);

/* Prints the findings of -fail_on on standard error. Returns the exit status. */
int noise_gate(const struct noise_options *flags, const struct noise_report *report);

#endif
