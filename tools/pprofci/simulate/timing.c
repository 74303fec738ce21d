/* Runs the command of -walltime at both commits in alternation, and reads the times that the
 * plugins report. The durations of rounds come from messages. The number of iterations per round
 * comes from result files. */
#include "simulate/counting.h"

#include "core/json_tree.h"
#include "stats/stats.h"

#include <sys/utsname.h>

#define RESULTS_MAX ((size_t)64 << 20) /* maximum size in bytes of a file of results */

/* ---- one process ------------------------------------- */

/* Adds the environment variables with which the plugins measure times. Python describes its
 * generated code only if perf takes samples. */
static void timed_add_environment(struct word_list *w, const char *place, bool samples) {
  struct utsname machine;
  words_add(w, "env");
  words_add(w, "CODSPEED_ENV=runner");
  words_add(w, "CODSPEED_RUNNER_MODE=walltime");
  words_add(w, "PYTHONHASHSEED=0");
  words_add(w, "NO_COLOR=1");
  if (samples) words_add(w, "PYTHON_PERF_JIT_SUPPORT=1");
  words_add(w, text_printf(w->arena, "CODSPEED_PROFILE_FOLDER=%s", place));
  if (uname(&machine) == 0) words_add(w, text_printf(w->arena, "ARCH=%s", machine.machine));
}

static void timed_fail(const struct timing *t, int side, const struct program *program) {
  pprofc_str why = program_last_line(program);
  message_error_lines(count_output(t->run, program));
  ci_fail("cannot time '%s' (%s): it ended with status %d%s%.*s", t->words[0], side_names[side],
          program->status, why.size ? ": " : "", STR_ARG(why));
}

static void timed_run(struct timing *t, int side, const char *place, bool samples) {
  struct word_list words = {.arena = &t->run->arena};
  ci_need(files_need_folder(place, &ci_error));
  const char *const *command = sides_node(t->run, t->folders[side], "walltime", t->words);
  if (samples) sampling_begin(t, place, &words);
  timed_add_environment(&words, place, samples);
  words_add_list(&words, command);
  struct program program = {
      .argv = words.items, .folder = t->folders[side], .serve = talk_serve, .context = &t->talk};
  talk_open(&t->talk);
  program.watched = t->talk.commands;
  program_run(&program);
  talk_close(&t->talk);
  if (program.status != 0) timed_fail(t, side, &program);
  if (t->talk.failed)
    ci_fail("cannot time '%s' (%s): the plugin %s sent a message that is not known", t->words[0],
            side_names[side], t->talk.plugin);
  program_end(&program);
}

/* ---- times ------------------------------------------- */

struct timed *timed_of(struct timing *t, pprofc_str name) {
  size_t before = t->names.count;
  uint32_t id = interner_copy(&t->names, &t->run->arena, name);
  if (t->names.count > before)
    (void)ARRAY_PUSH(t->run->mem, t->items, t->count, t->capacity,
                     (struct timed){.name = text_keep(&t->run->arena, t->names.items[id]),
                                    .seconds = {ci_buffer(), ci_buffer()}});
  return &t->items[id];
}

/* Returns the median duration of a benchmark's rounds in nanoseconds. Returns 0 if the plugin
 * reported no rounds. */
