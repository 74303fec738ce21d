/* Uses any bytes as a filter and as projections of a small set of results. The output must be a
 * table, or an error with a caret at its position, and the same each time. The first line of the
 * input is the filter; the next lines are table, row, column and ignore. */
#include "fuzz.h"

#include "core/str.h"
#include "pprofc/bench.h"

#define TEXT_MAX 4096

static const char results[] =
    "goos: linux\npkg: a\nBenchmarkX/size=1-8 1 10 ns/op 3 B/op\n"
    "BenchmarkX/size=2-8 1 20 ns/op 4 B/op\npkg: b\nBenchmarkY 1 5 MB/s\n";

static pprofc_status compare(const pprofc_bench *set, const pprofc_bench_options *options,
                             pprofc_error *error) {
  pprofc_bench_tables *tables;
  pprofc_status status = pprofc_bench_compare(set, options, &tables, error);
  if (status == PPROFC_OK) pprofc_bench_tables_free(tables);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[TEXT_MAX + 1];
  if (size > TEXT_MAX) return 0;
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  pprofc_bench_options options;
  pprofc_bench_options_init(&options);
  const char **fields[] = {&options.filter, &options.table, &options.row, &options.col,
                           &options.ignore};
  char *at = text;
  for (size_t i = 0; i < sizeof fields / sizeof *fields && at; i++) {
    char *end = strchr(at, '\n');
    if (end) *end = '\0';
    if (*at) *fields[i] = at;
    at = end ? end + 1 : NULL;
  }
  pprofc_bench *set = pprofc_bench_new(NULL);
  REQUIRE(set && pprofc_bench_read(set, "x", "x", results, sizeof results - 1, NULL) == PPROFC_OK);
  pprofc_error first, second;
  pprofc_status status = compare(set, &options, &first);
  REQUIRE(compare(set, &options, &second) == status);
  REQUIRE(status == PPROFC_OK || (first.message[0] && strcmp(first.message, second.message) == 0));
  pprofc_bench_free(set);
  return 0;
}
