/* Prints verdicts: a table, contributions to the change of the total, or JSON. */
#ifndef PPROFC_VERDICT_PRINT_PRINT_H
#define PPROFC_VERDICT_PRINT_PRINT_H

#include "pprofc/report.h"
#include "pprofc/verdict.h"
#include "verdict/amount.h"

/* Maximum size in bytes of a benchmark's name with its measure. */
#define BENCHES_TEXT 200

/* The verdicts of a report, and the settings for printing. */
struct noise_report {
  /* options of the report: unit, divisor, number of rows, filters */
  const pprofc_report_options *options;
  const char *show; /* rows to print: "all", "changed" or "rows" */
  bool fcr, stacks; /* fcr: true to write the level of the intervals to JSON; stacks: true to write
                       the stacks to JSON */
  pprofc_verdicts *verdicts;
  pprofc_verdict_summary summary;
  const pprofc_verdict_row *rows;
  size_t row_count;
  char benchmark[BENCHES_TEXT]; /* name of the benchmark and its measure, or "" */
};

/* Judges runs with the filters and the sample type of report->options. The runs of the base come
 * first. Stores the verdicts in `report`. `how` has the other settings; a sample type in `how`
 * takes precedence. The caller frees the verdicts. */
pprofc_status noise_report_judge(struct noise_report *report, const pprofc_verdict_run *runs,
                                 size_t count, size_t bases, const pprofc_verdict_options *how,
                                 pprofc_error *error);

/* Copies the summary and the rows of the verdicts to the report. */
void noise_take(struct noise_report *report);

/* Values of -normalize_by, in the order of pprofc_verdict_exposure; ends with NULL. */
extern const char *const noise_exposures[];

struct output;

/* The first function writes the table of -top, the second the JSON report. Both functions fail only
 * when out of memory. */
pprofc_status noise_table(const struct noise_report *report, struct output *out,
                          pprofc_error *error);
pprofc_status noise_json(const struct noise_report *report, struct output *out,
                         pprofc_error *error);

/* Writes the contributions to the change of the total. */
void noise_blame(const struct noise_report *report, struct output *out);

struct json_writer;
/* Writes the contributions as the JSON member "blame". */
void noise_blame_json(const struct noise_report *report, struct json_writer *json);

/* The first function writes the lines above a table. The second writes the lines below it. */
void noise_header(const struct noise_report *report, struct output *out);
void noise_footer(const struct noise_report *report, struct output *out);

/* Writes text of a profile, escaped for a terminal. */
void noise_put_text(struct output *out, pprofc_str text);

/* Returns "function" or "functions". */
const char *noise_functions(size_t count);

/* True if each side has one run. */
bool noise_is_pair(const pprofc_verdict_summary *summary);

static inline const pprofc_verdict_estimate *noise_estimate(const pprofc_verdict_row *row,
                                                            bool by_cum) {
  return by_cum ? &row->cum : &row->flat;
}

/* Returns the word for a row, such as "unchanged", "grew" or "moved". Returns "" for a function
 * that has no self value because it only calls others. */
const char *noise_word(const pprofc_verdict_row *row, bool by_cum);

/* Returns a unit that suits numbers up to `largest`. */
struct amount_unit noise_unit_for(const struct noise_report *report, double largest);

/* Range of the numbers in a table. All numbers have the same unit and number of decimals, so that
 * base plus change is head. */
struct noise_range {
  /* largest number in the table, and smallest change above 0 (0 if all changes are 0) */
  double largest, smallest;
  bool fractions; /* true if a number is not whole */
};

/* The first function extends the range by the numbers of a row: base, head, the change, and another
 * change that the row shows. The second returns the unit and the number of decimals for the range.
 */
void noise_range_add(struct noise_range *range, double base, double head, double other,
                     double change);
struct amount_grid noise_grid(const struct noise_report *report, const struct noise_range *range);

#endif
