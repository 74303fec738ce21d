/* Implements `pprofci trend`: shows benchmarks or functions over commits, and their changes. */
#include "commands.h"
#include "gate/gate.h"
#include "page/model.h"
#include "run/files.h"
#include "trend/trend.h"

struct trend_options {
  struct trend_query query;
  const char *threshold, *svg, *html, *issue, *title;
  int64_t window, least;
  double alpha;
  bool json, fail;
  uint64_t brief_bytes;
};

#define FIELD(name) offsetof(struct trend_options, name)

static const struct flag_group groups[] = {
    {"Series", NULL}, {"Change points", NULL}, {"Output", NULL}};

static const struct flag flags[] = {
    FLAG(STRING, 0, "bench", query.bench, "GLOB", "*",
         "list only benchmarks that match this pattern"),
    FLAG(STRING, 0, "unit", query.unit, "GLOB", "*",
         "list only results in units that match this pattern, such as sec/op or B/op"),
    FLAG(STRING, 0, "function", query.function, "GLOB", NULL,
         "show how the cost of matching functions changed, instead of benchmark results. The cost "
         "is a share of the profile's total"),
    SWITCH(0, "cum", query.cum,
           "with -function: add the cost of callees to the cost of a function"),
    FLAG(STRING, 0, "kind", query.kind, "GLOB", "cpu",
         "with -function: kind of the profiles to read, such as cpu or heap"),
    FLAG(STRING, 0, "branch", query.branch, "GLOB", NULL,
         "read only runs of branches that match this pattern; default: the branch with the most "
         "runs"),
    FLAG(STRING, 0, "commits", query.commits, "FILE", NULL,
         "file with commit ids in order, one per line, as git rev-list --reverse prints them. The "
         "command ignores runs of other commits"),
    FLAG(STRING, 1, "threshold", threshold, "PERCENT", "1",
         "smallest change to report, in percent"),
    FLAG(FLOAT, 1, "alpha", alpha, "P", "0.001",
         "significance level of the t-test that decides if a commit is a change point"),
    FLAG(INT, 1, "window", window, "N", "50",
         "number of values in each window of a series in which the command searches for change "
         "points, 4 to 500"),
    FLAG(INT, 1, "least", least, "N", "5",
         "minimum number of values before and after a change point"),
    SWITCH(1, "fail", fail,
           "exit with 2 if a benchmark got worse within its last 2 x N values. N is the value of "
           "-least"),
    SWITCH(2, "json", json, "print all values and change points as JSON"),
    COMMAND_BUDGET(2),
    FLAG(STRING, 2, "svg", svg, "FILE", NULL, "write an SVG chart of each benchmark that changed"),
    FLAG(STRING, 2, "html", html, "FILE", NULL,
         "write an HTML page with a chart of each benchmark, in one file"),
    FLAG(STRING, 2, "issue", issue, "FILE", NULL,
         "write the text of an issue for `pprofci publish -issue`. It lists the benchmarks that "
         "got worse, as in -fail. If there are no such benchmarks, the file is empty"),
    FLAG(STRING, 2, "commit-url", query.commit_url, "URL", NULL,
         "address of a commit, for links on the page; {} means the commit's id. By default, the "
         "links lead to the host of the current git repository, if this repository has the newest "
         "commit"),
    FLAG(STRING, 2, "page-url", query.page_url, "URL", NULL,
         "address of the run of a commit, for links on the page; {} means the commit's id"),
    FLAG(STRING, 2, "title", title, "TEXT", "Benchmarks over commits", "title of the page"),
};

static const char *const usage[] = {"[flags] STORE", NULL};

static const char *const details[] = {
    "Prints the change points of each benchmark, the newest first. A change point is a commit at "
    "which the values changed lastingly. A row has this commit, the size of the change with a 95 % "
    "interval, and the means before and after it. share/doc/pprofc/HISTORY.md explains the method "
    "and its limits.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci trend -html trend.html history", "a page of all benchmarks"},
    {"pprofci trend -bench 'Count*' -unit sec/op history", "one benchmark"},
    {"pprofci trend -function runtime.mallocgc -cum history", "a function"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "printed; there may be change points"},
    {"1", "failed"},
    {"2", "with -fail: a benchmark got worse within the last runs"},
    {NULL, NULL}};

