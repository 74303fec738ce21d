/* URLs by the rules of Go's net/url: what is one, and how it is written again. */
#ifndef PPROFC_TOOLS_FETCH_URL_H
#define PPROFC_TOOLS_FETCH_URL_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/mem.h"

/* The parts of a URL. User, password and host are decoded, the others are as they are sent. Texts
 * are the arena's or views of what was parsed. */
struct url {
  pprofc_str scheme; /* in lower case; empty: none */
  pprofc_str opaque; /* what follows "scheme:" without a slash; then there is no host and no path */
  bool has_user, has_password;
  pprofc_str user, password;
  pprofc_str host; /* with its port; of http+unix the path of the socket */
  pprofc_str path;
  bool has_query; /* there is a '?', even with nothing behind it */
  pprofc_str query;
  pprofc_str fragment; /* as it was written */
};

/* Takes a URL apart. PPROFC_E_FORMAT for what Go's url.Parse refuses, except that the host of
 * http+unix may be any escaped path. */
pprofc_status url_parse(struct arena *arena, pprofc_str text, struct url *url);

/* What a reference in the document at `base` means, as the Location of a reply is one. */
pprofc_status url_resolve(struct arena *arena, const struct url *base, pprofc_str reference,
                          struct url *url);

/* How much of the password is written. */
enum url_secrets { URL_WHOLE, URL_SHOWN /* xxxxx for a password */, URL_WITHOUT_USER };

void url_write(struct buffer *out, const struct url *url, enum url_secrets secrets);
/* The same as text in an arena; data is NULL when out of memory. */
pprofc_str url_text(struct arena *arena, const struct url *url, enum url_secrets secrets);

/* The host without port and brackets; the port, empty when there is none. */
pprofc_str url_host_name(const struct url *url);
pprofc_str url_port(const struct url *url);

/* Writes a text as part of a query: letters, digits and -_.~ as they are, blanks as '+'. */
void url_escape_query(struct buffer *out, pprofc_str text);

/* The text of %XX sequences, and with `plus` blanks for '+'; data is NULL when an escape is broken
 * or memory has run out. */
pprofc_str url_unescape(struct arena *arena, pprofc_str text, bool plus);

/* A source as it was typed, without the password in it: for messages, even when it is no URL. */
pprofc_str url_hide_password(struct arena *arena, pprofc_str typed);

#endif
