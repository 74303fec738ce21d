/* `pprofci capture`: sets of profiles of one server or two, kept in memory until all are there. */
#ifndef PPROFCI_CAPTURE_CAPTURE_H
#define PPROFCI_CAPTURE_CAPTURE_H

#include "common/flags.h"
#include "pprofc/profile.h"
#include "remote/remote.h"

enum { CAPTURE_BASE, CAPTURE_HEAD, CAPTURE_SIDES };

struct capture_options {
  const char *out;
  const char *servers[CAPTURE_SIDES]; /* addresses of net/http/pprof; "": none */
  const char *runs[CAPTURE_SIDES];    /* commands that start them */
  const char *load;                   /* a command that runs meanwhile */
  const char *kinds;
  int64_t count, warmup, interval, seconds, wait, settle;
  const char *pyroscope;
  const char *queries[CAPTURE_SIDES]; /* label selectors */
  const char *from, *until;
};

pprofc_status capture_options_read(struct capture_options *options, int argc, char **argv,
                                   struct flags_parsed *parsed, pprofc_error *error);

/* One profile. */
struct capture_item {
  pprofc_profile *profile; /* NULL: missing */
  int side;
  size_t kind, round; /* rounds from 0, those of the warm-up first */
  bool warmup;
};

struct capture {
  const struct capture_options *options;
  struct remote_client remote;
  bool kinds[REMOTE_KINDS];
  bool missing[CAPTURE_SIDES][REMOTE_KINDS]; /* the server does not have it */
  struct capture_item *items;
  size_t count, capacity;
};

/* Takes a profile over. */
pprofc_status capture_add(struct capture *capture, const struct capture_item *item,
                          pprofc_error *error);

/* Profiles of servers, in turns, while the programs and the load of the options run. */
pprofc_status capture_servers(struct capture *capture, pprofc_error *error);

/* Merged profiles of the slices of a time, from Pyroscope. */
pprofc_status capture_queries(struct capture *capture, pprofc_error *error);

/* Writes the folder, which appears when everything is in it. */
pprofc_status capture_check_out(const char *folder, pprofc_error *error);
pprofc_status capture_write(const struct capture *capture, pprofc_error *error);

/* ---- programs ---------------------------------------- */

/* Starts a command of the shell in a process group of its own; its output goes to standard error.
 * A signal that ends this program ends its programs first. */
pprofc_status processes_start(const char *command, const char *side, const char *address,
                              pprofc_error *error);
/* PPROFC_E_IO when one of the first `count` programs has ended. */
pprofc_status processes_check(size_t count, pprofc_error *error);
/* Ends all but the first ones, with SIGTERM and after three seconds with SIGKILL. */
void processes_stop(size_t first);

extern const char *const capture_sides[CAPTURE_SIDES]; /* "base", "head" */

#endif
