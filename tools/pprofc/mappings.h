/* Changes the mappings of a profile, except by symbolization. */
#ifndef PPROFC_TOOLS_MAPPINGS_H
#define PPROFC_TOOLS_MAPPINGS_H

#include "core/str.h"
#include "pprofc/profile.h"

/* Removes the file name of each mapping without a build id whose name is a URL: the URL only
 * named the profile's server. As in pprof, every name with a scheme is a URL, even
 * "C:\prog.exe". Replaces *profile. */
pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error);

/* Names each mapping without file and build id after the URL of the profile, so that merging
 * keeps the programs of different servers apart. `url` has no password. Replaces *profile. */
pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error);

#endif
