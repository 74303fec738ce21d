/* Runs the command of -walltime at both commits in alternation, and reads the times that the
 * plugins report: durations of rounds from messages, and the number of iterations per round from
 * result files. */
#include "simulate/timing.h"

#include "common/terminal.h"
#include "core/array.h"
#include "core/json_tree.h"
#include "core/log_guard.h"
#include "pprofc/stats.h"
#include "run/files.h"
#include "run/load.h"
#include "run/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RESULTS_MAX ((size_t)64 << 20) /* maximum size in bytes of a file of results */

/* ---- one process ------------------------------------- */

void timed_add(struct timed_words *w, const char *word) {
  w->failed |= !word || !ARRAY_RESERVE_IN(w->arena, w->items, w->capacity, w->count + 2);
  if (w->failed) return;
  w->items[w->count++] = word;
  w->items[w->count] = NULL;
}

/* Adds the environment variables with which the plugins measure times. Python describes its
 * generated code only if perf takes samples. */
static void timed_add_environment(struct timed_words *w, const char *place, bool samples) {
  struct utsname machine;
  timed_add(w, "env");
  timed_add(w, "CODSPEED_ENV=runner");
  timed_add(w, "CODSPEED_RUNNER_MODE=walltime");
  timed_add(w, "PYTHONHASHSEED=0");
  timed_add(w, "NO_COLOR=1");
  if (samples) timed_add(w, "PYTHON_PERF_JIT_SUPPORT=1");
  timed_add(w, text_printf(w->arena, "CODSPEED_PROFILE_FOLDER=%s", place));
  if (uname(&machine) == 0) timed_add(w, text_printf(w->arena, "ARCH=%s", machine.machine));
}

static pprofc_status timed_failed(const struct timing *t, int side, const struct program *program,
                                  pprofc_error *error) {
  pprofc_str why = program_last_line(program);
  message_error_lines(count_output(t->run, program));
  return error_set(error, PPROFC_E_IO, "cannot time '%s' (%s): it ended with status %d%s%.*s",
                   t->words[0], side_names[side], program->status, why.size ? ": " : "",
                   STR_ARG(why));
}

static pprofc_status timed_run(struct timing *t, int side, const char *place, bool samples,
                               pprofc_error *error) {
  struct timed_words words = {.arena = &t->run->arena};
  const char *const *command = t->words;
  talk_clear(&t->talk);
  pprofc_status status = files_need_folder(place, error);
  if (status == PPROFC_OK)
    status = sides_node(t->run, t->folders[side], "walltime", &command, error);
  if (status == PPROFC_OK && samples) status = sampling_begin(t, place, &words, error);
  if (status != PPROFC_OK) return status;
  timed_add_environment(&words, place, samples);
  while (*command) timed_add(&words, *command++);
  if (words.failed) return error_nomem(error);
  struct program program = {.argv = words.items,
                            .folder = t->folders[side],
                            .serve = talk_serve,
                            .context = &t->talk,
                            .watched = t->talk.commands};
  status = program_run(t->run, &program, error);
  if (status == PPROFC_OK && program.status != 0) status = timed_failed(t, side, &program, error);
  if (status == PPROFC_OK && t->talk.failed)
    status = error_set(error, PPROFC_E_FORMAT,
                       "cannot time '%s' (%s): the plugin %s sent a message that is not known",
                       t->words[0], side_names[side], t->talk.plugin);
  program_end(&program);
  return status;
}

/* ---- times ------------------------------------------- */

struct timed *timed_of(struct timing *t, pprofc_str name) {
  size_t before = t->names.count;
  uint32_t id = interner_copy(&t->names, &t->run->arena, name);
  if (id == MAP_NONE) return NULL;
  if (t->names.count == before) return &t->items[id];
  if (!ARRAY_RESERVE(t->run->mem, t->items, t->capacity, t->count + 1)) return NULL;
  struct timed *item = &t->items[t->count++];
  *item = (struct timed){.name = text_keep(&t->run->arena, t->names.items[id])};
  for (int side = 0; side < SIDES; side++)
    buffer_init(&item->seconds[side], t->run->mem, SIZE_MAX / 2);
  return item->name ? item : NULL;
}

