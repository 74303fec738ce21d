/* Runs a program under valgrind's callgrind, with a fixed cache model and without randomised
 * addresses. The result is a profile with five sample types.
 *
 * The cycle estimate is the one of iai and gungraun: 1 for a hit in the first-level cache, 5 for a
 * hit in the last level, 35 for an access to memory. docs/FORMATS.md lists the weights. */
#include "simulate.h"

#include "common/signals.h"
#include "common/terminal.h"
#include "core/child.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const valgrind[] = {"valgrind",           "--quiet",
                                       "--tool=callgrind",   "--cache-sim=yes",
                                       "--I1=32768,8,64",    "--D1=32768,8,64",
                                       "--LL=8388608,16,64", "--collect-systime=nsec",
                                       "--dump-instr=no",    "--compress-strings=yes",
                                       "--combine-dumps=yes"};

#define VALGRIND_WORDS (sizeof valgrind / sizeof *valgrind)

/* ---- running ----------------------------------------- */

/* Starts the program. Its standard output goes to our standard error, because ours is for the
 * report. Containers may forbid fixed addresses; then counts vary slightly more. */
static int simulate_start(const char **argv, pid_t *pid) {
  posix_spawn_file_actions_t files;
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) return failed;
  failed = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  int before = personality(0xFFFFFFFF);
  if (before != -1) personality((unsigned long)before | ADDR_NO_RANDOMIZE);
  if (!failed)
    failed = posix_spawnp(pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv, environ);
  if (before != -1) personality((unsigned long)before);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

static pprofc_status simulate_child(const char **argv, const char *program, pprofc_error *error) {
  pid_t pid;
  int status, failed = simulate_start(argv, &pid);
  if (failed)
    return error_set(error, PPROFC_E_IO, "cannot run '%s': %s", argv[0], ERRNO_TEXT(failed));
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return error_set(error, PPROFC_E_IO, "cannot wait for '%s': %s", program, ERRNO_TEXT(errno));
  if (WIFSIGNALED(status))
    return error_set(error, PPROFC_E_IO, "cannot simulate '%s': it was killed by signal %d",
                     program, WTERMSIG(status));
  if (WEXITSTATUS(status) != 0)
    return error_set(error, PPROFC_E_IO, "cannot simulate '%s': it ended with status %d", program,
                     WEXITSTATUS(status));
  return PPROFC_OK;
}

/* Prints valgrind's messages about a failed run. After a successful run they only warn about
 * this machine's caches, which our options replace. */
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
  size_t room = VALGRIND_WORDS + words + 4;
  char option[4200], logged[40];
  snprintf(logged, sizeof logged, "--log-fd=%d", fileno(log));
  snprintf(option, sizeof option, "--callgrind-out-file=%s", path);
  const char **argv = mem_array(&mem_default, room, sizeof *argv);
  if (!argv) return error_nomem(error);
  for (size_t i = 0; i < VALGRIND_WORDS; i++) argv[count++] = valgrind[i];
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

/* ---- sample types ------------------------------------ */

/* Each type is a sum of callgrind's events. Cycles: 1 for each access (Ir + Dr + Dw), 4 more
 * for each first-level miss, 30 more for each last-level miss. So the totals are 1, 5 and 35. */
static const struct term {
  const char *event;
  int64_t factor;
} instructions[] = {{"Ir", 1}, {NULL, 0}},
  first_misses[] = {{"I1mr", 1}, {"D1mr", 1}, {"D1mw", 1}, {NULL, 0}},
  last_misses[] = {{"ILmr", 1}, {"DLmr", 1}, {"DLmw", 1}, {NULL, 0}},
  system_time[] = {{"sysTime", 1}, {NULL, 0}},
  cycles[] = {{"Ir", 1},   {"Dr", 1},    {"Dw", 1},    {"I1mr", 4},  {"D1mr", 4},
              {"D1mw", 4}, {"ILmr", 30}, {"DLmr", 30}, {"DLmw", 30}, {NULL, 0}};

