/* Requests to S3-compatible storage: addresses, signatures, another try, and what an error says. */
#ifndef PPROFCI_STORE_S3_WIRE_H
#define PPROFCI_STORE_S3_WIRE_H

#include "common/transport.h"
#include "core/mem.h"

struct s3_wire;

/* Opens the bucket of "s3://BUCKET/PREFIX"; credentials, region and server come from the
 * environment. The arena has the texts. */
pprofc_status s3_wire_open(struct arena *arena, const char *where, struct s3_wire **wire,
                           pprofc_error *error);
void s3_wire_close(struct s3_wire *wire);

/* "PREFIX/" or "". */
const char *s3_wire_prefix(const struct s3_wire *wire);

struct s3_request {
  const char *method;
  const char *key;   /* below the prefix; NULL: the bucket */
  const char *query; /* in order, encoded; or "" */
  bool once;         /* fail with 412 where the key is there */
  pprofc_str body;
};

/* Sends a request until it has an answer that another try would not change. The answer may be an
 * error: s3_wire_fail tells it. Errors are those of the transport: nothing is known then. Free the
 * reply even after an error. */
pprofc_status s3_wire_send(struct s3_wire *wire, const struct s3_request *request,
                           struct transport_reply *reply, pprofc_error *error);

/* Fills in an error from an answer: PPROFC_E_NO_MATCH for a key that is not there, else
 * PPROFC_E_IO.
 */
pprofc_status s3_wire_fail(const struct s3_wire *wire, const struct s3_request *request,
                           const struct transport_reply *reply, pprofc_error *error);

/* Above this a file goes in parts of this size. */
size_t s3_wire_part(const struct s3_wire *wire);

/* ---- XML --------------------------------------------- */

/* Takes the content of the next <NAME>...</NAME> off *rest; false when there is none. */
bool xml_next(pprofc_str *rest, const char *name, pprofc_str *content);
/* The content of the first one, or an empty text. */
pprofc_str xml_first(pprofc_str text, const char *name);
/* Appends text with its entities replaced. */
void xml_plain(struct buffer *out, pprofc_str text);

#endif
