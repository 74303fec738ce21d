/* Groups the source lines of a function that are shown together: lines with samples, and a few
 * lines around them. */
#include "report/source/weblist_runs.h"

/* Two lines of a function are in the same group if their distance in lines is at most this. */
#define MERGE_LINES 20

/* number of lines that are shown before a group, and after it */
#define EXPAND_LINES 5

void weblist_sum(const struct web_data *data, const struct web_place *places, size_t count,
                 int64_t *flat, int64_t *cum) {
  for (size_t i = 0; i < count; i++) {
    const struct web_instruction *in = &data->instructions[places[i].instruction];
    *flat = sum_add(*flat, in->flat);
    *cum = sum_add(*cum, in->cum);
  }
}

/* Returns the index after the last item of `places` that is on the line of places[first]. */
static size_t line_end(const struct web_data *data, size_t first, size_t end) {
  size_t i = first + 1;
  while (i < end && data->places[i].line == data->places[first].line) i++;
  return i;
}

/* Groups the lines of a file, which are the items [first, end) of `places`. Returns the number of
 * groups. */
static size_t join_lines(const struct web_data *data, size_t first, size_t end,
                         struct weblist_run *runs) {
  size_t count = 0;
  for (size_t i = first, next; i < end; i = next) {
    next = line_end(data, i, end);
    int64_t line = data->places[i].line;
    struct weblist_run run = {.name = web_data_name(data, data->places[i].function),
                              .begin = line,
                              .end = line + 1,
                              .first = i,
                              .count = next - i};
    weblist_sum(data, data->places + i, next - i, &run.flat, &run.cum);
    struct weblist_run *last = count ? &runs[count - 1] : NULL;
    if (last && line - last->end < MERGE_LINES && str_equal(last->name, run.name)) {
      last->end = run.end;
      last->count += run.count;
      last->flat = sum_add(last->flat, run.flat);
      last->cum = sum_add(last->cum, run.cum);
    } else {
      runs[count++] = run;
    }
  }
  return count;
}

/* Returns the first shown line of the first group. Line 0, an unknown line, stays 0. */
static int64_t expand_upwards(int64_t line) {
  if (line > EXPAND_LINES) return line - EXPAND_LINES;
  return line > 1 ? 1 : line;
}

/* Extends groups by the lines around them. A small gap between two groups is divided between them.
 */
static void expand_runs(struct weblist_run *runs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i == 0) {
      runs[i].begin = expand_upwards(runs[i].begin);
      continue;
    }
    int64_t half = (runs[i].begin - runs[i - 1].end) / 2;
    if (half > EXPAND_LINES) half = EXPAND_LINES;
    runs[i - 1].end += half;
    runs[i].begin -= half;
  }
  if (count) runs[count - 1].end += EXPAND_LINES;
}

size_t weblist_make_runs(const struct web_data *data, size_t first, size_t end,
                         struct weblist_run *runs) {
  size_t count = join_lines(data, first, end, runs);
  expand_runs(runs, count);
  return count;
}
