/* Writes the profiles that -collect fetched. The folder appears once it is complete. */
#ifndef PPROFC_TOOLS_FETCH_COLLECT_WRITE_H
#define PPROFC_TOOLS_FETCH_COLLECT_WRITE_H

#include "fetch/fetcher.h"

#define COLLECT_KINDS 5

/* One profile of a server. */
struct collect_item {
  const char *kind;
  struct remote *remote;
  pprofc_profile *profile; /* NULL if missing or failed */
  bool missing;            /* true if the server does not have the profile */
};

struct collect_server {
  const char *shown;   /* address on the command line, without a password */
  const char *address; /* URL of the folder of its profiles */
  struct url url;      /* parsed address */
  int64_t seconds;     /* seconds, length of the CPU profile */
  char name[160];      /* prefix of the file names: "api-1_6060.", or "" */
  bool failed;         /* true if no file of the server is written */
  struct collect_item items[COLLECT_KINDS];
};

/* Writes the profiles of the servers that did not fail, and manifest.json. `start` is the time of
 * the first request, in seconds since 1970. */
pprofc_status collect_write(const char *folder, const struct collect_server *servers, size_t count,
                            int64_t start, pprofc_error *error);

#endif
