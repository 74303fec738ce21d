/* Requests to servers that have or take profiles. Tokens come from the environment, and no message
 * shows them. */
#ifndef PPROFCI_REMOTE_REMOTE_H
#define PPROFCI_REMOTE_REMOTE_H

#include "fetch/client.h"

/* One kind of profile: what net/http/pprof and Pyroscope call it. */
struct remote_kind {
  const char *name;    /* "heap" */
  const char *go_path; /* "heap?gc=1" */
  bool takes_time;     /* the server collects for -seconds */
  const char *metric;  /* of Pyroscope, the label __name__: "memory" */
  const char *type;    /* a profile type: "memory:inuse_space:bytes:space:bytes" */
  const char *sample;  /* a sample type by which such a profile is known: "inuse_space" */
};

#define REMOTE_KINDS   5
#define REMOTE_SECRETS 8 /* more are refused */
extern const struct remote_kind remote_kinds[REMOTE_KINDS];

struct remote_client {
  struct arena arena;
  struct headers headers;
  pprofc_limits limits;
  struct client *client;
  const char *secrets[REMOTE_SECRETS];
  size_t secret_count;
  bool opened, is_pyroscope;
};

/* `type` is the Content-Type of bodies, or NULL. `is_pyroscope`: the token and the tenant of the
 * environment are for it. To be closed, also after an error. */
pprofc_status remote_open(struct remote_client *remote, const char *type, bool is_pyroscope,
                          pprofc_error *error);
void remote_close(struct remote_client *remote);

/* Adds a header to all requests. `where` is what messages call it. A secret is in no message. */
pprofc_status remote_add(struct remote_client *remote, const char *name, const char *value,
                         const char *where, pprofc_error *error);
pprofc_status remote_add_secret(struct remote_client *remote, const char *secret,
                                pprofc_error *error);
bool remote_tells_secret(const struct remote_client *remote, pprofc_str text);

/* Takes the address of a server: without user and password, and https where a token would go over
 * the network. `path` is put behind it. */
pprofc_status remote_address(struct remote_client *remote, const char *server, const char *path,
                             struct url *url, pprofc_error *error);

/* Sends a POST, again where the server was busy or not there, four times at most. The reply is the
 * caller's to free when it is PPROFC_OK. `shown` is what messages call the server. */
pprofc_status remote_post(struct remote_client *remote, const struct url *url, pprofc_str body,
                          int64_t limit_ms, struct reply *reply, const char *shown,
                          pprofc_error *error);

/* What the server said, into an error that has its status: the message of JSON, or a line of text;
 * nothing that holds the token. */
void remote_explain(const struct remote_client *remote, const struct exchange *exchange,
                    const char *shown, pprofc_error *error);

#endif
