/* Reads the manifests of several runs and passes all their measurements to one gate, which judges
 * benchmark results. */
#include "merge/jobs.h"

#include "bench/pairs.h"
#include "gate/judge.h"
#include "gate/read/read.h"
#include "page/page.h"
#include "run/code.h"
#include "run/files.h"
#include "run/profiles.h"

#define MANIFEST_MAX     ((size_t)256 << 20)
#define MANIFEST_VERSION 3 /* oldest version of the manifest that contains measurements */

static bool ends_part(char c) {
  return !c || c == '/';
}

/* Returns the length of the leading folders that two absolute paths share. */
static size_t shared_folders(const char *a, const char *b) {
  size_t same = 0;
  for (size_t i = 0;; i++) {
    if (ends_part(a[i]) && ends_part(b[i])) same = i;
    if (a[i] != b[i] || !a[i]) return same;
  }
}

/* Returns the relative link from the folder of the page to the folder of a job, or `to` if a path
 * cannot be resolved. */
static const char *link_between(struct arena *arena, const char *from, const char *to) {
  char page[PATH_MAX], job[PATH_MAX];
  struct buffer text = ci_buffer();
  pprofc_str part;
  if (!realpath(from, page) || !realpath(to, job)) return text_printf(arena, "%s/", to);
  size_t same = shared_folders(page, job);
  for (pprofc_str rest = str_of(page + same); str_next(&rest, '/', &part);)
    if (part.size) buffer_add_text(&text, "../");
  for (pprofc_str rest = str_of(job + same); str_next(&rest, '/', &part);) {
    if (!part.size) continue;
    escape_url(&text, part, "");
    buffer_add_char(&text, '/');
  }
  return buffer_take(&text, arena).data;
}

/* Returns the last element of the path that is not a usual name of artifact folders: "linux" for
 * "out/linux/.docs/artifacts/ci". */
static const char *name_of_job(struct arena *arena, const char *folder) {
  pprofc_str rest = str_of(folder), part, name = str_of(folder);
  while (str_next(&rest, '/', &part))
    if (part.size && !STR_ANY(str_equal, part, "ci", "artifacts", ".docs", ".")) name = part;
  return text_keep(arena, name);
}

/* Reads a manifest. An unreadable manifest is a problem of the job, not an error. */
static void read_manifest(struct jobs *jobs, struct job *job) {
  struct arena *arena = &jobs->run->arena;
  struct node *root = NULL;
  pprofc_error why;
  const char *path = text_printf(arena, "%s/manifest.json", job->folder);
  if (json_tree_read(arena, path, MANIFEST_MAX, &root, &why) != PPROFC_OK)
    job->problem = text_keep(arena, str_of(why.message));
  else if (node_integer(node_get(root, "version")) < MANIFEST_VERSION)
    job->problem = text_printf(arena, "%s is not a manifest of pprofci run", path);
  else if (node_integer(node_get(root, "gate_status")) == 1)
    job->problem = text_printf(arena, "the gate failed in '%s'", job->folder);
  else
    job->root = root;
}

static pprofc_str job_key(struct arena *arena, pprofc_str group, pprofc_str name) {
  return str_of(text_printf(arena, "%.*s\n%.*s", STR_ARG(group), STR_ARG(name)));
}

/* Finds the benchmarks that several jobs measured. */
static void find_shared(struct jobs *jobs) {
  struct interner before; /* benchmarks of the earlier jobs */
  interner_init(&jobs->shared, jobs->run->mem);
  interner_init(&before, jobs->run->mem);
  for (size_t i = 0; i < jobs->count; i++) {
    const struct node *rows = node_get(jobs->items[i].root, "results");
    pprofc_str *keys = arena_array(&jobs->run->arena, node_size(rows), sizeof *keys);
    for (size_t k = 0; k < node_size(rows); k++) {
      const struct node *row = node_at(rows, k);
      keys[k] = job_key(&jobs->run->arena, node_text(row, "group"), node_text(row, "benchmark"));
      if (interner_find(&before, keys[k]) != MAP_NONE) (void)interner_add(&jobs->shared, keys[k]);
    }
    for (size_t k = 0; k < node_size(rows); k++) (void)interner_add(&before, keys[k]);
  }
  interner_free(&before);
}

/* Returns the group of a benchmark. If several jobs have the benchmark, the group begins with the
 * name of the job. */
static pprofc_str job_group(const struct jobs *jobs, const struct job *job, pprofc_str group,
                            pprofc_str name) {
  struct arena *arena = &jobs->run->arena;
  if (interner_find(&jobs->shared, job_key(arena, group, name)) == MAP_NONE) return group;
  return str_of(text_printf(arena, "%s: %.*s", job->name, STR_ARG(group)));
}

