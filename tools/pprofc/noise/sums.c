/* Reads, judges and writes files with sums of several runs. */
#include "noise.h"

pprofc_status noise_sums_add(struct sums *sums, pprofc_profile *profile, const char *name,
                             pprofc_error *error) {
  if (!sums->mem || !profile) return PPROFC_OK;
  pprofc_status status = sums_add(sums, profile, error);
  if (status && status != PPROFC_E_NOMEM) error_prefix(error, "cannot add up '%s': ", name);
  return status;
}

static pprofc_status noise_sums_print(const void *context, struct output *out,
                                      pprofc_error *error) {
  return sums_write(context, out, error);
}

pprofc_status noise_sums_end(const struct command *command, struct sums *sums, pprofc_status status,
                             pprofc_error *error) {
  if (!sums->mem) return status;
  if (!status) status = save_printed(command->sums, noise_sums_print, sums, error);
  sums_free(sums);
  return status;
}

static bool noise_sums_in(const char *path) {
  char head[64];
  return sums_is((pprofc_str){head, file_begin(path, head, sizeof head)});
}

bool noise_sums_given(const struct command *command) {
  for (size_t i = 0; i < command->source_count; i++)
    if (noise_sums_in(command->sources[i])) return true;
  for (size_t i = 0; i < command->bases.count; i++)
    if (noise_sums_in(command->bases.items[i])) return true;
  return false;
}

static pprofc_status noise_sums_load(const struct command *command, const char *path,
                                     struct sums *sums, pprofc_error *error) {
  struct buffer text = buffer_make(budget_allocator(command->budget), SIZE_MAX);
  pprofc_status status = file_read(path, &text, error);
  if (!status && !sums_is(buffer_str(&text)))
    status = error_set(error, PPROFC_E_FORMAT,
                       "'%s' has no sums: sums and profiles cannot be mixed", path);
  if (!status) status = sums_read(sums, path, buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

static pprofc_status noise_sums_load_all(const struct command *command, const char *const *paths,
                                         size_t count, struct sums *sums, pprofc_error *error) {
  pprofc_status status = sums_init(sums, budget_allocator(command->budget), error);
  for (size_t i = 0; i < count && !status; i++)
    status = noise_sums_load(command, paths[i], sums, error);
  return status;
}

/* Returns an error if an option needs the separate runs, which a file of sums does not have.
 * Otherwise returns NULL. */
static const char *noise_sums_conflict(const struct command *command) {
  const struct noise_options *n = &command->noise;
  const pprofc_report_options *o = &command->report;
  if (filters_any(o, FILTER_ANY))
    return "filters need the profiles of the runs: sums have only functions";
  if (noise_is_picture(command))
    return "flame graphs need the profiles of the runs: sums have only functions";
  if (n->blame || n->how.stacks || n->how.fcr || o->noinlines)
    return "-blame, -noise_stacks, -fcr and -noinlines need the profiles of the runs, not sums";
  if (*n->ops || *n->bench_base || n->normalize_by != PPROFC_EXPOSURE_AUTO)
    return "sums have percent of the total, or values for heap profiles: -ops, -bench_base and "
           "-normalize_by need the profiles of the runs";
  return NULL;
}

pprofc_status noise_sums_judge(const struct command *command, struct noise_report *report,
                               pprofc_error *error) {
  const struct noise_settings settings = noise_settings_of(&command->noise);
  struct sums base, head;
  const char *conflict = noise_sums_conflict(command);
  if (conflict) return error_set(error, PPROFC_E_INVALID, "%s", conflict);
  pprofc_status status =
      noise_sums_load_all(command, command->bases.items, command->bases.count, &base, error);
  if (status) {
    sums_free(&base);
    return status;
  }
  status = noise_sums_load_all(command, command->sources, command->source_count, &head, error);
  if (!status) status = noise_judge_sums(report, &base, &head, &settings, error);
  sums_free(&base);
  sums_free(&head);
  return status;
}
