/* Fetches the sources of a run that are read over HTTP: classifies them, fetches them in parallel,
 * and requests symbols later. */
#ifndef PPROFC_TOOLS_FETCH_FETCHER_H
#define PPROFC_TOOLS_FETCH_FETCHER_H

#include "core/map.h"
#include "fetch/address.h"
#include "http/client.h"
#include "options.h"
#include "symbolize/symbolize.h"

/* The server of the mappings with one build id or file: the source of the first profile with
 * it. */
struct symbol_place {
  const struct url *profile;
  uint64_t start;
};

struct symbol_places {
  struct interner keys; /* build ids and files, as keys of the places */
  struct symbol_place *items;
  size_t count, capacity;
};

/* Servers of a run. Servers of heads have precedence over servers of the base. */
struct symbols {
  struct arena *arena;
  struct client *client;
  int64_t limit_ms;
  struct symbol_places head, base;
  struct url current; /* address for symbols of the server found last */
  pprofc_str failed;  /* address that failed; it gets no further requests */
  struct symbolize_server server;
};

/* Records the server of the mappings of a profile. `profile_url` must live as long as the
 * symbols. */
pprofc_status symbols_note(struct symbols *symbols, const pprofc_profile *profile, bool base,
                           const struct url *profile_url);

/* A source that is read over HTTP, parsed. */
struct remote {
  struct address address;
  struct exchange exchange;
};

struct fetcher {
  const struct command *command;
  struct arena arena;
  struct headers headers;
  struct client *client; /* client for all requests; NULL until the first source needs it */
  struct symbols symbols;
  bool fetched; /* true if a profile was read over HTTP */
};

void fetcher_init(struct fetcher *fetcher, const struct command *command);
void fetcher_free(struct fetcher *fetcher);

/* Classifies a source. *remote is the request if it must be fetched, else NULL. *path is the
 * file to read (the source, or the path of a file: URL), *shown the source without a password.
 * All live as long as the fetcher. */
pprofc_status fetcher_classify(struct fetcher *fetcher, const char *source, struct remote **remote,
                               const char **path, const char **shown, pprofc_error *error);

/* Fetches all remotes at the same time. Afterwards each has its reply or its error. */
pprofc_status fetcher_run(struct fetcher *fetcher, struct remote *const *remotes, size_t count,
                          pprofc_error *error);

/* Reads the profile in a reply and frees the reply. `shown` is the name of the source in
 * messages. May run on any thread. */
pprofc_status fetcher_read(struct remote *remote, const char *shown,
                           const pprofc_read_options *options, pprofc_profile **profile,
                           pprofc_error *error);

#endif
