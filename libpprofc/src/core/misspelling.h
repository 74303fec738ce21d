/* Measures how much a mistyped name differs from a known name, so that messages can suggest the
 * known name. */
#ifndef PPROFC_CORE_MISSPELLING_H
#define PPROFC_CORE_MISSPELLING_H

#include "core/str.h"

/* Returns the number of wrong letters if `name` is a misspelling of `known`, else SIZE_MAX. Up to a
 * quarter of the letters may be wrong. A prefix of a long name is a misspelling as well. The
 * function does not compare names of more than 48 bytes. */
size_t misspelling_cost(pprofc_str name, pprofc_str known);

#endif