static const struct measure {
  const char *type, *unit;
  const struct term *terms;
} measures[] = {{"Ir", "count", instructions},
                {"L1m", "count", first_misses},
                {"LLm", "count", last_misses},
                {"sysTime", "nanoseconds", system_time},
                {"cycles", "count", cycles}};

#define MEASURES (sizeof measures / sizeof *measures)

/* Sets factors[type], the factor of each sample type. False if an event is missing. */
static bool find_factors(const pprofc_profile *profile, const struct term *terms,
                         int64_t *factors) {
  memset(factors, 0, profile->type_count * sizeof *factors);
  for (; terms->event; terms++) {
    size_t found = profile->type_count;
    for (size_t t = 0; t < profile->type_count; t++)
      if (str_equal(profile_string(profile, profile->types[t].type), str_of(terms->event)))
        found = t;
    if (found == profile->type_count) return false;
    factors[found] += terms->factor;
  }
  return true;
}

static bool fill_values(const pprofc_profile *profile, int64_t *values, int64_t *factors) {
  size_t types = profile->type_count;
  for (size_t m = 0; m < MEASURES; m++) {
    if (!find_factors(profile, measures[m].terms, factors)) return false;
    for (size_t i = 0; i < profile->samples.count; i++) {
      uint64_t sum = 0;
      for (size_t t = 0; t < types; t++)
        sum += (uint64_t)profile->samples.values[i * types + t] * (uint64_t)factors[t];
      values[i * MEASURES + m] = (int64_t)sum;
    }
  }
  return true;
}

/* Replaces the events by the measures. */
static pprofc_status simulate_measure(const pprofc_profile *profile, pprofc_profile **measured,
                                      pprofc_error *error) {
  pprofc_profile *edit = profile_edit(profile);
  if (!edit) return error_nomem(error);
  struct arena *arena = &edit->region->arena;
  size_t names = edit->strings.count, count = edit->samples.count;
  pprofc_str texts[2 * MEASURES];
  for (size_t m = 0; m < MEASURES; m++) {
    texts[2 * m] = str_of(measures[m].type);
    texts[2 * m + 1] = str_of(measures[m].unit);
  }
  struct value_type *types = arena_array(arena, MEASURES, sizeof *types);
  int64_t *values = arena_array(arena, count * MEASURES, sizeof *values);
  int64_t *factors = arena_array(arena, edit->type_count, sizeof *factors);
  pprofc_status status = PPROFC_OK;
  if (!types || !values || !factors || !profile_add_strings(edit, texts, 2 * MEASURES))
    status = error_nomem(error);
  else if (!fill_values(profile, values, factors))
    status = error_set(error, PPROFC_E_UNSUPPORTED,
                       "cannot simulate: this valgrind does not count what is needed");
  if (status != PPROFC_OK) {
    pprofc_profile_release(edit);
    return status;
  }
  for (size_t m = 0; m < MEASURES; m++)
    types[m] = (struct value_type){(uint32_t)(names + 2 * m), (uint32_t)(names + 2 * m + 1)};
  edit->types = types;
  edit->type_count = MEASURES;
  edit->samples.values = values;
  edit->default_sample_type = types[MEASURES - 1].type;
  *measured = edit;
  return PPROFC_OK;
}

static pprofc_status measure_file(const struct command *command, const char *path,
                                  pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = &command->limits;
  options.call_stacks = command->call_stacks;
  pprofc_profile *events = NULL, *measured = NULL;
  pprofc_status status = pprofc_profile_read_file(path, &options, &events, error);
  if (status == PPROFC_OK) status = simulate_measure(events, &measured, error);
  if (status == PPROFC_OK) status = pprofc_profile_write_file(measured, path, error);
  pprofc_profile_release(measured);
  pprofc_profile_release(events);
  return status;
}

pprofc_status simulate_run(struct command *command, struct viewer_file *file, pprofc_error *error) {
  if (!child_exists(valgrind[0]))
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
