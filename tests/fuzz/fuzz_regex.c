/* Compiles the first line of any bytes as a regular expression, and matches the rest. The
 * expression must be accepted, or rejected with a message like Go's. A second match must have the
 * same result, and no step may take long. */
#include "fuzz.h"

#include "core/str.h"
#include "regex/regex.h"

#define PATTERN_MAX 300
#define TEXT_MAX    2000

static void check_refusal(pprofc_status status, const pprofc_error *error) {
  REQUIRE(status == error->status);
  if (status == PPROFC_E_INVALID)
    REQUIRE(str_starts(str_of(error->message), STR("error parsing regexp: ")));
  else
    REQUIRE(status == PPROFC_E_UNSUPPORTED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pprofc_str rest = {(const char *)data, size}, pattern = {NULL, 0};
  if (!size || !str_next(&rest, '\n', &pattern)) return 0;
  if (pattern.size > PATTERN_MAX || rest.size > TEXT_MAX) return 0;
  if (!rest.data) rest = STR("");
  struct regex *regex = NULL;
  pprofc_error error = {PPROFC_OK, 0, ""};
  pprofc_status status = regex_compile(&mem_default, pattern, &regex, &error);
  if (status != PPROFC_OK) {
    REQUIRE(!regex);
    check_refusal(status, &error);
    return 0;
  }
  bool match = regex_match(regex, rest);
  REQUIRE(regex_tripped(regex) || regex_match(regex, rest) == match || regex_tripped(regex));
  regex_free(regex);
  return 0;
}
