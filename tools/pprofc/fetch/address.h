/* From a source of the command line to the request that gets it. */
#ifndef PPROFC_TOOLS_FETCH_ADDRESS_H
#define PPROFC_TOOLS_FETCH_ADDRESS_H

#include "fetch/url.h"

/* What a source asks for. */
struct address {
  struct url url;
  pprofc_str shown;   /* the URL without a password, ends with NUL */
  int64_t seconds;    /* how long the server collects; 0: not known */
  bool asked_seconds; /* by -seconds, not by the URL */
  int64_t limit_ms;   /* for the whole exchange */
};

/* Takes a source for a URL as pprof does: "http://" is put in front of what has no host, and an
 * empty path becomes that of Go's CPU profile. -seconds and -timeout (0 and less: not given) go
 * into the query and the limit. PPROFC_E_FORMAT when the source is no URL. */
pprofc_status address_parse(struct arena *arena, pprofc_str source, int64_t seconds,
                            int64_t timeout, struct address *address);

/* Whether a source begins with "scheme://". */
bool address_has_scheme(pprofc_str source);

/* The place beside a profile's where its server names addresses. */
pprofc_status address_of_symbols(struct arena *arena, const struct url *profile, struct url *url);

/* Whether a source is a URL that names a file of this machine ("file:///tmp/x.pb.gz"), and which;
 * false when it is not. The path ends with NUL. */
bool address_file(struct arena *arena, pprofc_str source, const char **path);

/* Seconds as Go prints a duration: "1m30s". */
const char *address_duration(int64_t seconds, char out[48]);

#endif
