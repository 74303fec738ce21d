/* Collects profiles of one or two servers. Keeps the profiles in memory until all have arrived. */
#ifndef PPROFCI_CAPTURE_CAPTURE_H
#define PPROFCI_CAPTURE_CAPTURE_H

#include "pprofc/profile.h"
#include "remote/remote.h"
#include "run/run.h"

struct capture_options {
  const char *out;
  const char *servers[SIDES]; /* addresses of net/http/pprof of base and head, or "" */
  const char *runs[SIDES];    /* commands that start the servers of base and head, or "" */
  const char *load;           /* command that runs during the capture */
  const char *kinds;
  int64_t count, warmup, interval, seconds, wait, settle;
  const char *pyroscope;
  const char *queries[SIDES]; /* label selectors of Pyroscope for base and head, or "" */
  const char *from, *until;
};

struct capture_item {
  pprofc_profile *profile; /* captured profile; NULL if the profile is missing */
  int side;
  /* index of the profile type (CPU, heap ...), and index of the round; both start at 0, and the
   * warm-up rounds come first */
  size_t kind, round;
  bool warmup;
};

struct capture {
  const struct capture_options *options;
  struct remote_client remote;
  bool kinds[REMOTE_KINDS];
  bool missing[SIDES][REMOTE_KINDS]; /* true if the server lacks this profile type */
  struct capture_item *items;
  size_t count, capacity;
};

/* Adds a profile and takes ownership of it. */
void capture_add(struct capture *capture, struct capture_item item);

/* Starts the servers and the load. Takes profiles of base and of head alternately. */
void capture_servers(struct capture *capture);
void capture_queries(struct capture *capture);

/* Writes the profiles into a temporary folder, and renames the folder when it is complete. */
void capture_write(const struct capture *capture);

#endif
