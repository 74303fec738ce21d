/* `pprofci trend`: shows a benchmark or a function over commits, and the commits that changed
 * it. */
#include "commands.h"
#include "common/save.h"
#include "core/log_guard.h"
#include "core/outfile.h"
#include "gate/settings.h"
#include "trend/trend.h"

#include <errno.h>
#include <unistd.h>

struct trend_options {
  struct trend_query query;
  const char *threshold, *svg, *html, *title;
  int64_t window, least;
  double alpha;
  bool json, fail;
};

#define FIELD(name) offsetof(struct trend_options, name)

static const struct flag_group groups[] = {
    {"Series", NULL}, {"Change points", NULL}, {"Output", NULL}};

static const struct flag flags[] = {
    {.name = "bench",
     .kind = FLAG_STRING,
     .offset = FIELD(query.bench),
     .argument = "GLOB",
     .initial = "*",
     .help = "benchmarks to list"},
    {.name = "unit",
     .kind = FLAG_STRING,
     .offset = FIELD(query.unit),
     .argument = "GLOB",
     .initial = "*",
     .help = "units of results to list, such as sec/op or B/op"},
    {.name = "function",
     .kind = FLAG_STRING,
     .offset = FIELD(query.function),
     .argument = "GLOB",
     .help = "list the share of functions in profiles instead of results"},
    {.name = "cum", .kind = FLAG_BOOL, .offset = FIELD(query.cum), .help = "include callees"},
    {.name = "kind",
     .kind = FLAG_STRING,
     .offset = FIELD(query.kind),
     .argument = "GLOB",
     .initial = "cpu",
     .help = "kind of the profiles of -function"},
    {.name = "branch",
     .kind = FLAG_STRING,
     .offset = FIELD(query.branch),
     .argument = "GLOB",
     .help = "branches of the runs; default: the branch with the most runs"},
    {.name = "commits",
     .kind = FLAG_STRING,
     .offset = FIELD(query.commits),
     .argument = "FILE",
     .help = "list of commit ids in order, one per line, as git rev-list --reverse prints; skip "
             "other commits"},
    {.name = "threshold",
     .kind = FLAG_STRING,
     .offset = FIELD(threshold),
     .group = 1,
     .argument = "PERCENT",
     .initial = "1",
     .help = "smallest change to report, in percent"},
    {.name = "alpha",
     .kind = FLAG_FLOAT,
     .offset = FIELD(alpha),
     .group = 1,
     .argument = "P",
     .initial = "0.001",
     .help = "significance level of the t-test of a change point"},
    {.name = "window",
     .kind = FLAG_INT,
     .offset = FIELD(window),
     .group = 1,
     .argument = "N",
     .initial = "50",
     .help = "number of values per window, 4 to 500"},
    {.name = "least",
     .kind = FLAG_INT,
     .offset = FIELD(least),
     .group = 1,
     .argument = "N",
     .initial = "5",
     .help = "fewest values on each side of a change point"},
    {.name = "fail",
     .kind = FLAG_BOOL,
     .offset = FIELD(fail),
     .group = 1,
     .help = "exit with 2 when a series got worse within the last runs, twice as many as -least"},
    {.name = "json",
     .kind = FLAG_BOOL,
     .offset = FIELD(json),
     .group = 2,
     .help = "print all series as JSON"},
    {.name = "svg",
     .kind = FLAG_STRING,
     .offset = FIELD(svg),
     .group = 2,
     .argument = "FILE",
     .help = "write a chart of each series that changed"},
    {.name = "html",
     .kind = FLAG_STRING,
     .offset = FIELD(html),
     .group = 2,
     .argument = "FILE",
     .help = "write a page with a chart of each series, in one file"},
    {.name = "title",
     .kind = FLAG_STRING,
     .offset = FIELD(title),
     .group = 2,
     .argument = "TEXT",
     .initial = "Benchmarks over commits",
     .help = "title of the page"},
};

static const char *const usage[] = {"[flags] STORE", NULL};

