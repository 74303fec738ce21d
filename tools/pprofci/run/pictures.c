/* Writes the artifacts of base, head and difference for each pair of profiles: table, flame graphs,
 * speedscope file and profile. */
#include "destination.h"
#include "noise/noise.h"
#include "run/code.h"
#include "run/files.h"
#include "run/profiles.h"

/* An artifact that is written for a profile or a difference: the report format, and the parts of
 * the path before and after the name. */
static const struct artifact {
  const char *format, *before, *after;
} artifacts[] = {{"top", "", "_top.txt"},
                 {"flamegraph", "flamegraphs/", ".svg"},
                 {"speedscope", "speedscope/", ".speedscope.json"},
                 {"flame", "flame/", ".html"},
                 {"proto", "profiles/", ".pb.gz"}};

struct render_job {
  const pprofc_profile *profile;
  pprofc_report_options options;
};

static pprofc_status write_report(const void *context, pprofc_write_fn write, void *to,
                                  pprofc_error *error) {
  const struct render_job *job = context;
  struct time_zone zone;
  pprofc_status status = time_zone_enter(&zone)
                             ? pprofc_report(job->profile, &job->options, write, to, error)
                             : error_nomem(error);
  time_zone_leave(&zone);
  return status;
}

static pprofc_status render_artifacts(struct ci_run *run, const char *name,
                                      const pprofc_profile *profile,
                                      const pprofc_report_options *options, pprofc_error *error) {
  struct render_job job = {profile, *options};
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < sizeof artifacts / sizeof *artifacts && status == PPROFC_OK; i++) {
    const char *path =
        text_printf(&run->arena, "%s%s%s", artifacts[i].before, name, artifacts[i].after);
    job.options.format = artifacts[i].format;
    status = files_make(run, path, write_report, &job, error);
    run_check_stopped();
  }
  return status;
}

/* A profile of base or head, or the difference of both. `shown` is true if the page shows it. */
struct render_source {
  const char *name;
  struct profile_source source;
  bool shown;
  const struct judged *judged;
};

/* Draws the pictures of a pair of profiles, and packs the flame graph that the page shows. */
static pprofc_status draw_shown(struct ci_run *run, struct run_pair *pair,
                                const struct render_source *what, const pprofc_profile *profile,
                                const pprofc_report_options *options, pprofc_error *error) {
  struct arena arena = ci_arena();
  pprofc_str packed;
  pprofc_status status = changes_find(run, pair, profile, options, what->judged, error);
  if (status == PPROFC_OK) status = graph_pack(profile, options, &arena, &packed, error);
  if (status == PPROFC_OK) graph_set(run, pair, what->name, packed);
  arena_free(&arena);
  return status;
}

/* Writes all artifacts of one profile or difference. */
static pprofc_status render_source(struct ci_run *run, struct run_pair *pair,
                                   const struct render_source *what,
                                   const pprofc_report_options *options, pprofc_error *error) {
  pprofc_limits limits;
  pprofc_profile *profile;
  pprofc_report_options shown = *options;
  pprofc_limits_init(&limits);
  struct budget *budget = budget_new(&mem_default, limits.memory_bytes);
  if (!budget) return error_nomem(error);
  const pprofc_allocator *mem = budget_allocator(budget);
  pprofc_status status = source_open(&what->source, mem, &profile, error);
  if (status == PPROFC_OK) {
    /* Hide the same frames as the verdicts do, so that artifacts and verdicts show equal values. */
    bool folds = what->name == pair->diff && pair->comparison_count;
    if (folds && !noise_hide_folded(profile, &run->arena, &shown)) status = error_nomem(error);
    if (status == PPROFC_OK) status = render_artifacts(run, what->name, profile, &shown, error);
    if (status == PPROFC_OK && what->shown)
      status = draw_shown(run, pair, what, profile, &shown, error);
    pprofc_profile_release(profile);
  }
  status = budget_status(mem, status, error);
  budget_release(budget);
  return status;
}

static bool both_have(const struct run_pair *pair, const char *type) {
  for (int side = 0; side < SIDES; side++)
    if (pair->run_count[side] && !source_has_type(run_path(pair, side), type)) return false;
  return true;
}

