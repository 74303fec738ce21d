/* Keeping a copy of what was fetched. */
#ifndef PPROFC_TOOLS_FETCH_SAVE_H
#define PPROFC_TOOLS_FETCH_SAVE_H

#include "pprofc/profile.h"

/* Writes the profile into the folder of saved profiles under the next free number, and says where.
 * What cannot be done is told on standard error and is no failure. */
void save_copy(const pprofc_profile *profile);

#endif
