/* Prints verdicts: a table, contributions to the change of the total, or JSON. */
#ifndef PPROFC_VERDICT_PRINT_PRINT_H
#define PPROFC_VERDICT_PRINT_PRINT_H

#include "verdict/amount.h"
#include "verdict/run/run.h"

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

/* noise_header writes the lines above a table: the sentence with the result, and the lines of
 * noise_conditions. noise_footer writes the lines below the table. */
void noise_header(const struct noise_report *report, struct output *out);
void noise_conditions(const struct noise_report *report, struct output *out);
void noise_footer(const struct noise_report *report, struct output *out);

/* Writes text of a profile, escaped for a terminal. */
void noise_put_text(struct output *out, pprofc_str text);

/* Returns "function" or "functions". */
const char *noise_functions(size_t count);

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

/* Returns the unit for a value that stands alone. */
struct amount_unit noise_unit_for(const struct noise_report *report, double value);

/* Returns a unit for numbers up to `largest`, so that most of them are at least 1. */
struct amount_unit noise_unit_up_to(const struct noise_report *report, double largest);

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

/* Returns the verb for a verdict, such as "grew". Sets *rest to the text that follows the amount,
 * such as ", as everything did". */
const char *noise_verb(pprofc_verdict verdict, const char **rest);

#endif
