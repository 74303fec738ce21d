/* Numbers of benchmark JSON, exact. */
#include "bench/json_number.h"

#include "bench/number.h"

#include <math.h>
#include <stdio.h>

bool node_number(const struct node *node, int exponent, double *value) {
  if (!node || node->kind != NODE_NUMBER) return false;
  double number;
  if (exponent == 0) {
    if (number_parse(node->text, &number) != NUMBER_OK || !isfinite(number)) return false;
    *value = number;
    return true;
  }
  /* the digits with another exponent: exact, unlike a multiplication by 1e-9 */
  char text[128];
  size_t e = str_find_char(node->text, 'e');
  if (e == node->text.size) e = str_find_char(node->text, 'E');
  int64_t own = 0;
  pprofc_str spelled = str_slice(node->text, e + 1, node->text.size);
  if (e < node->text.size && !str_parse_int(spelled, 10, &own)) return false;
  if (e > 100 || own > 1000 || own < -1000) return false;
  int size = snprintf(text, sizeof text, "%.*se%d", (int)e, node->text.data, (int)own + exponent);
  if (number_parse((pprofc_str){text, (size_t)size}, &number) != NUMBER_OK || !isfinite(number))
    return false;
  *value = number;
  return true;
}

int64_t node_count(const struct node *node, const char *name, int64_t otherwise) {
  double value;
  if (!node_number(node_get(node, name), 0, &value) || value < 0 || value > 9e15) return otherwise;
  return (int64_t)value;
}
