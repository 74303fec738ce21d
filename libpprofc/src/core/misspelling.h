/* Measures how much a mistyped name differs from a known name, so that messages can suggest the
 * known name. */
#ifndef PPROFC_CORE_MISSPELLING_H
#define PPROFC_CORE_MISSPELLING_H

#include "core/str.h"

/* If `name` is a misspelling of `known`, returns the number of wrong letters, else SIZE_MAX. Up to
 * a quarter of the letters may be wrong. A prefix of a long name also counts as a misspelling.
 * Names of more than 48 bytes are not compared. */
size_t misspelling_cost(pprofc_str name, pprofc_str known);

#endif
