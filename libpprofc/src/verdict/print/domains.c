/* Formats domains for tables, messages and pages. A domain is a group of functions between which
 * cost moved. */
#include "verdict/print/domains.h"

#include "core/output.h"

#include <math.h>
#include <stdio.h>

/* Maximum size of a name in bytes. */
#define DOMAIN_NAME 120
/* Maximum number of functions that the line of a domain names. */
#define DOMAIN_NAMES 4

const char *noise_domain_kind(pprofc_verdict_domain_kind kind) {
  static const char *const names[] = {
      [PPROFC_DOMAIN_CALLER] = "caller",   [PPROFC_DOMAIN_TYPE] = "type",
      [PPROFC_DOMAIN_FILE] = "file",       [PPROFC_DOMAIN_PACKAGE] = "package",
      [PPROFC_DOMAIN_RENAMED] = "renamed",
  };
  return names[kind];
}

const char *noise_domain_word(const pprofc_verdict_domain *domain) {
  if (!domain->moved) return pprofc_verdict_name(domain->net.verdict);
  return domain->kind == PPROFC_DOMAIN_RENAMED ? "renamed" : "moved";
}

void noise_domain_place(const pprofc_verdict_domain *domain, char out[DOMAIN_PLACE]) {
  pprofc_str name = str_slice(domain->name, 0, DOMAIN_NAME);
  pprofc_str renamed = str_slice(domain->renamed, 0, DOMAIN_NAME);
  if (domain->kind == PPROFC_DOMAIN_RENAMED)
    snprintf(out, DOMAIN_PLACE, ", renamed from %.*s to %.*s", STR_ARG(name), STR_ARG(renamed));
  else
    snprintf(out, DOMAIN_PLACE, " inside %.*s", STR_ARG(name));
}

void noise_domain_text(const pprofc_verdict_domain *domain, const struct amount_unit *unit,
                       bool lone, char out[DOMAIN_TEXT]) {
  const pprofc_verdict_estimate *net = &domain->net;
  char place[DOMAIN_PLACE], delta[AMOUNT_TEXT], half[AMOUNT_TEXT], base[AMOUNT_TEXT];
  noise_domain_place(domain, place);
  bool renamed = domain->moved && domain->kind == PPROFC_DOMAIN_RENAMED;
  const char *word = renamed ? "" : noise_domain_word(domain);
  amount_text(unit, net->delta, true, delta);
  amount_text(unit, (net->high - net->low) / 2, false, half);
  amount_text(unit, net->base, false, base);
  /* Skip the ", " at the start of a text about renamed functions. */
  const char *range = lone ? "" : " \xc2\xb1";
  if (lone) *half = '\0';
  snprintf(out, DOMAIN_TEXT, "%s%s: net %s%s%s of %s", word, place + (renamed ? 2 : 0), delta,
           range, half, base);
}

const pprofc_verdict_domain *noise_domain_moved(const struct noise_report *report,
                                                const pprofc_verdict_row *row) {
  const pprofc_verdict_domain *domain = pprofc_verdicts_domain_of(report->verdicts, row);
  return domain && domain->moved ? domain : NULL;
}

void noise_put_domain_line(const struct noise_report *report, const pprofc_verdict_domain *domain,
                           const struct amount_unit *unit, struct output *out) {
  char text[DOMAIN_TEXT];
  noise_domain_text(domain, unit, report->summary.lone, text);
  noise_put_text(out, str_of(text));
  output_add_text(out, " (");
  for (size_t i = 0; i < domain->row_count && i < DOMAIN_NAMES; i++) {
    if (i) output_add_text(out, ", ");
    noise_put_text(out, report->rows[domain->rows[i]].name);
  }
  if (domain->row_count > DOMAIN_NAMES)
    output_printf(out, " and %zu more", domain->row_count - DOMAIN_NAMES);
  output_add_text(out, ")\n");
}