static int round_order(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Returns the median duration of a benchmark's rounds in nanoseconds. Returns 0 if the plugin
 * reported no rounds. */
static double rounds_median(const struct timing *t, pprofc_str name) {
  double *rounds = (double *)(void *)t->talk.rounds.data;
  for (size_t i = 0; i < t->talk.count; i++) {
    const struct talk_benchmark *item = &t->talk.items[i];
    if (!str_equal(name, str_of(item->name)) || !item->rounds) continue;
    qsort(&rounds[item->first_round], item->rounds, sizeof *rounds, round_order);
    return pprofc_quantile(&rounds[item->first_round], item->rounds, 0.5);
  }
  return 0;
}

static double stat_of(const struct node *entry, const char *path) {
  const struct node *node = node_path(entry, path);
  double value;
  return node && str_parse_float(node->text, &value) && value > 0 ? value : 0;
}

/* Adds the time of one iteration of a benchmark. Computes this time from the median of the reported
 * rounds, or else takes it from the benchmark's result file. */
static pprofc_status add_time(struct timing *t, int side, const struct node *entry,
                              pprofc_error *error) {
  pprofc_str name = escape_line_keep(node_text(entry, "uri"), &t->run->arena);
  double iterations = stat_of(entry, "stats.iter_per_round"), median = rounds_median(t, name);
  double seconds = stat_of(entry, "stats.median_ns") / 1e9;
  if (!name.size) return name.data ? PPROFC_OK : error_nomem(error);
  if (median > 0 && iterations > 0) seconds = median / iterations / 1e9;
  if (!(seconds > 0)) return PPROFC_OK;
  struct timed *item = timed_of(t, name);
  if (!item) return error_nomem(error);
  buffer_add(&item->seconds[side], &seconds, sizeof seconds);
  return item->seconds[side].failed ? error_nomem(error) : PPROFC_OK;
}

static pprofc_status add_times(struct timing *t, int side, const char *path, size_t *found,
                               pprofc_error *error) {
  struct node *root;
  pprofc_status status = json_tree_read(&t->run->arena, path, RESULTS_MAX, &root, error);
  if (status != PPROFC_OK) return status;
  const struct node *list = node_get(root, "benchmarks");
  if (!node_is(list, NODE_ARRAY)) return PPROFC_OK;
  for (const struct node *entry = list->first; entry && status == PPROFC_OK; entry = entry->next) {
    status = add_time(t, side, entry, error);
    *found += 1;
  }
  return status;
}

/* Reads the result files of one run: one file for each process. */
static pprofc_status read_times(struct timing *t, int side, const char *place,
                                pprofc_error *error) {
  const char *folder = text_printf(&t->run->arena, "%s/results", place);
  const char **names;
  size_t count = 0, found = 0;
  if (!folder) return error_nomem(error);
  pprofc_status status = PPROFC_OK;
  if (files_is_folder(folder))
    status = files_list(t->run, folder, alphasort, &names, &count, error);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    const char *path = text_printf(&t->run->arena, "%s/%s", folder, names[i]);
    if (!path) return error_nomem(error);
    if (str_ends(str_of(names[i]), STR(".json"))) status = add_times(t, side, path, &found, error);
  }
  if (status != PPROFC_OK || found) return status;
  return error_set(error, PPROFC_E_INVALID,
                   "no benchmark was timed (%s): '%s' wrote no results; %s", side_names[side],
                   t->run->options->walltime, count_advice(t->run->options->walltime, STR("")));
}

/* ---- alternation ------------------------------------- */

/* Runs the setup and the command of base or head once. */
static pprofc_status time_once(struct timing *t, int side, bool samples, pprofc_error *error) {
  const char *place =
      text_printf(&t->run->arena, "%s/times/%s%04zu", t->run->work, side_names[side], t->places++);
  if (!place) return error_nomem(error);
  pprofc_status status = sides_set_up(t->run, side, t->folders[side], error);
  if (status == PPROFC_OK) status = timed_run(t, side, place, samples, error);
  if (status == PPROFC_OK)
    status = samples ? sampling_end(t, side, place, error) : read_times(t, side, place, error);
  sampling_clean(t, side);
  return status;
}

static pprofc_status tree_move(const char *from, const char *to, pprofc_error *error) {
  if (rename(from, to) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot rename '%s' to '%s': %s", from, to,
                   ERRNO_TEXT(errno));
}

/* Measures base or head in the folder that both use in turn, so that their profiles name the same
 * files. */
static pprofc_status time_side(struct timing *t, int side, bool samples, size_t round,
                               size_t rounds, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!t->folders[side]) return PPROFC_OK;
  run_progress(++t->steps, t->all_steps, "%s %s (round %zu of %zu)",
               samples ? "profiling" : "timing", side_names[side], round, rounds);
  if (t->tree) status = tree_move(t->trees[side], t->tree, error);
  if (status == PPROFC_OK) status = time_once(t, side, samples, error);
  if (t->tree && status == PPROFC_OK) status = tree_move(t->tree, t->trees[side], error);
  return status;
}

/* Runs base and head once in each round. Changes their order with each round. */
static pprofc_status time_rounds(struct timing *t, bool samples, size_t rounds,
                                 pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t n = 1; n <= rounds && status == PPROFC_OK; n++) {
    int first = n % 2 ? SIDE_BASE : SIDE_HEAD;
    struct round_load begin = load_now();
    status = time_side(t, first, samples, n, rounds, error);
    if (status == PPROFC_OK) status = time_side(t, SIDE_HEAD - first, samples, n, rounds, error);
    if (!samples) load_add(t->run, &begin);
  }
  return status;
}

