/* Splits the name of a function into package, type and last part. Compares names that one function
 * may have before and after a rename. */
#ifndef PPROFC_VERDICT_NAME_PARTS_H
#define PPROFC_VERDICT_NAME_PARTS_H

#include "core/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Parts of a name. They point into the name, and exclude arguments and the suffixes that compilers
 * add to closures and copies. */
struct name_parts {
  pprofc_str package; /* "old/enc" in "old/enc.(*Writer).flush.func1"; "" without a package */
  pprofc_str type;    /* package and type, "old/enc.(*Writer)"; "" for a plain function */
  pprofc_str last;    /* last part of the name: "flush" */
  bool generated;     /* true if the name had a part that a compiler generated */
};

struct name_parts name_split(pprofc_str name);

/* Returns a hash of the type. In Go, "(*T)" and "T" have the same hash. Returns 0 for a name
 * without a type. */
uint64_t name_type_key(const struct name_parts *parts);

/* Returns the package, module or namespace at the start of a name: "encoding/json" for
 * "encoding/json.Marshal", "std" for "std::sort". Returns "" if the name has no package. */
pprofc_str name_package(pprofc_str name);

/* True if two names are similar. They are in one package, or they share a start and an end that are
 * at least half of the longer name. A function of Go's runtime is never similar to a function
 * outside the runtime. */
bool names_similar(pprofc_str a, pprofc_str b);

#endif
