/* Finds inputs of an earlier run: files older than the start of this run, if that is known, or
 * older than a usual run. */
#include "ages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#define FOUND_MAX 86400.0 /* seconds, maximum age of a file found in a folder */
#define RUN_MAX                                                                                    \
  3600.0 /* seconds between the files of one run; a longer time gives a                            \
            warning */

static const struct {
  char letter;
  double seconds;
  const char *name;
} spans[] = {{'d', 86400, "days"}, {'h', 3600, "hours"}, {'m', 60, "minutes"}, {'s', 1, "seconds"}};

/* Parses an age like "90m", "36h" or "7d" to seconds. */
static bool parse_age(pprofc_str text, double *seconds) {
  if (text.size < 2) return false;
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
    if (text.data[text.size - 1] != spans[i].letter) continue;
    if (!str_parse_float(str_slice(text, 0, text.size - 1), seconds)) return false;
    *seconds *= spans[i].seconds;
    return *seconds >= 0 && isfinite(*seconds);
  }
  return false;
}

pprofc_status ages_init(struct ages *ages, const char *since, const char *most,
                        pprofc_error *error) {
  *ages = (struct ages){.most = -1, .oldest = (double)NAN, .newest = (double)NAN};
  clock_gettime(CLOCK_REALTIME, &ages->now);
  if (*most && !parse_age(str_of(most), &ages->most))
    return error_set(error, PPROFC_E_INVALID, "the age must be like 90m, 36h or 7d, not \"%s\"",
                     most);
  struct stat status;
  char text[200];
  if (*since && stat(since, &status) != 0)
    return error_set(error, PPROFC_E_IO, "cannot read '%s': %s", since,
                     error_errno_text(errno, text, sizeof text));
  if (*since) ages->since = status.st_mtim;
  return PPROFC_OK;
}

static double seconds_between(struct timespec from, struct timespec to) {
  return difftime(to.tv_sec, from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Formats a time like "3 days", rounded, in the largest unit that gives at least two. */
static void ages_describe(double seconds, char *out, size_t size) {
  size_t i = 0;
  while (i + 1 < sizeof spans / sizeof *spans && seconds < 2 * spans[i].seconds) i++;
  snprintf(out, size, "%.0f %s", round(seconds / spans[i].seconds), spans[i].name);
}

static void ages_note_found(struct ages *ages, const char *path, double age) {
  if (!(age >= ages->newest)) ages->newest = age;
  if (age <= ages->oldest) return;
  ages->oldest = age;
  snprintf(ages->oldest_path, sizeof ages->oldest_path, "%s", path);
}

void ages_check(struct ages *ages, struct gate *gate, const char *path, bool found) {
  struct stat status;
  char text[64];
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return;
  double age = seconds_between(status.st_mtim, ages->now);
  double most = ages->most >= 0 ? ages->most : FOUND_MAX;
  bool limited = found || ages->most >= 0;
  bool before = ages->since.tv_sec && seconds_between(status.st_mtim, ages->since) > 0;
  ages_describe(age, text, sizeof text);
  if (before)
    gate_problem(gate, "'%s' is from an earlier run: it is older than the file of -since", path);
  else if (limited && age > most)
    gate_problem(
        gate,
        "'%s' is from an earlier run: it was written %s ago; remove it, or allow it with -max-age",
        path, text);
  else if (found)
    ages_note_found(ages, path, age);
}

void ages_compare(const struct ages *ages, struct gate *gate) {
  char text[64];
  double between = ages->oldest - ages->newest;
  if (!(between > RUN_MAX) || ages->most >= 0 || ages->since.tv_sec) return;
  ages_describe(between, text, sizeof text);
  gate->stale_inputs++;
  gate_warning(gate,
               "'%s' was written %s before the newest file: is it from an earlier run? (-since "
               "FILE decides)",
               ages->oldest_path, text);
}
