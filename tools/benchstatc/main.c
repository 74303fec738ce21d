/* benchstatc: compares benchmark results like benchstat. */
#include "base/mem.h"
#include "base/outfile.h"
#include "base/str.h"
#include "flags.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* Usage, as Go programs have it; everything else that goes wrong is 1. */
#define EXIT_USAGE 2

static int fail(const pprofc_error *error) {
  fprintf(stderr, "benchstat: %s\n", error->message);
  return 1;
}

struct test_name {
  const char *name;
  pprofc_bench_test test;
};

static const struct test_name test_names[] = {
    {"utest", PPROFC_BENCH_UTEST}, {"u", PPROFC_BENCH_UTEST}, {"u-test", PPROFC_BENCH_UTEST},
    {"ttest", PPROFC_BENCH_TTEST}, {"t", PPROFC_BENCH_TTEST}, {"t-test", PPROFC_BENCH_TTEST},
    {"none", PPROFC_BENCH_NONE},
};

static bool find_test(const char *name, pprofc_bench_test *test) {
  for (size_t i = 0; i < sizeof test_names / sizeof *test_names; i++) {
    if (strcasecmp(name, test_names[i].name) != 0) continue;
    *test = test_names[i].test;
    return true;
  }
  return false;
}

static bool known_format(const char *format) {
  static const char *const formats[] = {"text", "csv", "markdown", "json", "html", "classic"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(format, formats[i]) == 0) return true;
  return false;
}

/* Everything that can be wrong with the flags is said before a file is opened: comparing nothing
 * looks at the filter, the projections and the levels. */
static bool check_settings(struct settings *settings, pprofc_error *error) {
  pprofc_bench *nothing = pprofc_bench_new(NULL);
  pprofc_bench_tables *tables = NULL;
  error->message[0] = '\0';
  bool good =
      nothing && pprofc_bench_compare(nothing, &settings->compare, &tables, error) == PPROFC_OK;
  if (!nothing) snprintf(error->message, sizeof error->message, "out of memory");
  pprofc_bench_tables_free(tables);
  pprofc_bench_free(nothing);
  if (good && !known_format(settings->format)) {
    snprintf(error->message, sizeof error->message,
             "-format must be text or csv (or markdown, json, html, classic)");
    return false;
  }
  return good;
}

/* Lines that were left out, in the order they were met. */
static bool report_lines(const pprofc_bench *set) {
  size_t count;
  const pprofc_bench_message *messages = pprofc_bench_messages(set, &count);
  for (size_t i = 0; i < count; i++) {
    pprofc_str path = pprofc_bench_input_path(set, messages[i].input);
    fprintf(stderr, "%.*s:%llu: %.*s\n", STR_ARG(path), (unsigned long long)messages[i].line,
            STR_ARG(messages[i].text));
  }
  return count == 0;
}

/* Cells that could not be compared because a measurement is no number. */
static bool report_nan(const pprofc_bench_tables *tables) {
  bool good = true;
  for (size_t i = 0; i < pprofc_bench_table_count(tables); i++) {
    pprofc_bench_table table = pprofc_bench_table_at(tables, i);
    for (size_t j = 0; j < table.cells; j++) {
      const pprofc_bench_cell *cell = &table.cell[j];
      if (!cell->nan || cell->baseline == SIZE_MAX) continue;
      good = false;
      fprintf(stderr, "benchstat: cannot compare %.*s %.*s: a sample holds NaN\n",
              STR_ARG(pprofc_bench_row_label(tables, i, cell->row)), STR_ARG(table.unit));
    }
  }
  return good;
}

static pprofc_status print_tables(const pprofc_bench *set, const struct settings *settings,
                                  bool *nan, pprofc_error *error) {
  static int standard_output = STDOUT_FILENO, standard_error = STDERR_FILENO;
  pprofc_bench_tables *tables;
  pprofc_status status = pprofc_bench_compare(set, &settings->compare, &tables, error);
  if (status != PPROFC_OK) return status;
  status = pprofc_bench_print(tables, settings->format, fd_write, &standard_output, fd_write,
                              &standard_error, error);
  *nan = !report_nan(tables);
  pprofc_bench_tables_free(tables);
  return status;
}

static int run(const struct settings *settings, const char *const *inputs, size_t count) {
  pprofc_error error;
  pprofc_bench *set = pprofc_bench_new(NULL);
  if (!set) {
    fputs("benchstat: out of memory\n", stderr);
    return 1;
  }
  bool nan = false;
  pprofc_status status = pprofc_bench_read_inputs(set, inputs, count, &error);
  bool good = report_lines(set);
  if (status == PPROFC_OK) status = print_tables(set, settings, &nan, &error);
  if (status != PPROFC_OK) fail(&error);
  pprofc_bench_free(set);
  return status != PPROFC_OK || !good || nan;
}

int main(int argc, char **argv) {
  struct settings settings;
  settings_init(&settings);
  int first = flags_parse(&settings, argc, argv);
  if (first < 0) return first == -2 ? 0 : EXIT_USAGE;
  if (first == argc || !find_test(settings.delta_test, &settings.compare.test)) {
    flags_usage();
    return EXIT_USAGE;
  }
  pprofc_error error;
  if (!check_settings(&settings, &error)) return fail(&error);
  return run(&settings, (const char *const *)argv + first, (size_t)(argc - first));
}
