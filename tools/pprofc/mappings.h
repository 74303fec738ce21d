/* Changes the mappings of a profile, except by symbolization. */
#ifndef PPROFC_TOOLS_MAPPINGS_H
#define PPROFC_TOOLS_MAPPINGS_H

#include "core/str.h"
#include "pprofc/profile.h"

/* Removes the file name of each mapping that has no build ID and a URL as its name. The URL was
 * only the name of the profile's server. As in pprof, a name with a scheme is a URL, even
 * "C:\prog.exe". Replaces *profile. */
pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error);

/* Sets the file of each mapping without file and build ID to the URL of the profile. So a merge
 * does not mix programs of different servers. `url` has no password. Replaces *profile. */
pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error);

#endif