static const char *const details[] = {
    "Prints the change points of each series, the newest first: the first commit that has the "
    "change, its size with an interval of 95 %, and the mean before and after. "
    "share/doc/pprofc/HISTORY.md "
    "explains the method and its limits.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci trend -html trend.html history", "a page of all benchmarks"},
    {"pprofci trend -bench 'Count*' -unit sec/op history", "one benchmark"},
    {"pprofci trend -function runtime.mallocgc -cum history", "a function"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {{"0", "printed, with change points or without"},
                                            {"1", "failed"},
                                            {"2", "with -fail: a series got worse lately"},
                                            {NULL, NULL}};

const struct flag_table trend_table = {
    .program = "pprofci trend",
    .summary = "finds the commits that changed a benchmark",
    .usage = usage,
    .details = details,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .examples = examples,
    .statuses = statuses,
};

/* ---- options ----------------------------------------- */

static pprofc_status trend_settle(struct trend_options *o, pprofc_error *error) {
  if (!gate_parse_percent(str_of(o->threshold), &o->query.threshold))
    return error_set(error, PPROFC_E_INVALID, "-threshold: '%s' is not a percentage", o->threshold);
  if (!(o->alpha > 0) || o->alpha >= 1)
    return error_set(error, PPROFC_E_INVALID, "-alpha is a probability above 0 and below 1");
  if (o->window < 4 || o->window > STEPS_WINDOW_MAX)
    return error_set(error, PPROFC_E_INVALID, "-window is 4 to %d", STEPS_WINDOW_MAX);
  if (o->least < 1 || o->least > o->window / 2)
    return error_set(error, PPROFC_E_INVALID, "-least is 1 to half of -window");
  steps_defaults(&o->query.steps);
  o->query.steps.window = (size_t)o->window;
  o->query.steps.least = (size_t)o->least;
  o->query.steps.alpha = o->alpha;
  return PPROFC_OK;
}

/* ---- output ------------------------------------------ */

static pprofc_status trend_write_standard(const struct buffer *text, pprofc_error *error) {
  static struct output out; /* static, because it is large */
  struct log_guard guard;
  int fd = STDOUT_FILENO;
  if (text->failed) return error_nomem(error);
  log_guard_init(&guard, fd_write, &fd);
  output_init(&out, log_guard_write, &guard);
  output_add_str(&out, buffer_str(text));
  return output_flush(&out, error);
}

static pprofc_status trend_write(const struct trend_options *o, const struct trend_view *trend,
                                 pprofc_error *error) {
  struct buffer text;
  pprofc_status status = PPROFC_OK;
  buffer_init(&text, &mem_default, (size_t)1 << 30);
  if (*o->svg) {
    trend_print_svg(&text, trend);
    status = text.failed ? error_nomem(error) : save_text(o->svg, buffer_str(&text), error);
  }
  buffer_clear(&text);
  if (status == PPROFC_OK && *o->html) {
    trend_print_page(&text, trend, o->title);
    status = text.failed ? error_nomem(error) : save_text(o->html, buffer_str(&text), error);
  }
  buffer_clear(&text);
  if (o->json)
    trend_print_json(&text, trend);
  else
    trend_print_table(&text, trend);
  if (status == PPROFC_OK) status = trend_write_standard(&text, error);
  buffer_free(&text);
  return status;
}

static pprofc_status trend_all(const struct trend_options *o, const char *where, bool *worse,
                               pprofc_error *error) {
  struct backing backing;
  struct trend_view trend;
  pprofc_status status = backing_open(&backing, where, false, error);
  if (status != PPROFC_OK) return status;
  status = trend_make(&trend, &backing, &o->query, error);
  *worse = status == PPROFC_OK && trend_got_worse(&trend, &o->query);
  if (status == PPROFC_OK) status = trend_write(o, &trend, error);
  trend_free(&trend);
  backing_close(&backing);
  return status;
}

int trend_main(int argc, char **argv) {
  struct trend_options options = {.title = ""};
  struct flags_parsed parsed = {0};
  pprofc_error error;
  pprofc_status status = flags_defaults(&trend_table, &options, &error);
  if (status == PPROFC_OK)
    status = flags_parse(&trend_table, &options, argc, argv, &parsed, &error);
  if (status == PPROFC_OK && parsed.help) return command_help(&trend_table);
  if (status == PPROFC_OK && argc - parsed.rest != 1)
    status = error_set(&error, PPROFC_E_INVALID, "give exactly one STORE");
  if (status == PPROFC_OK) status = trend_settle(&options, &error);
  if (status != PPROFC_OK) return command_misused(&trend_table, &parsed, error.message);
  bool worse = false;
  status = trend_all(&options, argv[parsed.rest], &worse, &error);
  if (status != PPROFC_OK) return command_fail(error.message);
  return options.fail && worse ? EXIT_REGRESSED : EXIT_PASSED;
}
