/* Reads any bytes as results of base and head, split at the first line of dashes. Compares base and
 * head by each test. */
#include "fuzz.h"

#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"

#include <math.h>

#define TEXT_MAX 20000

static void check_rows(const struct gate *gate) {
  size_t count;
  const struct gate_row *rows = gate_rows(gate, &count);
  for (size_t i = 0; i < count; i++) {
    REQUIRE(rows[i].p >= 0 && rows[i].p <= 1);
    REQUIRE(rows[i].adjusted >= 0 && rows[i].adjusted <= 1);
    REQUIRE(isnan(rows[i].delta) == !(isfinite(rows[i].base) && isfinite(rows[i].head)));
    REQUIRE(isnan(rows[i].low) == isnan(rows[i].high));
    if (!isnan(rows[i].low)) REQUIRE(rows[i].low <= rows[i].high);
  }
}

static void compare(pprofc_str base, pprofc_str head, pprofc_gate_test test) {
  struct gate gate;
  pprofc_bench *set = pprofc_bench_new(NULL);
  REQUIRE(set);
  gate_init(&gate, &mem_default);
  gate.settings.test = test;
  if (pprofc_bench_read(set, "base", "base", base.data, base.size, NULL) == PPROFC_OK &&
      pprofc_bench_read(set, "head", "head", head.data, head.size, NULL) == PPROFC_OK) {
    REQUIRE(gate_read_raw(&gate, set, NULL) == PPROFC_OK);
    REQUIRE(gate_judge(&gate, "2026-11-20", NULL) == PPROFC_OK);
    check_rows(&gate);
  }
  gate_free(&gate);
  pprofc_bench_free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size || size > TEXT_MAX) return 0;
  pprofc_str text = {(const char *)data, size};
  size_t cut = str_find(text, STR("---\n"));
  pprofc_str base = str_slice(text, 0, cut), head = str_slice(text, cut + 4, size);
  if (cut == size) head = base;
  for (int test = PPROFC_GATE_BOTH; test <= PPROFC_GATE_NONE; test++)
    compare(base, head, (pprofc_gate_test)test);
  return 0;
}
