/* Splits the name of a function into package, type and last part, and compares names that may
 * belong to one function before and after a rename. */
#ifndef PPROFC_VERDICT_NAME_PARTS_H
#define PPROFC_VERDICT_NAME_PARTS_H

#include "core/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Parts of a name. They are slices of it, without arguments and without what compilers add to
 * closures and copies of a function. */
struct name_parts {
  pprofc_str package; /* package: "old/enc" of "old/enc.(*Writer).flush.func1"; "" without one */
  pprofc_str type;    /* package and type, "old/enc.(*Writer)"; "" for a plain function */
  pprofc_str last;    /* last part: "flush" */
  bool generated;     /* true if a generated part was removed */
};

struct name_parts name_split(pprofc_str name);

/* Returns a hash that is equal for equal types. In Go, "(*T)" and "T" are the same type. Returns 0
 * for a name without a type. */
uint64_t name_type_key(const struct name_parts *parts);

/* Returns the package, module or namespace at the start of a name: "encoding/json" of
 * "encoding/json.Marshal", "std" of "std::sort"; "" if it has no such part. */
pprofc_str name_package(pprofc_str name);

/* True if both names have one package, or if their common start and common end make up at least
 * half of the longer name. A function of Go's runtime is never similar to a function outside it. */
bool names_similar(pprofc_str a, pprofc_str b);

#endif
