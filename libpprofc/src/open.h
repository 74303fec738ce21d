/* Opens a profile of any format. The caller describes which data of the samples it needs. */
#ifndef PPROFC_OPEN_H
#define PPROFC_OPEN_H

#include "core/base.h"
#include "pprofc/profile.h"

/* Describes the samples that a caller needs if it only adds up samples. Reading a large
 * profile.proto then needs less memory (codec/fold/fold.h). */
struct open_sums {
  bool labels;    /* true: keep samples with different labels apart; false: labels may be dropped */
  bool no_stacks; /* true to drop all frames, so that samples with different stacks are added up */
  bool compared;  /* true if the caller compares the profile with another; samples whose values are
                     all 0 then lose their labels */
  bool tree; /* true to keep the stacks as a tree, which the report reads with profile/delta.h; the
                order of the samples is then undefined */
  bool in_order; /* with `tree`, true to keep each sample with all its values, in the order of the
                    file, except samples that are 0 in the type `sample_index` */
  /* value of the option sample_index, used if `tree` is set; NULL for all types */
  const char *sample_index;
  bool always; /* true to add up samples during reading even if the profile is small; for tests */
  bool times;  /* true to keep the times of samples (profile/times.h), if the format has them */
  bool each;   /* true to keep each sample; all other fields except `times` then have no effect */
};

/* Both functions read a profile as pprofc_profile_read_file and pprofc_profile_read_memory do.
 * `sums` is NULL if the caller needs each sample. */
pprofc_status open_file(const char *path, const pprofc_read_options *options,
                        const struct open_sums *sums, pprofc_profile **profile,
                        pprofc_error *error);
pprofc_status open_memory(const void *data, size_t size, const pprofc_read_options *options,
                          const struct open_sums *sums, pprofc_profile **profile,
                          pprofc_error *error);

/* Reads text in memory in a format other than profile.proto. Unlike open_memory, does not copy a
 * large text. The reader may overwrite the text. */
pprofc_status open_text(pprofc_str text, const pprofc_read_options *options,
                        const struct open_sums *sums, pprofc_profile **profile,
                        pprofc_error *error);

/* Settings of reading, complete and with a budget. */
struct open_settings {
  pprofc_read_options options; /* `allocator` is the budget's, and `progress` is NULL */
  pprofc_limits limits;
  struct budget *budget; /* budget of the caller's allocator, or a new budget */
  bool watched;          /* true if the budget calls the caller's function `progress` */
};

/* Copies the caller's options and fills in the defaults. After success, the caller calls
 * open_settings_end. */
pprofc_status open_settings_begin(struct open_settings *settings, const pprofc_read_options *given,
                                  pprofc_error *error);

/* Releases the budget. Returns the status that the public function returns: for example, after
 * memory ran out, PPROFC_E_LIMIT. */
pprofc_status open_settings_end(struct open_settings *settings, pprofc_status status,
                                pprofc_error *error);

#endif