const struct flag_table trend_table = {
    FLAG_TABLE("pprofci trend", "finds the commits that changed a benchmark"),
    .examples = examples};

/* True if the address is empty, or contains "{}" as the placeholder for a commit id. */
static bool trend_is_url(const char *url) {
  pprofc_str text = str_of(url);
  bool web = str_starts(text, STR("https://")) || str_starts(text, STR("http://"));
  return !*url || (web && str_find(text, STR("{}")) < text.size);
}

static void trend_check(void *options, const struct command_line *line) {
  struct trend_options *o = options;
  (void)line;
  if (!gate_parse_percent(str_of(o->threshold), &o->query.threshold))
    ci_fail("-threshold: '%s' is not a percentage", o->threshold);
  if (!(o->alpha > 0) || o->alpha >= 1) ci_fail("-alpha must be above 0 and below 1");
  if (o->query.cum && !*o->query.function) ci_fail("-cum needs -function");
  if (!trend_is_url(o->query.commit_url) || !trend_is_url(o->query.page_url))
    ci_fail("-commit-url and -page-url must be like https://example.com/{}");
  if (o->window < 4 || o->window > STEPS_WINDOW_MAX)
    ci_fail("-window must be from 4 to %d", STEPS_WINDOW_MAX);
  if (o->least < 1 || o->least > o->window / 2) ci_fail("-least must be from 1 to half of -window");
  steps_defaults(&o->query.steps);
  o->query.steps.window = (size_t)o->window;
  o->query.steps.least = (size_t)o->least;
  o->query.steps.alpha = o->alpha;
}

/* Saves the text if `path` is not empty, and clears the text. */
static void trend_save(const char *path, struct buffer *text) {
  if (*path) ci_need(save_text(path, buffer_str(text), &ci_error));
  buffer_clear(text);
}

/* Sets the URL of commits if the git repository in the current folder contains the newest commit.
 * If it does not, the store may belong to another repository, so links would be wrong. */
static void trend_find_commits(struct trend_view *trend, struct trend_options *o) {
  struct trend_query *query = &o->query;
  struct identity identity;
  bool linked = *o->html || *o->issue;
  if (!linked || *query->commit_url || !trend->past.run_count) return;
  pprofc_str id = trend->past.runs[trend->past.run_count - 1].place.commit;
  const char *object = text_printf(&trend->arena, "%.*s^{commit}", STR_ARG(id));
  if (!text_is_of(id, TEXT_HEX) ||
      !*GIT_LINE(&trend->arena, "rev-parse", "--verify", "--quiet", object))
    return;
  identity_find(&identity, &trend->arena);
  if (*identity.commits) query->commit_url = text_printf(&trend->arena, "%s{}", identity.commits);
}

static void trend_write(struct trend_options *o, struct trend_view *trend, struct backing *backing,
                        struct output *out) {
  struct buffer text = ci_buffer();
  if (*o->svg) trend_print_svg(&text, trend);
  trend_save(o->svg, &text);
  trend_find_commits(trend, o);
  if (*o->html) trend_print_page(&text, trend, backing, &o->query, o->title);
  trend_save(o->html, &text);
  if (*o->issue) trend_print_issue(&text, trend, &o->query);
  trend_save(o->issue, &text);
  buffer_free(&text);
  if (o->json)
    trend_print_json(out, trend);
  else
    trend_print_table(out, trend);
}

static int trend_print_all(void *options, const struct command_line *line) {
  struct trend_options *o = options;
  struct backing backing;
  struct trend_view trend;
  backing_open(&backing, line->words[0], false);
  trend_make(&trend, &backing, &o->query);
  int code = o->fail && trend_got_worse(&trend, &o->query) ? EXIT_REGRESSED : EXIT_PASSED;
  trend_write(o, &trend, &backing, line->out);
  trend_free(&trend);
  backing_close(&backing);
  return code;
}

COMMAND(trend, struct trend_options, COMMAND_STORE, trend_check, trend_print_all, true);
