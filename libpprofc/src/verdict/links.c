/* Decides which functions are probably the same code. Cost usually moves to a caller or a callee,
 * within a type, or from a function that vanishes to a function that appears. */
#include "verdict/name_parts.h"
#include "verdict/relations.h"

/* True if at least one of the two functions is only in base or only in head. */
static bool links_replaced(const struct relations *r, uint32_t a, uint32_t b) {
  return relations_one_sided(r, a) || relations_one_sided(r, b);
}

/* True if both are copies, closures or fragments that the compiler made from one function. */
static bool links_same_stem(const struct candidate *a, const struct candidate *b) {
  return (a->parts.generated || b->parts.generated) && a->parts.last.size &&
         str_equal(a->parts.last, b->parts.last) && a->type == b->type &&
         str_equal(a->parts.package, b->parts.package);
}

/* True if both functions are in one package. C has no packages; two C functions must have similar
 * names, or each must be missing on a side. */
static bool links_same_package(const struct relations *r, uint32_t a, uint32_t b) {
  const struct candidate *x = &r->candidates[a], *y = &r->candidates[b];
  if (!str_equal(x->parts.package, y->parts.package)) return false;
  if (x->parts.package.size) return true;
  return (relations_one_sided(r, a) && relations_one_sided(r, b)) ||
         names_similar(relations_row(r, a)->name, relations_row(r, b)->name);
}

/* True if one function calls the other, or both belong to a type with at most half of all cost. */
static bool links_close(const struct relations *r, uint32_t a, uint32_t b) {
  const struct candidate *x = &r->candidates[a], *y = &r->candidates[b];
  if (relations_calls(r, a, b) || relations_calls(r, b, a)) return true;
  return x->type && x->type == y->type && !x->wide;
}

bool relations_linked(const struct relations *r, uint32_t a, uint32_t b) {
  const struct candidate *x = &r->candidates[a], *y = &r->candidates[b];
  if (x->partner == b || links_close(r, a, b)) return true;
  bool replaced = links_replaced(r, a, b);
  bool file = x->file.size && str_equal(x->file, y->file);
  if (replaced && (file || links_same_stem(x, y))) return true;
  if (!relations_share_caller(r, a, b)) return false;
  return file || (replaced && links_same_package(r, a, b));
}
