/* The program benchstatc: compares benchmark results like the Go tool benchstat. */
#include "bench/set.h"
#include "bench/tables.h"
#include "options.h"

/* Exit statuses as in Go programs: 2 for wrong usage, 1 for every other error. */
#define EXIT_FAILED 1
#define EXIT_USAGE  2

/* Prints an error. Its prefix is "benchstat: ", because other tools search for this text. */
static int benchstat_fail(const char *message) {
  message_error("benchstat: %s", message);
  return EXIT_FAILED;
}

/* Prints an error in a filter or projection of the command line, and marks the position of the
 * error. */
static int fail_options(pprofc_error *error) {
  error_prefix(error, "benchstat: ");
  message_error_lines(str_of(error->message));
  return EXIT_FAILED;
}

static int benchstat_misused(const char *message) {
  message_note("usage: benchstatc [flags] INPUT ..., benchstatc -help lists everything");
  message_error("benchstatc: %s", message);
  return EXIT_USAGE;
}

/* True if the filter contains a key such as .name, but without its dot. */
static bool lacks_dot(const char *filter) {
  static const char *const keys[] = {"name:", "fullname:", "unit:", "config:", "file:"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (str_starts(str_of(filter), str_of(keys[i]))) return true;
  return false;
}

/* Prints an error and returns false if no result passes the filter. Without any result, prints an
 * error only if there are no `messages` about skipped lines. */
static bool report_selection(size_t results, size_t messages, const pprofc_bench_tables *tables,
                             const char *filter) {
  if (!results && !messages) message_error("benchstat: no benchmark results in the inputs");
  if (!results) return messages > 0;
  if (pprofc_bench_table_count(tables)) return true;
  if (lacks_dot(filter))
    message_error("benchstat: no result matches -filter '%s' (did you mean '.%s'?)", filter,
                  filter);
  else
    message_error("benchstat: no result matches -filter '%s'", filter);
  return false;
}

/* Prints the messages about skipped lines, in the order of the inputs. */
static bool report_lines(const pprofc_bench *set) {
  size_t count;
  const pprofc_bench_message *messages = pprofc_bench_messages(set, &count);
  for (size_t i = 0; i < count; i++) {
    pprofc_str path = pprofc_bench_input_path(set, messages[i].input);
    message_error("%.*s:%llu: %.*s", STR_ARG(path), (unsigned long long)messages[i].line,
                  STR_ARG(messages[i].text));
  }
  if (set_debug_inputs(set, NULL))
    message_note("warning: the library of Google Benchmark is a debug build, which adds its own "
                 "work to the times (%zu of %zu inputs)",
                 set_debug_inputs(set, NULL), pprofc_bench_inputs(set));
  return count == 0;
}

/* Prints an error for each input that has neither results nor messages about skipped lines. If no
 * input has results, prints nothing, because report_selection handles this case. */
static bool report_empty(const pprofc_bench *set) {
  size_t inputs = pprofc_bench_inputs(set), results, count, good = 0;
  const pprofc_bench_result *result = pprofc_bench_results(set, &results);
  const pprofc_bench_message *message = pprofc_bench_messages(set, &count);
  for (size_t i = 0, next = 0; i < inputs && results; i++) {
    bool found = next < results && result[next].input == i;
    while (next < results && result[next].input == i) next++;
    for (size_t j = 0; j < count && !found; j++) found = message[j].input == i;
    good += found;
    if (!found)
      message_error("benchstat: no benchmark results in '%.*s'",
                    STR_ARG(pprofc_bench_input_path(set, i)));
  }
  return !results || good == inputs;
}

/* Prints an error for each table cell with a measurement that is not a number. */
static bool report_nan(const pprofc_bench_tables *tables) {
  bool good = true;
  for (size_t i = 0; i < pprofc_bench_table_count(tables); i++) {
    pprofc_bench_table table = pprofc_bench_table_at(tables, i);
    for (size_t j = 0; j < table.cells; j++) {
      const pprofc_bench_cell *cell = &table.cell[j];
      if (!cell->nan || cell->baseline == SIZE_MAX) continue;
      good = false;
      message_error("benchstat: cannot compare %.*s %.*s: a sample holds NaN",
                    STR_ARG(pprofc_bench_row_label(tables, i, cell->row)), STR_ARG(table.unit));
    }
  }
  return good;
}

static bool benchstat_is_classic(const struct benchstat_options *options) {
  return strcmp(options->format, "classic") == 0;
}

/* True if `format` is one of the first `count` items of `formats`. -budget can shorten only the
 * first three. */
static bool is_format(const char *format, size_t count) {
  static const char *const formats[] = {"text", "markdown", "json", "csv", "html", "classic"};
  for (size_t i = 0; i < count; i++)
    if (strcmp(format, formats[i]) == 0) return true;
  return false;
}

/* Checks all flags by comparing an empty set of results, before the program opens a file. */
static pprofc_status check_options(const struct benchstat_options *options,
                                   const struct flags_parsed *parsed, pprofc_error *error) {
  const char *flag = options_needs_classic(parsed);
  if (flag && !benchstat_is_classic(options)) {
    error_set(error, PPROFC_E_INVALID, "-%s needs -format=classic", flag);
    if (is_format(flag, 6)) error_hint(error, "-format=%s prints the current table", flag);
    return PPROFC_E_INVALID;
  }
  pprofc_bench_options compare;
  pprofc_bench_tables *tables = NULL;
  options_compare(options, &compare);
  pprofc_bench *nothing = pprofc_bench_new(NULL);
  if (!nothing) return error_nomem(error);
  pprofc_status status = pprofc_bench_compare(nothing, &compare, &tables, error);
  pprofc_bench_tables_free(tables);
  pprofc_bench_free(nothing);
  if (status != PPROFC_OK) return status;
  if (options->brief_bytes && !is_format(options->format, 3))
    return error_set(error, PPROFC_E_INVALID, "-budget cuts text, markdown and json, not %s",
                     options->format);
  if (is_format(options->format, 6)) return status;
  return error_set(error, PPROFC_E_INVALID,
                   "-format must be text or csv (or markdown, json, html, classic)");
}

static pprofc_status print_classic(const pprofc_bench *set, const struct benchstat_options *options,
                                   pprofc_error *error) {
  pprofc_bench_classic_options classic;
  options_classic(options, &classic);
  const char *format = options->csv ? "csv" : "text";
  if (options->html) format = "html";
  int fd = STDOUT_FILENO;
  return pprofc_bench_print_classic(set, &classic, format, fd_write, &fd, error);
}

struct benchstat_printing {
  const pprofc_bench_tables *tables;
  const char *format;
};

static pprofc_status benchstat_render(const void *context, pprofc_write_fn write, void *to,
                                      pprofc_error *error) {
  const struct benchstat_printing *p = context;
  int warnings = STDERR_FILENO;
  return pprofc_bench_print(p->tables, p->format, write, to, fd_write, &warnings, error);
}

static pprofc_status print_tables(pprofc_bench *set, const struct benchstat_options *options,
                                  bool *good, pprofc_error *error) {
  pprofc_bench_options compare;
  pprofc_bench_tables *tables;
  options_compare(options, &compare);
  size_t results = set->result_count, messages;
  pprofc_bench_messages(set, &messages);
  pprofc_status status = tables_compare_and_free(set, &compare, &tables, error);
  if (status != PPROFC_OK) return status;
  const struct brief kind = {.kind = strcmp(options->format, "json") == 0 ? BRIEF_JSON : BRIEF_ROWS,
                             .markdown = strcmp(options->format, "markdown") == 0};
  const struct benchstat_printing printing = {tables, options->format};
  int fd = STDOUT_FILENO;
  status = brief_report(&kind, options->brief_bytes, options->brief_more, benchstat_render,
                        &printing, fd_write, &fd, error);
  *good &= report_nan(tables) && report_selection(results, messages, tables, options->filter);
  pprofc_bench_tables_free(tables);
  return status;
}

static int benchstat_run(const struct benchstat_options *options, const char *const *inputs,
                         size_t count) {
  pprofc_error error;
  pprofc_bench *set = pprofc_bench_new(NULL);
  if (!set) return benchstat_fail("out of memory");
  if (benchstat_is_classic(options)) pprofc_bench_keep_units(set);
  pprofc_status status = pprofc_bench_read_inputs(set, inputs, count, &error);
  bool good = report_lines(set);
  if (status == PPROFC_OK) good &= report_empty(set);
  if (status == PPROFC_OK)
    status = benchstat_is_classic(options) ? print_classic(set, options, &error)
                                           : print_tables(set, options, &good, &error);
  pprofc_bench_free(set);
  if (status != PPROFC_OK) return benchstat_fail(error.message);
  return good ? 0 : EXIT_FAILED;
}

int main(int argc, char **argv) {
  struct benchstat_options options = {.table = NULL};
  struct flags_parsed parsed = {0};
  pprofc_status status;
  pprofc_error error;
  pprofc_bench_test test;
  flags_accept_words(argc, argv);
  if (flags_defaults(&options_table, &options, &error) != PPROFC_OK)
    return benchstat_fail(error.message);
  if (flags_parse(&options_table, &options, argc, argv, &parsed, &error) != PPROFC_OK)
    return benchstat_misused(error.message);
  if (about_print(&options_table, parsed.help, &options.about, &status, &error))
    return status == PPROFC_OK ? 0 : benchstat_fail(error.message);
  const char *const *inputs = (const char *const *)argv + parsed.rest;
  size_t count = (size_t)(argc - parsed.rest);
  if (!count) return benchstat_misused("no input (type benchstatc BASE HEAD)");
  if (flags_check_inputs(&options_table, inputs, count, "input", &error) != PPROFC_OK)
    return benchstat_misused(error.message);
  if (!options_test(&options, &test))
    return benchstat_misused("-delta-test must be utest, ttest or none");
  if (!options_sort_is_known(&options))
    return benchstat_misused("-sort must be [-]delta, [-]name or none");
  if (check_options(&options, &parsed, &error) != PPROFC_OK) return fail_options(&error);
  if (options.brief_bytes) brief_command(argc, argv, options.brief_bytes, options.brief_more);
  return benchstat_run(&options, inputs, count);
}
