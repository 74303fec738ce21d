/* Changes the mappings of a profile. Symbolization is elsewhere. */
#ifndef PPROFC_TOOLS_MAPPINGS_H
#define PPROFC_TOOLS_MAPPINGS_H

#include "core/str.h"
#include "pprofc/profile.h"

/* Removes file names that are URLs from mappings without a build ID, because a URL names the server
 * and not a file. As in pprof, any name with a scheme is a URL, even "C:\prog.exe". */
pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error);

/* Sets the file of each mapping that has no file and no build ID. The file becomes the URL of the
 * profile, so that a merge keeps programs of different servers apart. `url` has no password.
 * Replaces *profile. */
pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error);

#endif
