/* Makes the texts of domains, which are groups of functions between which cost moved. */
#ifndef PPROFC_VERDICT_PRINT_DOMAINS_H
#define PPROFC_VERDICT_PRINT_DOMAINS_H

#include "verdict/print/print.h"

#define DOMAIN_PLACE 300
#define DOMAIN_TEXT  (DOMAIN_PLACE + 300)

/* Returns the type of a domain for JSON: "caller", "type", "file", "package" or "renamed". */
const char *noise_domain_kind(pprofc_verdict_domain_kind kind);

/* Returns the verdict of a domain: "moved", "renamed", or the verdict on its sum. */
const char *noise_domain_word(const pprofc_verdict_domain *domain);

/* Formats " inside svc.f", or ", renamed from old/enc to new/enc". */
void noise_domain_place(const pprofc_verdict_domain *domain, char out[DOMAIN_PLACE]);

/* Formats "moved inside svc: net +3 ±20 of 900". For counts of single runs, there is no interval.
 */
void noise_domain_text(const pprofc_verdict_domain *domain, const struct amount_unit *unit,
                       bool lone, char out[DOMAIN_TEXT]);

/* Writes a line with the text of a domain and the names of its functions. */
void noise_put_domain_line(const struct noise_report *report, const pprofc_verdict_domain *domain,
                           const struct amount_unit *unit, struct output *out);

/* Returns the domain of a row if the changes of the domain's rows cancel. Otherwise returns NULL.
 */
const pprofc_verdict_domain *noise_domain_moved(const struct noise_report *report,
                                                const pprofc_verdict_row *row);

#endif
