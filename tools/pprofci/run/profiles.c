/* Reads the profiles of a run, and prepares them for a report as pprof's driver does. */
#include "run/profiles.h"

#include "pipeline/pipeline.h"
#include "pprofc/sources.h"
#include "steps.h"

void source_warn(void *context, const char *message) {
  (void)context;
  message_note("warning: %s", message);
}

pprofc_status source_read(const char *path, const pprofc_allocator *mem, pprofc_profile **profile,
                          pprofc_error *error) {
  const struct profile_source alone = {.head = {&path, 1}};
  return source_open(&alone, mem, profile, error);
}

pprofc_status source_open(const struct profile_source *source, const pprofc_allocator *mem,
                          pprofc_profile **profile, pprofc_error *error) {
  pprofc_read_options read;
  pprofc_sources_options options;
  pprofc_read_options_init(&read);
  read.allocator = mem;
  pprofc_sources_options_init(&options);
  options.read = &read;
  options.bases = source->base.paths;
  options.base_count = source->base.count;
  options.warn = source_warn;
  pprofc_status status =
      pprofc_sources_read(source->head.paths, source->head.count, &options, profile, error);
  if (status != PPROFC_OK) return status;
  status = mappings_forget_urls(profile, error);
  if (status != PPROFC_OK) pprofc_profile_release(*profile);
  return status;
}

pprofc_status source_check(const char *path, pprofc_error *error) {
  pprofc_profile *profile;
  pprofc_status status = pprofc_profile_read_file(path, NULL, &profile, error);
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
  if (pprofc_profile_read_file(path, NULL, &profile, NULL) != PPROFC_OK) return false;
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
