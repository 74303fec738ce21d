/* Verdicts on the command line: -noise and what belongs to it. */
#ifndef PPROFC_TOOLS_NOISE_H
#define PPROFC_TOOLS_NOISE_H

#include "benches.h"

/* Warnings of filters: each run gives its own, and they are told once, when all runs gave them. */
#define NOISE_WARNINGS 16
struct noise_warnings {
  size_t count;
  struct noise_warning {
    char text[160];
    size_t runs;
  } items[NOISE_WARNINGS];
};

/* What is printed in place of a profile's report. */
struct noise_report {
  const struct command *command;
  pprofc_verdicts *verdicts;
  pprofc_verdict_summary summary;
  const pprofc_verdict_row *rows;
  size_t row_count;
  char benchmark[BENCHES_TEXT]; /* with its measure, or "" */
  bool common_refused;
};

/* Whether the command asks for verdicts. */
bool noise_wanted(const struct command *command);

/* Reads the runs, judges them, and takes the report where the command says. *code becomes the exit
 * status. */
pprofc_status noise_run(struct command *command, int *code, pprofc_error *error);

/* Whether verdicts have a form for the command's format. */
bool noise_has_format(const struct command *command);

/* Whether the report is a picture of the difference, in which verdicts are marks
 * (command->report.verdicts). */
bool noise_is_picture(const struct command *command);

/* The option of a command with a format that verdicts have another answer to, or none: a message;
 * NULL when there is none. */
const char *noise_conflict(const struct command *command);

/* Judges the runs for report->command and fills the rest of the report, whose verdicts are to be
 * freed in any case. */
pprofc_status noise_judge(struct noise_report *report, struct loaded_runs *runs,
                          pprofc_error *error);

/* Writes the report of command->verdicts. */
pprofc_status noise_write(const struct command *command, pprofc_write_fn write, void *context,
                          pprofc_error *error);

/* A head that does other work shares few functions with the base. Dividing by what those few
 * changed by would make large changes of all others: such a common factor is not taken out. */
bool noise_refuses_common(const pprofc_verdict_summary *summary);

/* The filters of a report, for each run. */
pprofc_filter_options noise_filter(const pprofc_report_options *options);

/* Whether all -fail_on can be read. */
pprofc_status noise_gate_check(const struct command *command, pprofc_error *error);

/* Tells what -fail_on finds, on standard error; returns the exit status. */
int noise_gate(const struct noise_report *report);

/* ---- the parts of a report --------------------------- */

struct output;

/* The table of -top; nothing but memory can fail. */
pprofc_status noise_table(const struct noise_report *report, struct output *out,
                          pprofc_error *error);
pprofc_status noise_json(const struct noise_report *report, struct output *out,
                         pprofc_error *error);

/* What makes up the change of the total. */
void noise_blame(const struct noise_report *report, struct output *out);

struct json_writer;
/* The same as the member "blame". */
void noise_blame_json(const struct noise_report *report, struct json_writer *json);

/* The lines above a table. */
void noise_header(const struct noise_report *report, struct output *out);

/* Text of a profile, safe for a terminal. */
void noise_put_text(struct output *out, pprofc_str text);

/* "function" or "functions". */
const char *noise_functions(size_t count);

/* A value in the unit of a column. */
struct noise_unit {
  pprofc_str from, to;
  double ratio; /* 1 / -divide_by */
};
struct noise_unit noise_unit_for(const struct noise_report *report, double largest);
#define NOISE_TEXT 64
pprofc_str noise_value(const struct noise_unit *unit, double value, char out[NOISE_TEXT]);
/* The same with a plus in front of what is above 0. */
pprofc_str noise_change(const struct noise_unit *unit, double value, char out[NOISE_TEXT]);

#endif
