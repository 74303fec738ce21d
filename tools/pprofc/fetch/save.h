/* Saves a copy of a fetched profile. */
#ifndef PPROFC_TOOLS_FETCH_SAVE_H
#define PPROFC_TOOLS_FETCH_SAVE_H

#include "pprofc/profile.h"

/* Saves the profile under the next free number, and prints the path or a failure. */
void save_copy(const pprofc_profile *profile);

#endif
