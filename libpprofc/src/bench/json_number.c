/* Reads numbers of benchmark JSON without rounding errors. */
#include "bench/json_number.h"

#include "bench/number.h"

#include <math.h>
#include <stdio.h>

static bool parse_finite(pprofc_str text, double *value) {
  double number;
  if (number_parse(text, &number) != NUMBER_OK || !isfinite(number)) return false;
  *value = number;
  return true;
}

/* Parses the digits with a shifted exponent, which is exact; a multiplication by 1e-9 is not. */
static bool parse_shifted(pprofc_str number, int shift, double *value) {
  char text[128];
  size_t e = str_find_char(number, 'e');
  if (e == number.size) e = str_find_char(number, 'E');
  int64_t exponent = 0;
  pprofc_str digits = str_slice(number, e + 1, number.size);
  if (e < number.size && !str_parse_int(digits, 10, &exponent)) return false;
  if (e > 100 || exponent > 1000 || exponent < -1000) return false;
  int size = snprintf(text, sizeof text, "%.*se%d", (int)e, number.data, (int)exponent + shift);
  return parse_finite((pprofc_str){text, (size_t)size}, value);
}

bool node_number(const struct node *node, int exponent, double *value) {
  if (!node || node->kind != NODE_NUMBER) return false;
  return exponent ? parse_shifted(node->text, exponent, value) : parse_finite(node->text, value);
}

int64_t node_count(const struct node *node, const char *name, int64_t otherwise) {
  double value;
  if (!node_number(node_get(node, name), 0, &value) || value < 0 || value > 9e15) return otherwise;
  return (int64_t)value;
}
