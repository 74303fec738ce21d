/* Runs the shell from the greeting to the end. */
#include "session.h"

#include "actions.h"
#include "profile/profile.h"
#include "report/report.h"

#include <sys/select.h>

#define SHELL_FAILED 2

static void shell_say(struct shell *shell, const char *text) {
  const struct shell_input *input =
      shell->input_count ? &shell->inputs[shell->input_count - 1] : NULL;
  shell->failed = true;
  if (input && input->name)
    message_error("%s:%zu: %s", input->name, input->line, text);
  else
    message_error("%s", text);
}

void shell_fail(struct shell *shell, const char *format, ...) {
  va_list args, again;
  struct buffer text = buffer_make(&mem_default, 2 * SHELL_LINE);
  va_start(args, format);
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (size >= 0 && buffer_reserve(&text, (size_t)size + 1)) {
    vsnprintf(text.data, (size_t)size + 1, format, args);
    shell_say(shell, text.data);
  } else {
    shell_say(shell, "out of memory");
  }
  va_end(args);
  buffer_free(&text);
}

void shell_fail_error(struct shell *shell, pprofc_error *error) {
  limit_flags_name(error);
  shell_say(shell, error->message);
}

static volatile sig_atomic_t interrupted;
static struct budget *volatile interruptible;

static volatile sig_atomic_t paging;

/* Handles ^C. While a pager runs, ^C is for the pager and never ends the shell. */
static void shell_interrupt(void) {
  struct budget *budget = interruptible;
  interrupted = 1;
  if (budget) budget_cancel(budget);
  if (paging) signals_catch(shell_interrupt);
}

void shell_set_paging(bool on) {
  paging = on;
}

/* True if the user pressed ^C since the last call. */
static bool shell_interrupted(void) {
  bool was = interrupted != 0;
  interrupted = 0;
  return was;
}

/* Waits for input, ^C or another signal. Signals are unblocked only during the wait. A signal that
 * arrives just before the wait then ends the wait at once. */
enum shell_wait shell_wait_input(int fd) {
  fd_set wanted;
  sigset_t blocked, before;
  FD_ZERO(&wanted);
  FD_SET(fd, &wanted);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGCONT);
  sigaddset(&blocked, SIGWINCH);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  bool woken =
      !interrupted && pselect(fd + 1, &wanted, NULL, NULL, NULL, &before) < 0 && errno == EINTR;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (interrupted) return SHELL_WAIT_INTERRUPTED;
  return woken ? SHELL_WAIT_SIGNAL : SHELL_WAIT_READY;
}

static void shell_print_label(void *context, const char *prefix, pprofc_str text) {
  pprofc_str line;
  (void)context;
  if (*prefix) {
    message_note("%s%.*s", prefix, STR_ARG(text));
    return;
  }
  /* A comment in the profile may have several lines. */
  while (str_next_line(&text, &line)) message_note("%.*s", STR_ARG(line));
}

/* Prints the header of a report without filters, like pprof. Prints nothing if an option is
 * invalid. */
static void shell_print_header(struct shell *shell) {
  pprofc_report_options options = shell->command.report;
  struct report report = {.options = &options, .mem = &shell->profile->mem};
  const struct pipeline_overrides overrides = {.aggregates = true};
  struct time_zone zone;
  const pprofc_report_options asked = {
      .sample_index = options.sample_index,
      .unit = options.unit,
      .mean = options.mean,
      .divide_by = options.divide_by,
      .warn = options.warn,
      .warn_context = options.warn_context,
      .threads = options.threads,
  };
  if (pipeline_run(shell->profile, &asked, &overrides, &report.result, NULL) == PPROFC_OK) {
    report.output_unit = report.result.output_unit;
    if (time_zone_enter(&zone)) labels_profile(&report, shell_print_label, NULL);
    time_zone_leave(&zone);
    if (report.result.total == 0 && shell->profile->type_count > 1) {
      message_note("No samples were found with the default sample value type.");
      message_note("Try \"sample_index\" command to analyze different sample values.");
      message_note("%s", "");
    }
  }
  pipeline_free(&report.result);
}

/* Runs a line. The first ^C cancels the line, a second ^C ends the program. */
static void shell_run_line(struct shell *shell, pprofc_str line) {
  interruptible = shell->command.budget;
  if (shell->terminal) signals_catch(shell_interrupt);
  shell_execute(shell, line);
  if (shell->terminal) signals_catch(shell_interrupt);
  interruptible = NULL;
  if (shell_interrupted()) {
    budget_resume(shell->command.budget);
    shell_close_inputs(shell, 1);
  }
  shell_reap_viewers(shell);
}

