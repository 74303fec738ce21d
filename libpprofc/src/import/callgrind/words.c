/* Splits callgrind's lines into words and parses numbers. */
#include "import/callgrind/reader.h"

#define SURE_DIGITS 18u /* number of decimal digits that always fit 64 bits */

bool callgrind_number(pprofc_str s, uint64_t *out) {
  uint64_t number = 0;
  size_t n = 0;
  while (n < s.size && n < SURE_DIGITS && s.data[n] >= '0' && s.data[n] <= '9')
    number = number * 10 + (uint64_t)(s.data[n++] - '0');
  if (n && n == s.size) {
    *out = number;
    return true;
  }
  if (str_starts(s, STR("0x"))) return str_parse_uint(str_slice(s, 2, s.size), 16, out);
  return s.size && s.data[0] >= '0' && s.data[0] <= '9' && str_parse_uint(s, 10, out);
}

bool callgrind_relative(pprofc_str s, uint64_t last, uint64_t *out) {
  uint64_t number;
  if (str_equal(s, STR("*"))) {
    *out = last;
    return true;
  }
  bool more = str_starts(s, STR("+")), less = str_starts(s, STR("-"));
  if (more || less) s = str_slice(s, 1, s.size);
  if (!callgrind_number(s, &number)) return false;
  if (less) number = 0 - number;
  *out = more || less ? last + number : number;
  return true;
}
