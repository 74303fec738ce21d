/* What the driver does to the mappings of a profile, beside symbolization. */
#ifndef PPROFC_TOOLS_MAPPINGS_H
#define PPROFC_TOOLS_MAPPINGS_H

#include "core/str.h"
#include "pprofc/profile.h"

/* Takes the file name off every mapping without build id whose name is a URL: it only said where
 * the profile came from. As in pprof, that means any name with a scheme, so "C:\prog.exe" goes too.
 * Replaces *profile. */
pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error);

/* Names every mapping that has neither file nor build id by the URL that the profile came from, so
 * that merging tells the programs of different servers apart. `url` has no password. Replaces
 * *profile. */
pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error);

#endif
