/* Makes the error, with advice, for a report whose expression matches nothing. */
#include "report/no_match.h"

#include "core/misspelling.h"
#include "profile/profile.h"
#include "regex/regex.h"

#include <stdio.h>

#define SIMILAR_MAX 3
#define WORD_MAX    256 /* maximum length of a name that is compared */

struct similar_name {
  pprofc_str name;
  size_t cost;
};

/* Copies a text in lower case, without the bytes in `without`. Returns "" for a long text. */
static pprofc_str similar_lower(pprofc_str text, const char *without, char out[WORD_MAX]) {
  size_t size = 0;
  for (size_t i = 0; i < text.size && text.size <= WORD_MAX; i++) {
    char c = text.data[i];
    if (c && strchr(without, c)) continue;
    out[size++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
  return (pprofc_str){out, size};
}

/* Returns the part of `name` after the last byte that is in `bytes`. */
static pprofc_str similar_after(pprofc_str name, const char *bytes) {
  size_t at = name.size;
  while (at > 0 && !strchr(bytes, name.data[at - 1])) at--;
  return str_slice(name, at, name.size);
}

/* Returns the smallest edit distance of `wanted` to a name, whole, without folders, or package. */
static size_t similar_cost(pprofc_str wanted, pprofc_str name) {
  char text[WORD_MAX];
  pprofc_str lower = similar_lower(name, "", text);
  const pprofc_str forms[] = {lower, similar_after(lower, "/"), similar_after(lower, ".:")};
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (i && forms[i].size == forms[i - 1].size) continue; /* same as the previous form */
    size_t cost = misspelling_cost(wanted, forms[i]);
    if (cost < best) best = cost;
  }
  return best;
}

/* Keeps the names with the smallest edit distances. Names with equal distances stay in the order of
 * the profile. */
static void similar_keep(struct similar_name best[SIMILAR_MAX], pprofc_str name, size_t cost) {
  for (size_t i = 0; i < SIMILAR_MAX; i++)
    if (str_equal(best[i].name, name)) return;
  for (size_t i = 0; i < SIMILAR_MAX; i++) {
    if (cost >= best[i].cost) continue;
    for (size_t k = SIMILAR_MAX - 1; k > i; k--) best[k] = best[k - 1];
    best[i] = (struct similar_name){name, cost};
    return;
  }
}

static void similar_hint(const pprofc_profile *p, pprofc_str argument, pprofc_error *error) {
  struct similar_name best[SIMILAR_MAX];
  char text[WORD_MAX], names[SIMILAR_MAX * (WORD_MAX + 2)];
  size_t size = 0;
  pprofc_str wanted = similar_lower(argument, "^$\\", text);
  for (size_t i = 0; i < SIMILAR_MAX; i++) best[i] = (struct similar_name){STR(""), SIZE_MAX};
  for (size_t i = 0; i < p->functions.count; i++) {
    pprofc_str name = profile_string(p, p->functions.name[i]);
    similar_keep(best, name, similar_cost(wanted, name));
  }
  for (size_t i = 0; i < SIMILAR_MAX && best[i].cost < SIZE_MAX; i++)
    size += (size_t)snprintf(names + size, sizeof names - size, "%s%.*s", i ? ", " : "",
                             STR_ARG(best[i].name));
  if (size) error_hint(error, "similar names: %s", names);
}

static bool any_function_matches(const struct report *report) {
  const pprofc_profile *p = report->result.profile;
  for (size_t i = 0; i < p->functions.count; i++)
    if (regex_match(report->result.argument, profile_string(p, p->functions.name[i]))) return true;
  return false;
}

pprofc_status report_no_match(const struct report *report, const char *what, const char *present,
                              pprofc_error *error) {
  const char *argument = report->options->argument ? report->options->argument : "";
  bool matches = report->result.argument && any_function_matches(report);
  if (matches && present)
    return error_set(error, PPROFC_E_NO_MATCH, "no instructions for %s: %s", argument, present);
  error_set(error, PPROFC_E_NO_MATCH, "no matches found for %s %s", what, argument);
  if (matches)
    error_hint(error, "no sample is left in the functions that match");
  else
    similar_hint(report->result.profile, str_of(argument), error);
  return PPROFC_E_NO_MATCH;
}
