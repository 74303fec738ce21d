/* Reads any bytes as rules of -noise, and applies the rules to a few functions. */
#include "fuzz.h"
#include "verdict/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"main.main", "runtime.mallocgc", "", "a\nb", "\xff"};
  struct rules rules;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  const pprofc_str text = {(const char *)data, size};
  pprofc_status status = rules_init(&rules, &mem_default, "rules.json", text, &error);
  REQUIRE(status == PPROFC_OK || error.message[0]);
  for (size_t i = 0; status == PPROFC_OK && i < sizeof names / sizeof *names; i++) {
    rules_flags(&rules, str_of(names[i]));
    rules_accept(&rules, str_of(names[i]), STR("2027-01-31"));
  }
  rules_free(&rules);
  return 0;
}
