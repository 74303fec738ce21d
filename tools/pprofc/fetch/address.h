/* Converts a source of the command line to a request. */
#ifndef PPROFC_TOOLS_FETCH_ADDRESS_H
#define PPROFC_TOOLS_FETCH_ADDRESS_H

#include "http/url.h"

/* The request of a source. */
struct address {
  struct url url;
  pprofc_str shown;   /* URL without the password, NUL-terminated */
  int64_t seconds;    /* seconds that the server collects; 0 if unknown */
  bool asked_seconds; /* true if the seconds come from -seconds, not from the URL */
  int64_t limit_ms;   /* limit of the whole exchange, in milliseconds */
};

/* Parses a source as a URL like pprof: a source without a host gets "http://" in front, and an
 * empty path becomes the path of Go's CPU profile. -seconds and -timeout (0 or less: not
 * given) set the query and the limit. PPROFC_E_FORMAT if the source is not a URL. */
pprofc_status address_parse(struct arena *arena, pprofc_str source, int64_t seconds,
                            int64_t timeout, struct address *address);

/* True if a source begins with "scheme://". */
bool address_has_scheme(pprofc_str source);

/* Makes the URL next to a profile's URL at which the server translates addresses to names. */
pprofc_status address_of_symbols(struct arena *arena, const struct url *profile, struct url *url);

/* True if a source is a URL of a local file ("file:///tmp/x.pb.gz"). *path is then the
 * NUL-terminated path of the file. */
bool address_file(struct arena *arena, pprofc_str source, const char **path);

/* Formats seconds like a duration of Go: "1m30s". */
const char *address_duration(int64_t seconds, char out[48]);

#endif
