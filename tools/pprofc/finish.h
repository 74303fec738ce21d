/* Declares the steps between reading a profile and writing the report. */
#ifndef PPROFC_TOOLS_FINISH_H
#define PPROFC_TOOLS_FINISH_H

#include "core/str.h"
#include "fetch/fetcher.h"
#include "options.h"
#include "pprofc/profile.h"

/* Sets the files of a source's mappings to binaries of this machine. */
pprofc_status finish_locate(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Symbolizes addresses, drops frames and adds the comment of -add_comment. Call it once, for
 * the combined profile. `fetcher` knows the servers that translate addresses. */
pprofc_status finish_profile(const struct fetcher *fetcher, pprofc_profile **profile,
                             pprofc_error *error);

/* Removes the file names that are URLs, of mappings without build ID. They only name servers. As in
 * pprof, any name with a scheme is a URL, even "C:\prog.exe". */
pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error);

/* Sets the missing files of mappings without build ID to `url` (without password), so that a merge
 * keeps the programs of different servers apart. Replaces *profile. */
pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error);

/* Replaces *profile by the benchmarks of -benchmark. `shown` names the source. */
pprofc_status benchmarks_select(const struct command *command, const char *shown,
                                pprofc_profile **profile, pprofc_error *error);

/* Lists several benchmarks on standard error, unless -benchmark is set. */
void benchmarks_print(const struct command *command, const pprofc_profile *profile);

#endif
