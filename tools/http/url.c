/* Parses and writes URLs by the rules of Go's net/url. */
#include "http/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define UNIX_SCHEME STR("http+unix")

static bool url_is_one_of(char c, const char *set) {
  return c != '\0' && strchr(set, c) != NULL;
}

/* Characters besides letters, digits and -_.~ that may be in a component of a URL without an
 * escape. */
#define USER_SAFE "$&+,;="
#define HOST_SAFE "!$&'()*+,;=:[]<>\""
#define PATH_SAFE "$&+,/:;=@"

/* Characters besides letters and digits that are valid in a component of a URL. */
#define HOST_ALLOWED "-_.~" HOST_SAFE
#define PATH_ALLOWED "-_.~" PATH_SAFE "!'()*[]%"
#define USER_ALLOWED "-_.~!$&'()*+,;=%:@"

void url_escape_query(struct buffer *out, pprofc_str text) {
  while (text.size) {
    size_t blank = str_find_char(text, ' ');
    escape_url(out, str_slice(text, 0, blank), "");
    if (blank == text.size) return;
    buffer_add_char(out, '+');
    text = str_slice(text, blank + 1, text.size);
  }
}

/* True if two hex digits follow every %. */
static bool url_escapes_valid(pprofc_str s) {
  for (size_t i = 0; i < s.size; i++) {
    if (s.data[i] != '%') continue;
    if (i + 2 >= s.size || char_hex(s.data[i + 1]) < 0 || char_hex(s.data[i + 2]) < 0) return false;
  }
  return true;
}

pprofc_str url_unescape(struct arena *arena, pprofc_str text, bool plus) {
  pprofc_str none = {NULL, 0};
  if (!url_escapes_valid(text)) return none;
  char *out = arena_alloc(arena, text.size + 1);
  size_t size = 0;
  if (!out) return none;
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (c == '%') {
      c = (char)(char_hex(text.data[i + 1]) * 16 + char_hex(text.data[i + 2]));
      i += 2;
    } else if (c == '+' && plus) {
      c = ' ';
    }
    out[size++] = c;
  }
  out[size] = '\0';
  return (pprofc_str){out, size};
}

/* State of the parser. `status` is the first error, or PPROFC_OK. */
struct url_parser {
  struct arena *arena;
  struct url *url;
  pprofc_status status;
};

static void url_refuse(struct url_parser *p) {
  if (p->status == PPROFC_OK) p->status = PPROFC_E_FORMAT;
}

static pprofc_str url_decode(struct url_parser *p, pprofc_str text) {
  if (!url_escapes_valid(text)) url_refuse(p);
  if (p->status != PPROFC_OK) return STR("");
  pprofc_str decoded = url_unescape(p->arena, text, false);
  if (!decoded.data) p->status = PPROFC_E_NOMEM;
  return decoded;
}

/* True for an empty text, and for ':' followed by digits only. */
static bool url_port_valid(pprofc_str port) {
  if (port.size && port.data[0] != ':') return false;
  for (size_t i = 1; i < port.size; i++)
    if (!char_is_digit(port.data[i])) return false;
  return true;
}

/* Returns the index of ":port" in a host. If the host has brackets, searches only after them. */
static size_t url_port_at(pprofc_str host) {
  size_t bracket = str_find_last_char(host, ']');
  return bracket < host.size ? bracket + 1 : str_find_last_char(host, ':');
}

/* Checks the IPv6 address in brackets. It may have a zone, as in "[fe80::1%25en0]:80". */
static bool url_brackets_valid(pprofc_str host) {
  size_t end = str_find_last_char(host, ']');
  if (host.data[0] != '[' || end == host.size || end > 64) return false;
  pprofc_str literal = str_slice(host, 1, end);
  char address[72];
  struct in6_addr binary;
  snprintf(address, sizeof address, "%.*s", (int)str_find(literal, STR("%25")), literal.data);
  return inet_pton(AF_INET6, address, &binary) == 1;
}

