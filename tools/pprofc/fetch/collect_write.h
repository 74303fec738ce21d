/* Writing what -collect fetched: the folder appears when everything is in it. */
#ifndef PPROFC_TOOLS_FETCH_COLLECT_WRITE_H
#define PPROFC_TOOLS_FETCH_COLLECT_WRITE_H

#include "fetch/fetcher.h"

#define COLLECT_KINDS 5

/* One profile of a server. */
struct collect_item {
  const char *kind;
  struct remote *remote;
  pprofc_profile *profile; /* NULL: missing, or failed */
  bool missing;            /* the server does not have it */
};

struct collect_server {
  const char *shown;   /* as typed, without a password */
  const char *address; /* the folder of its profiles */
  struct url url;      /* the same, whole */
  int64_t seconds;     /* of the CPU profile */
  char name[160];      /* in front of its files: "api-1_6060.", or "" */
  bool failed;         /* nothing of it is written */
  struct collect_item items[COLLECT_KINDS];
};

/* The folder may be new or empty. */
pprofc_status collect_check_folder(const char *folder, pprofc_error *error);

/* Writes the profiles of the servers that did not fail, and manifest.json. `start` is when fetching
 * began, in seconds since 1970. */
pprofc_status collect_write(const char *folder, const struct collect_server *servers, size_t count,
                            int64_t start, pprofc_error *error);

#endif
