/* Compares names for renames. */
#include "verdict/similar.h"

#define SIMILAR_SHARE 0.5 /* minimum share of the longer name */

pprofc_str name_package(pprofc_str name) {
  size_t slash = 0, end = 0;
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] == '/') slash = i + 1;
  for (size_t i = slash; i < name.size && name.data[i] != '(' && name.data[i] != '<'; i++) {
    if (name.data[i] == ':' && i && name.data[i - 1] == ':') end = i - 1;
    if (name.data[i] == '.' && !end) end = i;
  }
  return str_slice(name, 0, end);
}

static bool names_of_runtime(pprofc_str package) {
  return str_equal(package, STR("runtime")) || str_starts(package, STR("runtime/"));
}

bool names_similar(pprofc_str a, pprofc_str b) {
  pprofc_str of_a = name_package(a), of_b = name_package(b);
  if (names_of_runtime(of_a) != names_of_runtime(of_b)) return false;
  if (of_a.size && str_equal(of_a, of_b)) return true;
  size_t least = a.size < b.size ? a.size : b.size, most = a.size + b.size - least;
  size_t start = 0, end = 0;
  while (start < least && a.data[start] == b.data[start]) start++;
  while (start + end < least && a.data[a.size - 1 - end] == b.data[b.size - 1 - end]) end++;
  return (double)(start + end) >= SIMILAR_SHARE * (double)most;
}
