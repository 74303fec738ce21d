/* Profiles each benchmark in several runs, which alternate between base and head. All runs have the
 * same number of iterations, so their profiles show the same work. */
#include "run/recording.h"
#include "stats/stats.h"

#define KINDS_AT_ONCE 2 /* maximum number of profile types that one run writes */
#define GROUPS        2 /* number of groups of profile types */

struct profiled {
  struct recorded *item;
  double n;                      /* number of iterations of the benchmark in each run */
  const char *name;              /* base name of the files of this benchmark */
  const char *bench, *benchtime; /* arguments of the test program */
  struct run_measured *measured[GROUPS][SIDES]; /* one item per run */
  struct buffer printed[GROUPS][SIDES];
};

/* Sorts the numbers and returns their median. */
static double took_median(struct buffer *took) {
  return stats_median((double *)(void *)took->data, took->size / sizeof(double));
}

/* Returns how many iterations the base completes in the time of -benchtime (2 s by default).
 * Returns fewer iterations if the head would need more than ten times as long. */
static double choose_iterations(const struct recording *r, struct recorded *item) {
  const char *benchtime = r->run->options->benchtime;
  bool base = item->took[SIDE_BASE].size, head = item->took[SIDE_HEAD].size;
  double n, time = 2e9;
  if (text_is_iterations(str_of(benchtime), &n)) return n;
  (void)(*benchtime && text_is_duration(str_of(benchtime), &time));
  double fast = took_median(&item->took[base ? SIDE_BASE : SIDE_HEAD]);
  double slow = base && head ? took_median(&item->took[SIDE_HEAD]) : fast;
  n = time / fast;
  if (n * slow > 10 * time) n = 10 * time / slow;
  if (!(n >= 1)) return 1;
  return n > 1e12 ? 1e12 : (double)(int64_t)(n + 0.5);
}

/* Appends the regular expression that matches exactly one benchmark. Anchors and quotes each
 * element of the benchmark's path. */
static void add_exactly(struct buffer *out, pprofc_str name) {
  pprofc_str part;
  for (const char *before = "^"; str_next(&name, '/', &part); before = "$/^") {
    buffer_add_text(out, before);
    escape_regexp(out, part);
  }
  buffer_add_char(out, '$');
}

/* Returns a regular expression for the frames of a Go benchmark: "\.BenchmarkSplit(\.func.*)?$". */
static const char *benchmark_function(struct recording *r, const struct recorded *item) {
  pprofc_str name = str_of(item->name);
  name = str_slice(name, 0, str_find_char(name, '/'));
  return text_printf(&r->run->arena, "\\.%.*s(\\.func.*)?$", STR_ARG(name));
}

static bool takes_kind(const struct recording *r, const char *kind) {
  pprofc_str rest = str_of(r->run->options->profiles), item;
  while (str_next(&rest, ',', &item))
    if (str_equal(item, str_of(kind))) return true;
  return false;
}

/* Groups of profile types. One run writes all profiles of a group. Lock profiling slows the program
 * down, so lock profiles have their own group. */
static const char *const profile_groups[GROUPS][KINDS_AT_ONCE] = {{"cpu", "mem"},
                                                                  {"block", "mutex"}};

static bool takes_group(const struct recording *r, size_t group) {
  bool any = false;
  for (size_t k = 0; k < KINDS_AT_ONCE; k++) any |= takes_kind(r, profile_groups[group][k]);
  return any;
}

static const char *profile_folder(struct recording *r, int side, const char *name,
                                  const char *kind) {
  return text_printf(&r->run->arena, "%s/recorded/%s_%s/%s", r->run->work, name, kind,
                     side_names[side]);
}

/* Stores the results of a run. Fails if the run did not have the requested number of iterations. */
static void profiled_take(struct recording *r, struct profiled *p, size_t group, int side,
                          int64_t number, pprofc_str printed) {
  struct recorded_line line;
  pprofc_str rest = printed;
  while (recorded_next(&rest, p->item->cpu, &line)) {
    if (!str_equal(line.name, str_of(p->item->name)) || line.iterations != p->n) continue;
    p->measured[group][side][number] = line.measured;
    buffer_add_str(&p->printed[group][side], printed);
    return;
  }
  ci_fail("%s of %s (%s) did not run %.0f times", p->item->name,
          r->packages.items[p->item->package].path, side_names[side], p->n);
}

