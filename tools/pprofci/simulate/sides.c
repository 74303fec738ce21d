/* Counts instructions of base and head for -simulate. Checks out both commits in the same folder,
 * one after the other, because a path of another length would change the heap and the counts. */
#include "common/terminal.h"
#include "core/array.h"
#include "core/child.h"
#include "run/files.h"
#include "run/text.h"
#include "simulate/counting.h"

#include <errno.h>
#include <unistd.h>

/* ---- one commit -------------------------------------- */

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

/* Runs the command for base or head. The base runs several times. */
static pprofc_status count_command_side(struct counting *c, int side, const char *folder,
                                        size_t *found, pprofc_error *error) {
  static const char *const nothing[] = {NULL};
  const char *const *words;
  pprofc_status status = sides_words(c->run, "simulate", c->run->options->simulate, &words, error);
  if (status == PPROFC_OK) status = sides_node(c->run, folder, "instrumentation", &words, error);
  for (size_t i = 0; i < c->runs[side] && status == PPROFC_OK; i++) {
    struct count_run *run = count_run_new(c, side, i, folder);
    if (!run) return error_nomem(error);
    run_progress(++c->steps, c->all_steps, "counting %s (run %zu of %zu)", side_names[side], i + 1,
                 c->runs[side]);
    status = count_command(c, run, nothing, words, error);
    if (status == PPROFC_OK) status = count_read(c, run, found, error);
  }
  return status;
}

/* Counts base or head in a checkout. Fails if there are no benchmarks. */
static pprofc_status count_side(struct counting *c, int side, const char *folder,
                                pprofc_error *error) {
  const char *command = c->run->options->simulate;
  size_t found = 0;
  pprofc_status status =
      (count_is_go(command) ? count_go_side : count_command_side)(c, side, folder, &found, error);
  if (status != PPROFC_OK || found) return status;
  message_error_lines(c->printed);
  return error_set(error, PPROFC_E_INVALID,
                   "no benchmark was counted (%s): '%s' marked no benchmark for callgrind; %s",
                   side_names[side], command, count_advice(command, c->printed));
}

/* ---- both commits ------------------------------------ */

static pprofc_status count_commit(struct counting *c, int side, const struct sides_commits *commits,
                                  pprofc_error *error) {
  const char *checkout = text_printf(&c->run->arena, "%s/tree", c->run->work), *folder = NULL;
  if (!checkout) return error_nomem(error);
  pprofc_status status = sides_check_out(c->run, side, commits, checkout, &folder, error);
  if (status == PPROFC_OK && *c->run->options->setup)
    run_progress(++c->steps, c->all_steps, "setting up %s", side_names[side]);
  if (status == PPROFC_OK) status = sides_set_up(c->run, side, folder, error);
  if (status == PPROFC_OK) status = count_side(c, side, folder, error);
  tree_remove(checkout);
  return status;
}

static pprofc_status count_commits(struct counting *c, pprofc_error *error) {
  struct sides_commits commits;
  pprofc_status status = sides_find(c->run, "simulate", &commits, error);
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++)
    status = count_commit(c, side, &commits, error);
  return status;
}

/* ---- the whole -simulate step ------------------------ */

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
  interner_init(&c.noted, run->mem);
  pprofc_status status = o->counts_base ? count_commits(&c, error) : count_here(&c, error);
  if (status == PPROFC_OK) status = count_results(&c, error);
  interner_free(&c.names);
  interner_free(&c.noted);
  ARRAY_FREE(run->mem, c.items, c.capacity);
  ARRAY_FREE(run->mem, c.packages.items, c.packages.capacity);
  return status;
}
