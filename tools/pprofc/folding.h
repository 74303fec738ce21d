/* Which samples of a source may be added up while it is read. */
#ifndef PPROFC_TOOLS_FOLDING_H
#define PPROFC_TOOLS_FOLDING_H

#include "options.h"

/* What the report of a command needs of the samples. Where those of two profiles meet, those with
 * equal labels become one: then labels can be spared only by what shows nothing but sums of values.
 */
pprofc_folding folding_of(const struct command *command);

#endif