void jobs_read(struct jobs *jobs, struct ci_run *run, const char *const *folders, size_t count,
               const char *out) {
  *jobs = (struct jobs){.run = run};
  jobs->items = arena_zero_array(&run->arena, count, sizeof *jobs->items);
  for (size_t i = 0; i < count; i++) {
    struct job *job = &jobs->items[i];
    job->folder = text_path(&run->arena, folders[i]);
    job->name = name_of_job(&run->arena, job->folder);
    job->link = link_between(&run->arena, out, job->folder);
    read_manifest(jobs, job);
    jobs->count++;
  }
  find_shared(jobs);
}

bool jobs_have_results(const struct jobs *jobs) {
  if (jobs->incomplete) return true;
  for (size_t i = 0; i < jobs->count; i++)
    if (jobs->items[i].problem || node_size(node_get(jobs->items[i].root, "results"))) return true;
  return false;
}

/* Reads the measurements of base or head. Returns false if a measurement is not a number. */
static bool job_samples(struct arena *arena, const struct node *row, int side,
                        struct run_samples *samples) {
  static const char *const round_keys[SIDES] = {"base_rounds", "head_rounds"};
  const struct node *values = node_get(row, side_names[side]);
  const struct node *rounds = node_get(row, round_keys[side]);
  size_t count = node_size(values);
  double *numbers = arena_array(arena, count, sizeof *numbers);
  uint32_t *of_rounds = arena_zero_array(arena, count, sizeof *of_rounds);
  for (size_t i = 0; i < count; i++) {
    const struct node *value = node_at(values, i);
    if (!node_is(value, NODE_NUMBER) || !str_parse_float(value->text, &numbers[i])) return false;
    int64_t round = node_integer(node_at(rounds, i));
    of_rounds[i] = round > 0 && round < UINT32_MAX ? (uint32_t)round : 0;
  }
  *samples = (struct run_samples){numbers, of_rounds, count};
  return true;
}

/* Copies the measurements of a job to `pairs`, which gets one pair (base and head) for each result.
 * The gate changes these copies. The caller frees pairs->texts. */
static void job_make_pairs(struct ci_run *run, const struct node *results,
                           const struct run_samples (*samples)[SIDES], struct pairs *pairs) {
  size_t count = node_size(results), values = 0;
  for (size_t i = 0; i < count; i++)
    values += samples[i][SIDE_BASE].count + samples[i][SIDE_HEAD].count;
  *pairs = (struct pairs){.mem = run->mem, .count = count};
  interner_init(&pairs->texts, run->mem);
  pairs->items = arena_zero_array(&run->arena, count, sizeof *pairs->items);
  pairs->values = arena_array(&run->arena, values, sizeof *pairs->values);
  pairs->rounds = arena_array(&run->arena, values, sizeof *pairs->rounds);
  for (size_t i = 0; i < count; i++) {
    struct pair *pair = &pairs->items[i];
    pair->unit = interner_add(&pairs->texts, node_text(node_at(results, i), "unit"));
    for (int side = 0; side < SIDES; side++) {
      const struct run_samples *from = &samples[i][side];
      pair->sides[side] = (struct pair_side){.first = pairs->value_count, .count = from->count};
      for (size_t k = 0; k < from->count; k++, pairs->value_count++) {
        pairs->values[pairs->value_count] = from->values[k];
        pairs->rounds[pairs->value_count] = from->rounds[k];
      }
    }
  }
}

