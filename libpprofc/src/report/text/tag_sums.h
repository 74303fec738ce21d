/* Computes for each label the sum of the samples that have it, for the report -tags. */
#ifndef PPROFC_REPORT_TEXT_TAG_SUMS_H
#define PPROFC_REPORT_TEXT_TAG_SUMS_H

#include "report/report.h"

/* Sum over the samples that have a label. At first, each distinct label of the profile has a sum.
 * Later, labels whose texts are equal share one sum. */
struct tag_value {
  struct label label;
  pprofc_str key, value; /* printed text of the key, and of the value */
  int64_t sum;
  int64_t low, high; /* smallest and largest of the numbers in the labels that share this sum */
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

/* Collects the sums, sorted by the bytes of their keys. The caller frees the sums, even after an
 * error. */
pprofc_status tag_sums_collect(struct tag_sums *tags, const struct report *report,
                               pprofc_error *error);
void tag_sums_free(struct tag_sums *tags);

/* Compares two sums by the texts of their key and value. The function is for qsort. */
int tag_sums_by_text(const void *left, const void *right);

/* Returns the index after the last item that has the key of items[from]. */
size_t tag_sums_end(const struct tag_sums *tags, size_t from);

#endif
