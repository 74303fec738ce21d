/* The program pprofc: parses the command line, reads the profile and writes the report. */
#include "actions.h"
#include "destination.h"
#include "noise/noise.h"
#include "profile/profile.h"

/* Exit status after any error: 2 as in pprof. With -fail_on it is 1, because 2 is a regression. */
static int exit_failed = 2;

static int fail_with(const char *message) {
  message_error("pprofc: %s", message);
  return exit_failed;
}

static int fail_with_usage(const char *message) {
  message_note("usage: pprofc FORMAT [flags] [binary] SOURCE ...");
  message_note("for example: pprofc -top cpu.pb.gz; pprofc -help lists everything");
  return fail_with(message);
}

/* Prints an error about the command line. If a flag has the wrong form, prints the usage before. */
static int fail_of_flags(const char *message) {
  static const char *const forms[] = {"flag ", "invalid ", "bad flag "};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (str_starts(str_of(message), str_of(forms[i]))) return fail_with_usage(message);
  return fail_with(message);
}

/* True if the first source is not a file but a variant of the format, as in "-flame text FILE". */
static bool first_is_variant(const struct command *command) {
  const char *first = command->source_count > 1 ? command->sources[0] : "";
  const pprofc_format_info *format = command->format;
  if (!*first || access(first, F_OK) == 0) return false;
  for (size_t i = 0; format && format->variants && format->variants[i]; i++)
    if (strcmp(format->variants[i], first) == 0) return true;
  return false;
}

/* True if the sources can be used. Otherwise prints an error about a missing source, or about an
 * argument that is not a source. */
static bool sources_accepted(const struct command_flags *flags, const struct command *command,
                             int argc, char **argv) {
  pprofc_error error;
  if (first_is_variant(command)) {
    const char *first = command->sources[0];
    error_set(&error, PPROFC_E_INVALID, "'%s' is not a file (type -%s=%s)", first,
              command->format->name, first);
  } else if (flags_check_inputs(&flags->table, command->sources, command->source_count, "source",
                                &error) == PPROFC_OK) {
    if (command->source_count || command->frames) return true;
    error_set(&error, PPROFC_E_INVALID, "no profile source specified");
    hint_argument(flags, argc, argv, &error);
  }
  fail_with_usage(error.message);
  return false;
}

/* Prints the help, the version, and other output that needs no profile. */
static int print_about(struct command_flags *flags, const struct command *command) {
  struct about_output about;
  pprofc_error error;
  pprofc_status status = PPROFC_OK;
  size_t width = terminal_width(STDOUT_FILENO);
  about_begin(&about);
  option_help_set(flags);
  if (*command->completion)
    status = completion_print(&flags->table, str_of(command->completion), &about.out, &error);
  else if (command->manual)
    manual_print_options(&flags->table, &about.out);
  else if (command->version)
    version_print(&about.out);
  else if (*command->formats)
    formats_print(&about.out, strcmp(command->formats, "markdown") == 0, fill_width(width));
  else
    help_print(&flags->table, &about.out, width);
  if (status == PPROFC_OK) status = about_end(&about, &error);
  return status == PPROFC_OK ? 0 : fail_with(error.message);
}

/* Prints the sample types of the first readable source, for completion by a shell. */
static int print_sample_types(const struct command *command) {
  pprofc_profile *profile = NULL;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = &command->limits;
  for (size_t i = 0; i < command->source_count && !profile; i++)
    pprofc_profile_read_file(command->sources[i], &options, &profile, NULL);
  if (!profile) return exit_failed;
  int fd = STDOUT_FILENO;
  struct output out;
  output_init(&out, fd_write, &fd);
  for (size_t i = 0; i < profile->type_count; i++) {
    pprofc_str name = profile_type(profile, i);
    if (!name.size || !text_only_has(name, "_.-/")) continue;
    output_add_str(&out, name);
    output_add_char(&out, '\n');
  }
  pprofc_profile_release(profile);
  return output_flush(&out, NULL) == PPROFC_OK ? 0 : exit_failed;
}

static void warn_of_report(void *context, const char *message) {
  (void)context;
  message_error("%s", message);
}

/* An action writes a report or another result, and sets *code if the exit status is not 0. */
typedef pprofc_status (*action_fn)(struct command *command, int *code, pprofc_error *error);

