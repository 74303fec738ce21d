/* Implements `pprofci merge`: joins the runs of a matrix build into one result. */
#include "merge/jobs.h"
#include "page/page.h"
#include "run/files.h"

static void check_compared(struct jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++) {
    const struct job *job = &jobs->items[i];
    bool results = node_size(node_get(job->root, "results")) > 0 ||
                   node_size(node_get(job->root, "same_binary")) > 0 ||
                   node_is(node_get(job->root, "conditions"), NODE_TRUE);
    if (!job->root || results || node_text(job->root, "instructions").size) continue;
    jobs->run->doubt = text_printf(&jobs->run->arena, "Nothing was compared in %s.", job->name);
    return;
  }
}

/* Takes the headline of a job that could not judge a condition on functions, if the result would
 * otherwise be a pass. */
static void check_conditions(struct jobs *jobs) {
  struct ci_run *run = jobs->run;
  for (size_t i = 0; i < jobs->count && run->verdict == RUN_PASSED; i++) {
    const struct node *root = jobs->items[i].root;
    if (!node_is(node_get(root, "conditions"), NODE_TRUE)) continue;
    if (str_index(node_text(root, "verdict"), run_verdicts) != RUN_INCONCLUSIVE) continue;
    run->doubt = text_shown(&run->arena, node_text(root, "headline"));
    run->verdict = RUN_INCONCLUSIVE;
  }
}

/* Returns the commit that the manifests have under `key`. If the manifests have different commits,
 * sets *differ to true and returns the commit of the first manifest. */
static const char *commit_of_jobs(const struct jobs *jobs, const char *key, bool *differ) {
  pprofc_str found = STR("");
  *differ = false;
  for (size_t i = 0; i < jobs->count; i++) {
    pprofc_str commit = node_text(jobs->items[i].root, key);
    if (!commit.size) continue;
    if (found.size && !str_equal(found, commit)) *differ = true;
    if (!found.size) found = commit;
  }
  return text_keep(&jobs->run->arena, found);
}

/* Sets the commit of base or head. Reports a problem if the jobs have different commits. */
static void take_commit(struct jobs *jobs, const char *key, const char **commit) {
  struct ci_run *run = jobs->run;
  bool differ;
  const char *found = commit_of_jobs(jobs, key, &differ);
  if (text_is_of(str_of(found), TEXT_HEX)) *commit = found;
  if (!differ || *run->doubt) return;
  run->doubt =
      text_printf(&run->arena, "The jobs are not all of one %s: is one of them of an earlier run?",
                  strcmp(key, "commit") == 0 ? "commit" : "base");
}

/* Sets the reason for the choice of the base, from the first job with a warning about it, or else
 * from the first job. */
static void take_base_choice(struct jobs *jobs) {
  struct ci_run *run = jobs->run;
  for (size_t i = 0; i < jobs->count && !run->base_misleads; i++) {
    const struct node *root = jobs->items[i].root;
    run->base_misleads = node_is(node_get(root, "base_misleads"), NODE_TRUE);
    if (!*run->base_why || run->base_misleads)
      run->base_why = text_shown(&run->arena, node_text(root, "base_choice"));
  }
}

static void take_machines(struct jobs *jobs) {
  struct ci_run *run = jobs->run;
  struct buffer text = ci_buffer();
  for (size_t i = 0; i < jobs->count; i++) {
    pprofc_str machine = node_text(jobs->items[i].root, "machine");
    if (!machine.size) continue;
    buffer_printf(&text, "%s%s: %s", text.size ? "; " : "", jobs->items[i].name,
                  text_shown(&run->arena, machine));
  }
  run->machine = buffer_take(&text, &run->arena);
}

/* True if the text is a number of jobs, or names of jobs separated by commas. */
static bool jobs_expectation_is_valid(const char *text) {
  pprofc_str rest = str_of(text), name;
  int64_t number = 0;
  if (str_parse_int(rest, 10, &number)) return number > 0;
  while (*text && str_next(&rest, ',', &name))
    if (!str_trim(name).size) return false;
  return true;
}

static bool has_job(const struct jobs *jobs, pprofc_str name) {
  for (size_t i = 0; i < jobs->count; i++)
    if (str_equal(str_of(jobs->items[i].name), name)) return true;
  return false;
}

static void jobs_expect(struct jobs *jobs, const char *expected) {
  struct gate *gate = &jobs->run->gate;
  int64_t number = 0; /* number of expected jobs; 0 if `expected` lists their names */
  pprofc_str rest = str_of(expected), name;
  if (!str_parse_int(rest, 10, &number)) number = 0;
  if (number && (uint64_t)number != jobs->count) {
    jobs->incomplete = true;
    gate_problem(gate, "%lld jobs were expected, not %zu", (long long)number, jobs->count);
  }
  while (!number && *expected && str_next(&rest, ',', &name)) {
    name = str_trim(name);
    if (has_job(jobs, name)) continue;
    jobs->incomplete = true;
    gate_problem(gate, "the result of job %.*s is missing", STR_ARG(name));
  }
}

