/* Parses and writes URLs by the rules of Go's net/url. */
#ifndef TOOLS_HTTP_URL_H
#define TOOLS_HTTP_URL_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/mem.h"

/* Parts of a URL. User, password and host are decoded, other parts are as sent. Texts belong
 * to the arena or are views of the parsed text. */
struct url {
  pprofc_str scheme; /* scheme in lower case; "" if absent */
  pprofc_str opaque; /* text after "scheme:" without a slash; the URL then has no host and no
                        path */
  bool has_user, has_password;
  pprofc_str user, password;
  pprofc_str host; /* host with port; for http+unix the path of the socket */
  pprofc_str path;
  bool has_query; /* true if there is a '?', even before an empty query */
  pprofc_str query;
  pprofc_str fragment; /* fragment, encoded as in the source */
};

/* Parses a URL. PPROFC_E_FORMAT for texts that Go's url.Parse rejects, except that the host of
 * http+unix may be any escaped path. */
pprofc_status url_parse(struct arena *arena, pprofc_str text, struct url *url);

/* Resolves a reference relative to `base`, such as the Location of a reply. */
pprofc_status url_resolve(struct arena *arena, const struct url *base, pprofc_str reference,
                          struct url *url);

/* Ways in which the text of a URL shows its user and password. */
enum url_secrets {
  URL_WHOLE,
  URL_SHOWN /* as shown to users: xxxxx replaces the password */,
  URL_WITHOUT_USER
};

/* Writes a URL into the arena; data is NULL when out of memory. */
pprofc_str url_text(struct arena *arena, const struct url *url, enum url_secrets secrets);

/* Returns the host without port and brackets. url_port returns the port, or "". */
pprofc_str url_host_name(const struct url *url);
pprofc_str url_port(const struct url *url);

/* True if "HOST" or "HOST:PORT" is this machine, so that no other machine can read an
 * unencrypted request. */
bool url_is_local(pprofc_str host);

/* Appends text encoded for a query: letters, digits and -_.~ stay, blanks become '+'. */
void url_escape_query(struct buffer *out, pprofc_str text);

/* Decodes %XX, and with `plus` also '+' to a blank. data is NULL if an escape is broken or
 * memory ran out. */
pprofc_str url_unescape(struct arena *arena, pprofc_str text, bool plus);

/* Returns a source of the command line without its password, for messages. The source may be
 * invalid. */
pprofc_str url_hide_password(struct arena *arena, pprofc_str typed);

#endif