static bool any_has_samples(const struct run_pair *pair, int side,
                            const pprofc_report_options *options) {
  for (size_t i = 0; i < pair->run_count[side]; i++)
    if (source_has_samples(pair->runs[side][i], options)) return true;
  return false;
}

/* Guesses the profile type (CPU, heap ...) from the name or the sample types. */
static const char *pair_kind(const struct run_pair *pair, const char *names) {
  static const struct {
    const char *part, *kind;
  } kinds[] = {{"mutex", "mutex"}, {"block", "block"}, {"mem", "mem"},
               {"heap", "mem"},    {"alloc", "mem"},   {"cpu", "cpu"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(names, kinds[i].part)) return kinds[i].kind;
  int side = pair->run_count[SIDE_HEAD] ? SIDE_HEAD : SIDE_BASE;
  return source_has_type(run_path(pair, side), "alloc_space") ? "mem" : "profile";
}

static void choose_values(const struct ci_run *run, struct run_pair *pair,
                          pprofc_report_options *options) {
  bool memory = strcmp(pair->kind, "mem") == 0, cpu = strcmp(pair->kind, "cpu") == 0;
  pprofc_report_options_init(options);
  if (memory && both_have(pair, "alloc_space")) options->sample_index = "alloc_space";
  if (run_is_counted(pair)) options->sample_index = "Ir";
  /* On a busy machine, Go often interrupts functions, and samples then end in a frame of the
   * interruption. This expression hides that frame. */
  if (*run->options->record && cpu) options->hide = pipeline_stopped;
  pair->sample_index = options->sample_index;
  pair->hide = options->hide;
}

static bool side_is_idle(const struct run_pair *pair, int side, bool both,
                         const pprofc_report_options *options) {
  bool looked_at = both || side == SIDE_HEAD;
  return pair->run_count[side] && looked_at && !any_has_samples(pair, side, options);
}

/* Prints a note about a skipped pair of profiles if neither profile has samples. */
static void note_idle(const struct ci_run *run, const struct run_pair *pair, const char *path,
                      bool both) {
  if (pair->run_count[SIDE_BASE] || pair->run_count[SIDE_HEAD]) return;
  if (*run->options->record) path = pair->stems[SIDE_HEAD]; /* instead of a temporary path */
  if (both && !*run->options->record)
    message_note("pprofci: skipped '%s' and its base: no samples", path);
  else
    message_note("pprofci: skipped '%s': no samples", path);
}

/* True if the pair of profiles lacks base or head because that profile could not be read. */
static bool other_is_unread(const struct ci_run *run, const struct run_pair *pair) {
  const char *only = run_path(pair, pair->run_count[SIDE_BASE] ? SIDE_BASE : SIDE_HEAD);
  if (run_has_both(pair)) return false;
  for (size_t i = 0; only && i < run->unread_count; i++)
    if (str_equal(run->unread_names[i], str_path_base(str_of(only)))) return true;
  return false;
}

/* Records what is missing in a pair of profiles. Drops a profile without samples, such as the lock
 * profile of a program that never waits for a lock. */
static void note_missing(const struct ci_run *run, struct run_pair *pair,
                         const pprofc_report_options *options) {
  static const char *const empty[SIDES] = {"The profile of the base has no samples.",
                                           "The profile of the head has no samples."};
  if (other_is_unread(run, pair))
    pair->note = "The other profile of this name cannot be read.";
  else if (run->has_base) {
    pair->is_new = !pair->run_count[SIDE_BASE];
    pair->is_gone = !pair->is_new && !pair->run_count[SIDE_HEAD];
  }
  if (pair->is_new) pair->note = "New: the base has no profile of this name.";
  if (pair->is_gone) pair->note = "Gone: the head has no profile of this name.";
  bool both = run_has_both(pair);
  const char *left_out = NULL;
  for (int side = 0; side < SIDES; side++) {
    if (!side_is_idle(pair, side, both, options)) continue;
    if (!*pair->note) pair->note = empty[side];
    left_out = run_path(pair, side);
    pair->run_count[side] = 0;
  }
  if (left_out) note_idle(run, pair, left_out, both);
}

/* Creates the name of a difference from the names of its profiles: generator_cpu and
 * generator_optimized_cpu give generator_cpu_diff. */
static void name_pair(struct ci_run *run, struct run_pair *pair, const char *const *stems) {
  struct arena *arena = &run->arena;
  bool both = run_has_both(pair);
  const char *names[SIDES] = {stems[SIDE_BASE], stems[SIDE_HEAD]};
  if (both) pair->diff = run_take_name(run, text_printf(arena, "%s_diff", stems[SIDE_BASE]));
  for (int side = 0; side < SIDES; side++) {
    if (!pair->run_count[side]) continue;
    if (both && strcmp(stems[SIDE_BASE], stems[SIDE_HEAD]) == 0)
      names[side] = text_printf(arena, "%s_%s", stems[side], side_names[side]);
    pair->names[side] = run_take_name(run, names[side]);
  }
}

static void draw_sources(struct ci_run *run, struct run_pair *pair,
                         const pprofc_report_options *options, const struct judged *judged) {
  struct profile_files files[SIDES];
  for (int side = 0; side < SIDES; side++)
    files[side] = (struct profile_files){pair->runs[side], run_drawn(pair, side)};
  for (int side = 0; side < SIDES; side++) {
    if (!pair->names[side]) continue;
    const struct render_source alone = {
        pair->names[side], {.head = files[side]}, !pair->diff, judged};
    ci_need(render_source(run, pair, &alone, options, &ci_error));
  }
  const struct render_source both = {
      pair->diff, {files[SIDE_BASE], files[SIDE_HEAD]}, true, judged};
  if (!pair->diff) return;
  /* If base and head have several runs, the verdicts color the flame graph, and noise is grey. With
   * one run each, the noise is unknown, so the graph usually gets no verdicts. A graph of values
   * per second is an exception: it needs verdicts, because only they can convert its values to this
   * unit. */
  pprofc_report_options judged_options = *options;
  const struct pair_verdicts *first = pair->comparisons;
  if (pair->comparison_count && (!first->weak || first->summary.exposure == PPROFC_EXPOSURE_TIME))
    judged_options.verdicts = judged->reports[0].verdicts;
  ci_need(render_source(run, pair, &both, &judged_options, &ci_error));
}

static void draw_pair(struct ci_run *run, struct run_pair *pair,
                      const pprofc_report_options *options) {
  struct judged judged;
  judging_run(run, pair, options, &judged);
  draw_sources(run, pair, options, &judged);
  judging_free(&judged);
}

static void prepare_pair(struct ci_run *run, struct run_pair *pair, size_t number,
                         pprofc_report_options *options) {
  const char *stems[SIDES] = {"", ""};
  char names[512];
  for (int side = 0; side < SIDES; side++)
    if (pair->run_count[side])
      stems[side] = run_stem(run, pair->stems[side] ? pair->stems[side] : run_path(pair, side));
  if (*run->options->record)
    run_progress(number, run->pair_count, "drawing %s",
                 *stems[SIDE_HEAD] ? stems[SIDE_HEAD] : stems[SIDE_BASE]);
  snprintf(names, sizeof names, "%s%s", stems[SIDE_BASE], stems[SIDE_HEAD]);
  if (!pair->kind) pair->kind = pair_kind(pair, names);
  choose_values(run, pair, options);
  note_missing(run, pair, options);
  name_pair(run, pair, stems);
  several_keep(run, pair, *stems[SIDE_BASE] ? stems[SIDE_BASE] : stems[SIDE_HEAD]);
}

/* Removes the pairs of profiles that have neither base nor head. */
static void drop_empty(struct ci_run *run) {
  size_t kept = 0;
  for (size_t i = 0; i < run->pair_count; i++)
    if (run->pairs[i].run_count[SIDE_BASE] || run->pairs[i].run_count[SIDE_HEAD])
      run->pairs[kept++] = run->pairs[i];
  run->pair_count = kept;
}

void draw_pairs(struct ci_run *run) {
  for (size_t i = 0; i < run->pair_count; i++) {
    pprofc_report_options options;
    run_check_stopped();
    prepare_pair(run, &run->pairs[i], i + 1, &options);
    draw_pair(run, &run->pairs[i], &options);
  }
  drop_empty(run);
}
