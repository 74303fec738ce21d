/* Converts a source of the command line to the URL of a request. */
#ifndef PPROFC_TOOLS_FETCH_ADDRESS_H
#define PPROFC_TOOLS_FETCH_ADDRESS_H

#include "http/url.h"

struct address {
  struct url url;
  pprofc_str shown;   /* URL without its password, NUL-terminated */
  int64_t seconds;    /* seconds during which the server records; 0 if unknown */
  bool asked_seconds; /* true if -seconds sets `seconds`; false if the URL sets it */
  int64_t limit_ms;   /* time limit of the whole request, in milliseconds */
};

/* Parses a source as a URL, like pprof. Adds "http://" if the source has no host. An empty path
 * becomes the path of Go's CPU profile. `seconds` and `timeout` are the values of -seconds and
 * -timeout, or at most 0 if not given. Returns PPROFC_E_FORMAT if the source is not a URL. */
pprofc_status address_parse(struct arena *arena, pprofc_str source, int64_t seconds,
                            int64_t timeout, struct address *address);

/* True if a source begins with "scheme://". */
bool address_has_scheme(pprofc_str source);

/* Creates the URL at which a profile's server translates addresses to names. */
pprofc_status address_of_symbols(struct arena *arena, const struct url *profile, struct url *url);

/* True for the URL of a local file ("file:///x.pb.gz"). Sets *path, NUL-terminated. */
bool address_file(struct arena *arena, pprofc_str source, const char **path);

/* Formats seconds as Go formats durations: "1m30s". */
const char *address_duration(int64_t seconds, char out[48]);

#endif