/* True if the escape at `at` is valid in a host. Inside the brackets, which end at `zone_end`, any
 * escape is valid. Elsewhere the escape must mean '%' or a byte outside ASCII. */
static bool url_host_escape_valid(pprofc_str host, size_t at, size_t zone_end) {
  bool ascii = at + 1 < host.size && char_hex(host.data[at + 1]) < 8;
  return !ascii || at < zone_end || str_starts(str_slice(host, at, host.size), STR("%25"));
}

static bool url_host_bytes_valid(pprofc_str host) {
  size_t bracket = str_find_last_char(host, ']');
  size_t zone_end = bracket < host.size ? bracket : 0;
  for (size_t i = 0; i < host.size; i++) {
    char c = host.data[i];
    bool plain = (unsigned char)c >= 0x80 || char_is_letter(c) || char_is_digit(c);
    if (c == '%' && !url_host_escape_valid(host, i, zone_end)) return false;
    if (c != '%' && !plain && !url_is_one_of(c, HOST_ALLOWED)) return false;
  }
  return true;
}

static bool url_host_valid(pprofc_str scheme, pprofc_str host) {
  bool bracket = str_find_char(host, '[') < host.size;
  bool strict = str_equal(scheme, STR("http")) || str_equal(scheme, STR("https"));
  if (bracket && !url_brackets_valid(host)) return false;
  if (!bracket && strict && str_find_char(host, ':') != str_find_last_char(host, ':')) return false;
  return url_port_valid(str_slice(host, url_port_at(host), host.size)) &&
         url_host_bytes_valid(host);
}

/* Parses user:password@host:port. */
static void url_parse_authority(struct url_parser *p, pprofc_str s) {
  struct url *url = p->url;
  size_t at = str_find_last_char(s, '@');
  pprofc_str host = s;
  if (at < s.size) {
    pprofc_str user = str_slice(s, 0, at);
    host = str_slice(s, at + 1, s.size);
    size_t colon = str_find_char(user, ':');
    if (!text_only_has(user, USER_ALLOWED)) url_refuse(p);
    url->has_user = true;
    url->has_password = colon < user.size;
    url->user = url_decode(p, str_slice(user, 0, colon));
    url->password = url_decode(p, str_slice(user, colon + 1, user.size));
  }
  if (!str_equal(url->scheme, UNIX_SCHEME) && !url_host_valid(url->scheme, host)) url_refuse(p);
  url->host = url_decode(p, host);
}

/* Sets the path that the client sends. A path whose escapes are valid stays unchanged. */
static void url_set_path(struct url_parser *p, pprofc_str path) {
  pprofc_str decoded = url_decode(p, path);
  p->url->path = path;
  if (p->status != PPROFC_OK || text_only_has(path, PATH_ALLOWED)) return;
  struct buffer out = buffer_make(&mem_default, SIZE_MAX / 2);
  escape_url(&out, decoded, PATH_SAFE);
  p->url->path = buffer_take(&out, p->arena);
  if (!p->url->path.data) p->status = PPROFC_E_NOMEM;
}

size_t url_scheme_length(pprofc_str text) {
  size_t size = 0;
  while (size < text.size &&
         (char_is_letter(text.data[size]) ||
          (size && (char_is_digit(text.data[size]) || url_is_one_of(text.data[size], "+-.")))))
    size++;
  return size < text.size && text.data[size] == ':' ? size : 0;
}

static pprofc_str url_take_scheme(struct url_parser *p, pprofc_str text) {
  size_t size = url_scheme_length(text);
  if (!size && text.size && text.data[0] == ':') url_refuse(p);
  if (!size) return text;
  char *lower = arena_alloc(p->arena, size);
  if (!lower) {
    p->status = PPROFC_E_NOMEM;
    return text;
  }
  for (size_t i = 0; i < size; i++) lower[i] = char_lower(text.data[i]);
  p->url->scheme = (pprofc_str){lower, size};
  return str_slice(text, size + 1, text.size);
}

