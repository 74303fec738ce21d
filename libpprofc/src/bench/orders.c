/* Orders projected values by a part of their text. */
#include "bench/orders.h"

#include "bench/number.h"

#include <math.h>

/* Returns the factor of the prefix of magnitude at the start of s: ([kKMGTPEZY]i?)? */
static double prefix_factor(pprofc_str s) {
  static const char prefixes[] = "KMGTPEZY";
  if (!s.size || !s.data[0]) return 1;
  const char *found = strchr(prefixes, s.data[0] == 'k' ? 'K' : s.data[0]);
  if (!found) return 1;
  bool binary = s.size > 1 && s.data[1] == 'i';
  return pow(binary ? 1024 : 1000, (double)(found - prefixes + 1));
}

static bool is_number_part(char c) {
  return c == '.' || (c >= '0' && c <= '9');
}

/* Finds the first run of digits and points in s and multiplies it by the prefix of magnitude
 * after it. */
static bool find_number(pprofc_str s, double *out) {
  size_t from = 0;
  while (from < s.size && !is_number_part(s.data[from])) from++;
  size_t to = from;
  while (to < s.size && is_number_part(s.data[to])) to++;
  double value;
  if (number_parse(str_slice(s, from, to), &value) != NUMBER_OK) return false;
  *out = value * prefix_factor(str_slice(s, to, s.size));
  return true;
}

static bool as_number(pprofc_str s, double *out) {
  return number_parse(s, out) == NUMBER_OK || find_number(s, out);
}

int orders_compare_numbers(pprofc_str a, pprofc_str b) {
  double x = 0, y = 0;
  bool x_is = as_number(a, &x), y_is = as_number(b, &y);
  if (!x_is || !y_is) return (int)y_is - (int)x_is;
  if (x < y || (!isnan(x) && isnan(y))) return -1;
  return x > y || (isnan(x) && !isnan(y));
}
