/* Implements `pprofci merge`: joins the runs of a matrix build. The result has one set of p-values,
 * one page, one comment and one exit status. */
#include "merge/jobs.h"
#include "page/page.h"

struct merge_options {
  const char *out, *threshold, *title, *expect;
  bool no_fail;
  uint64_t brief_bytes;
};

#define FIELD(name) offsetof(struct merge_options, name)

static const struct flag_group groups[] = {{"The result", NULL}};

static const struct flag flags[] = {
    FLAG(STRING, 0, "out", out, "DIR", ".docs/artifacts/ci",
         "folder for the page, which links to the artifacts of each DIR"),
    FLAG(STRING, 0, "threshold", threshold, "PERCENT", NULL,
         "smallest significant increase that is a regression; default: THRESHOLD_PERCENT or 5"),
    FLAG(STRING, 0, "expect", expect, "LIST", NULL,
         "names of the expected jobs, separated by commas, or their number; a missing job makes "
         "the result unusable"),
    SWITCH(0, "no-fail", no_fail, "exit with 0 when something regressed"),
    FLAG(STRING, 0, "title", title, "TEXT", NULL, "title of the page"),
    COMMAND_BUDGET(0),
};

static const char *const usage[] = {"[flags] DIR ...", NULL};

static const char *const details[] = {
    "DIR is the folder that `pprofci run -out` wrote, one for each job of a matrix. All "
    "measurements are judged together: p-values are corrected for their number in all jobs. A "
    "benchmark of several jobs is judged per job, under the job's name. A DIR without a manifest, "
    "or of a run whose gate failed, makes the result unusable.",
    NULL};

static const struct flag_note statuses[] = {
    {"0", "nothing regressed"}, {"1", "failed"}, {"2", "something regressed"}, {NULL, NULL}};

const struct flag_table merge_table = {
    FLAG_TABLE("pprofci merge", "joins the runs of a matrix into one verdict and page")};

/* Returns options for a merged run. A merged run measures nothing itself. */
static pprofc_status merge_run_options(const struct merge_options *merge,
                                       struct run_options *options, pprofc_error *error) {
  pprofc_status status = flags_defaults(&run_table, options, error);
  if (status != PPROFC_OK) return status;
  options->bench_base = "";
  options->bench_head = "";
  options->out = merge->out;
  options->title = merge->title;
  options->no_fail = merge->no_fail;
  options->threshold = merge->threshold;
  options->has_base = true;
  return run_options_settle(options, error);
}

static pprofc_status merge_steps(struct ci_run *run, const struct merge_options *merge,
                                 const char *const *folders, size_t count, pprofc_error *error) {
  struct jobs jobs;
  pprofc_status status = name_commits(run, error);
  if (status == PPROFC_OK) status = stage_open(run, error);
  if (status == PPROFC_OK) status = jobs_read(&jobs, run, folders, count, run->out, error);
  if (status == PPROFC_OK) status = jobs_expect(&jobs, merge->expect, error);
  if (status == PPROFC_OK && jobs_have_results(&jobs))
    status = judge_rows(run, jobs_add_rows, &jobs, error);
  if (status == PPROFC_OK) status = jobs_join_verdicts(&jobs, error);
  if (status == PPROFC_OK) status = jobs_check(&jobs, error);
  if (status == PPROFC_OK) status = jobs_add_pairs(&jobs, error);
  if (status == PPROFC_OK) status = write_pages(run, error);
  if (status == PPROFC_OK) status = stage_commit(run, error);
  return status == PPROFC_OK ? write_service_files(run, error) : status;
}

static struct run_options settled; /* options of the merged run */

static pprofc_status merge_check(void *options, const struct command_line *line,
                                 pprofc_error *error) {
  const struct merge_options *merge = options;
  if (!line->count) return error_set(error, PPROFC_E_INVALID, "nothing to merge: pass a DIR");
  if (!jobs_expectation_is_valid(merge->expect))
    return error_set(error, PPROFC_E_INVALID,
                     "-expect must be a number, or names separated by commas, not '%s'",
                     merge->expect);
  return merge_run_options(merge, &settled, error);
}

static pprofc_status merge_run(void *options, const struct command_line *line, int *code,
                               pprofc_error *error) {
  struct ci_run run;
  run_watch_signals();
  run_begin(&run, &settled);
  pprofc_status status = merge_steps(&run, options, line->words, line->count, error);
  status = run_finish(&run, status, line, code, error);
  run_end(&run);
  return status;
}

static struct merge_options given;
static const struct command_brief brief = {FIELD(brief_bytes), NO_JSON};
const struct ci_command merge_command = {&merge_table, &given,    sizeof given, COMMAND_WORDS,
                                         merge_check,  merge_run, &brief};
