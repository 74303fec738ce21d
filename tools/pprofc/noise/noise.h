/* Verdicts on the command line: -noise and its related flags. */
#ifndef PPROFC_TOOLS_NOISE_H
#define PPROFC_TOOLS_NOISE_H

#include "benches.h"
#include "verdict/amount.h"

/* Warnings of filters, collected from each run. A warning is printed once, if all runs have it. */
#define NOISE_WARNINGS 16
struct noise_warnings {
  size_t count;
  struct noise_warning {
    char text[160];
    size_t runs;
  } items[NOISE_WARNINGS];
};

/* Verdicts to print in place of a profile's report. */
struct noise_report {
  const struct command *command;
  pprofc_verdicts *verdicts;
  pprofc_verdict_summary summary;
  const pprofc_verdict_row *rows;
  size_t row_count;
  char benchmark[BENCHES_TEXT]; /* name with its measure, or "" */
};

/* True if the command has -noise. */
bool noise_wanted(const struct command *command);

/* Reads the runs, judges them, and writes the report. *code becomes the exit status. */
pprofc_status noise_run(struct command *command, int *code, pprofc_error *error);

/* True if verdicts can be printed in the command's format. */
bool noise_has_format(const struct command *command);

/* True if the report is a picture of the difference, with verdicts as marks
 * (command->report.verdicts). */
bool noise_is_picture(const struct command *command);

/* Returns a message about an option that excludes verdicts, or NULL. */
const char *noise_conflict(const struct command *command);

/* Judges the runs for report->command and fills in the rest of the report. The caller frees
 * the verdicts, also after an error. */
pprofc_status noise_judge(struct noise_report *report, struct loaded_runs *runs,
                          pprofc_error *error);

/* Sets the operations of -ops: one number for each side, or one for each run. */
pprofc_status noise_set_ops(const char *text, pprofc_verdict_run *runs, size_t count, size_t bases,
                            pprofc_error *error);

/* Values of -normalize_by, in the order of pprofc_verdict_exposure; ends with NULL. */
extern const char *const noise_exposures[];

/* Copies summary and rows from the verdicts of a report. */
void noise_take(struct noise_report *report);

/* Writes the report of command->verdicts. */
pprofc_status noise_write(const struct command *command, pprofc_write_fn write, void *context,
                          pprofc_error *error);

/* Returns the filters of a report, which apply to each run. */
pprofc_filter_options noise_filter(const pprofc_report_options *options);

/* Hides the frames that verdicts fold (runtime.asyncPreempt) in a difference, so that a picture has
 * the amounts of the table. False when out of memory. */
bool noise_hide_folded(const pprofc_profile *difference, struct arena *arena,
                       pprofc_report_options *options);

/* Checks all conditions of -fail_on. */
pprofc_status noise_gate_check(const struct command *command, pprofc_error *error);

/* Prints the findings of -fail_on on standard error. Returns the exit status. */
int noise_gate(const struct noise_report *report);

/* ---- the parts of a report --------------------------- */

struct output;

/* Writes the table of -top. Fails only when out of memory. */
pprofc_status noise_table(const struct noise_report *report, struct output *out,
                          pprofc_error *error);
pprofc_status noise_json(const struct noise_report *report, struct output *out,
                         pprofc_error *error);

/* Writes the contributions to the change of the total. */
void noise_blame(const struct noise_report *report, struct output *out);

struct json_writer;
/* Writes the contributions as the JSON member "blame". */
void noise_blame_json(const struct noise_report *report, struct json_writer *json);

/* Write the lines above a table, and the line below it. */
void noise_header(const struct noise_report *report, struct output *out);
void noise_footer(const struct noise_report *report, struct output *out);

/* Writes text of a profile, escaped for a terminal. */
void noise_put_text(struct output *out, pprofc_str text);

/* Returns "function" or "functions". */
const char *noise_functions(size_t count);

/* Returns a unit that suits numbers of this size. */
struct amount_unit noise_unit_for(const struct noise_report *report, double largest);

#endif