static void job_add_row(const struct jobs *jobs, const struct job *job, const struct node *from,
                        const struct pairs *pairs, const struct pair *pair) {
  struct ci_run *run = jobs->run;
  struct gate_side sides[SIDES];
  struct gate_row row = gate_row_unknown();
  row.name = node_text(from, "benchmark");
  row.group = job_group(jobs, job, node_text(from, "group"), row.name);
  row.unit = node_text(from, "unit");
  row.file = str_of(job->folder);
  row.direction = (int)node_integer(node_get(from, "direction"));
  row.threaded = node_is(node_get(from, "threaded"), NODE_TRUE);
  row.exact = node_is(node_get(from, "exact"), NODE_TRUE);
  row.screened = node_is(node_get(from, "screened"), NODE_TRUE);
  if (jobs->own_threshold)
    (void)gate_parse_percent(node_text(job->root, "threshold"), &row.threshold);
  row.excused = node_is(node_get(from, "excused"), NODE_TRUE);
  row.overloaded = node_text(job->root, "overloaded").size > 0;
  row.one_process = node_is(node_get(from, "one_process"), NODE_TRUE);
  row.processes = node_is(node_get(from, "processes"), NODE_TRUE);
  row.rescaled = pair->rescaled;
  if (row.direction < -1 || row.direction > 1) row.direction = 0;
  for (int side = 0; side < SIDES; side++) {
    size_t first = pair->sides[side].first;
    sides[side] =
        (struct gate_side){pairs->values + first, pairs->rounds + first, pair->sides[side].count};
  }
  row.base_count = sides[SIDE_BASE].count;
  row.head_count = sides[SIDE_HEAD].count;
  row.in_base = row.base_count > 0;
  row.in_head = row.head_count > 0;
  if (row.in_base && row.in_head)
    (void)gate_compare_sides(&run->gate, &row, sides[SIDE_BASE], sides[SIDE_HEAD]);
  (void)gate_add(&run->gate, &row);
}

/* Reads the measurements of each result of a job. If a measurement is not a number, adds a problem,
 * and the result has no measurements. */
static void job_read_samples(const struct jobs *jobs, const struct job *job,
                             const struct node *results, struct run_samples (*samples)[SIDES]) {
  for (size_t i = 0; i < node_size(results); i++)
    for (int side = 0; side < SIDES; side++)
      if (!job_samples(&jobs->run->arena, node_at(results, i), side, &samples[i][side]))
        gate_problem(&jobs->run->gate, "'%s': a measurement of %.*s is not a number", job->folder,
                     STR_ARG(node_text(node_at(results, i), "benchmark")));
}

static void jobs_keep_samples(struct ci_run *run, const struct run_samples samples[SIDES]) {
  for (int side = 0; side < SIDES; side++)
    buffer_add(&run->plots[side], &samples[side], sizeof samples[side]);
}

static void job_add_rows(struct jobs *jobs, const struct job *job) {
  static const struct run_samples empty[SIDES] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
  struct ci_run *run = jobs->run;
  const struct node *results = node_get(job->root, "results");
  pprofc_str load = escape_line_keep(node_text(job->root, "overloaded"), &run->arena);
  if (job->problem) gate_problem(&run->gate, "%s", job->problem);
  if (load.size)
    run->gate.settings.overloaded = text_printf(&run->arena, "%s: %.*s", job->name, STR_ARG(load));
  struct run_samples(*samples)[SIDES] =
      arena_zero_array(&run->arena, node_size(results), sizeof *samples);
  struct pairs pairs;
  job_read_samples(jobs, job, results, samples);
  job_make_pairs(run, results, (const struct run_samples(*)[SIDES])samples, &pairs);
  size_t before = run->gate.row_count;
  (void)gate_take_speeds(&run->gate, &pairs);
  for (size_t i = before; i < run->gate.row_count; i++) jobs_keep_samples(run, empty);
  for (size_t i = 0; i < pairs.count; i++) {
    job_add_row(jobs, job, node_at(results, i), &pairs, &pairs.items[i]);
    jobs_keep_samples(run, samples[i]);
  }
  interner_free(&pairs.texts);
}

pprofc_status jobs_add_rows(struct ci_run *run, struct inputs *inputs, void *context,
                            pprofc_error *error) {
  struct jobs *jobs = context;
  (void)run, (void)inputs, (void)error;
  for (size_t i = 0; i < jobs->count; i++) job_add_rows(jobs, &jobs->items[i]);
  return PPROFC_OK;
}

/* Returns a text from the manifest, or NULL if the text is empty or a path. */
static const char *job_text(struct ci_run *run, const struct node *node, const char *key) {
  pprofc_str text = node_text(node, key);
  if (!text.size || str_find_char(text, '/') < text.size) return NULL;
  return text_keep(&run->arena, text);
}

/* Draws the flame graph of the profile that the page shows, unless this profile is unreadable. */
static void explain_job_pair(struct ci_run *run, struct run_pair *pair) {
  const char *shown = pair->diff ? pair->diff : pair->names[SIDE_HEAD];
  pprofc_report_options options;
  pprofc_profile *profile;
  pprofc_error ignored;
  if (!shown) return;
  const char *path = text_printf(&run->arena, "%s/profiles/%s.pb.gz", pair->folder, shown);
  graph_read(run, pair, shown);
  pprofc_report_options_init(&options);
  if (strcmp(pair->kind, "mem") == 0 && source_has_type(path, "alloc_space"))
    options.sample_index = "alloc_space";
  if (run_is_counted(pair)) options.sample_index = "Ir";
  pair->sample_index = options.sample_index;
  if (source_read(path, &mem_default, &profile, &ignored) != PPROFC_OK) return;
  pprofc_status status = changes_find(run, pair, profile, &options, NULL, &ci_error);
  if (status == PPROFC_E_NOMEM) ci_need(status);
  pprofc_profile_release(profile);
}

