/* Fetches the sources that are URLs. Later requests function names from the servers of the
 * profiles. */
#ifndef PPROFC_TOOLS_FETCH_FETCHER_H
#define PPROFC_TOOLS_FETCH_FETCHER_H

#include "http/client.h"
#include "open.h"
#include "pprofc/profile.h"
#include "recordings.h"
#include "symbolize/symbolize.h"

/* ---- addresses (address.c) ------------------------ */

struct address {
  struct url url;
  pprofc_str shown;   /* URL without its password, NUL-terminated */
  int64_t seconds;    /* seconds during which the server records; 0 if unknown */
  bool asked_seconds; /* true if -seconds sets `seconds`; false if the URL sets it */
  int64_t limit_ms;   /* time limit of the whole request, in milliseconds */
};

/* Parses a source as a URL, like pprof. Adds "http://" if the source has no host. An empty path
 * becomes the path of Go's CPU profile. `seconds` and `timeout` are the values of -seconds and
 * -timeout; 0 or less: not given. Returns PPROFC_E_FORMAT if the source is not a URL. */
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

/* ---- contents ------------------------------------- */

/* Returns a message about a text that is not a profile, such as "this is a web page; ...". Returns
 * NULL if the message of the profile reader is better. */
const char *content_explain(pprofc_str text);

/* True if the text is a web page, a trace or another text that is not a profile. Its lines may look
 * like folded stacks, so the caller must not read them as a profile. */
bool content_is_no_profile(pprofc_str text);

/* ---- requests (fetcher.c, save.c, collect.c) ------ */

/* Source of a mapping's symbols: URL of the first profile that has the mapping, and start address
 * of the mapping. */
struct symbol_place {
  const struct url *profile;
  uint64_t start;
};

struct symbol_places {
  struct interner keys; /* build id of each mapping, or its file name if it has no build id */
  struct symbol_place *items;
  size_t count, capacity;
};

/* Servers that translate addresses to names. Servers of the head profile have priority over servers
 * of the base. */
struct symbols {
  struct arena *arena;
  struct client *client;
  int64_t limit_ms;
  struct symbol_places places[2]; /* servers of the head, and of the base */
  struct url current;             /* URL of the last symbol request */
  /* URL of the last failed symbol request; the client does not use this URL again */
  pprofc_str failed;
  struct symbolize_server server;
};

/* Stores `profile_url` as the URL of the server that knows the symbols of the profile's mappings.
 * The caller keeps `profile_url` valid. */
pprofc_status symbols_note(struct symbols *symbols, const pprofc_profile *profile, bool base,
                           const struct url *profile_url);

struct remote {
  struct address address;
  struct exchange exchange;
};

struct fetcher {
  const struct command *command;
  struct arena arena;
  struct headers headers;
  struct client *client; /* client for all requests; NULL until the first URL */
  struct symbols symbols;
  bool fetched; /* true if at least one profile was fetched */
};

void fetcher_init(struct fetcher *fetcher, const struct command *command);
void fetcher_free(struct fetcher *fetcher);

/* Sets *remote to a download if the source needs one, else to NULL. Also sets file->path: to /x for
 * the source "file:///x", else to the source. The fetcher owns *remote and the path. */
pprofc_status fetcher_classify(struct fetcher *fetcher, const char *source, struct remote **remote,
                               struct file_source *file, pprofc_error *error);

/* True if a source is a URL that must be fetched. */
bool fetcher_is_remote(const char *source);

/* Fetches all remote sources in parallel. Afterwards each of them has its reply or its error. */
pprofc_status fetcher_run(struct fetcher *fetcher, struct remote *const *remotes, size_t count,
                          pprofc_error *error);

/* Reads the profile in a reply, and frees the reply. Any thread may call this function. */
pprofc_status fetcher_read(struct remote *remote, const char *shown,
                           const pprofc_read_options *options, const struct open_sums *sums,
                           pprofc_profile **profile, pprofc_error *error);

/* Writes the profile to the folder of saved profiles under the next free number, and prints the
 * path. On failure, only prints a message. */
void save_copy(const pprofc_profile *profile);

#endif
