/* Groups the source lines of a function that are shown together: lines with samples, and a few
 * lines around them. */
#ifndef PPROFC_REPORT_SOURCE_WEBLIST_RUNS_H
#define PPROFC_REPORT_SOURCE_WEBLIST_RUNS_H

#include "report/source/weblist_data.h"

/* A group of lines of a function: lines [begin, end), with the items [first, first + count) of
 * `places`. */
struct weblist_run {
  pprofc_str name;
  int64_t begin, end;
  size_t first, count;
  int64_t flat, cum;
};

/* Groups the lines of a file, with some lines around each group. The lines are the items [first,
 * end) of `places`. Returns the number of groups. `runs` has space for one group per item. */
size_t weblist_make_runs(const struct web_data *data, size_t first, size_t end,
                         struct weblist_run *runs);

/* Adds the samples of the group's instructions to *flat and *cum. */
void weblist_sum(const struct web_data *data, const struct web_place *places, size_t count,
                 int64_t *flat, int64_t *cum);

#endif
