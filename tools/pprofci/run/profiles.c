/* Profiles of a run: what the driver of pprof does to a source before any report. */
#include "run/profiles.h"

#include "pipeline/pipeline.h"
#include "pprofc/mappings.h"
#include "pprofc/transform.h"
#include "report/report.h"
#include "transform/transform.h"

static pprofc_status profile_read(const char *path, const pprofc_allocator *mem,
                                  pprofc_profile **profile, pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.allocator = mem;
  return pprofc_profile_read_file(path, &options, profile, error);
}

static pprofc_status read_both(const struct profile_source *source, const pprofc_allocator *mem,
                               pprofc_profile **profile, pprofc_error *error) {
  pprofc_profile *base, *head;
  pprofc_status status = profile_read(source->head, mem, &head, error);
  if (status != PPROFC_OK) return status;
  status = profile_read(source->base, mem, &base, error);
  if (status == PPROFC_OK) {
    status = pprofc_diff(head, base, PPROFC_COMPARE, false, profile, error);
    pprofc_profile_release(base);
  }
  pprofc_profile_release(head);
  return status;
}

pprofc_status source_open(const struct profile_source *source, const pprofc_allocator *mem,
                          pprofc_profile **profile, pprofc_error *error) {
  pprofc_profile *pruned;
  pprofc_status status = source->base ? read_both(source, mem, profile, error)
                                      : profile_read(source->head, mem, profile, error);
  if (status != PPROFC_OK) return status;
  status = transform_drop_frames(*profile, &pruned, error);
  if (status == PPROFC_OK) {
    pprofc_profile_release(*profile);
    *profile = pruned;
    status = mappings_forget_urls(profile, error);
  }
  if (status != PPROFC_OK) pprofc_profile_release(*profile);
  return status;
}

pprofc_status source_check(const char *path, pprofc_error *error) {
  pprofc_profile *profile;
  pprofc_status status = profile_read(path, &mem_default, &profile, error);
  if (status == PPROFC_OK) pprofc_profile_release(profile);
  return status;
}

bool source_has_type(const char *path, const char *type) {
  pprofc_profile *profile;
  size_t index;
  if (profile_read(path, &mem_default, &profile, NULL) != PPROFC_OK) return false;
  bool has = value_select(profile, str_of(type), &index, NULL) == PPROFC_OK;
  pprofc_profile_release(profile);
  return has;
}

/* The total that a report of the file shows; false when there is none. */
static bool find_total(const char *path, const pprofc_report_options *options, int64_t *total) {
  static const struct pipeline_overrides nothing = {.granularity = NULL};
  pprofc_profile *profile;
  struct pipeline_result result;
  const struct pipeline_options asked = report_pipeline_options(options);
  if (source_open(&(struct profile_source){NULL, path}, &mem_default, &profile, NULL) != PPROFC_OK)
    return false;
  bool found = pipeline_run(profile, &asked, &nothing, &result, NULL) == PPROFC_OK;
  if (found) *total = result.total;
  pipeline_free(&result);
  pprofc_profile_release(profile);
  return found;
}

bool source_has_samples(const char *path, const pprofc_report_options *options) {
  int64_t total;
  return !find_total(path, options, &total) || total != 0;
}

int64_t source_total(const char *path, const char *type) {
  pprofc_report_options options;
  int64_t total = 0;
  pprofc_report_options_init(&options);
  options.sample_index = type;
  return find_total(path, &options, &total) ? total : 0;
}
