/* Counts both sides of -simulate. The commits are checked out one after the other in the same
 * folder, because a path of another length changes the heap and the counts. */
#include "common/terminal.h"
#include "core/array.h"
#include "core/child.h"
#include "run/files.h"
#include "run/programs.h"
#include "run/text.h"
#include "simulate/counting.h"

#include <errno.h>
#include <unistd.h>
#include <wordexp.h>

/* ---- one side ---------------------------------------- */

struct count_run *count_run_new(struct counting *c, int side, size_t number, const char *folder) {
  struct count_run *run = arena_zero_array(&c->run->arena, 1, sizeof *run);
  if (!run) return NULL;
  run->side = side;
  run->number = number;
  run->folder = folder;
  run->place =
      text_printf(&c->run->arena, "%s/counts/%s%04zu", c->run->work, side_names[side], c->places++);
  return run->place ? run : NULL;
}

/* Runs the command of one side once. */
static pprofc_status count_words_side(struct counting *c, int side, const char *folder,
                                      const wordexp_t *words, size_t *found, pprofc_error *error) {
  static const char *const nothing[] = {NULL};
  const char **list = arena_array(&c->run->arena, words->we_wordc + 1, sizeof *list);
  pprofc_status status = PPROFC_OK;
  if (!list) return error_nomem(error);
  for (size_t i = 0; i <= words->we_wordc; i++) list[i] = words->we_wordv[i];
  for (size_t i = 0; i < c->runs[side] && status == PPROFC_OK; i++) {
    struct count_run *run = count_run_new(c, side, i, folder);
    if (!run) return error_nomem(error);
    run_progress(++c->steps, c->all_steps, "counting %s (run %zu of %zu)", side_names[side], i + 1,
                 c->runs[side]);
    status = count_command(c, run, nothing, list, error);
    if (status == PPROFC_OK) status = count_read(c, run, found, error);
  }
  return status;
}

static pprofc_status count_command_side(struct counting *c, int side, const char *folder,
                                        size_t *found, pprofc_error *error) {
  const char *command = c->run->options->simulate;
  wordexp_t words;
  if (wordexp(command, &words, 0) != 0)
    return error_set(error, PPROFC_E_INVALID, "cannot read the command '%s' (-simulate)", command);
  pprofc_status status = words.we_wordc ? count_words_side(c, side, folder, &words, found, error)
                                        : error_set(error, PPROFC_E_INVALID, "-simulate is empty");
  wordfree(&words);
  return status;
}

/* Counts one side in a checkout. Fails if there are no benchmarks. */
static pprofc_status count_side(struct counting *c, int side, const char *folder,
                                pprofc_error *error) {
  const char *command = c->run->options->simulate;
  size_t found = 0;
  pprofc_status status =
      (count_is_go(command) ? count_go_side : count_command_side)(c, side, folder, &found, error);
  if (status != PPROFC_OK || found) return status;
  return error_set(error, PPROFC_E_INVALID,
                   "no benchmark was counted (%s): '%s' marked no benchmark for callgrind; "
                   "share/doc/pprofc/CI_COUNT.md names the plugins",
                   side_names[side], command);
}

/* ---- checkouts --------------------------------------- */

static pprofc_status count_set_up(struct counting *c, int side, const char *folder,
                                  pprofc_error *error) {
  const char *const argv[] = {"/bin/sh", "-c", c->run->options->setup, NULL};
  struct program shell = {.argv = argv, .folder = folder};
  if (!*c->run->options->setup) return PPROFC_OK;
  run_progress(++c->steps, c->all_steps, "setting up %s", side_names[side]);
  pprofc_status status = program_run(c->run, &shell, error);
  if (status == PPROFC_OK && shell.status != 0) {
    count_print(&shell);
    status = error_set(error, PPROFC_E_IO, "-setup failed (%s): status %d: %.*s", side_names[side],
                       shell.status, STR_ARG(program_last_line(&shell)));
  }
  program_end(&shell);
  return status;
}

/* Checks out a commit, runs the setup and counts it. */
static pprofc_status count_commit(struct counting *c, int side, const char *wanted,
                                  const char *commit, pprofc_error *error) {
  const char *checkout = text_printf(&c->run->arena, "%s/tree", c->run->work), *folder = NULL;
  if (!checkout) return error_nomem(error);
  pprofc_status status = checkouts_clone(c->run, wanted, commit, checkout, error);
  if (status == PPROFC_OK) status = checkouts_inside(c->run, checkout, &folder, error);
  if (status == PPROFC_OK && !files_is_folder(folder))
    status = error_set(error, PPROFC_E_INVALID, "%s has no folder '%s'", wanted,
                       folder + strlen(checkout) + 1);
  if (status == PPROFC_OK) status = count_set_up(c, side, folder, error);
  if (status == PPROFC_OK) status = count_side(c, side, folder, error);
  tree_remove(checkout);
  return status;
}

/* Warns that uncommitted changes are not counted. */
static pprofc_status note_changes(struct counting *c, pprofc_error *error) {
  static const char *const argv[] = {"git", "status", "--porcelain", "--untracked-files=no", NULL};
  const char *line;
  pprofc_status status = program_line(c->run, NULL, argv, &line, error);
  if (status == PPROFC_OK && run_has(line))
    message_note("warning: changes that are not committed are not counted");
  return status;
}

static pprofc_status count_commits(struct counting *c, pprofc_error *error) {
  static const char *const argv[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL};
  const char *wanted, *base, *head = NULL;
  pprofc_status status = program_line(c->run, NULL, argv, &head, error);
  if (status == PPROFC_OK && !run_has(head))
    status = error_set(error, PPROFC_E_INVALID, "-simulate with a base needs a git checkout");
  if (status == PPROFC_OK) status = checkouts_find_base(c->run, &wanted, &base, error);
  if (status == PPROFC_OK) status = note_changes(c, error);
  if (status == PPROFC_OK) status = count_commit(c, SIDE_BASE, wanted, base, error);
  if (status == PPROFC_OK) status = count_commit(c, SIDE_HEAD, "HEAD", head, error);
  return status;
}

/* ---- the step ---------------------------------------- */

static pprofc_status count_here(struct counting *c, pprofc_error *error) {
  char here[4096];
  if (!getcwd(here, sizeof here))
    return error_set(error, PPROFC_E_IO, "cannot find the current folder: %s", ERRNO_TEXT(errno));
  return count_side(c, SIDE_HEAD, here, error);
}

pprofc_status count_benchmarks(struct ci_run *run, pprofc_error *error) {
  const struct run_options *o = run->options;
  struct counting c = {.run = run, .runs = {0, 1}};
  if (!*o->simulate) return PPROFC_OK;
  if (!child_exists(callgrind_words[0]))
    return error_set(error, PPROFC_E_UNSUPPORTED, "cannot count '%s': valgrind is not installed",
                     o->simulate);
  if (o->counts_base) c.runs[SIDE_BASE] = (size_t)o->simulated_runs;
  c.all_steps = c.runs[SIDE_BASE] + 1 + (*o->setup ? 2 : 0);
  interner_init(&c.names, run->mem);
  pprofc_status status = o->counts_base ? count_commits(&c, error) : count_here(&c, error);
  if (status == PPROFC_OK) status = count_results(&c, error);
  interner_free(&c.names);
  ARRAY_FREE(run->mem, c.items, c.capacity);
  ARRAY_FREE(run->mem, c.packages.items, c.packages.capacity);
  return status;
}
