/* Creates a report from [n] [focus]* [-ignore]* [-cum] [-noise=X] [>file | >>file | | program]. */
#include "session.h"

struct shell_request {
  struct shell *shell;
  struct command run;
  struct shell_target target;
  struct buffer focus, ignore;
  const char **argv; /* program after '|' and its arguments; ends with NULL */
};

static void reports_add_expression(struct buffer *all, pprofc_str expression) {
  if (!expression.size) return;
  if (all->size) buffer_add_char(all, '|');
  buffer_add_str(all, expression);
}

/* Stores the program after '|' and its arguments. The word at index `at` begins with '|'. */
static bool reports_take_program(struct shell_request *request, const struct shell_words *words,
                                 size_t at) {
  size_t count = 0;
  const char **argv = mem_array(&mem_default, words->count + 1, sizeof *argv);
  if (!argv) {
    shell_fail(request->shell, "out of memory");
    return false;
  }
  request->argv = argv;
  if (words->items[at].size > 1) argv[count++] = words->items[at].data + 1;
  while (++at < words->count) argv[count++] = words->items[at].data;
  argv[count] = NULL;
  if (!count) shell_fail(request->shell, "unexpected end of line after |");
  request->target = (struct shell_target){OUTPUT_PROGRAM, NULL, argv};
  return count > 0;
}

/* Parses >file, > file and >>file. Moves *at to the last word of the redirection. */
static bool reports_take_file(struct shell_request *request, const struct shell_words *words,
                              size_t *at) {
  pprofc_str word = words->items[*at];
  bool append = str_starts(word, STR(">>"));
  const char *path = word.data + 1 + append;
  if (!*path) {
    if (*at + 1 == words->count) {
      shell_fail(request->shell, "unexpected end of line after %s", append ? ">>" : ">");
      return false;
    }
    path = words->items[++*at].data;
  }
  request->target = (struct shell_target){append ? OUTPUT_APPEND : OUTPUT_FILE, path, NULL};
  return true;
}

static bool reports_is_count(pprofc_str word, int *count) {
  int64_t number;
  if (!str_parse_int(word, 10, &number) || number < INT32_MIN || number > INT32_MAX) return false;
  *count = (int)number;
  return true;
}

static bool reports_read_words(struct shell_request *request, const struct shell_words *words,
                               size_t at) {
  pprofc_report_options *report = &request->run.report;
  for (; at < words->count; at++) {
    pprofc_str word = words->items[at];
    char first = word.data[0];
    if (reports_is_count(word, &report->nodecount)) continue;
    if (str_starts(word, STR("-noise="))) {
      if (!shell_choose_noise(request->shell, str_slice(word, 7, word.size), &request->run))
        return false;
      continue;
    }
    if (first == '|') return reports_take_program(request, words, at);
    if (first == '>') {
      if (!reports_take_file(request, words, &at)) return false;
    } else if (str_equal(word, STR("-cum")) || str_equal(word, STR("--cum"))) {
      report->sort = "cum";
    } else if (first == '-') {
      reports_add_expression(&request->ignore, str_slice(word, 1, word.size));
    } else {
      reports_add_expression(&request->focus, word);
    }
  }
  return true;
}

/* Sets the options focus and ignore from the line. For the report `tags`, sets tagfocus and
 * tagignore instead. */
static bool reports_apply_expressions(struct shell_request *request) {
  pprofc_report_options *report = &request->run.report;
  bool tags = strcmp(report->format, "tags") == 0;
  const char **focus = tags ? &report->tagfocus : &report->focus;
  const char **ignore = tags ? &report->tagignore : &report->ignore;
  buffer_add_char(&request->focus, '\0');
  buffer_add_char(&request->ignore, '\0');
  if (request->focus.failed || request->ignore.failed) {
    shell_fail(request->shell, "out of memory");
    return false;
  }
  if (*request->focus.data) *focus = request->focus.data;
  if (*request->ignore.data) *ignore = request->ignore.data;
  return true;
}

/* Limits the reports top and text to 10 nodes, unless the user set a number. */
static void reports_apply_defaults(pprofc_report_options *report) {
  bool is_top = strcmp(report->format, "top") == 0 || strcmp(report->format, "text") == 0;
  if (is_top && report->nodecount == -1) report->nodecount = 10;
}

static void reports_make(struct shell_request *request) {
  struct shell *shell = request->shell;
  struct buffer rules;
  pprofc_error error;
  pprofc_status status = destination_read_rules(&request->run.report, &rules, &error);
  if (*request->run.output && request->target.kind == OUTPUT_STANDARD)
    request->target = (struct shell_target){OUTPUT_FILE, request->run.output, NULL};
  request->run.output = "";
  if (status == PPROFC_OK)
    status = shell_wants_verdicts(&request->run)
                 ? shell_output_verdicts(shell, &request->run, &request->target, &error)
                 : shell_output(shell, &request->run, &request->target, &error);
  buffer_free(&rules);
  if (status != PPROFC_OK) shell_fail_error(shell, &error);
}

void shell_report(struct shell *shell, const pprofc_format_info *format, const char *variant,
                  const struct shell_words *words, size_t first) {
  struct shell_request request = {.shell = shell, .run = shell->command};
  request.run.format = format;
  request.run.report.format = format->name;
  request.run.report.argument = variant ? variant : "";
  if (format->argument) {
    if (first == words->count) {
      shell_fail(shell, "command %s requires an argument", format->name);
      return;
    }
    request.run.report.argument = words->items[first++].data;
  }
  buffer_init(&request.focus, &mem_default, SIZE_MAX / 2);
  buffer_init(&request.ignore, &mem_default, SIZE_MAX / 2);
  if (reports_read_words(&request, words, first) && reports_apply_expressions(&request)) {
    reports_apply_defaults(&request.run.report);
    reports_make(&request);
  }
  buffer_free(&request.focus);
  buffer_free(&request.ignore);
  if (request.argv) mem_free(&mem_default, request.argv, words->count + 1, sizeof *request.argv);
}
