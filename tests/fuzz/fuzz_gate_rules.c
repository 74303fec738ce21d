/* Reads any bytes as the gate's rules file. Each error must name a line and a column. */
#include "fuzz.h"

#include "gate/gate.h"

#define TEXT_MAX 100000

/* True if a message has the form "rules:LINE:COLUMN: ...". */
static bool names_a_place(pprofc_str message) {
  pprofc_str file, line, column;
  uint64_t numbers[2];
  return str_next(&message, ':', &file) && str_equal(file, STR("rules")) &&
         str_next(&message, ':', &line) && str_parse_uint(line, 10, &numbers[0]) &&
         str_next(&message, ':', &column) && str_parse_uint(column, 10, &numbers[1]) &&
         numbers[0] > 0 && numbers[1] > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct gate gate;
  pprofc_error error = {PPROFC_OK, 0, ""};
  if (size > TEXT_MAX) return 0;
  gate_init(&gate, &mem_default);
  pprofc_status status =
      gate_read_rules(&gate, STR("rules"), (pprofc_str){(const char *)data, size}, &error);
  if (status == PPROFC_OK) {
    REQUIRE(gate.settings.threshold >= 0);
    REQUIRE(gate.settings.alpha >= 0 && gate.settings.alpha <= 1);
    for (size_t i = 0; i < gate.settings.rule_count; i++) REQUIRE(gate.settings.rules[i].line > 0);
  } else if (status == PPROFC_E_FORMAT) {
    REQUIRE(names_a_place(str_of(error.message)));
  } else {
    REQUIRE(status == PPROFC_E_UNSUPPORTED);
  }
  gate_free(&gate);
  return 0;
}
