/* Subtracts the base from the head. Completes the message about profiles of different kinds. */
#include "profile/profile.h"
#include "sources/sources.h"
#include "transform/combine/diff.h"
#include "transform/transform.h"

/* ---- sample types in error messages ------------------ */

/* Writes a list of sample types: "samples, cpu", or "a, b and 7 more". */
static void list_types(const pprofc_profile *p, char *out, size_t size) {
  size_t at = 0, most = size - 24; /* bytes for the names; 24 bytes are for " and N more" */
  out[0] = '\0';
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str type = profile_type(p, i);
    if (at + type.size + 2 > most) {
      snprintf(out + at, size - at, "%s%zu more", i ? " and " : "", p->type_count - i);
      return;
    }
    at += (size_t)snprintf(out + at, size - at, "%s%.*s", i ? ", " : "", STR_ARG(type));
  }
}

static bool share_type(const pprofc_profile *one, const pprofc_profile *other) {
  for (size_t i = 0; i < one->type_count; i++)
    for (size_t k = 0; k < other->type_count; k++)
      if (str_equal(profile_type(one, i), profile_type(other, k))) return true;
  return false;
}

/* Adds the period type, because two profiles with the same sample types may still have different
 * period types. */
static void add_period(const pprofc_profile *p, char *out, size_t size) {
  size_t at = strlen(out);
  pprofc_str type = profile_string(p, p->period_type.type);
  if (type.size)
    snprintf(out + at, size - at, ", sampled by %.*s", STR_ARG(str_slice(type, 0, 30)));
  else
    snprintf(out + at, size - at, ", sampled by an unknown event");
}

void sources_explain(const char *first, const pprofc_profile *one, const char *second,
                     const pprofc_profile *other, pprofc_error *error) {
  char types[2][160];
  if (!strstr(error->message, "empty common sample type list") &&
      !strstr(error->message, "incompatible types: "))
    return;
  list_types(one, types[0], 120);
  list_types(other, types[1], 120);
  bool same_period = str_equal(profile_string(one, one->period_type.type),
                               profile_string(other, other->period_type.type));
  if (!same_period && share_type(one, other)) {
    add_period(one, types[0], sizeof types[0]);
    add_period(other, types[1], sizeof types[1]);
  }
  error_hint(error, "%.150s has %s; %.150s has %s; both must be profiles of one kind", first,
             types[0], second, types[1]);
}

/* ---- difference -------------------------------------- */

pprofc_status sources_subtract(const struct source_reader *reader, struct source_sums *sums,
                               bool normalize, bool adds_up, pprofc_error *error) {
  pprofc_profile *head = sums->head.sum, *base = sums->base.sum;
  if (!base) return PPROFC_OK;
  sums->head.sum = sums->base.sum = NULL;
  if (adds_up && compatible_check(head, base, NULL) == PPROFC_OK &&
      transform_diff_unmerged_is_exact(head, base, reader->kind))
    return transform_diff_unmerged(head, base, normalize, &sums->head.sum, error);
  pprofc_status status = pprofc_diff(head, base, reader->kind, normalize, &sums->head.sum, error);
  if (status != PPROFC_OK && reader->explain)
    sources_explain(sums->base.first_shown, base, sums->head.first_shown, head, error);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return status;
}

pprofc_status sources_drop_frames(pprofc_profile **profile,
                                  void (*warn)(void *warn_context, const char *message),
                                  void *warn_context, pprofc_error *error) {
  pprofc_profile *kept;
  bool unsupported;
  pprofc_status status = transform_drop_frames(*profile, &kept, &unsupported, error);
  if (status != PPROFC_OK) return status;
  if (unsupported && warn) warn(warn_context, DROP_FRAMES_UNSUPPORTED);
  profile_replace(profile, kept);
  return PPROFC_OK;
}
