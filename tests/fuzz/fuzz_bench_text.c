/* Reads any bytes as benchmark results of any format, compares the results with themselves, and
 * prints the table in every format. */
#include "fuzz.h"

#include "core/buffer.h"
#include "pprofc/bench.h"

#define TEXT_MAX 100000

static void print_all(const pprofc_bench_tables *tables) {
  static const char *const formats[] = {"text", "csv", "markdown", "json", "html"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    struct buffer out;
    buffer_init(&out, &mem_default, (size_t)1 << 30);
    REQUIRE(pprofc_bench_print(tables, formats[i], buffer_write, &out, buffer_write, &out, NULL) ==
            PPROFC_OK);
    buffer_free(&out);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > TEXT_MAX) return 0;
  pprofc_bench *set = pprofc_bench_new(NULL);
  pprofc_error error;
  REQUIRE(set);
  pprofc_status status = pprofc_bench_read(set, "old", "old", data, size, &error);
  REQUIRE(status == PPROFC_OK || error.message[0]);
  if (status == PPROFC_OK) status = pprofc_bench_read(set, "new", "new", data, size, &error);
  if (status == PPROFC_OK) {
    pprofc_bench_options options;
    pprofc_bench_tables *tables;
    pprofc_bench_options_init(&options);
    options.test = size % 2 ? PPROFC_BENCH_TTEST : PPROFC_BENCH_UTEST;
    if (pprofc_bench_compare(set, &options, &tables, &error) == PPROFC_OK) {
      print_all(tables);
      pprofc_bench_tables_free(tables);
    }
  }
  pprofc_bench_free(set);
  return 0;
}
