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
  /* value of -noise, which selects the rows to print */
  const char *show;
  bool fcr, stacks; /* fcr: true to write the level of the intervals to JSON; stacks: true to write
                       the stacks to JSON */
  pprofc_verdicts *verdicts;
  pprofc_verdict_summary summary;
  const pprofc_verdict_row *rows;
  size_t row_count;
  char benchmark[BENCHES_TEXT]; /* name of the benchmark and its measure, or "" */
};

/* Judges runs with the filters of report->options. The runs of the base come first. Stores the
 * verdicts in `report`. `how` has the other settings. The sample type is from `how`, or else from
 * report->options. The caller frees the verdicts. */
pprofc_status noise_report_judge(struct noise_report *report, const pprofc_verdict_run *runs,
                                 size_t count, size_t bases, const pprofc_verdict_options *how,
                                 pprofc_error *error);

/* Copies the summary and the rows of the verdicts to the report. */
void noise_take(struct noise_report *report);

/* Values of -normalize_by, in the order of pprofc_verdict_exposure; ends with NULL. */
extern const char *const noise_exposures[];

struct output;

/* noise_table writes the table of -top, noise_json the JSON report. Both functions fail only when
 * out of memory. */
pprofc_status noise_table(const struct noise_report *report, struct output *out,
                          pprofc_error *error);
pprofc_status noise_json(const struct noise_report *report, struct output *out,
                         pprofc_error *error);

/* Writes the contributions to the change of the total. */
void noise_blame(const struct noise_report *report, struct output *out);

struct json_writer;
/* Writes the contributions to the total change as the JSON member "blame". */
void noise_blame_json(const struct noise_report *report, struct json_writer *json);

/* noise_header writes the lines above a table, noise_footer the lines below it. */
void noise_header(const struct noise_report *report, struct output *out);
void noise_footer(const struct noise_report *report, struct output *out);

/* Writes text of a profile, escaped for a terminal. */
void noise_put_text(struct output *out, pprofc_str text);

/* Returns "function" or "functions". */
const char *noise_functions(size_t count);

/* True if base and head each have one run. */
bool noise_is_pair(const pprofc_verdict_summary *summary);

static inline const pprofc_verdict_estimate *noise_estimate(const pprofc_verdict_row *row,
                                                            bool by_cum) {
  return by_cum ? &row->cum : &row->flat;
}

/* Returns the word for a row, such as "unchanged", "grew" or "moved". Returns "" for a function
 * that has no self value because it only calls others. */
const char *noise_word(const pprofc_verdict_row *row, bool by_cum);

/* Returns "new", "gone", "grew", "shrank" or "same" for a change, which may be noise. */
const char *noise_direction(double total_base, double total_head, double change);

/* True if the report sorts by total. */
bool noise_by_cum(const struct noise_report *report);

/* True if the value of -noise selects groups of functions, not only functions. */
bool noise_lists_groups(const struct noise_report *report);

/* True if -drop_negative or the value of -noise hides the row. */
bool noise_hides(const struct noise_report *report, const pprofc_verdict_row *row);

/* Returns a unit that suits numbers up to `largest`. */
struct amount_unit noise_unit_for(const struct noise_report *report, double largest);

/* Range of the numbers in a table. All have the same unit and number of decimals, so that the
 * printed base plus the printed change is the printed head. */
struct noise_range {
  /* largest number in the table, and smallest change above 0 (0 if all changes are 0) */
  double largest, smallest;
  bool fractions; /* true if a number is not whole */
};

/* noise_range_add extends the range by the numbers of a row. `other` is the second change that the
 * row shows, or 0. noise_grid returns the unit and the number of decimals for the range. */
void noise_range_add(struct noise_range *range, double base, double head, double other,
                     double change);
struct amount_grid noise_grid(const struct noise_report *report, const struct noise_range *range);

/* ---- domains ---------------------------------------- */

/* Texts of domains (groups of functions between which cost may have moved). The numbers are the
 * maximum sizes of the texts in bytes. */

#define DOMAIN_PLACE 300
#define DOMAIN_TEXT  (DOMAIN_PLACE + 300)

/* Returns the type of a domain (a group of functions between which cost may have moved) for JSON:
 * "caller", "type", "file", "package" or "renamed". */
const char *noise_domain_kind(pprofc_verdict_domain_kind kind);

/* Returns the verdict of a domain (a group of functions between which cost may have moved):
 * "moved", "renamed", or the verdict on its sum. */
const char *noise_domain_word(const pprofc_verdict_domain *domain);

/* Formats how cost moved: " inside svc.f", or ", renamed from old/enc to new/enc". */
void noise_domain_place(const pprofc_verdict_domain *domain, char out[DOMAIN_PLACE]);

