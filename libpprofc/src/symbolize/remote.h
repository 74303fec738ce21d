/* Requests names for addresses from the server of a profile. */
#ifndef PPROFC_SYMBOLIZE_REMOTE_H
#define PPROFC_SYMBOLIZE_REMOTE_H

#include "symbolize/symbolize.h"

/* Adds the names that options->server has for addresses: with `force` in all mappings, otherwise in
 * mappings without functions. If a request fails, warns and leaves the mapping unchanged. `profile`
 * must be a copy made by profile_edit, because the function changes it. */
pprofc_status remote_symbolize(pprofc_profile *profile, const struct symbolize_options *options,
                               bool force, pprofc_error *error);

/* Removes the next address and its name from a reply. Skips lines that lack an address or a name,
 * and a last line without a line feed. Returns false at the end. */
bool remote_next_symbol(pprofc_str *reply, uint64_t *address, pprofc_str *name);

#endif