static void profile_once(struct recording *r, struct profiled *p, size_t group, int side,
                         int64_t number) {
  struct arena *arena = &r->run->arena;
  const char *arguments[3 + KINDS_AT_ONCE + 1] = {p->bench, p->benchtime, "-test.benchmem"};
  size_t count = 3;
  struct program test;
  for (size_t k = 0; k < KINDS_AT_ONCE; k++) {
    const char *kind = profile_groups[group][k];
    if (!takes_kind(r, kind)) continue;
    arguments[count++] = text_printf(arena, "-test.%sprofile=%s/run%lld.pb.gz", kind,
                                     profile_folder(r, side, p->name, kind), (long long)number + 1);
  }
  run_progress(++r->steps, r->all_steps, "profiling %s %s (n=%.0f, run %lld of %lld)",
               side_names[side], p->item->name, p->n, (long long)number + 1,
               (long long)r->run->options->profile_runs);
  recording_go(r, side, p->item->package, p->item->cpu, arguments, &test);
  profiled_take(r, p, group, side, number, buffer_str(&test.printed));
  program_end(&test);
}

static void profile_in_turns(struct recording *r, struct profiled *p) {
  for (int64_t number = 0; number < r->run->options->profile_runs; number++)
    for (int side = 0; side < SIDES; side++)
      for (size_t group = 0; group < GROUPS; group++)
        if (p->item->took[side].size && takes_group(r, group))
          profile_once(r, p, group, side, number);
}

/* Creates the folders for the profiles, and allocates memory for the results. */
static void profiled_prepare(struct recording *r, struct profiled *p) {
  size_t runs = (size_t)r->run->options->profile_runs;
  for (size_t group = 0; group < GROUPS; group++)
    for (int side = 0; side < SIDES; side++) {
      p->printed[group][side] = ci_buffer();
      p->measured[group][side] =
          arena_zero_array(&r->run->arena, runs, sizeof *p->measured[group][side]);
      for (size_t k = 0; k < KINDS_AT_ONCE; k++) {
        const char *kind = profile_groups[group][k];
        if (!takes_kind(r, kind)) continue;
        ci_need(files_need_folder(profile_folder(r, side, p->name, kind), &ci_error));
      }
    }
}

const char *recording_only(struct recording *r, const struct recorded *item) {
  struct buffer text = ci_buffer();
  buffer_add_text(&text, "-test.bench=");
  add_exactly(&text, str_of(item->name));
  return buffer_take(&text, &r->run->arena).data;
}

static void profiled_list(struct recording *r, const struct profiled *p, const char *kind, int side,
                          struct run_pair *pair) {
  size_t runs = (size_t)r->run->options->profile_runs;
  struct arena *arena = &r->run->arena;
  const char *folder = profile_folder(r, side, p->name, kind);
  pair->runs[side] = arena_array(arena, runs, sizeof *pair->runs[side]);
  for (size_t i = 0; i < runs; i++) {
    const char *path = text_printf(arena, "%s/run%zu.pb.gz", folder, i + 1);
    if (file_is_regular(path)) pair->runs[side][pair->run_count[side]++] = path;
  }
}

static size_t profile_group_of(const char *kind) {
  size_t group = 0;
  while (group + 1 < GROUPS && strcmp(profile_groups[group][0], kind) != 0 &&
         strcmp(profile_groups[group][1], kind) != 0)
    group++;
  return group;
}

