/* The program parse_bench_regressions: fails if benchmarks became slower. */
#include "common/flags.h"
#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"
#include "gate/selftest/selftest.h"
#include "options.h"

#define LINKS_MAX 40 /* maximum number of symlinks to follow, as in Linux */

/* Returns the value of -out at argv[i], or NULL if argv[i] is another argument. */
static const char *value_of_out(int argc, char *const *argv, int i) {
  const char *name = argv[i];
  if (*name++ != '-') return NULL;
  name += *name == '-';
  if (strncmp(name, "out", 3) != 0) return NULL;
  if (name[3] == '=') return name + 4;
  return !name[3] && i + 1 < argc ? argv[i + 1] : NULL;
}

static bool same_file(const char *path, const struct stat *file) {
  struct stat other;
  return stat(path, &other) == 0 && system_same_file(&other, file);
}

/* True if an argument, or its text after '=', names this file. Skips -out. */
static bool is_input(int argc, char *const *argv, const struct stat *file) {
  for (int i = 1; i < argc; i++) {
    const char *equals = strchr(argv[i], '=');
    bool flag = argv[i][0] == '-';
    if (value_of_out(argc, argv, i)) {
      i += !equals;
      continue;
    }
    if (same_file(argv[i], file) || (flag && equals && same_file(equals + 1, file))) return true;
  }
  return false;
}

/* Replaces `path` by the target of its symlink. A relative target is in the folder of the symlink.
 * `path` has PATH_MAX bytes. Returns false on failure; errno is 0 if `path` is not a symlink. */
