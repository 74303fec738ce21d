/* `pprofci merge`: joins the runs of a matrix: one family of p-values, one page, one comment,
 * one exit status. */
#include "commands.h"
#include "merge/jobs.h"
#include "page/page.h"

struct merge_options {
  const char *out, *threshold, *title, *expect;
  bool no_fail;
};

#define FIELD(name) offsetof(struct merge_options, name)

static const struct flag_group groups[] = {{"The result", NULL}};

static const struct flag flags[] = {
    {.name = "out",
     .kind = FLAG_STRING,
     .offset = FIELD(out),
     .argument = "DIR",
     .initial = ".docs/artifacts/ci",
     .help = "folder for the page, which links to the artifacts of each DIR"},
    {.name = "threshold",
     .kind = FLAG_STRING,
     .offset = FIELD(threshold),
     .argument = "PERCENT",
     .help = "smallest significant increase that is a regression; default: THRESHOLD_PERCENT or 5"},
    {.name = "expect",
     .kind = FLAG_STRING,
     .offset = FIELD(expect),
     .argument = "LIST",
     .help = "names of the expected jobs, separated by commas, or their number; a missing job "
             "makes the result unusable"},
    {.name = "no-fail",
     .kind = FLAG_BOOL,
     .offset = FIELD(no_fail),
     .help = "exit with 0 when something regressed"},
    {.name = "title",
     .kind = FLAG_STRING,
     .offset = FIELD(title),
     .argument = "TEXT",
     .help = "title of the page"},
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
    .program = "pprofci merge",
    .summary = "joins the runs of a matrix into one verdict and page",
    .usage = usage,
    .details = details,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .statuses = statuses,
};

/* Returns the options of a run that has no measurements of its own. */
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

int merge_main(int argc, char **argv) {
  static struct run_options options; /* large */
  struct merge_options merge = {.out = ""};
  struct flags_parsed parsed = {0};
  struct ci_run run;
  pprofc_error error;
  pprofc_status status = flags_defaults(&merge_table, &merge, &error);
  if (status == PPROFC_OK) status = flags_parse(&merge_table, &merge, argc, argv, &parsed, &error);
  if (status == PPROFC_OK && parsed.help) return command_help(&merge_table);
  if (status == PPROFC_OK && parsed.rest == argc)
    status = error_set(&error, PPROFC_E_INVALID, "nothing to merge: pass a DIR");
  if (status == PPROFC_OK && !jobs_expectation_is_valid(merge.expect))
    status = error_set(&error, PPROFC_E_INVALID,
                       "-expect is a number, or names with commas, not '%s'", merge.expect);
  if (status == PPROFC_OK) status = merge_run_options(&merge, &options, &error);
  if (status != PPROFC_OK) return command_misused(&merge_table, &parsed, error.message);
  run_watch_signals();
  run_begin(&run, &options);
  status = merge_steps(&run, &merge, (const char *const *)argv + parsed.rest,
                       (size_t)(argc - parsed.rest), &error);
  int code = run_finish(&run, status, &error);
  run_end(&run);
  return code;
}
