/* Measures how much a mistyped name differs from a known name, so that messages can suggest the
 * known name. */
#include "core/misspelling.h"

#define NAME_MAX_COMPARED 48

/* Returns the edit distance of a and b. Swapping two neighbouring letters counts as one edit. */
static size_t distance(pprofc_str a, pprofc_str b) {
  size_t rows[3][NAME_MAX_COMPARED + 1];
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= b.size; j++) last[j] = j;
  for (size_t i = 1; i <= a.size; i++) {
    now[0] = i;
    for (size_t j = 1; j <= b.size; j++) {
      bool same = a.data[i - 1] == b.data[j - 1];
      size_t best = last[j - 1] + !same;
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swapped =
          i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1];
      if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      now[j] = best;
    }
    size_t *free_row = before;
    before = last;
    last = now;
    now = free_row;
  }
  return last[b.size];
}

size_t misspelling_cost(pprofc_str name, pprofc_str known) {
  if (!name.size || name.size > NAME_MAX_COMPARED || known.size > NAME_MAX_COMPARED)
    return SIZE_MAX;
  if (name.size >= 3 && str_starts(known, name)) return 1;
  size_t shorter = known.size < name.size ? known.size : name.size;
  size_t longer = known.size + name.size - shorter, most = (shorter + 2) / 4;
  if (longer - shorter > most) return SIZE_MAX;
  size_t cost = distance(name, known);
  return cost > most ? SIZE_MAX : cost;
}
