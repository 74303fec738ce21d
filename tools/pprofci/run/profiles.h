/* Profiles of a run, read as `pprofc -symbolize=none` reads them. */
#ifndef PPROFCI_RUN_PROFILES_H
#define PPROFCI_RUN_PROFILES_H

#include "core/error.h"
#include "pprofc/report.h"

/* Files that are added up, at least one. */
struct profile_files {
  const char *const *paths;
  size_t count;
};

/* One source, or the difference of two. */
struct profile_source {
  struct profile_files base, head; /* base.count 0: `head` alone */
};

/* Reads one profile of one run. */
pprofc_status source_read(const char *path, const pprofc_allocator *mem, pprofc_profile **profile,
                          pprofc_error *error);

/* Reads a profile and makes the difference. `mem` counts all that is made of it. */
pprofc_status source_open(const struct profile_source *source, const pprofc_allocator *mem,
                          pprofc_profile **profile, pprofc_error *error);

/* Whether a file can be read as a profile. */
pprofc_status source_check(const char *path, pprofc_error *error);

/* Whether a file has a sample type of the name; a file that cannot be read has none. */
bool source_has_type(const char *path, const char *type);

/* Whether the values that the options choose add up to more than 0; true for what cannot be read,
 * so that a later step says why. */
bool source_has_samples(const char *path, const pprofc_report_options *options);

/* The total of a sample type of a profile; 0 when it cannot be read. */
int64_t source_total(const char *path, const char *type);

#endif