static pprofc_status time_all(struct timing *t, pprofc_error *error) {
  const struct run_options *o = t->run->options;
  size_t sides = o->has_base ? 2 : 1, rounds = (size_t)o->count;
  size_t profiles = o->profile_runs ? (size_t)o->profile_runs : 0;
  if (profiles && !sampling_is_permitted(t)) profiles = 0;
  t->all_steps = sides * (rounds + profiles);
  pprofc_status status = time_rounds(t, false, rounds, error);
  if (status == PPROFC_OK) status = time_rounds(t, true, profiles, error);
  if (t->rootless)
    message_note("stacks do not show where a benchmark begins (Python shows it from 3.12 on): "
                 "profiles have all C functions that ran during the benchmark");
  return status;
}

/* ---- results ----------------------------------------- */

static pprofc_status write_times(struct timing *t, int side, pprofc_error *error) {
  struct ci_run *run = t->run;
  struct buffer text;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  buffer_add_text(&text, "name,unit,value\n");
  for (size_t i = 0; i < t->count; i++) {
    const struct buffer *seconds = &t->items[i].seconds[side];
    const double *values = (const double *)(const void *)seconds->data;
    for (size_t r = 0; r < seconds->size / sizeof *values; r++) {
      csv_field(&text, t->items[i].name);
      buffer_printf(&text, ",sec/op,%.17g\n", values[r]);
    }
  }
  return results_save(run, side, &text, error);
}

static pprofc_status add_timed_pair(struct timing *t, const struct timed *item,
                                    pprofc_error *error) {
  struct ci_run *run = t->run;
  if (!item->profiles[SIDE_BASE].count && !item->profiles[SIDE_HEAD].count) return PPROFC_OK;
  struct run_pair *pair = results_pair(run, item->name, "cpu", "cpu");
  if (!pair) return error_nomem(error);
  for (int side = 0; side < SIDES; side++) {
    const struct timed_profiles *profiles = &item->profiles[side];
    if (!profiles->count) continue;
    pair->runs[side] = profiles->items;
    pair->run_count[side] = profiles->count;
    pair->paths[side] = profiles->items[0];
  }
  return PPROFC_OK;
}

static pprofc_status time_results(struct timing *t, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++)
    if (t->folders[side]) status = write_times(t, side, error);
  for (size_t i = 0; i < t->count && status == PPROFC_OK; i++)
    status = add_timed_pair(t, &t->items[i], error);
  return status;
}

/* ---- the whole -walltime step ------------------------ */

/* Checks out a commit. Then moves the checkout, because the other commit needs the same folder. */
static pprofc_status time_check_out(struct timing *t, int side, const struct sides_commits *commits,
                                    pprofc_error *error) {
  t->trees[side] = text_printf(&t->run->arena, "%s/tree_%s", t->run->work, side_names[side]);
  if (!t->trees[side]) return error_nomem(error);
  pprofc_status status = sides_check_out(t->run, side, commits, t->tree, &t->folders[side], error);
  return status == PPROFC_OK ? tree_move(t->tree, t->trees[side], error) : status;
}

static pprofc_status time_commits(struct timing *t, pprofc_error *error) {
  struct sides_commits commits;
  t->tree = text_printf(&t->run->arena, "%s/tree", t->run->work);
  pprofc_status status =
      t->tree ? sides_find(t->run, "walltime", &commits, error) : error_nomem(error);
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++)
    status = time_check_out(t, side, &commits, error);
  return status;
}

static pprofc_status time_here(struct timing *t, pprofc_error *error) {
  char here[4096];
  if (!getcwd(here, sizeof here))
    return error_set(error, PPROFC_E_IO, "cannot find the current folder: %s", ERRNO_TEXT(errno));
  t->folders[SIDE_HEAD] = text_keep(&t->run->arena, str_of(here));
  return t->folders[SIDE_HEAD] ? PPROFC_OK : error_nomem(error);
}

static void timing_free(struct timing *t) {
  for (size_t i = 0; i < t->count; i++)
    for (int side = 0; side < SIDES; side++) buffer_free(&t->items[i].seconds[side]);
  ARRAY_FREE(t->run->mem, t->items, t->capacity);
  interner_free(&t->names);
  talk_close(&t->talk);
}

pprofc_status time_benchmarks(struct ci_run *run, pprofc_error *error) {
  const struct run_options *o = run->options;
  struct timing t = {.run = run};
  if (!*o->walltime) return PPROFC_OK;
  interner_init(&t.names, run->mem);
  pprofc_status status = talk_open(&t.talk, run->mem, &run->arena, error);
  if (status == PPROFC_OK) status = sides_words(run, "walltime", o->walltime, &t.words, error);
  if (status == PPROFC_OK) status = o->has_base ? time_commits(&t, error) : time_here(&t, error);
  if (status == PPROFC_OK) status = time_all(&t, error);
  if (status == PPROFC_OK) status = time_results(&t, error);
  timing_free(&t);
  return status;
}
