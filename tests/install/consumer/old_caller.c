/* A caller that was compiled when the option structs had fewer fields. It allocates only the old
 * fields, so a library that reads more fields reads freed or protected memory. Also tests a caller
 * that did not initialize the structs. */
#include <pprofc/pprofc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return 0;
}

/* Returns the first `size` bytes of a struct, followed by bytes that are not valid as an option. */
static void *shortened(const void *whole, size_t size) {
  char *copy = malloc(size + 512);
  if (!copy) exit(1);
  memset(copy, 0x5A, size + 512);
  memcpy(copy, whole, size);
  memcpy(copy, &size, sizeof size);
  return copy;
}

static void expect(int right, const char *what) {
  if (right) return;
  printf("failed: %s\n", what);
  exit(1);
}

static pprofc_profile *read_profile(const char *path) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_profile *profile = NULL;
  pprofc_read_options whole;
  pprofc_limits limits;
  void *old, *old_limits;
  pprofc_read_options_init(&whole);
  pprofc_limits_init(&limits);
  old_limits = shortened(&limits, offsetof(pprofc_limits, inflate_ratio));
  whole.limits = old_limits;
  old = shortened(&whole, offsetof(pprofc_read_options, threads));
  expect(pprofc_profile_read_file(path, old, &profile, &error) == PPROFC_OK, error.message);
  free(old);
  free(old_limits);

  memset(&whole, 0, sizeof whole);
  {
    pprofc_profile *none = NULL;
    expect(pprofc_profile_read_file(path, &whole, &none, &error) == PPROFC_E_INVALID && !none,
           "read options of size 0");
    pprofc_read_options_init(&whole);
    memset(&limits, 0, sizeof limits);
    whole.limits = &limits;
    expect(pprofc_profile_read_file(path, &whole, &none, &error) == PPROFC_E_INVALID && !none,
           "limits of size 0");
  }
  return profile;
}

static void report(const pprofc_profile *profile) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_report_options whole;
  size_t written = 0;
  void *old;
  pprofc_report_options_init(&whole);
  whole.nodecount = 3;
  old = shortened(&whole, offsetof(pprofc_report_options, title));
  expect(pprofc_report(profile, old, count, &written, &error) == PPROFC_OK && written,
         error.message);
  free(old);
  memset(&whole, 0, sizeof whole);
  whole.format = "top";
  expect(pprofc_report(profile, &whole, count, &written, &error) == PPROFC_E_INVALID,
         "report options of size 0");
}

static void compare(void) {
  static const char text[] = "BenchmarkA 1 10 ns/op\nBenchmarkA 1 11 ns/op\n";
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_bench *set = pprofc_bench_new(NULL);
  pprofc_bench_tables *tables = NULL;
  pprofc_bench_options whole;
  pprofc_bench_classic_options classic;
  size_t written = 0;
  void *old;
  expect(set && pprofc_bench_read(set, "a", "a", text, sizeof text - 1, &error) == PPROFC_OK,
         error.message);
  pprofc_bench_options_init(&whole);
  old = shortened(&whole, offsetof(pprofc_bench_options, exact_ties));
  expect(pprofc_bench_compare(set, old, &tables, &error) == PPROFC_OK, error.message);
  pprofc_bench_tables_free(tables);
  free(old);
  memset(&whole, 0, sizeof whole);
  expect(pprofc_bench_compare(set, &whole, &tables, &error) == PPROFC_E_INVALID,
         "benchmark options of size 0");

  pprofc_bench_classic_options_init(&classic);
  old = shortened(&classic, offsetof(pprofc_bench_classic_options, allocator));
  expect(pprofc_bench_print_classic(set, old, "text", count, &written, &error) == PPROFC_OK,
         error.message);
  free(old);
  memset(&classic, 0, sizeof classic);
  expect(pprofc_bench_print_classic(set, &classic, "text", count, &written, &error) ==
             PPROFC_E_INVALID,
         "classic options of size 0");
  pprofc_bench_free(set);
}

/* Calls filters, granularity and symbolization with structs that contain only their first
 * options. */
