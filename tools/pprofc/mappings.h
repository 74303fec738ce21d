/* What the driver does to the mappings of a profile, beside symbolization. */
#ifndef PPROFC_TOOLS_MAPPINGS_H
#define PPROFC_TOOLS_MAPPINGS_H

#include "pprofc/profile.h"

/* Takes the file name off every mapping without build id whose name is a URL: it only said where
 * the profile came from. As in pprof, that means any name with a scheme, so "C:\prog.exe" goes too.
 * Replaces *profile. */
pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error);

#endif
