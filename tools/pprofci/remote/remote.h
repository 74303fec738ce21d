/* Sends requests to servers of profiles. Tokens are from the environment, and never in messages. */
#ifndef PPROFCI_REMOTE_REMOTE_H
#define PPROFCI_REMOTE_REMOTE_H

#include "http/client.h"

/* A profile type (CPU, heap ...), with its names in net/http/pprof and Pyroscope. */
struct remote_kind {
  const char *name;    /* name of the profile type: "heap" */
  const char *go_path; /* path in net/http/pprof: "heap?gc=1" */
  bool takes_time;     /* true if the server records the profile for the time of -seconds */
  const char *metric;  /* value of Pyroscope's label __name__: "memory" */
  const char *type;    /* profile type of Pyroscope: "memory:inuse_space:bytes:space:bytes" */
  const char *sample;  /* sample type that identifies the profile type: "inuse_space" */
};

#define REMOTE_KINDS   5
#define REMOTE_SECRETS 8 /* maximum number of tokens that messages hide */
extern const struct remote_kind remote_kinds[REMOTE_KINDS];

struct remote_client {
  struct arena arena;
  struct headers headers;
  pprofc_limits limits;
  struct client *client;
  const char *secrets[REMOTE_SECRETS];
  size_t secret_count;
  bool is_pyroscope;
};

/* Opens a client. `type` is the Content-Type of bodies, or NULL. If `is_pyroscope` is true,
 * requests contain the token and the tenant (account) from the environment. The caller calls
 * remote_close. */
void remote_open(struct remote_client *remote, const char *type, bool is_pyroscope);
void remote_close(struct remote_client *remote);

/* Adds a header to all requests. Messages name the header by `where`, such as the variable
 * PYROSCOPE_TOKEN, because the value of the header may be secret. */
void remote_add(struct remote_client *remote, const char *name, const char *value,
                const char *where);
void remote_add_secret(struct remote_client *remote, const char *secret);
bool remote_has_secret(const struct remote_client *remote, pprofc_str text);

/* Appends the address of a server with a scheme, http by default, and without a '/' at its end. */
void remote_put_server(struct buffer *out, const char *server);

/* Parses an address and appends `path`. Rejects an address with a user name. Rejects an address
 * without https if a token would be sent. */
void remote_address(struct remote_client *remote, const char *server, const char *path,
                    struct url *url);

/* Sends a POST request. Tries up to four times if the server is busy or unreachable. The caller
 * frees the reply. `shown` is the name of the server in messages. */
void remote_post(struct remote_client *remote, const struct url *url, pprofc_str body,
                 int64_t limit_ms, struct reply *reply, const char *shown);

/* Ends the command with the error of a request and the server's message, which is a JSON member or
 * a line of text. Drops a message that contains the token. */
_Noreturn void remote_fail(const struct remote_client *remote, const struct exchange *exchange,
                           const char *shown);

#endif
