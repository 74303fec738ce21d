/* Tests cancellation and progress. A call that is cancelled at any time must return an error, leak
 * no memory, and leave the profile usable. */
#include "faults.h"
#include "pprofc/pprofc.h"
#include "report_text.h"
#include "unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Progress callback that returns true `left` times, then false. Checks that the progress never
 * decreases. */
struct watcher {
  size_t left, asked;
  uint64_t done, total; /* progress in the last call */
  size_t steps;
  bool wrong;
};

static bool watch(void *context, uint64_t done, uint64_t total) {
  struct watcher *w = context;
  if (total != w->total || done < w->done) w->steps++;
  if (done > total) w->wrong = true;
  w->done = done;
  w->total = total;
  w->asked++;
  return w->left && w->left--;
}

/* Runs a call several times. A progress callback cancels the call at its progress report 0, 1, 3, 7
 * ..., until the call succeeds. */
typedef pprofc_status watched_fn(struct watcher *watcher, const pprofc_allocator *mem,
                                 pprofc_error *error);

static struct watcher cancel_each(watched_fn *run) {
  for (size_t left = 0;; left = 2 * left + 1) {
    struct faults faults = {.fail_at = SIZE_MAX};
    pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
    struct watcher watcher = {.left = left};
    pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
    pprofc_status status = run(&watcher, &mem, &error);
    CU_ASSERT_EQUAL(faults.live, 0);
    CU_ASSERT(!watcher.wrong);
    if (watcher.asked <= left) {
      CU_ASSERT_EQUAL(status, PPROFC_OK);
      return watcher;
    }
    CU_ASSERT_EQUAL(status, PPROFC_E_CANCELLED);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "the caller cancelled the call"));
  }
}

/* ---- reading ----------------------------------------- */

static const char *input;

static pprofc_status read_input(const pprofc_allocator *mem, struct watcher *watcher,
                                pprofc_profile **profile, pprofc_error *error) {
  char path[512];
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.allocator = mem;
  options.threads = 1;
  if (watcher) options.progress = watch;
  options.progress_context = watcher;
  snprintf(path, sizeof path, "%s/%s", TESTDATA, input);
  return pprofc_profile_read_file(path, &options, profile, error);
}

static pprofc_status read_watched(struct watcher *watcher, const pprofc_allocator *mem,
                                  pprofc_error *error) {
  pprofc_profile *profile = NULL;
  pprofc_status status = read_input(mem, watcher, &profile, error);
  CU_ASSERT_EQUAL(status == PPROFC_OK, profile != NULL);
  pprofc_profile_release(profile);
  return status;
}

TEST(test_reading_is_cancelled_at_any_moment) {
  static const char *const inputs[] = {"generator_cpu.prof", "imports/calls.callgrind.out",
                                       "imports/calls.perf.txt", "imports/calls.jfr.gz"};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    input = inputs[i];
    struct watcher watcher = cancel_each(read_watched);
    CU_ASSERT(watcher.asked > 3);
  }
}

static pprofc_status read_two_watched(struct watcher *watcher, const pprofc_allocator *mem,
                                      pprofc_error *error) {
  char path[512];
  pprofc_profile *profile = NULL;
  pprofc_read_options read;
  pprofc_sources_options options;
  snprintf(path, sizeof path, "%s/generator_cpu.prof", TESTDATA);
  const char *const paths[] = {path, path};
  pprofc_read_options_init(&read);
  read.allocator = mem;
  read.threads = 1;
  read.progress = watch;
  read.progress_context = watcher;
  pprofc_sources_options_init(&options);
  options.read = &read;
  options.bases = paths;
  options.base_count = 1;
  pprofc_status status = pprofc_sources_read(paths, 2, &options, &profile, error);
  CU_ASSERT_EQUAL(status == PPROFC_OK, profile != NULL);
  pprofc_profile_release(profile);
  return status;
}

TEST(test_reading_of_several_sources_is_cancelled_at_any_moment) {
  struct watcher watcher = cancel_each(read_two_watched);
  CU_ASSERT(watcher.asked > 9);
}

/* Reading a gzip'd profile goes over its bytes twice. At the end, done must equal total. */
TEST(test_reading_counts_its_work) {
  input = "generator_cpu.prof";
  struct watcher watcher = cancel_each(read_watched);
  CU_ASSERT(watcher.total > 0);
  CU_ASSERT_EQUAL(watcher.done, watcher.total);
  CU_ASSERT(watcher.steps <= 3);
}

