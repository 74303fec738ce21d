/* Decides if the reader may add up samples while it reads a source. */
#ifndef PPROFC_TOOLS_FOLDING_H
#define PPROFC_TOOLS_FOLDING_H

#include "open.h"
#include "options.h"

/* True if the report needs only sums of samples. Sets the data that the report needs. A program
 * that combines two profiles distinguishes them by labels, and the reader must then keep the
 * labels. */
bool folding_of(const struct command *command, struct open_sums *sums);

#endif
