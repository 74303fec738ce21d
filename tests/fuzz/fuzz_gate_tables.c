/* Reads any bytes as a comparison table, judges the table and prints the verdict in every
 * format. */
#include "fuzz.h"

#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"

#define TEXT_MAX 100000

static const char *const formats[] = {"text", "github", "markdown", "json", "junit", "gitlab"};

/* Prints the verdict in each format. Each output must be complete: it ends with the last line of
 * the text, and the exit status is one of four. */
static void print_all(const struct gate *gate) {
  struct buffer totals;
  buffer_init(&totals, &mem_default, 1 << 10);
  gate_print_totals(&totals, gate);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const struct gate_format *format = gate_format_find(str_of(formats[i]));
    struct buffer out;
    buffer_init(&out, &mem_default, (size_t)1 << 30);
    REQUIRE(format);
    format->print(&out, gate, true);
    REQUIRE(!out.failed);
    if (format->totals_inside) REQUIRE(str_ends(buffer_str(&out), buffer_str(&totals)));
    if (format->print == gate_print_markdown) REQUIRE(out.size <= 60000);
    buffer_free(&out);
  }
  buffer_free(&totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct gate gate;
  if (size > TEXT_MAX) return 0;
  gate_init(&gate, &mem_default);
  pprofc_str text = {(const char *)data, size};
  REQUIRE(gate_read_tables(&gate, STR("input"), text, NULL) == PPROFC_OK);
  REQUIRE(gate_judge(&gate, "2026-11-20", NULL) == PPROFC_OK);
  int status = gate_exit_status(&gate);
  REQUIRE(status >= 0 && status <= 2);
  REQUIRE(status != 0 || gate.compared + gate.missing > 0);
  print_all(&gate);
  gate_free(&gate);
  return 0;
}