/* The size of a pipe is unknown, so done and total are 0 until the profile is decompressed. */
TEST(test_reading_a_pipe_counts_nothing_of_it) {
  char from[512], path[] = "/tmp/test_progress.XXXXXX", data[4096];
  struct watcher watcher = {.left = SIZE_MAX};
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_read_options_init(&options);
  options.progress = watch;
  options.progress_context = &watcher;
  snprintf(from, sizeof from, "%s/generator_cpu.prof", TESTDATA);
  CU_ASSERT_FATAL(mkdtemp(path) && rmdir(path) == 0 && mkfifo(path, 0600) == 0);
  pid_t child = fork();
  if (child == 0) {
    int in = open(from, O_RDONLY), out = open(path, O_WRONLY);
    ssize_t got;
    while ((got = read(in, data, sizeof data)) > 0 && write(out, data, (size_t)got) == got) {
    }
    _exit(0);
  }
  CU_ASSERT_EQUAL(pprofc_profile_read_file(path, &options, &profile, NULL), PPROFC_OK);
  CU_ASSERT(watcher.asked > 0 && !watcher.wrong);
  CU_ASSERT(waitpid(child, &(int){0}, 0) == child);
  unlink(path);
  pprofc_profile_release(profile);
}

TEST(test_a_profile_that_was_read_is_watched_no_longer) {
  struct watcher watcher = {.left = SIZE_MAX};
  pprofc_profile *profile = NULL;
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX);
  input = "generator_cpu.prof";
  CU_ASSERT_EQUAL_FATAL(read_input(NULL, &watcher, &profile, NULL), PPROFC_OK);
  size_t asked = watcher.asked;
  CU_ASSERT_EQUAL(pprofc_report(profile, NULL, buffer_write, &text, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(watcher.asked, asked);
  buffer_free(&text);
  pprofc_profile_release(profile);
}

/* ---- calls on a watched profile ---------------------- */

typedef pprofc_status use_fn(const pprofc_profile *profile, pprofc_error *error);

static use_fn *use;
static const char *format;

static pprofc_status use_watched(struct watcher *watcher, const pprofc_allocator *mem,
                                 pprofc_error *error) {
  pprofc_profile *profile, *watched;
  pprofc_status status = read_input(mem, NULL, &profile, error);
  if (status) return status;
  status = pprofc_profile_watch(profile, watch, watcher, &watched, error);
  CU_ASSERT_EQUAL_FATAL(status, PPROFC_OK);
  status = use(watched, error);
  pprofc_profile_release(watched);
  if (status) CU_ASSERT_EQUAL(use(profile, NULL), PPROFC_OK);
  pprofc_profile_release(profile);
  return status;
}

static int discard(void *context, const void *data, size_t size) {
  (void)context, (void)data, (void)size;
  return 0;
}

static pprofc_status use_report(const pprofc_profile *profile, pprofc_error *error) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  options.focus = "e";
  return pprofc_report(profile, &options, discard, NULL, error);
}

TEST(test_each_report_is_cancelled_at_any_moment) {
  const pprofc_format_info *info;
  input = "generator_optimized_cpu.prof";
  use = use_report;
  for (size_t i = 0; (info = pprofc_format_at(i)); i++) {
    if (info->argument || info->graphviz) continue;
    format = info->name;
    cancel_each(use_watched);
  }
}

static pprofc_status use_merge(const pprofc_profile *profile, pprofc_error *error) {
  const pprofc_profile *both[] = {profile, profile};
  pprofc_profile *made = NULL;
  pprofc_status status = pprofc_merge(both, 2, &made, error);
  pprofc_profile_release(made);
  return status;
}

static pprofc_status use_diff(const pprofc_profile *profile, pprofc_error *error) {
  pprofc_profile *made = NULL;
  pprofc_status status = pprofc_diff(profile, profile, PPROFC_COMPARE, true, &made, error);
  pprofc_profile_release(made);
  return status;
}

static pprofc_status use_graph(const pprofc_profile *profile, pprofc_error *error) {
  pprofc_graph *graph = NULL;
  pprofc_status status = pprofc_graph_new(profile, NULL, &graph, error);
  pprofc_graph_free(graph);
  return status;
}

static pprofc_status use_aggregate(const pprofc_profile *profile, pprofc_error *error) {
  pprofc_profile *made = NULL;
  pprofc_status status = pprofc_aggregate(profile, NULL, &made, error);
  pprofc_profile_release(made);
  return status;
}

static pprofc_status use_write(const pprofc_profile *profile, pprofc_error *error) {
  return pprofc_profile_write(profile, discard, NULL, error);
}

static pprofc_status use_symbolize(const pprofc_profile *profile, pprofc_error *error) {
  pprofc_profile *made = NULL;
  pprofc_symbolize_options options;
  pprofc_symbolize_options_init(&options);
  options.mode = "none";
  pprofc_status status = pprofc_symbolize(profile, &options, &made, error);
  pprofc_profile_release(made);
  return status;
}

static pprofc_status use_verdicts(const pprofc_profile *profile, pprofc_error *error) {
  const pprofc_verdict_run base = {.profile = profile}, head = {.profile = profile};
  pprofc_verdicts *verdicts = NULL;
  pprofc_status status = pprofc_verdicts_new(&base, 1, &head, 1, NULL, &verdicts, error);
  pprofc_verdicts_free(verdicts);
  return status;
}

TEST(test_other_calls_are_cancelled_at_any_moment) {
  static use_fn *const uses[] = {use_merge, use_diff,      use_graph,   use_aggregate,
                                 use_write, use_symbolize, use_verdicts};
  input = "generator_cpu.prof";
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    use = uses[i];
    cancel_each(use_watched);
  }
}
