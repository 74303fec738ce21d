/* Saves a copy of a fetched profile. */
#ifndef PPROFC_TOOLS_FETCH_SAVE_H
#define PPROFC_TOOLS_FETCH_SAVE_H

#include "pprofc/profile.h"

/* Writes the profile to the folder of saved profiles under the next free number, and prints the
 * path. On failure, only prints a message. */
void save_copy(const pprofc_profile *profile);

#endif
