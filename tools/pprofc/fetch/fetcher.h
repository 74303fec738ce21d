/* The sources of a run that come over HTTP: which they are, fetching them at once, and what the
 * server is asked later. */
#ifndef PPROFC_TOOLS_FETCH_FETCHER_H
#define PPROFC_TOOLS_FETCH_FETCHER_H

#include "fetch/address.h"
#include "fetch/client.h"
#include "fetch/symbols.h"
#include "options.h"

/* A source, taken apart. */
struct remote {
  struct address address;
  struct exchange exchange;
};

struct fetcher {
  const struct command *command;
  struct arena arena;
  struct headers headers;
  struct client *client; /* NULL until there is a source for it */
  struct symbols symbols;
  bool fetched; /* a profile came over HTTP */
};

void fetcher_init(struct fetcher *fetcher, const struct command *command);
void fetcher_free(struct fetcher *fetcher);

/* Whether a source is fetched: then *remote is what to fetch, else NULL. *path is the file to read
 * (the source itself, or what a file: URL names), *shown the source without a password. All live as
 * long as the fetcher. */
pprofc_status fetcher_classify(struct fetcher *fetcher, const char *source, struct remote **remote,
                               const char **path, const char **shown, pprofc_error *error);

/* Fetches all of them at the same time; every one has its reply or its error afterwards. */
pprofc_status fetcher_run(struct fetcher *fetcher, struct remote *const *remotes, size_t count,
                          pprofc_error *error);

/* Reads the profile in a reply. `shown` is what messages call the source. Gives the reply's memory
 * back. May run on any thread. */
pprofc_status fetcher_read(struct remote *remote, const char *shown,
                           const pprofc_read_options *options, pprofc_profile **profile,
                           pprofc_error *error);

/* Opens the client when it is not: the headers of the command line are read then. */
pprofc_status fetcher_open(struct fetcher *fetcher, pprofc_error *error);

#endif