/* Parses host and path, the text of a URL between the scheme and the query. */
static void url_parse_hierarchy(struct url_parser *p, pprofc_str rest) {
  struct url *url = p->url;
  if (!str_starts(rest, STR("/")) && url->scheme.size) {
    url->opaque = rest;
    return;
  }
  if (!str_starts(rest, STR("/"))) {
    pprofc_str segment = str_slice(rest, 0, str_find_char(rest, '/'));
    if (str_find_char(segment, ':') < segment.size) url_refuse(p);
  }
  if (str_starts(rest, STR("//")) && (url->scheme.size || !str_starts(rest, STR("///")))) {
    pprofc_str authority = str_slice(rest, 2, rest.size);
    size_t slash = str_find_char(authority, '/');
    url_parse_authority(p, str_slice(authority, 0, slash));
    rest = str_slice(authority, slash, authority.size);
  }
  url_set_path(p, rest);
}

pprofc_status url_parse(struct arena *arena, pprofc_str text, struct url *url) {
  struct url_parser p = {arena, url, PPROFC_OK};
  *url = (struct url){.scheme = STR(""),
                      .opaque = STR(""),
                      .user = STR(""),
                      .password = STR(""),
                      .host = STR(""),
                      .path = STR(""),
                      .query = STR(""),
                      .fragment = STR("")};
  size_t hash = str_find_char(text, '#');
  url->fragment = str_slice(text, hash + 1, text.size);
  text = str_slice(text, 0, hash);
  if (!url_escapes_valid(url->fragment)) url_refuse(&p);
  for (size_t i = 0; i < text.size; i++)
    if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f) url_refuse(&p);
  text = url_take_scheme(&p, text);
  size_t question = str_find_char(text, '?');
  url->has_query = question < text.size;
  url->query = str_slice(text, question + 1, text.size);
  if (p.status == PPROFC_OK) url_parse_hierarchy(&p, str_slice(text, 0, question));
  return p.status;
}

/* Removes each "." segment, and each ".." segment together with the segment before it. */
static pprofc_str url_without_dots(struct arena *arena, pprofc_str path) {
  char *out = arena_alloc(arena, path.size + 2);
  if (!out) return (pprofc_str){NULL, 0};
  size_t size = 0;
  pprofc_str rest = path, segment;
  if (str_starts(rest, STR("/"))) rest = str_slice(rest, 1, rest.size);
  bool more = true, folder = false;
  while (more) {
    more = str_find_char(rest, '/') < rest.size;
    str_next(&rest, '/', &segment);
    bool up = str_equal(segment, STR("..")), here = str_equal(segment, STR("."));
    folder = up || here;
    while (up && size && out[--size] != '/') continue;
    if (folder) continue;
    out[size++] = '/';
    if (segment.size) memcpy(out + size, segment.data, segment.size);
    size += segment.size;
  }
  if (folder || !size) out[size++] = '/';
  return (pprofc_str){out, size};
}

/* Joins the path of a relative reference and the path of the base. */
static pprofc_str url_joined_path(struct arena *arena, const struct url *base, pprofc_str path) {
  if (!path.size) return url_without_dots(arena, base->path);
  if (path.data[0] == '/') return url_without_dots(arena, path);
  size_t slash = str_find_last_char(base->path, '/');
  size_t kept = slash < base->path.size ? slash + 1 : 0;
  const char *joined =
      text_printf(arena, "%.*s%.*s", STR_ARG(str_slice(base->path, 0, kept)), STR_ARG(path));
  return joined ? url_without_dots(arena, str_of(joined)) : (pprofc_str){NULL, 0};
}

pprofc_status url_resolve(struct arena *arena, const struct url *base, pprofc_str reference,
                          struct url *url) {
  pprofc_status status = url_parse(arena, reference, url);
  if (status != PPROFC_OK || url->opaque.size) return status;
  bool absolute = url->scheme.size > 0, has_host = url->host.size || url->has_user;
  if (!absolute) url->scheme = base->scheme;
  if (!absolute && !has_host) {
    bool empty = !url->path.size;
    if (empty && !url->has_query) {
      url->has_query = base->has_query;
      url->query = base->query;
    }
    url->has_user = base->has_user;
    url->has_password = base->has_password;
    url->user = base->user;
    url->password = base->password;
    url->host = base->host;
    url->path = url_joined_path(arena, base, url->path);
  } else {
    url->path = url_without_dots(arena, url->path);
  }
  return url->path.data ? PPROFC_OK : PPROFC_E_NOMEM;
}

