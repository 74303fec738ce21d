/* A caller that was compiled when the option structs had fewer fields: it allocates just those, so
 * that a library that reads more of them reads freed memory or a guard. And a caller that did not
 * fill the structs at all. */
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

/* The first `size` bytes of a struct, followed by bytes that are no valid option. */
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

int main(int argc, char **argv) {
  pprofc_profile *profile;
  if (argc < 2) return 1;
  profile = read_profile(argv[1]);
  report(profile);
  compare();
  pprofc_profile_release(profile);
  puts("2 samples, last 30");
  return 0;
}
