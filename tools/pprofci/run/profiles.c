/* Reads the profiles of a run, and prepares them for a report as pprof's driver does. */
#include "run/profiles.h"

#include "pipeline/pipeline.h"
#include "steps.h"

static pprofc_status profile_read(const char *path, const pprofc_allocator *mem,
                                  pprofc_profile **profile, pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.allocator = mem;
  return pprofc_profile_read_file(path, &options, profile, error);
}

/* Removes the frames that the profile's expressions drop_frames and keep_frames exclude, as pprof
 * does with every profile. Also removes URLs from file names of mappings. */
static pprofc_status profile_prune(pprofc_profile **profile, pprofc_error *error) {
  pprofc_profile *pruned;
  bool unsupported;
  pprofc_status status = transform_drop_frames(*profile, &pruned, &unsupported, error);
  if (status != PPROFC_OK) return status;
  if (unsupported) message_note("warning: %s", DROP_FRAMES_UNSUPPORTED);
  pprofc_profile_release(*profile);
  *profile = pruned;
  return mappings_forget_urls(profile, error);
}

pprofc_status source_read(const char *path, const pprofc_allocator *mem, pprofc_profile **profile,
                          pprofc_error *error) {
  const struct profile_source alone = {.head = {&path, 1}};
  return source_open(&alone, mem, profile, error);
}

static pprofc_status read_sum(const struct profile_files *files, const pprofc_allocator *mem,
                              pprofc_profile **profile, pprofc_error *error) {
  if (files->count == 1) return profile_read(files->paths[0], mem, profile, error);
  pprofc_profile **all = mem_array(mem, files->count, sizeof *all);
  if (!all) return error_nomem(error);
  size_t count = 0;
  pprofc_status status = PPROFC_OK;
  while (count < files->count && status == PPROFC_OK) {
    status = profile_read(files->paths[count], mem, &all[count], error);
    count += status == PPROFC_OK;
  }
  if (status == PPROFC_OK)
    status = pprofc_merge((const pprofc_profile *const *)all, count, profile, error);
  for (size_t i = 0; i < count; i++) pprofc_profile_release(all[i]);
  mem_free(mem, all, files->count, sizeof *all);
  return status;
}

static pprofc_status read_both(const struct profile_source *source, const pprofc_allocator *mem,
                               pprofc_profile **profile, pprofc_error *error) {
  pprofc_profile *base, *head;
  pprofc_status status = read_sum(&source->head, mem, &head, error);
  if (status != PPROFC_OK) return status;
  status = read_sum(&source->base, mem, &base, error);
  if (status == PPROFC_OK) {
    status = pprofc_diff(head, base, PPROFC_COMPARE, false, profile, error);
    pprofc_profile_release(base);
  }
  pprofc_profile_release(head);
  return status;
}

pprofc_status source_open(const struct profile_source *source, const pprofc_allocator *mem,
                          pprofc_profile **profile, pprofc_error *error) {
  pprofc_status status = source->base.count ? read_both(source, mem, profile, error)
                                            : read_sum(&source->head, mem, profile, error);
  if (status != PPROFC_OK) return status;
  status = profile_prune(profile, error);
  if (status != PPROFC_OK) pprofc_profile_release(*profile);
  return status;
}

pprofc_status source_check(const char *path, pprofc_error *error) {
  pprofc_profile *profile;
  pprofc_status status = profile_read(path, &mem_default, &profile, error);
  if (status == PPROFC_OK) pprofc_profile_release(profile);
  return status;
}

bool source_may_be_other(const char *path, const char *ending, const pprofc_error *error) {
  const char *const endings[] = {".prof", ".pb", ".pb.gz", ending};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (*endings[i] && str_ends(str_of(path), str_of(endings[i]))) return false;
  return strstr(error->message, "unrecognized profile format") ||
         strstr(error->message, "empty input file");
}

bool source_has_type(const char *path, const char *type) {
  pprofc_profile *profile;
  size_t index;
  if (profile_read(path, &mem_default, &profile, NULL) != PPROFC_OK) return false;
  bool has = value_select(profile, str_of(type), &index, NULL) == PPROFC_OK;
  pprofc_profile_release(profile);
  return has;
}

/* Finds the total that a report on the file shows. Returns false if there is no total. */
static bool find_total(const char *path, const pprofc_report_options *options, int64_t *total) {
  static const struct pipeline_overrides nothing = {.granularity = NULL};
  pprofc_profile *profile;
  struct pipeline_result result;
  if (source_read(path, &mem_default, &profile, NULL) != PPROFC_OK) return false;
  bool found = pipeline_run(profile, options, &nothing, &result, NULL) == PPROFC_OK;
  if (found) *total = result.total;
  pipeline_free(&result);
  pprofc_profile_release(profile);
  return found;
}

bool source_has_samples(const char *path, const pprofc_report_options *options) {
  int64_t total;
  return !find_total(path, options, &total) || total != 0;
}

int64_t source_instructions(const char *path) {
  pprofc_report_options options;
  int64_t total = 0;
  pprofc_report_options_init(&options);
  options.sample_index = "Ir";
  return find_total(path, &options, &total) ? total : 0;
}