/* Sets the commits and machines of the merged run. Sets run->doubt (a reason why the result is not
 * a success) if a job compared nothing, or if the jobs have different commits. */
static void jobs_check(struct jobs *jobs) {
  check_compared(jobs);
  check_conditions(jobs);
  take_commit(jobs, "commit", &jobs->run->head_commit);
  take_commit(jobs, "base_commit", &jobs->run->base_commit);
  take_base_choice(jobs);
  take_machines(jobs);
}

struct merge_options {
  const char *out, *threshold, *title, *expect;
  bool no_fail;
  uint64_t brief_bytes;
};

#define FIELD(name) offsetof(struct merge_options, name)

static const struct flag_group groups[] = {{"The result", NULL}};

static const struct flag flags[] = {
    FLAG(STRING, 0, "out", out, "DIR", ".docs/artifacts/ci",
         "folder for the page. The page links to the results of each job in its DIR"),
    FLAG(STRING, 0, "threshold", threshold, "PERCENT", NULL,
         "smallest significant increase that is a regression, in percent. The default is the "
         "variable THRESHOLD_PERCENT. Without this variable, it is the threshold of each job"),
    FLAG(STRING, 0, "expect", expect, "LIST", NULL,
         "names of the expected jobs, separated by commas, or the number of jobs. If a job is "
         "missing, the command fails"),
    SWITCH(0, "no-fail", no_fail, "exit with 0 instead of 2 after a regression"),
    FLAG(STRING, 0, "title", title, "TEXT", NULL, "title of the page"),
    COMMAND_BUDGET(0),
};

static const char *const usage[] = {"[flags] DIR ...", NULL};

static const char *const details[] = {
    "A DIR is the folder that `pprofci run -out` wrote in one job of a matrix. The command judges "
    "the measurements of all jobs together: it corrects p-values for the number of comparisons in "
    "all jobs. If several jobs measured a benchmark, each job's result gets its own verdict. The "
    "command fails if a DIR has no manifest, or if the comparison of a job failed.",
    NULL};

static const struct flag_note statuses[] = {
    {"0", "no regression"}, {"1", "failed"}, {"2", "a regression"}, {NULL, NULL}};

const struct flag_table merge_table = {
    FLAG_TABLE("pprofci merge", "joins the runs of a matrix into one verdict and page")};

/* Returns options for a merged run, which measures nothing itself. */
static void merge_run_options(const struct merge_options *merge, struct run_options *options) {
  ci_need(flags_defaults(&run_table, options, &ci_error));
  options->bench_base = "";
  options->bench_head = "";
  options->out = merge->out;
  options->title = merge->title;
  options->no_fail = merge->no_fail;
  options->threshold = merge->threshold;
  options->has_base = true;
  run_options_settle(options);
}

/* Returns the threshold of the first job, in percent. Returns NULL if no job has a threshold. */
static const char *threshold_of_jobs(const struct jobs *jobs) {
  double number;
  for (size_t i = 0; i < jobs->count; i++) {
    pprofc_str threshold = node_text(jobs->items[i].root, "threshold");
    if (gate_parse_percent(threshold, &number)) return text_keep(&jobs->run->arena, threshold);
  }
  return NULL;
}

static struct run_options settled; /* options of the merged run */

static void merge_steps(struct ci_run *run, const struct merge_options *merge,
                        const char *const *folders, size_t count) {
  struct jobs jobs;
  name_commits(run);
  stage_open(run);
  jobs_read(&jobs, run, folders, count, run->out);
  const char *found = threshold_of_jobs(&jobs);
  jobs.own_threshold = found && !*merge->threshold && !ci_variable("THRESHOLD_PERCENT", NULL);
  if (jobs.own_threshold) settled.threshold = found;
  jobs_expect(&jobs, merge->expect);
  if (jobs_have_results(&jobs)) judge_rows(run, jobs_add_rows, &jobs);
  jobs_join_verdicts(&jobs);
  jobs_check(&jobs);
  jobs_add_pairs(&jobs);
  interner_free(&jobs.shared);
  write_pages(run);
  stage_commit(run);
  write_service_files(run);
}

static void merge_check(void *options, const struct command_line *line) {
  const struct merge_options *merge = options;
  if (!line->count) ci_fail("nothing to merge: pass a DIR");
  if (!jobs_expectation_is_valid(merge->expect))
    ci_fail("-expect must be a number, or names separated by commas, not '%s'", merge->expect);
  merge_run_options(merge, &settled);
}

static int merge_run(void *options, const struct command_line *line) {
  struct ci_run run;
  run_watch_signals();
  run_begin(&run, &settled);
  merge_steps(&run, options, line->words, line->count);
  int code = run_finish(&run, line);
  run_end(&run);
  return code;
}

COMMAND(merge, struct merge_options, COMMAND_WORDS, merge_check, merge_run, true);
