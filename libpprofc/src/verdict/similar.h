/* Compares names that may belong to one function before and after a rename. */
#ifndef PPROFC_VERDICT_SIMILAR_H
#define PPROFC_VERDICT_SIMILAR_H

#include "core/str.h"

#include <stdbool.h>

/* Returns the part of a name that says where the function belongs: "encoding/json" of
 * "encoding/json.Marshal", "std" of "std::sort"; "" without such a part. */
pprofc_str name_package(pprofc_str name);

/* True if both names have one package, or if the start and the end that they share make up at least
 * half of the longer name. A function of Go's runtime and another function are never similar. */
bool names_similar(pprofc_str a, pprofc_str b);

#endif