/* Handles ^C at the prompt. On an empty line, the first ^C prints how to leave the shell. The next
 * ^C leaves the shell. */
static void shell_answer_interrupt(struct shell *shell, const struct buffer *line, bool *warned) {
  if (line->size) {
    *warned = false;
    return;
  }
  if (*warned)
    shell->leave = true;
  else
    message_note("(^C again or ^D leaves the shell)");
  *warned = true;
}

static int shell_loop(struct shell *shell) {
  bool warned = false;
  struct buffer line = buffer_make(&mem_default, SHELL_LINE);
  while (!shell->leave) {
    if (shell->terminal) signals_catch(shell_interrupt);
    shell->failed = false;
    enum shell_line got = shell_next_line(shell, &line);
    if (got == SHELL_LINE_NONE) break;
    if (got == SHELL_LINE_INTERRUPTED) {
      shell_interrupted();
      shell_answer_interrupt(shell, &line, &warned);
      continue;
    }
    warned = false;
    shell_run_line(shell, buffer_str(&line));
    if (shell->failed && shell->command.stop_on_error && !shell->terminal) break;
  }
  bool stopped = shell->failed && shell->command.stop_on_error && !shell->terminal;
  buffer_free(&line);
  return stopped ? SHELL_FAILED : 0;
}

/* Reads all data of the sources, because a later line can request any report. Sets the format to
 * proto, because for most formats the reader drops data. */
static pprofc_status shell_read(struct shell *shell, pprofc_error *error) {
  struct command *command = &shell->command;
  struct progress progress;
  size_t digits;
  command->format = shell_format(STR("proto"), &digits);
  command->budget = budget_new(&mem_default, command->limits.memory_bytes);
  if (!command->budget) return error_nomem(error);
  sources_find_executable(command);
  progress_start(&progress, "reading");
  pprofc_status status = sources_fetch(command, &shell->profile, error);
  progress_end(&progress);
  /* Later reports use the profile, so no report may modify it. */
  if (status == PPROFC_OK) shell->profile->disposable = false;
  return budget_status(budget_allocator(command->budget), status, error);
}

static pprofc_status shell_keep_base(struct shell *shell, pprofc_error *error) {
  const struct command *command = &shell->command;
  bool compare = *command->diff_base != '\0';
  const char *source = compare ? command->diff_base : command->base;
  pprofc_profile *profile = pprofc_profile_retain(shell->profile);
  if (!*source) {
    shell->head = profile;
    return PPROFC_OK;
  }
  shell->difference = profile;
  shell->base = (struct shell_base){text_copy(str_of(source)), compare, true, false};
  return shell->base.source ? PPROFC_OK : error_nomem(error);
}

static void shell_open(struct shell *shell) {
  bool in = terminal_is(STDIN_FILENO), out = terminal_is(STDOUT_FILENO);
  shell->terminal = in && (out || terminal_is(STDERR_FILENO));
  shell->pager = shell->terminal && out && !shell->command.no_pager;
  shell->inputs[0] = (struct shell_input){.fd = STDIN_FILENO};
  shell->input_count = 1;
  shell->command.report.compact_labels = true;
  if (shell->terminal) shell->editor = editor_open(shell);
}

static void shell_close(struct shell *shell) {
  signals_catch(NULL);
  editor_close(shell->editor);
  shell_close_inputs(shell, 0);
  shell_end_viewers(shell);
  pprofc_profile_release(shell->profile);
  pprofc_profile_release(shell->head);
  pprofc_profile_release(shell->difference);
  shell_forget_runs(shell);
  text_free(shell->base.source);
  if (shell->command.budget) budget_release(shell->command.budget);
  shell_free_options(shell);
  mem_free(&mem_default, shell, 1, sizeof *shell);
}

int shell_run(const struct command *command) {
  struct shell *shell = mem_zero_array(&mem_default, 1, sizeof *shell);
  pprofc_error error;
  if (!shell) {
    message_error("pprofc: out of memory");
    return SHELL_FAILED;
  }
  int code = SHELL_FAILED;
  shell->command = *command;
  command_flags_init(&shell->flags);
  pprofc_status status = shell_read(shell, &error);
  if (status == PPROFC_OK) status = shell_keep_base(shell, &error);
  if (status == PPROFC_OK) {
    shell_open(shell);
    shell_print_header(shell);
    shell_check_options(shell);
    message_note("Entering interactive mode (type \"help\" for commands, \"o\" for options)");
    code = shell_loop(shell);
  } else {
    limit_flags_name(&error);
    message_error("pprofc: %s", error.message);
  }
  shell_close(shell);
  return code;
}
