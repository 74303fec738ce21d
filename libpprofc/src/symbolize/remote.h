/* Requests names for addresses from the server of a profile. */
#ifndef PPROFC_SYMBOLIZE_REMOTE_H
#define PPROFC_SYMBOLIZE_REMOTE_H

#include "symbolize/symbolize.h"

/* Sends addresses to options->server: with `force` the addresses of all mappings, otherwise of the
 * mappings without functions. If the server fails, prints a warning and changes nothing. `profile`
 * is a private copy made by profile_edit, so it may change. */
pprofc_status remote_symbolize(pprofc_profile *profile, const struct symbolize_options *options,
                               bool force, pprofc_error *error);

/* Takes the next address and its name from a reply. Skips lines that lack an address or a name, and
 * a last line without a line feed. Returns false at the end. */
bool remote_next_symbol(pprofc_str *reply, uint64_t *address, pprofc_str *name);

#endif
