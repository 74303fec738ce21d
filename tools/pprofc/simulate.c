/* Runs a program under valgrind's callgrind, and creates a profile with five sample types. */
#include "actions.h"
#include "common/callgrind.h"
#include "core/child.h"
#include "destination.h"

#include <sys/wait.h>

/* Runs the program. The output of the program goes to standard error, because the report goes to
 * standard output. */
static pprofc_status simulate_child(const char **argv, const char *program, pprofc_error *error) {
  const struct spawn valgrind = {.argv = argv, .streams = {SPAWN_SAME, STDERR_FILENO, SPAWN_SAME}};
  pid_t pid;
  int before = system_fix_addresses();
  int failed = spawn_start(&valgrind, &pid);
  system_let_addresses(before);
  if (failed) return error_file(error, "run", argv[0], failed);
  int how;
  if (!spawn_wait(pid, &how)) return error_file(error, "wait for", program, errno);
  if (WIFSIGNALED(how))
    return error_set(error, PPROFC_E_IO, "cannot simulate '%s': it was killed by signal %d",
                     program, WTERMSIG(how));
  if (WEXITSTATUS(how) != 0)
    return error_set(error, PPROFC_E_IO, "cannot simulate '%s': it ended with status %d", program,
                     WEXITSTATUS(how));
  return PPROFC_OK;
}

/* Prints the messages of valgrind after a failed run. Call it only then, because the messages of a
 * successful run are only about the caches of the machine. */
static void simulate_put_log(FILE *log) {
  char text[4096];
  rewind(log);
  size_t size = fread(text, 1, sizeof text, log);
  if (size) message_error_lines((pprofc_str){text, size});
}

static pprofc_status run_program(const struct command *command, const char *path, FILE *log,
                                 pprofc_error *error) {
  size_t words = 0, count = 0;
  while (command->program[words]) words++;
  size_t room = CALLGRIND_WORDS + words + 4;
  char option[4200], logged[40];
  snprintf(logged, sizeof logged, "--log-fd=%d", fileno(log));
  snprintf(option, sizeof option, "--callgrind-out-file=%s", path);
  const char **argv = mem_array(&mem_default, room, sizeof *argv);
  if (!argv) return error_nomem(error);
  for (size_t i = 0; i < CALLGRIND_WORDS; i++) argv[count++] = callgrind_words[i];
  argv[count++] = option;
  argv[count++] = logged;
  argv[count++] = "--";
  for (size_t i = 0; i <= words; i++) argv[count++] = command->program[i];
  pprofc_status status = simulate_child(argv, command->program[0], error);
  if (status != PPROFC_OK) simulate_put_log(log);
  mem_free(&mem_default, argv, room, sizeof *argv);
  return status;
}

static pprofc_status simulate_logged(const struct command *command, const char *path,
                                     pprofc_error *error) {
  FILE *log = tmpfile();
  if (!log)
    return error_set(error, PPROFC_E_IO, "cannot make a temporary file: %s", ERRNO_TEXT(errno));
  pprofc_status status = run_program(command, path, log, error);
  fclose(log);
  return status;
}

static pprofc_status measure_file(const struct command *command, const char *path,
                                  pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = &command->limits;
  options.call_stacks = command->call_stacks;
  return callgrind_convert(path, path, &options, NULL, NULL, error);
}

pprofc_status simulate_run(struct command *command, struct viewer_file *file, pprofc_error *error) {
  if (!child_exists(callgrind_words[0]))
    return error_set(error, PPROFC_E_UNSUPPORTED, "cannot simulate '%s': valgrind is not installed",
                     command->program[0]);
  pprofc_status status = viewer_create(file, "callgrind", error);
  if (status != PPROFC_OK) return status;
  signals_remove(file->path);
  status = simulate_logged(command, file->path, error);
  if (status == PPROFC_OK) status = measure_file(command, file->path, error);
  if (status != PPROFC_OK) return status;
  command->simulated = file->path;
  command->sources = &command->simulated;
  command->source_count = 1;
  return PPROFC_OK;
}