/* Runs an action with a memory budget and the progress line `step`. Returns the exit status. */
static int run_action(struct command *command, const char *step, action_fn action) {
  struct progress progress = {.running = false};
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  int code = 0;
  command->budget = budget_new(&mem_default, command->limits.memory_bytes);
  if (!command->budget) return fail_with("out of memory");
  if (step) progress_start(&progress, step);
  command->progress = &progress;
  pprofc_status status = action(command, &code, &error);
  progress_end(&progress);
  status = budget_status(budget_allocator(command->budget), status, &error);
  budget_release(command->budget);
  if (status == PPROFC_OK) return code;
  limit_flags_name(&error);
  return fail_with(error.message);
}

static pprofc_status make_report(struct command *command, int *code, pprofc_error *error) {
  pprofc_profile *profile = NULL;
  struct buffer rules;
  bool incomplete = false;
  command->incomplete = &incomplete;
  sources_find_executable(command);
  pprofc_status status = destination_read_rules(&command->report, &rules, error);
  if (status == PPROFC_OK && noise_wanted(command)) {
    status = noise_run(command, code, error);
  } else {
    if (status == PPROFC_OK) status = sources_fetch(command, &profile, error);
    progress_step(command->progress, "making the report");
    if (status == PPROFC_OK) status = destination_report(command, profile, error);
  }
  /* As in pprof, the report lacks the unreadable files. The exit status shows this to scripts. */
  if (incomplete && !command_fetches(command) && !*code) *code = exit_failed;
  pprofc_profile_release(profile);
  buffer_free(&rules);
  return status;
}

static pprofc_status collect_profiles(struct command *command, int *code, pprofc_error *error) {
  (void)code;
  return collect_run(command, error);
}

/* Runs -lsp or -quickfix, which show the costs of source lines in an editor. */
static pprofc_status serve_editor(struct command *command, int *code, pprofc_error *error) {
  int fd = STDOUT_FILENO;
  (void)code;
  sources_find_executable(command);
  return command->lsp ? lsp_run(command, STDIN_FILENO, fd, error)
                      : quickfix_print(command, fd_write, &fd, error);
}

/* Runs the program of -simulate before pprofc prints, because both may use the terminal. */
static int run_simulated(struct command *command) {
  struct viewer_file file = {.fd = -1};
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  if (!command->program) return fail_with("no program to simulate");
  pprofc_status status = simulate_run(command, &file, &error);
  int code =
      status == PPROFC_OK ? run_action(command, "reading", make_report) : fail_with(error.message);
  if (*file.path) viewer_remove(&file);
  return code;
}

/* Configures malloc to keep freed memory for the next small profile. By default, malloc returns the
 * memory to the system, which clears each page before its next use. */
static void keep_small_blocks(void) {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

/* Returns an error if the action needs no format but a format is given, else NULL. */
static const char *action_conflict(const struct command *command) {
  bool report = command->format || *command->base || *command->diff_base;
  if (*command->collect)
    return report ? "-collect only fetches; pass a format or a base when reading its files" : NULL;
  if (!command->format || !(command->lsp || command->quickfix)) return NULL;
  return "-lsp and -quickfix cannot be combined with another format";
}

static int choose_action(struct command_flags *flags, struct command *command, int argc,
                         char **argv) {
  if (command_is_about(command)) return print_about(flags, command);
  command->report.warn = warn_of_report;
  if (command->sample_types) return print_sample_types(command);
  if (command->simulate) return run_simulated(command);
  if (command->mcp) return mcp_run(command);
  if (!sources_accepted(flags, command, argc, argv)) return exit_failed;
  const char *conflict = action_conflict(command);
  if (conflict) return fail_with(conflict);
  if (*command->collect) return run_action(command, "fetching", collect_profiles);
  if (command->lsp || command->quickfix) return run_action(command, NULL, serve_editor);
  if (command->http_on) return web_run(command);
  if (!command->format) return shell_run(command);
  return run_action(command, "reading", make_report);
}

int main(int argc, char **argv) {
  struct command_flags flags;
  struct flags_parsed parsed = {0};
  struct command command;
  pprofc_error error;
  int code;
  keep_small_blocks();
  for (int i = 1; i < argc; i++)
    if (flags_prefix(argv[i], "fail_on")) exit_failed = 1;
  signals_watch("pprofc", exit_failed);
  command_flags_init(&flags);
  flags_accept_words(argc, argv);
  if (command_parse(&flags, &command, argc, argv, &parsed, &error) == PPROFC_OK) {
    char more[BRIEF_COMMAND] = "";
    if (command.brief_bytes) brief_command(argc, argv, command.brief_bytes, more);
    command.brief_more = more;
    code = choose_action(&flags, &command, argc, argv);
  } else {
    if (strstr(error.message, "needs an argument")) hint_argument(&flags, argc, argv, &error);
    code = fail_of_flags(error.message);
  }
  command_free(&command);
  return code;
}
