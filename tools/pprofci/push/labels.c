/* Collects the labels of a profile: service, commit, side (base or head) and others. */
#include "publish/site.h"

#include "core/chars.h"
#include "push/push.h"

#include <stdio.h>
#include <stdlib.h>

/* True if the name is valid in Pyroscope. A valid name has letters, digits and '_', and does not
 * begin with a digit. */
static bool push_is_name(pprofc_str name) {
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool letter = char_is_letter(c) || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  return name.size > 0;
}

/* Adds a label. Replaces a label that has the same name. Adds nothing if the value is empty. */
static pprofc_status push_add_label(struct push *push, pprofc_str name, const char *value,
                                    pprofc_error *error) {
  size_t i = 0;
  if (!value || !*value) return PPROFC_OK;
  while (i < push->label_count && !str_equal(push->labels[i].name, name)) i++;
  if (i == sizeof push->labels / sizeof *push->labels)
    return error_set(error, PPROFC_E_LIMIT, "too many labels");
  pprofc_str kept = arena_str(&push->remote.arena, str_of(value));
  if (!kept.data) return error_nomem(error);
  push->labels[i] = (struct push_label){name, kept};
  if (i == push->label_count) push->label_count++;
  return PPROFC_OK;
}

static pprofc_status push_add_own(struct push *push, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < push->options->label_count && status == PPROFC_OK; i++) {
    const char *text = push->options->labels[i], *equals = strchr(text, '=');
    pprofc_str name = {text, (size_t)(equals - text)};
    if (!push_is_name(name) || str_starts(name, STR("__")))
      return error_set(error, PPROFC_E_INVALID,
                       "a label name has only letters, digits and '_', not '%.*s'", STR_ARG(name));
    status = push_add_label(push, name, equals + 1, error);
  }
  return status;
}

static int push_by_name(const void *a, const void *b) {
  return str_compare(((const struct push_label *)a)->name, ((const struct push_label *)b)->name);
}

pprofc_status push_read_labels(struct push *push, pprofc_error *error) {
  const struct push_options *o = push->options;
  const struct site_options asked = {.host = "", .sha = o->sha, .page = "", .number = o->pr};
  struct site site;
  char number[32] = "";
  pprofc_status status = site_read(&site, &push->remote.arena, &asked, error);
  if (status != PPROFC_OK) return status;
  int64_t pr = o->pr > 0 ? o->pr : site.number;
  const char *sha = *o->sha ? o->sha : site.sha;
  const char *repository = *o->repository ? o->repository : site.repo;
  if (pr > 0) snprintf(number, sizeof number, "%lld", (long long)pr);
  const struct {
    pprofc_str name;
    const char *value;
  } known[] = {{STR("ci"), "true"},
               {STR("repository"), repository},
               {STR("sha"), sha},
               {STR("pull_request"), number},
               {STR("benchmark"), o->benchmark}};
  for (size_t i = 0; i < sizeof known / sizeof *known && status == PPROFC_OK; i++)
    status = push_add_label(push, known[i].name, known[i].value, error);
  if (status == PPROFC_OK) status = push_add_own(push, error);
  if (push->label_count) qsort(push->labels, push->label_count, sizeof *push->labels, push_by_name);
  return status;
}
