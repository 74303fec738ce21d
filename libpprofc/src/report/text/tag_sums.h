/* Adds up the samples that have each label, for the report -tags. */
#ifndef PPROFC_REPORT_TEXT_TAG_SUMS_H
#define PPROFC_REPORT_TEXT_TAG_SUMS_H

#include "core/map.h"
#include "report/report.h"

/* Sum over the samples with a label. At first each distinct label of the profile has a sum. Later,
 * labels with the same text share one sum. */
struct tag_value {
  struct label label;
  pprofc_str key, value; /* printed text of the key, and of the value */
  int64_t sum;
  int64_t low, high; /* smallest and largest number that have this text */
};

struct tag_sums {
  const struct report *report;
  const pprofc_profile *profile;
  struct arena texts;
  struct map map;
  struct tag_value
      *items; /* sums, sorted by key, then by absolute value, then by the text of the value */
  size_t count, capacity;
};

/* Collects the sums. Sorts their keys by bytes. The caller frees the sums, even after an error. */
pprofc_status tag_sums_collect(struct tag_sums *tags, const struct report *report,
                               pprofc_error *error);
void tag_sums_free(struct tag_sums *tags);

/* Compares two sums by the texts of their key and value. The function is for qsort. */
int tag_sums_by_text(const void *left, const void *right);

/* Returns the index after the last item that has the key of items[from]. */
size_t tag_sums_end(const struct tag_sums *tags, size_t from);

#endif