/* Formats "moved inside svc: net +3 ±20 of 900". Omits the interval if `lone` is true (exact counts
 * with one run of base or of head). */
void noise_domain_text(const pprofc_verdict_domain *domain, const struct amount_unit *unit,
                       bool lone, char out[DOMAIN_TEXT]);

/* Writes a line with the text of a domain (a group of functions between which cost may have moved)
 * and the names of its functions. */
void noise_put_domain_line(const struct noise_report *report, const pprofc_verdict_domain *domain,
                           const struct amount_unit *unit, struct output *out);

/* Returns the domain of a row (its group of functions between which cost may have moved) if the
 * changes of these functions cancel. Otherwise returns NULL. */
const pprofc_verdict_domain *noise_domain_moved(const struct noise_report *report,
                                                const pprofc_verdict_row *row);

/* ---- contributions ---------------------------------- */

/* Contributions to the change of the total, for the reports of -blame in text and JSON. */

struct blame {
  const struct noise_report *report;
  double environment, rest; /* change in the code of the environment (verdict/walk.h), such as
                               the kernel, and change that nothing explains */
  size_t environment_count, rest_count;
  bool has_shares; /* true if the total change is significant; lines then show their share of this
                      change */
};

/* Computes the contributions. Their sum in this order is exactly the change of the total: rows with
 * a line, pairs of rows that cancel, domains, the environment (such as the kernel), the rest. */
struct blame blame_of(const struct noise_report *report);

/* Returns `delta`, the change on a line, as a share of the total change. Returns NaN if the line
 * shows no share. */
double blame_share(const struct blame *b, double delta);

/* Begins the JSON member "total": base, head, the change and its interval. The caller ends the
 * member. */
void blame_json_begin_total(struct json_writer *json, const pprofc_verdict_summary *s);

/* ---- conditions ------------------------------------- */

/* Help of the flags -fail_on and -fail-on, after their first sentence. Each line after the first
 * explains a form of a condition. */
#define NOISE_CONDITIONS                                                                           \
  "May be repeated. Growth within the noise does not count. The cost of a function excludes its "  \
  "callees, except in cum:\n"                                                                      \
  "total>5%: the total of the profile grew by more than 5 %\n"                                     \
  "common>5%: a factor that all functions share grew by more than 5 %\n"                           \
  "flat>5%: the cost of a function grew by more than 5 % of the base's total\n"                    \
  "cum>5%: the cost of a function with its callees grew by more than 5 % of the base's total\n"    \
  "row:flat>5%, row:cum>5%: as flat and cum, even if the cost only moved from other functions\n"   \
  "self>10%: the cost of a function grew by more than 10 % of its cost in the base\n"              \
  "flat>10ms: the cost of a function grew by more than 10 ms\n"                                    \
  "name=RE: the cost of a function whose name matches the regexp RE grew\n"                        \
  "flat>5%,name=RE: as flat>5%, but only for functions whose name matches RE"

/* Checks that the text is a condition, such as "total>5%" or "cum>10ms,name=RE". An error message
 * names `flag`, the name of the flag. */
pprofc_status noise_condition_check(const char *flag, const char *text, pprofc_error *error);

/* Growth that meets a condition of -fail_on. */
struct noise_finding {
  /* row of the function that grew; NULL for the total or all functions */
  const pprofc_verdict_row *row;
  /* group of related functions whose sum is `estimate`, or NULL */
  const pprofc_verdict_domain *domain;
  pprofc_str name; /* name of the function, or "the total", "all functions" */
  /* estimate of the value in the condition: flat, cum or the total */
  pprofc_verdict_estimate estimate;
  /* for a condition on all functions: the relative change that they share; else NaN */
  double change;
  bool accepted; /* true if a rule with a reason and an end date accepts the growth */
  pprofc_str reason, until;
};
typedef void (*noise_found_fn)(void *context, const struct noise_finding *found);

/* Returns the verb for a verdict, such as "grew". Sets *rest to the text that follows the amount,
 * such as ", as everything did". */
const char *noise_verb(pprofc_verdict verdict, const char **rest);

/* Writes the current day in UTC, such as "2026-11-24". */
void noise_gate_today(char out[16]);

enum noise_use {
  NOISE_USED,
  NOISE_HIDDEN,     /* checked, but noise may hide a growth by the threshold */
  NOISE_OTHER_UNIT, /* the values and the threshold of the condition have different units */
  NOISE_UNJUDGED,   /* the values that the condition checks have no verdict */
  NOISE_FAILED      /* the regular expression exceeded its limit of time or memory */
};

/* Calls `found` for each growth that violates the condition `text` and has an adjusted p-value (q)
 * below `alpha`. The condition must be valid. */
enum noise_use noise_condition_find(const struct noise_report *report, const char *text,
                                    double alpha, noise_found_fn found, void *context);

#endif