static bool outputs_follow(char *path) {
  char link[PATH_MAX], whole[2 * PATH_MAX];
  ssize_t size = readlink(path, link, sizeof link - 1);
  errno = 0;
  if (size < 0) return false;
  link[size] = '\0';
  const char *slash = strrchr(path, '/');
  int folder = slash && link[0] != '/' ? (int)(slash - path) + 1 : 0;
  int length = snprintf(whole, sizeof whole, "%.*s%s", folder, path, link);
  if (length < 0 || length >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(path, whole, (size_t)length + 1);
  return true;
}

/* Resolves all symlinks in `path`, even if their target does not exist. Keeps the path of a device
 * or pipe. Returns false and sets errno on failure. */
static bool outputs_target(const char *path, char target[PATH_MAX]) {
  struct stat info;
  size_t size = strlen(path);
  if (size >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(target, path, size + 1);
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return true;
  for (int links = 0; links < LINKS_MAX; links++)
    if (!outputs_follow(target)) return errno == 0;
  errno = ELOOP;
  return false;
}

/* Returns 1 or 2 if the file is standard output or standard error, else -1. */
static int outputs_stream(const char *path) {
  struct stat file, stream;
  if (stat(path, &file) != 0) return -1;
  for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
    if (fstat(fd, &stream) == 0 && system_same_file(&stream, &file)) return fd;
  return -1;
}

/* Removes the file of every -out, even if the command line is invalid. Follows a symlink and
 * removes its target. Never removes an input, a device, a pipe, or the file to which standard
 * output or standard error is redirected. */
static void outputs_remove(int argc, char *const *argv) {
  for (int i = 1; i < argc; i++) {
    const char *value = value_of_out(argc, argv, i);
    const char *equals = value ? strchr(value, '=') : NULL;
    struct stat file;
    char target[PATH_MAX];
    if (!equals || stat(equals + 1, &file) != 0 || !S_ISREG(file.st_mode)) continue;
    if (is_input(argc, argv, &file) || outputs_stream(equals + 1) >= 0) continue;
    if (outputs_target(equals + 1, target)) (void)unlink(target);
  }
}

/* Writes a file completely or not at all. Follows a symlink and writes its target. */
static pprofc_status outputs_write(const char *path, pprofc_str text, pprofc_error *error) {
  char target[PATH_MAX];
  int stream = outputs_stream(path);
  if (stream >= 0 && fd_write(&stream, text.data, text.size) == 0) return PPROFC_OK;
  if (stream >= 0 || !outputs_target(path, target)) return error_file(error, "write", path, errno);
  return save_text(target, text, error);
}

/* The statuses 2 and 3 are verdicts. Every other failure, even wrong usage, has the status 1. */
#define EXIT_FAILED 1
#define EXIT_STRICT 3

#define PROGRAM        "parse_bench_regressions"
#define DEFAULT_FOLDER ".docs/artifacts/benchdiff"
#define REPORT_MAX     ((size_t)1 << 30)

/* Prints a failure on standard error. Prints the line of totals, which ends the output of every
 * run, on standard output. */
static int tool_fail(const char *message) {
  message_error(PROGRAM ": %s", message);
  printf("0 compared, 0 significant, 0 regressed, 0 missing\n");
  return EXIT_FAILED;
}

static int tool_misused(const char *message) {
  message_note("usage: " PROGRAM " [flags] [FILE | DIR] ..., " PROGRAM " -help lists everything");
  return tool_fail(message);
}

static pprofc_status write_standard_output(pprofc_str text, pprofc_error *error) {
  int fd = STDOUT_FILENO;
  if (fd_write(&fd, text.data, text.size) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot write standard output: %s", ERRNO_TEXT(errno));
}

/* Appends the result as a Markdown table to the file $GITHUB_STEP_SUMMARY, which may already have
 * the output of other commands. */
static pprofc_status append_summary(const struct gate *gate, bool all, pprofc_error *error) {
  const char *path = getenv("GITHUB_STEP_SUMMARY");
  if (!path || !*path) return PPROFC_OK;
  struct buffer text = buffer_make(gate->mem, REPORT_MAX);
  gate_print_markdown(&text, gate, all);
  pprofc_status status =
      text.failed ? error_nomem(error) : save_append(path, buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

static pprofc_status tool_write_report(const struct gate *gate, const struct gate_format *format,
                                       bool all, const char *path, pprofc_error *error) {
  struct buffer text = buffer_make(gate->mem, REPORT_MAX);
  format->print(&text, gate, all);
  pprofc_status status = text.failed ? error_nomem(error) : PPROFC_OK;
  if (status == PPROFC_OK)
    status = path ? outputs_write(path, buffer_str(&text), error)
                  : write_standard_output(buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

/* Returns the rank of a line, by which -budget chooses the lines to drop. The result and the
 * headers always stay. */
static int tool_rank(pprofc_str line) {
  bool fixed = STR_ANY(str_starts, line, "result: ", "problem: ", "### ", "<!-- parse", "| verdict",
                       "| ---", "- problem: ");
  bool totals =
      str_find(line, STR(" compared, ")) < line.size && str_ends(str_trim(line), STR(" missing"));
  return fixed || totals ? BRIEF_FIXED : 0;
}

struct tool_printing {
  const struct gate *gate;
  const struct gate_format *format;
  bool all;
};

static pprofc_status tool_render(const void *context, pprofc_write_fn write, void *to,
                                 pprofc_error *error) {
  const struct tool_printing *p = context;
  if (strcmp(p->format->name, "json") == 0)
    return gate_write_json(p->gate, write, to) ? PPROFC_OK : error_nomem(error);
  struct buffer text = buffer_make(p->gate->mem, REPORT_MAX);
  p->format->print(&text, p->gate, p->all);
  bool good = !text.failed && write(to, text.data, text.size) == 0;
  buffer_free(&text);
  return good ? PPROFC_OK : error_nomem(error);
}

static pprofc_status tool_write_brief(const struct gate *gate, const struct gate_options *options,
                                      const struct gate_format *format, pprofc_error *error) {
  bool markdown = strcmp(format->name, "markdown") == 0, json = strcmp(format->name, "json") == 0;
  const struct brief kind = {
      .kind = json ? BRIEF_JSON : BRIEF_LINES, .markdown = markdown, .rank_of = tool_rank};
  const struct tool_printing printing = {gate, format, options->all};
  struct buffer text;
  if (!markdown && !json && strcmp(format->name, "text") != 0)
    return error_set(error, PPROFC_E_INVALID, "-budget cuts text, markdown and json, not %s",
                     format->name);
  buffer_init(&text, gate->mem, REPORT_MAX);
  pprofc_status status = brief_report(&kind, options->brief_bytes, options->brief_more, tool_render,
                                      &printing, buffer_write, &text, error);
  if (status == PPROFC_OK) status = write_standard_output(buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

static pprofc_status tool_print_all(const struct gate *gate, const struct gate_options *options,
                                    pprofc_error *error) {
  const struct gate_format *format = gate_format_find(str_of(format_names[options->format]));
  bool github = strcmp(format->name, "github") == 0;
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < options->out_count && status == PPROFC_OK; i++) {
    pprofc_str text = str_of(options->outs[i]);
    size_t equals = str_find_char(text, '=');
    const struct gate_format *other = gate_format_find(str_slice(text, 0, equals));
    status = tool_write_report(gate, other, options->all, text.data + equals + 1, error);
    github |= strcmp(other->name, "github") == 0;
  }
  if (status == PPROFC_OK && github) status = append_summary(gate, options->all, error);
  if (status == PPROFC_OK)
    status = options->brief_bytes ? tool_write_brief(gate, options, format, error)
                                  : tool_write_report(gate, format, options->all, NULL, error);
  if (status == PPROFC_OK && !format->totals_inside)
    message_note("%zu compared, %zu significant, %zu regressed, %zu missing", gate->compared,
                 gate->significant, gate->regressed, gate->missing);
  return status;
}

static void tool_put_problems(const struct gate *gate) {
  pprofc_str rest = buffer_str(&gate->problems), line;
  while (str_next_line(&rest, &line))
    if (line.size) message_error(PROGRAM ": %.*s", STR_ARG(line));
}

static pprofc_status read_everything(struct inputs *inputs, const struct gate_options *options,
                                     const char *const *paths, size_t count, pprofc_error *error) {
  static const char *const usual[] = {DEFAULT_FOLDER};
  if (*options->noise_from) {
    pprofc_status status = gate_read_noise(inputs->gate, options->noise_from, error);
    if (status != PPROFC_OK) return status;
  }
  if (options->side_count[0]) {
    struct inputs_side sides[2];
    for (int i = 0; i < 2; i++)
      sides[i] = (struct inputs_side){options->sides[i], options->side_count[i]};
    return inputs_raw(inputs, sides, error);
  }
  return count ? inputs_tables(inputs, paths, count, error)
               : inputs_tables(inputs, usual, 1, error);
}

static pprofc_status selftest(struct gate *gate, const char *today, int *exit_status,
                              pprofc_error *error) {
  bool good = false;
  pprofc_status status = gate_selftest(gate, today, &good, error);
  if (status != PPROFC_OK) return status;
  tool_put_problems(gate);
  printf("selftest: %s\n", good ? "every planted regression is found"
                                : "a planted regression passes; this gate proves nothing");
  *exit_status = good ? 0 : EXIT_FAILED;
  return PPROFC_OK;
}

static pprofc_status judge(struct inputs *inputs, const struct gate_options *options,
                           const char *const *paths, size_t count, int *exit_status,
                           pprofc_error *error) {
  struct gate *gate = inputs->gate;
  char today[OPTIONS_DAY];
  const char *day = options_today(options, today);
  if (options->selftest) return selftest(gate, day, exit_status, error);
  pprofc_status status = read_everything(inputs, options, paths, count, error);
  if (status == PPROFC_OK) status = gate_judge(gate, day, error);
  if (status != PPROFC_OK) return status;
  if (options->aa || !gate_format_find(str_of(format_names[options->format]))->totals_inside)
    tool_put_problems(gate);
  *exit_status = gate_exit_status(gate);
  if (!options->aa) return tool_print_all(gate, options, error);
  if (*exit_status == 2) *exit_status = EXIT_STRICT;
  struct gate_format noise = {"noise", gate_print_noise, true};
  return tool_write_report(gate, &noise, options->all, NULL, error);
}

static int tool_run(const struct gate_options *options, struct flags_parsed *parsed,
                    const char *const *paths, size_t count) {
  struct gate gate;
  struct inputs inputs;
  pprofc_error error;
  int exit_status = EXIT_FAILED;
  gate_init(&gate, &mem_default);
  inputs_init(&inputs, &gate);
  pprofc_status status = inputs_prepare(&inputs, options, &error);
  if (status == PPROFC_OK) status = options_apply(options, parsed, &gate, &error);
  if (status == PPROFC_OK) status = judge(&inputs, options, paths, count, &exit_status, &error);
  inputs_free(&inputs);
  gate_free(&gate);
  return status == PPROFC_OK ? exit_status : tool_fail(error.message);
}

/* Returns an error if two flags cannot be combined, else NULL. */
static const char *check_combination(const struct gate_options *o,
                                     const struct flags_parsed *parsed, size_t arguments) {
  bool base = options_given(parsed, "base"), head = options_given(parsed, "head");
  if (base != head) return "-base and -head go together";
  if (base && arguments) return "-base and -head cannot be combined with other files";
  if (o->aa && o->out_count) return "-aa cannot be combined with -out";
  return NULL;
}

int main(int argc, char **argv) {
  struct gate_options options = {.since = NULL};
  struct flags_parsed parsed = {0};
  pprofc_error error;
  flags_accept_words(argc, argv);
  if (flags_defaults(&options_table, &options, &error) != PPROFC_OK)
    return tool_fail(error.message);
  pprofc_status status = flags_parse(&options_table, &options, argc, argv, &parsed, &error);
  if (status == PPROFC_OK &&
      about_print(&options_table, parsed.help, &options.about, &status, &error))
    return status == PPROFC_OK ? 0 : tool_fail(error.message);
  outputs_remove(argc, argv);
  if (status != PPROFC_OK) return tool_misused(error.message);
  const char *const *inputs = (const char *const *)argv + parsed.rest;
  size_t count = (size_t)(argc - parsed.rest);
  if (options_environment(&options, &parsed, &error) != PPROFC_OK ||
      flags_check_inputs(&options_table, inputs, count, "input", &error) != PPROFC_OK)
    return tool_misused(error.message);
  const char *wrong = check_combination(&options, &parsed, count);
  if (wrong) return tool_misused(wrong);
  if (options.brief_bytes) brief_command(argc, argv, options.brief_bytes, options.brief_more);
  return tool_run(&options, &parsed, inputs, count);
}