static void edit(const pprofc_profile *profile) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_profile *out = NULL;
  pprofc_filter_options filter;
  pprofc_aggregate_options aggregate;
  pprofc_symbolize_options symbolize;
  void *old;
  pprofc_filter_options_init(&filter);
  filter.focus = "main";
  old = shortened(&filter, offsetof(pprofc_filter_options, hide));
  expect(pprofc_filter(profile, old, &out, &error) == PPROFC_OK, error.message);
  pprofc_profile_release(out);
  free(old);
  memset(&filter, 0, sizeof filter);
  expect(pprofc_filter(profile, &filter, &out, &error) == PPROFC_E_INVALID,
         "filter options of size 0");

  pprofc_aggregate_options_init(&aggregate);
  aggregate.granularity = "files";
  old = shortened(&aggregate, offsetof(pprofc_aggregate_options, noinlines));
  expect(pprofc_aggregate(profile, old, &out, &error) == PPROFC_OK, error.message);
  pprofc_profile_release(out);
  free(old);
  memset(&aggregate, 0, sizeof aggregate);
  expect(pprofc_aggregate(profile, &aggregate, &out, &error) == PPROFC_E_INVALID,
         "granularity options of size 0");

  pprofc_symbolize_options_init(&symbolize);
  symbolize.mode = "none";
  old = shortened(&symbolize, offsetof(pprofc_symbolize_options, tools));
  expect(pprofc_symbolize(profile, old, &out, &error) == PPROFC_OK, error.message);
  pprofc_profile_release(out);
  free(old);
  memset(&symbolize, 0, sizeof symbolize);
  expect(pprofc_symbolize(profile, &symbolize, &out, &error) == PPROFC_E_INVALID,
         "symbolization options of size 0");
}

static void add_up(const char *path) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_profile *sum = NULL;
  pprofc_sources_options whole;
  void *old;
  pprofc_sources_options_init(&whole);
  whole.bases = &path;
  whole.base_count = 1;
  old = shortened(&whole, offsetof(pprofc_sources_options, kind));
  expect(pprofc_sources_read(&path, 1, old, &sum, &error) == PPROFC_OK, error.message);
  pprofc_profile_release(sum);
  free(old);
  memset(&whole, 0, sizeof whole);
  expect(pprofc_sources_read(&path, 1, &whole, &sum, &error) == PPROFC_E_INVALID,
         "source options of size 0");
}

/* Calls functions that take report options: the graph, and setting options by name. Setting an
 * option must not write after the end of the struct. */
static void graph(const pprofc_profile *profile) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_report_options whole;
  pprofc_graph *made = NULL;
  size_t nodes = 0;
  unsigned char *after;
  void *old;
  pprofc_report_options_init(&whole);
  old = shortened(&whole, offsetof(pprofc_report_options, focus));
  after = (unsigned char *)old + offsetof(pprofc_report_options, focus);
  expect(pprofc_report_options_set(old, "nodecount", "3", &error) == PPROFC_OK, error.message);
  expect(pprofc_report_options_set(old, "focus", "x", &error) == PPROFC_E_INVALID,
         "an option that the caller's struct does not have");
  expect(*after == 0x5A, "an option by name wrote beyond the struct");
  expect(pprofc_graph_new(profile, old, &made, &error) == PPROFC_OK, error.message);
  expect(pprofc_graph_nodes(made, &nodes) && nodes == 3, "3 nodes");
  pprofc_graph_free(made);
  free(old);
  memset(&whole, 0, sizeof whole);
  expect(pprofc_graph_new(profile, &whole, &made, &error) == PPROFC_E_INVALID,
         "graph options of size 0");
  expect(pprofc_report_options_set(&whole, "nodecount", "3", &error) == PPROFC_E_INVALID,
         "options of size 0 by name");
}

static void judge(void) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_gate_options whole;
  pprofc_gate *gate = NULL;
  void *old;
  pprofc_gate_options_init(&whole);
  old = shortened(&whole, offsetof(pprofc_gate_options, min_samples));
  expect(pprofc_gate_new(old, &gate, &error) == PPROFC_OK, error.message);
  pprofc_gate_free(gate);
  free(old);
  old = shortened(&whole, offsetof(pprofc_gate_options, noise_from));
  expect(pprofc_gate_new(old, &gate, &error) == PPROFC_OK, error.message);
  pprofc_gate_free(gate);
  free(old);
  memset(&whole, 0, sizeof whole);
  expect(pprofc_gate_new(&whole, &gate, &error) == PPROFC_E_INVALID, "gate options of size 0");
}

static void compare_runs(const pprofc_profile *profile) {
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_verdict_options whole;
  pprofc_verdict_run run = {NULL, "run", 0, 0};
  pprofc_verdicts *verdicts = NULL;
  void *old;
  run.profile = profile;
  pprofc_verdict_options_init(&whole);
  old = shortened(&whole, offsetof(pprofc_verdict_options, no_common));
  expect(pprofc_verdicts_new(&run, 1, &run, 1, old, &verdicts, &error) == PPROFC_OK, error.message);
  pprofc_verdicts_free(verdicts);
  free(old);
  memset(&whole, 0, sizeof whole);
  expect(pprofc_verdicts_new(&run, 1, &run, 1, &whole, &verdicts, &error) == PPROFC_E_INVALID,
         "verdict options of size 0");
}

int main(int argc, char **argv) {
  pprofc_profile *profile;
  if (argc < 2) return 1;
  profile = read_profile(argv[1]);
  report(profile);
  compare();
  add_up(argv[1]);
  edit(profile);
  graph(profile);
  judge();
  compare_runs(profile);
  pprofc_profile_release(profile);
  puts("2 samples, last 30");
  return 0;
}
