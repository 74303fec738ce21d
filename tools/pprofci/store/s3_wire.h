/* Sends requests to S3-compatible storage: addresses, signatures, retries and messages. */
#ifndef PPROFCI_STORE_S3_WIRE_H
#define PPROFCI_STORE_S3_WIRE_H

#include "common/sigv4.h"
#include "core/mem.h"
#include "http/request.h"

/* A bucket and its server. */
struct s3_wire {
  struct client *client;
  struct arena *arena;
  const char *bucket, *prefix; /* name of the bucket; common prefix of all keys: "PREFIX/", or "" */
  const char *scheme, *host;   /* "https", "s3.us-east-1.amazonaws.com" */
  const char *token;
  struct sigv4_scope scope;
  bool in_path; /* true if the bucket is in the path, not in the host name */
  size_t part;  /* size in bytes of a part of a multipart upload; larger files are sent in parts */
};

/* Opens the bucket of "s3://BUCKET/PREFIX". Credentials, region and server address come from the
 * environment. The arena owns the texts. */
struct s3_wire *s3_wire_open(struct arena *arena, const char *where);

struct s3_request {
  const char *method;
  const char *key;   /* key without the prefix; NULL for the bucket itself */
  const char *query; /* query string with sorted and encoded parameters; or "" */
  const char *root;  /* name that the root element of a reply with status 200 must have, or NULL */
  bool once; /* true: if the key exists, the server must refuse the request with status 412 */
  pprofc_str body;
};

/* Sends a request, up to five times if a retry can help. A truncated reply is an error. The reply
 * may contain an error message of the server; the caller passes such a reply to s3_wire_fail. The
 * caller frees the reply, even after an error. */
pprofc_status s3_wire_send(struct s3_wire *wire, const struct s3_request *request,
                           struct reply *reply, pprofc_error *error);

/* Converts a reply into an error, which is PPROFC_E_NO_MATCH if the key does not exist. */
pprofc_status s3_wire_fail(const struct s3_wire *wire, const struct s3_request *request,
                           const struct reply *reply, pprofc_error *error);

/* Finds the next element <NAME>...</NAME>, and sets *content. Sets *rest to the text after the
 * element. */
bool xml_next(pprofc_str *rest, const char *name, pprofc_str *content);
/* Returns the content of the first element NAME, or an empty text. */
pprofc_str xml_first(pprofc_str text, const char *name);

#endif
