/* Profiles each benchmark by itself: the same number of iterations on both sides, so that the two
 * profiles hold the same work and their difference is what that work costs more. */
#include "core/log_guard.h"
#include "run/files.h"
#include "run/recording.h"
#include "run/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME_MOST 120 /* bytes of the name of an artifact */

/* ---- how many iterations ----------------------------- */

static int took_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median; sorts the numbers. */
static double took_median(struct buffer *took) {
  size_t n = took->size / sizeof(double);
  double *values = (double *)(void *)took->data;
  qsort(values, n, sizeof *values, took_by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* As many iterations as the base does in the time, by the median of its rounds, but not so many
 * that the other side takes more than ten times as long. */
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

/* ---- names ------------------------------------------- */

/* Appends the expression that matches one benchmark: each element of its path, whole and to the
 * letter. */
static void add_exactly(struct buffer *out, pprofc_str name) {
  buffer_add_char(out, '^');
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    if (c == '/') buffer_add_text(out, "$/");
    if (c && strchr("\\.*+?(){}|^$[]", c)) buffer_add_char(out, '\\');
    buffer_add_char(out, c == '/' ? '^' : c);
  }
  buffer_add_char(out, '$');
}

/* "words.Split_a=1", and with more than one processor "words.Split_a=1-4". */
static const char *artifact_name(struct recording *r, const char *package, pprofc_str label) {
  struct buffer text;
  buffer_init(&text, r->run->mem, SIZE_MAX / 2);
  buffer_printf(&text, "%s.", package);
  text_word(&text, label, ".=-");
  if (text.size > NAME_MOST) text.size = NAME_MOST;
  pprofc_str name = buffer_keep(&text, &r->run->arena);
  buffer_free(&text);
  const char *kept = name.data ? text_keep(&r->run->arena, name) : NULL;
  return kept ? run_take_name(r->run, kept) : NULL;
}

/* The Go function of a benchmark, as an expression for frames: "\.BenchmarkSplit(\.func|$)". */
static const char *benchmark_function(struct recording *r, const struct recorded *item) {
  pprofc_str name = str_of(item->name);
  name = str_slice(name, 0, str_find_char(name, '/'));
  return text_printf(&r->run->arena, "\\.%.*s(\\.func.*)?$", STR_ARG(name));
}

/* ---- profiles ---------------------------------------- */

static bool takes_kind(const struct recording *r, const char *kind) {
  pprofc_str rest = str_of(r->run->options->profiles), item;
  while (str_next(&rest, ',', &item))
    if (str_equal(item, str_of(kind))) return true;
  return false;
}

/* CPU and memory in one run; what watches locks slows down, and has a run of its own. */
static const char *const profile_runs[2][2] = {{"cpu", "mem"}, {"block", "mutex"}};

static const char *profile_path(struct recording *r, int side, const char *name, const char *kind) {
  return text_printf(&r->run->arena, "%s/recorded/%s/%s_%s.prof", r->run->work, side_names[side],
                     name, kind);
}

static pprofc_status check_iterations(const struct recording *r, int side,
                                      const struct recorded *item, double n, pprofc_str printed,
                                      pprofc_error *error) {
  struct recorded_line line;
  while (recorded_next(&printed, item->cpu, &line))
    if (str_equal(line.name, str_of(item->name)) && line.iterations == n) return PPROFC_OK;
  return error_set(error, PPROFC_E_FORMAT, "%s of %s (%s) did not run %.0f times", item->name,
                   r->packages.items[item->package].path, side_names[side], n);
}

static pprofc_status profile_once(struct recording *r, int side, const struct recorded *item,
                                  double n, const char *const *arguments, pprofc_error *error) {
  struct program test;
  run_progress(++r->steps, r->all_steps, "profiling %s %s (n=%.0f)", side_names[side], item->name,
               n);
  pprofc_status status = recording_go(r, side, item->package, item->cpu, arguments, &test, error);
  if (status == PPROFC_OK)
    status = check_iterations(r, side, item, n, buffer_str(&test.printed), error);
  program_end(&test);
  return status;
}

/* The profiles of one benchmark and side. */
static pprofc_status profile_side(struct recording *r, int side, const struct recorded *item,
                                  double n, const char *name, pprofc_error *error) {
  struct arena *arena = &r->run->arena;
  struct buffer text;
  buffer_init(&text, r->run->mem, SIZE_MAX / 2);
  buffer_add_text(&text, "-test.bench=");
  add_exactly(&text, str_of(item->name));
  pprofc_str bench = buffer_keep(&text, arena);
  buffer_free(&text);
  const char *which = bench.data ? text_keep(arena, bench) : NULL;
  const char *time = text_printf(arena, "-test.benchtime=%.0fx", n);
  pprofc_status status = which && time ? PPROFC_OK : error_nomem(error);
  for (size_t i = 0; i < 2 && status == PPROFC_OK; i++) {
    const char *arguments[5] = {which, time};
    size_t count = 2;
    for (size_t k = 0; k < 2; k++) {
      const char *kind = profile_runs[i][k];
      if (!takes_kind(r, kind)) continue;
      arguments[count++] =
          text_printf(arena, "-test.%sprofile=%s", kind, profile_path(r, side, name, kind));
    }
    if (count > 2) status = profile_once(r, side, item, n, arguments, error);
  }
  return status;
}

/* One pair for each kind, with what it is of. */
static pprofc_status add_recorded_pairs(struct recording *r, const struct recorded *item,
                                        const char *name, pprofc_str label, double n,
                                        pprofc_error *error) {
  struct ci_run *run = r->run;
  pprofc_str rest = str_of(run->options->profiles), kind;
  pprofc_str shown = escape_line_keep(label, &run->arena);
  while (str_next(&rest, ',', &kind)) {
    const char *word = text_keep(&run->arena, kind), *paths[SIDES] = {NULL, NULL};
    for (int side = 0; word && side < SIDES; side++) {
      const char *path = profile_path(r, side, name, word);
      if (path && files_is_regular(path)) paths[side] = path;
    }
    struct run_pair *pair = word ? run_add_pair(run, paths[SIDE_BASE], paths[SIDE_HEAD]) : NULL;
    if (!pair) return error_nomem(error);
    pair->kind = word;
    pair->package = r->packages.items[item->package].path;
    pair->benchmark = text_keep(&run->arena, shown);
    pair->function = benchmark_function(r, item);
    pair->iterations = n;
    if (!pair->benchmark || !pair->function) return error_nomem(error);
  }
  return PPROFC_OK;
}

static pprofc_status profile_benchmark(struct recording *r, struct recorded *item,
                                       pprofc_error *error) {
  double n = choose_iterations(r, item);
  const char *short_name = item->name + strlen("Benchmark");
  const char *label = strcmp(item->cpu, "1") == 0
                          ? short_name
                          : text_printf(&r->run->arena, "%s-%s", short_name, item->cpu);
  if (!label) return error_nomem(error);
  const char *name = artifact_name(r, r->packages.items[item->package].name, str_of(label));
  if (!name) return error_nomem(error);
  pprofc_status status = PPROFC_OK;
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++)
    if (item->took[side].size) status = profile_side(r, side, item, n, name, error);
  if (status != PPROFC_OK) return status;
  return add_recorded_pairs(r, item, name, str_of(label), n, error);
}

pprofc_status recording_profile(struct recording *r, pprofc_error *error) {
  size_t runs = 0, sides = 0;
  for (size_t i = 0; i < 2; i++)
    runs += takes_kind(r, profile_runs[i][0]) || takes_kind(r, profile_runs[i][1]);
  for (size_t i = 0; i < r->count; i++)
    for (int side = 0; side < SIDES; side++) sides += r->items[i].took[side].size > 0;
  r->steps = 0;
  r->all_steps = runs * sides;
  for (int side = 0; side < SIDES; side++) {
    const char *folder =
        text_printf(&r->run->arena, "%s/recorded/%s", r->run->work, side_names[side]);
    if (!folder || !files_make_folders(folder))
      return error_set(error, PPROFC_E_IO, "cannot make a folder for profiles");
  }
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < r->count && status == PPROFC_OK; i++)
    status = profile_benchmark(r, &r->items[i], error);
  return status;
}
