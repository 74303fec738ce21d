/* Adds up the samples with each label, for the report tags. */
#ifndef PPROFC_REPORT_TEXT_TAG_SUMS_H
#define PPROFC_REPORT_TEXT_TAG_SUMS_H

#include "core/map.h"
#include "report/report.h"

/* Sum over the samples with one label. First there is one sum per distinct label of the profile;
 * then sums with the same text are joined. */
struct tag_value {
  struct label label;
  pprofc_str key, value; /* key and value as printed */
  int64_t sum;
  int64_t low, high; /* smallest and largest number with that text */
};

struct tag_sums {
  const struct report *report;
  const pprofc_profile *profile;
  struct arena texts;
  struct map map;
  struct tag_value
      *items; /* sums sorted by key; values of a key by magnitude of the sum, then by text */
  size_t count, capacity;
};

/* Collects the sums. Keys are sorted bytewise. The caller frees the sums, also after a failure. */
pprofc_status tag_sums_collect(struct tag_sums *tags, const struct report *report,
                               pprofc_error *error);
void tag_sums_free(struct tag_sums *tags);

/* Returns the end of the values of the key that items[from] has. */
size_t tag_sums_end(const struct tag_sums *tags, size_t from);

#endif
