/* Splits samples by the value of a label, for reports with a part for each thread, process or
 * request. */
#ifndef PPROFC_REPORT_STACKS_LABEL_SPLIT_H
#define PPROFC_REPORT_STACKS_LABEL_SPLIT_H

#include "core/error.h"
#include "profile/profile.h"

struct label_part {
  pprofc_str value;   /* label value of the part; several values of a sample are joined by commas;
                         "(none)" without the label */
  size_t from, count; /* samples of the part in `samples`, ascending: index of the first, and
                         number */
  uint64_t weight;    /* sum of the absolute weights of the part's samples */
};

struct label_split {
  struct arena arena;
  size_t count;
  struct label_part
      *parts; /* parts, sorted by weight, largest first, then by value; the last part may be
                 "(other)" */
  uint32_t *samples;
};

/* Splits by the label `key`. Weights come from the column value_index. If there are more than
 * `most` values, the values with the smallest weights share the part "(other)". */
pprofc_status label_split_build(const pprofc_profile *profile, pprofc_str key, size_t value_index,
                                size_t most, const pprofc_allocator *mem, struct label_split *split,
                                pprofc_error *error);
void label_split_free(struct label_split *split);

#endif