/* Returns the text if it is a profile type of `pprofci run`, else "profile". */
static const char *known_kind(pprofc_str text) {
  static const char *const kinds[] = {"cpu", "mem", "block", "mutex", "instructions", NULL};
  int index = str_index(text, kinds);
  return index < 0 ? "profile" : kinds[index];
}

/* Sets package and benchmark of the pair of profiles. */
static void job_name_benchmark(const struct jobs *jobs, const struct job *job,
                               const struct node *from, struct run_pair *pair) {
  struct arena *arena = &jobs->run->arena;
  pprofc_str benchmark = node_text(from, "benchmark");
  size_t end = 0;
  if (!benchmark.size) return;
  while (end < benchmark.size && benchmark.data[end] != '/' && benchmark.data[end] != '-') end++;
  pair->benchmark = text_keep(arena, benchmark);
  pair->package = text_keep(arena, job_group(jobs, job, node_text(from, "package"), benchmark));
  pair->function = text_printf(arena, "\\.Benchmark%.*s(\\.func.*)?$", (int)end, benchmark.data);
  pair->iterations = (double)node_integer(node_get(from, "iterations"));
}

static void job_add_pair(const struct jobs *jobs, const struct job *job, const struct node *from) {
  struct ci_run *run = jobs->run;
  struct run_pair *pair = run_add_pair(run, NULL, NULL);
  pair->kind = known_kind(node_text(from, "kind"));
  pair->names[SIDE_BASE] = job_text(run, from, "base");
  pair->names[SIDE_HEAD] = job_text(run, from, "head");
  pair->diff = job_text(run, from, "diff");
  pair->folder = job->folder;
  pair->link = job->link;
  job_name_benchmark(jobs, job, from, pair);
  if (!pair->names[SIDE_BASE] && !pair->names[SIDE_HEAD]) {
    run->pair_count--;
    return;
  }
  comparisons_read(run, from, pair);
  explain_job_pair(run, pair);
}

void jobs_add_pairs(struct jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++) {
    outside_add(jobs->run, jobs->items[i].root, jobs->items[i].name);
    const struct node *pairs = node_get(jobs->items[i].root, "pairs");
    for (size_t k = 0; k < node_size(pairs); k++) {
      run_check_stopped();
      job_add_pair(jobs, &jobs->items[i], node_at(pairs, k));
    }
  }
}

static void join_fired(struct jobs *jobs) {
  struct ci_run *run = jobs->run;
  for (size_t i = 0; i < jobs->count; i++) {
    run->conditions |= node_is(node_get(jobs->items[i].root, "conditions"), NODE_TRUE);
    comparisons_read_fired(run, jobs->items[i].root, jobs->items[i].name);
  }
  if (run->conditions && !run->judged && !*run->instructions) run->verdict = RUN_PASSED;
  if (!run->fired_count || run->status == 1) return;
  run->status = 2;
  run->verdict = RUN_REGRESSED;
}

static void join_instructions(struct jobs *jobs) {
  struct ci_run *run = jobs->run;
  bool regressed = false, any = false;
  for (size_t i = 0; i < jobs->count; i++) {
    pprofc_str text = node_text(jobs->items[i].root, "instructions");
    if (!text.size) continue;
    pprofc_str shown = escape_line_keep(text, &run->arena);
    run->instructions = text_printf(&run->arena, "%s%s%s: %.*s", run->instructions, any ? "; " : "",
                                    jobs->items[i].name, STR_ARG(shown));
    regressed |= node_is(node_get(jobs->items[i].root, "instructions_regressed"), NODE_TRUE);
    any = true;
  }
  if (any) judge_counts(run, regressed);
}

/* Collects the packages that jobs skipped because their test binaries did not change. The merge
 * passes if the jobs skipped all packages. */
static void join_same(struct jobs *jobs) {
  struct ci_run *run = jobs->run;
  for (size_t i = 0; i < jobs->count; i++) same_read(run, jobs->items[i].root, jobs->items[i].name);
  if (same_is_all(run)) run->verdict = RUN_PASSED;
}

void jobs_join_verdicts(struct jobs *jobs) {
  join_same(jobs);
  join_instructions(jobs);
  join_fired(jobs);
}