static double rounds_median(const struct timing *t, pprofc_str name) {
  double *rounds = (double *)(void *)t->talk.rounds.data;
  for (size_t i = 0; i < t->talk.count; i++) {
    const struct talk_benchmark *item = &t->talk.items[i];
    if (!str_equal(name, str_of(item->name)) || !item->rounds) continue;
    sort_doubles(&rounds[item->first_round], item->rounds);
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
static void add_time(struct timing *t, int side, const struct node *entry) {
  pprofc_str name = escape_line_keep(node_text(entry, "uri"), &t->run->arena);
  double iterations = stat_of(entry, "stats.iter_per_round"), median = rounds_median(t, name);
  double seconds = stat_of(entry, "stats.median_ns") / 1e9;
  if (median > 0 && iterations > 0) seconds = median / iterations / 1e9;
  if (!name.size || !(seconds > 0)) return;
  buffer_add(&timed_of(t, name)->seconds[side], &seconds, sizeof seconds);
}

/* Adds the times of the benchmarks in a result file. Returns the number of these benchmarks. */
static size_t add_times(struct timing *t, int side, const char *path) {
  struct node *root;
  ci_need(json_tree_read(&t->run->arena, path, RESULTS_MAX, &root, &ci_error));
  const struct node *list = node_get(root, "benchmarks");
  for (size_t i = 0; i < node_size(list); i++) add_time(t, side, node_at(list, i));
  return node_size(list);
}

/* Reads the result files of one run: one file for each process. */
static void read_times(struct timing *t, int side, const char *place) {
  const char *folder = text_printf(&t->run->arena, "%s/results", place);
  size_t found = 0;
  if (file_is_folder(folder))
    for (const char *const *name = files_list(t->run, folder, alphasort); *name; name++)
      if (str_ends(str_of(*name), STR(".json")))
        found += add_times(t, side, text_printf(&t->run->arena, "%s/%s", folder, *name));
  if (!found)
    ci_fail("no benchmark was timed (%s): '%s' wrote no results; %s", side_names[side],
            t->run->options->walltime, count_advice(t->run->options->walltime, STR("")));
}

/* ---- alternation ------------------------------------- */

/* Runs the setup and the command of base or head once. */
static void time_once(struct timing *t, int side, bool samples) {
  const char *place =
      text_printf(&t->run->arena, "%s/times/%s%04zu", t->run->work, side_names[side], t->places++);
  t->side = side;
  sides_set_up(t->run, side, t->folders[side]);
  timed_run(t, side, place, samples);
  if (samples)
    sampling_end(t, place);
  else
    read_times(t, side, place);
  sampling_clean(t);
}

static void tree_move(const char *from, const char *to) {
  if (rename(from, to) != 0) ci_fail("cannot rename '%s' to '%s': %s", from, to, ERRNO_TEXT(errno));
}

/* Measures base or head in the folder that both use one after the other, so that their profiles
 * name the same files. */
static void time_side(struct timing *t, int side, bool samples, size_t round, size_t rounds) {
  if (!t->folders[side]) return;
  run_progress(++t->steps, t->all_steps, "%s %s (round %zu of %zu)",
               samples ? "profiling" : "timing", side_names[side], round, rounds);
  if (t->tree) tree_move(t->trees[side], t->tree);
  time_once(t, side, samples);
  if (t->tree) tree_move(t->tree, t->trees[side]);
}

/* Runs base and head once in each round. Changes their order with each round. */
static void time_rounds(struct timing *t, bool samples, size_t rounds) {
  for (size_t n = 1; n <= rounds; n++) {
    int first = n % 2 ? SIDE_BASE : SIDE_HEAD;
    struct round_load begin = load_now();
    time_side(t, first, samples, n, rounds);
    time_side(t, SIDE_HEAD - first, samples, n, rounds);
    if (!samples) load_add(t->run, &begin);
  }
}

static void time_all(struct timing *t) {
  const struct run_options *o = t->run->options;
  size_t sides = o->has_base ? 2 : 1, rounds = (size_t)o->count;
  size_t profiles = o->profile_runs ? (size_t)o->profile_runs : 0;
  if (profiles && !sampling_is_permitted(t)) profiles = 0;
  t->all_steps = sides * (rounds + profiles);
  time_rounds(t, false, rounds);
  load_check(t->run);
  time_rounds(t, true, profiles);
  if (t->rootless)
    message_note("stacks do not show where a benchmark begins (Python shows it from 3.12 on): "
                 "profiles have all C functions that ran during the benchmark");
}

/* ---- results ----------------------------------------- */

static void write_times(struct timing *t, int side) {
  struct buffer text = ci_buffer();
  for (size_t i = 0; i < t->count; i++) {
    const struct buffer *seconds = &t->items[i].seconds[side];
    const double *values = (const double *)(const void *)seconds->data;
    for (size_t r = 0; r < seconds->size / sizeof *values; r++) {
      csv_field(&text, t->items[i].name);
      buffer_printf(&text, ",sec/op,%.17g,\n", values[r]);
    }
  }
  results_save(t->run, side, &text);
}

static void add_timed_pair(struct timing *t, const struct timed *item) {
  if (!item->profiles[SIDE_BASE].count && !item->profiles[SIDE_HEAD].count) return;
  struct run_pair *pair = results_pair(t->run, item->name, "cpu", "cpu");
  for (int side = 0; side < SIDES; side++) {
    pair->runs[side] = item->profiles[side].items;
    pair->run_count[side] = item->profiles[side].count;
  }
}

static void time_results(struct timing *t) {
  for (int side = 0; side < SIDES; side++)
    if (t->folders[side]) write_times(t, side);
  for (size_t i = 0; i < t->count; i++) add_timed_pair(t, &t->items[i]);
}

/* ---- the whole -walltime step ------------------------ */

/* Checks out both commits. Moves each checkout, because the other commit needs the same folder. */
static void time_commits(struct timing *t) {
  struct arena *arena = &t->run->arena;
  t->tree = sides_tree(t->run);
  const struct sides_commits commits = sides_find(t->run, "walltime");
  for (int side = 0; side < SIDES; side++) {
    t->trees[side] = text_printf(arena, "%s/tree_%s", t->run->work, side_names[side]);
    t->folders[side] = sides_check_out(t->run, side, &commits, t->tree);
    tree_move(t->tree, t->trees[side]);
  }
}

static void timing_free(struct timing *t) {
  for (size_t i = 0; i < t->count; i++)
    for (int side = 0; side < SIDES; side++) buffer_free(&t->items[i].seconds[side]);
  ARRAY_FREE(t->run->mem, t->items, t->capacity);
  interner_free(&t->names);
  talk_free(&t->talk);
}

/* Removes the FIFOs and the files that describe generated code. Then cleans up the run. */
static void timing_clean(void *context) {
  struct timing *t = context;
  sampling_clean(t);
  talk_close(&t->talk);
  stage_clean(t->run);
}

void time_benchmarks(struct ci_run *run) {
  const struct run_options *o = run->options;
  struct timing t = {.run = run};
  if (!*o->walltime) return;
  interner_init(&t.names, run->mem);
  talk_init(&t.talk, &run->arena);
  memory_set_cleanup(timing_clean, &t);
  t.words = program_words(run, "walltime", o->walltime);
  if (o->has_base)
    time_commits(&t);
  else
    t.folders[SIDE_HEAD] = files_here(run);
  time_all(&t);
  time_results(&t);
  memory_set_cleanup(stage_clean, run);
  timing_free(&t);
}
