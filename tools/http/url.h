/* Parses and writes URLs by the rules of Go's net/url. */
#ifndef TOOLS_HTTP_URL_H
#define TOOLS_HTTP_URL_H

#include "common/base.h"

/* Components of a URL. User, password and host are decoded. The other components keep their
 * escapes. The texts belong to the arena or to the parsed text. */
struct url {
  pprofc_str scheme; /* scheme in lower case; "" if absent */
  pprofc_str opaque; /* text after "scheme:" if no slash follows; the URL then has no host */
  bool has_user, has_password;
  pprofc_str user, password;
  pprofc_str host; /* host with its port; for http+unix, the path of the socket */
  pprofc_str path;
  bool has_query; /* true if the URL has a '?', even if the query after it is empty */
  pprofc_str query;
  pprofc_str fragment; /* fragment (the text after '#'), with its escapes */
};

/* Parses a URL. Returns PPROFC_E_FORMAT for texts that Go's url.Parse rejects. Unlike url.Parse,
 * accepts an escaped path as the host of http+unix. */
pprofc_status url_parse(struct arena *arena, pprofc_str text, struct url *url);

/* Resolves a reference, such as a Location header, relative to `base`. */
pprofc_status url_resolve(struct arena *arena, const struct url *base, pprofc_str reference,
                          struct url *url);

/* Form in which url_text writes user and password. */
enum url_secrets {
  URL_WHOLE,
  URL_SHOWN /* for messages: the password is replaced by xxxxx */,
  URL_WITHOUT_USER
};

/* Returns the length of the scheme before ':', or 0 if there is no scheme. */
size_t url_scheme_length(pprofc_str text);

/* Writes a URL into the arena. The result's `data` is NULL when out of memory. */
pprofc_str url_text(struct arena *arena, const struct url *url, enum url_secrets secrets);

/* url_host_name returns the host without port and brackets. url_port returns the port, or "". */
pprofc_str url_host_name(const struct url *url);
pprofc_str url_port(const struct url *url);

/* True if "HOST" or "HOST:PORT" is this machine, so that a request stays on it. */
bool url_is_local(pprofc_str host);

/* Appends text, encoded for a query. Letters, digits and -_.~ stay unchanged. A blank becomes '+'.
 */
void url_escape_query(struct buffer *out, pprofc_str text);

/* Decodes %XX. If `plus` is true, also decodes '+' to a blank. The result's `data` is NULL if an
 * escape is invalid or memory runs out. */
pprofc_str url_unescape(struct arena *arena, pprofc_str text, bool plus);

/* Returns a URL as the user typed it, valid or not, without its password, for messages. */
pprofc_str url_hide_password(struct arena *arena, pprofc_str typed);

#endif