static void add_recorded_pair(struct recording *r, const struct profiled *p, const char *kind,
                              const char *shown) {
  struct ci_run *run = r->run;
  size_t group = profile_group_of(kind), runs = (size_t)run->options->profile_runs;
  struct run_pair *pair = run_add_pair(run, NULL, NULL);
  const char *stem = text_printf(&run->arena, "%s_%s", p->name, kind);
  for (int side = 0; side < SIDES; side++) {
    profiled_list(r, p, kind, side, pair);
    pair->stems[side] = stem;
    pair->programs[side] = r->packages.items[p->item->package].programs[side];
    if (pair->run_count[side] != runs) continue;
    pair->measured[side] = p->measured[group][side];
    pair->printed[side] = arena_str(&run->arena, buffer_str(&p->printed[group][side]));
  }
  pair->kind = kind;
  pair->package = r->packages.items[p->item->package].path;
  pair->benchmark = shown;
  pair->function = benchmark_function(r, p->item);
  pair->iterations = p->n;
}

static void add_recorded_pairs(struct recording *r, const struct profiled *p) {
  struct arena *arena = &r->run->arena;
  pprofc_str rest = str_of(r->run->options->profiles), kind;
  const char *shown = text_shown(arena, str_of(p->item->label));
  while (str_next(&rest, ',', &kind)) add_recorded_pair(r, p, text_keep(arena, kind), shown);
}

static void profile_benchmark(struct recording *r, struct profiled *p) {
  const struct recorded *item = p->item;
  /* the name is "words.Split_a=1"; with several numbers of processors, "words.Split_a=1-4" */
  const char *name =
      text_printf(&r->run->arena, "%s.%s", r->packages.items[item->package].name, item->label);
  p->name = run_take_name_of(r->run, str_of(name));
  p->bench = recording_only(r, item);
  p->benchtime = text_printf(&r->run->arena, "-test.benchtime=%.0fx", p->n);
  profiled_prepare(r, p);
  profile_in_turns(r, p);
  add_recorded_pairs(r, p);
}

/* Returns the number of profiling runs of a benchmark, the same for base and head. */
static size_t runs_a_side(const struct recording *r) {
  size_t groups = 0;
  for (size_t i = 0; i < GROUPS; i++) groups += takes_group(r, i);
  return groups * (size_t)r->run->options->profile_runs;
}

/* True if the benchmark regressed. With -profile all or -fail-on, true for every benchmark. */
static bool is_profiled(const struct recording *r, const struct recorded *item) {
  return r->run->options->profile || r->run->options->fail_on_count || item->regressed;
}

/* Counts the benchmarks to profile. Returns the estimated duration of all runs in seconds. */
static double profiling_plan(struct recording *r, size_t *benchmarks) {
  double nanoseconds = 0;
  size_t sides = 0;
  *benchmarks = 0;
  for (size_t i = 0; i < r->count; i++) {
    if (!is_profiled(r, &r->items[i])) continue;
    *benchmarks += 1;
    for (int side = 0; side < SIDES; side++) {
      if (!r->items[i].took[side].size) continue;
      nanoseconds += choose_iterations(r, &r->items[i]) * took_median(&r->items[i].took[side]);
      sides++;
    }
  }
  r->steps = 0;
  r->all_steps = runs_a_side(r) * sides;
  return nanoseconds / 1e9 * (double)runs_a_side(r);
}

void recording_profile(struct recording *r) {
  if (!r->run->options->profile_runs) return;
  size_t benchmarks;
  double seconds = profiling_plan(r, &benchmarks);
  if (!benchmarks) message_note("no benchmark regressed, so nothing is profiled (-profile)");
  if (!benchmarks) return;
  time_t start = time(NULL);
  message_note("profiling %zu benchmarks, %lld runs of each version: about %.0f s", benchmarks,
               (long long)r->run->options->profile_runs, ceil(seconds));
  for (size_t i = 0; i < r->count; i++) {
    if (!is_profiled(r, &r->items[i])) continue;
    struct profiled p = {.item = &r->items[i], .n = choose_iterations(r, &r->items[i])};
    profile_benchmark(r, &p);
    for (size_t group = 0; group < GROUPS; group++)
      for (int side = 0; side < SIDES; side++) buffer_free(&p.printed[group][side]);
  }
  message_note("profiled in %.0f s", difftime(time(NULL), start));
}
