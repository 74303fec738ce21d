/* Orders of the values of a projection that look into the text. */
#include "bench/orders.h"

#include "bench/number.h"

#include <math.h>

/* The first run of digits and points anywhere in s, and the prefix of magnitude behind it:
 * ([0-9.]+)([kKMGTPEZY]i?)?[bB]? */
static bool find_number(pprofc_str s, double *out) {
  static const char prefixes[] = "KMGTPEZY";
  size_t from = 0;
  while (from < s.size && !(s.data[from] == '.' || (s.data[from] >= '0' && s.data[from] <= '9')))
    from++;
  size_t to = from;
  while (to < s.size && (s.data[to] == '.' || (s.data[to] >= '0' && s.data[to] <= '9'))) to++;
  double value;
  if (from == to || number_parse(str_slice(s, from, to), &value) != NUMBER_OK) return false;
  char prefix = to < s.size ? s.data[to] : '\0';
  const char *found = prefix ? strchr(prefixes, prefix == 'k' ? 'K' : prefix) : NULL;
  bool binary = found && to + 1 < s.size && s.data[to + 1] == 'i';
  *out = found ? value * pow(binary ? 1024 : 1000, (double)(found - prefixes + 1)) : value;
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