static void url_write_user(struct buffer *out, const struct url *url, enum url_secrets secrets) {
  if (!url->has_user || secrets == URL_WITHOUT_USER) return;
  escape_url(out, url->user, USER_SAFE);
  if (url->has_password) buffer_add_char(out, ':');
  if (url->has_password && secrets == URL_SHOWN)
    buffer_add_text(out, "xxxxx");
  else
    escape_url(out, url->password, USER_SAFE);
  buffer_add_char(out, '@');
}

static void url_write(struct buffer *out, const struct url *url, enum url_secrets secrets) {
  bool socket = str_equal(url->scheme, UNIX_SCHEME);
  buffer_add_str(out, url->scheme);
  if (url->scheme.size) buffer_add_char(out, ':');
  buffer_add_str(out, url->opaque);
  if (url->host.size || url->has_user) {
    buffer_add_text(out, "//");
    url_write_user(out, url, secrets);
    escape_url(out, url->host, socket ? "" : HOST_SAFE);
    if (url->path.size && url->path.data[0] != '/') buffer_add_char(out, '/');
  }
  buffer_add_str(out, url->path);
  if (url->has_query || url->query.size) buffer_add_char(out, '?');
  buffer_add_str(out, url->query);
  if (url->fragment.size) buffer_add_char(out, '#');
  buffer_add_str(out, url->fragment);
}

pprofc_str url_text(struct arena *arena, const struct url *url, enum url_secrets secrets) {
  struct buffer out = buffer_make(&mem_default, SIZE_MAX / 2);
  url_write(&out, url, secrets);
  return buffer_take(&out, arena);
}

pprofc_str url_host_name(const struct url *url) {
  pprofc_str name = str_slice(url->host, 0, url_port_at(url->host));
  if (name.size >= 2 && name.data[0] == '[') name = str_slice(name, 1, name.size - 1);
  return name;
}

pprofc_str url_port(const struct url *url) {
  return str_slice(url->host, url_port_at(url->host) + 1, url->host.size);
}

bool url_is_local(pprofc_str host) {
  size_t end = str_starts(host, STR("[")) ? str_find_char(host, ']') + 1 : str_find_char(host, ':');
  host = str_slice(host, 0, end);
  /* RFC 6761 reserves .localhost for this machine. */
  return STR_ANY(str_equal, host, "localhost", "127.0.0.1", "[::1]") ||
         str_ends(host, STR(".localhost"));
}

pprofc_str url_hide_password(struct arena *arena, pprofc_str typed) {
  size_t start = str_find(typed, STR("://"));
  start = start < typed.size ? start + 3 : 0;
  pprofc_str rest = str_slice(typed, start, typed.size);
  struct url url;
  /* In a valid URL, the password ends before the path. In an invalid URL, a password may contain
   * slashes. */
  bool sound = url_parse(arena, typed, &url) == PPROFC_OK && start;
  size_t end = sound ? str_find_char(rest, '/') : rest.size;
  pprofc_str authority = str_slice(rest, 0, end);
  size_t at = str_find_last_char(authority, '@'), colon = str_find_char(authority, ':');
  if (at == authority.size || colon > at) return typed;
  struct buffer out = buffer_make(&mem_default, SIZE_MAX / 2);
  buffer_add_str(&out, str_slice(typed, 0, start + colon + 1));
  buffer_add_text(&out, "xxxxx");
  buffer_add_str(&out, str_slice(typed, start + at, typed.size));
  pprofc_str hidden = buffer_take(&out, arena);
  return hidden.data ? hidden : STR("(out of memory)");
}
