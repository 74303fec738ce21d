/* Splits a function's name into package, type and last part. Compares possible renames. */
#ifndef PPROFC_VERDICT_NAME_PARTS_H
#define PPROFC_VERDICT_NAME_PARTS_H

#include "core/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Parts of a name, pointing into it, without arguments and compilers' suffixes. */
struct name_parts {
  pprofc_str package; /* "old/enc" in "old/enc.(*Writer).flush.func1"; "" without a package */
  pprofc_str type;    /* package and type, "old/enc.(*Writer)"; "" for a plain function */
  pprofc_str last;    /* last part of the name: "flush" */
  bool generated;     /* true if the name had a part that a compiler generated */
};

struct name_parts name_split(pprofc_str name);

/* Returns a hash of the type, equal for "(*T)" and "T" in Go, 0 without a type. */
uint64_t name_type_key(const struct name_parts *parts);

/* Returns the package, module or namespace at the start of a name: "encoding/json" for
 * "encoding/json.Marshal", "std" for "std::sort". Returns "" if the name has no package. */
pprofc_str name_package(pprofc_str name);

/* True if two names are in one package, or share a start and end of at least half of the longer
 * one. A function of Go's runtime is never similar to one outside. */
bool names_similar(pprofc_str a, pprofc_str b);

#endif
