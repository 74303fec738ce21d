/* Chooses a proxy by Go's rules. libcurl ignores HTTP_PROXY, and has no exception for localhost. */
#include "http/client.h"

#include <arpa/inet.h>
#include <sys/socket.h>

/* An IPv4 or IPv6 address. An IPv4 address is stored in its IPv6 form, ::ffff:1.2.3.4. */
struct proxy_ip {
  bool valid, is_v4;
  unsigned char bytes[16];
};

static struct proxy_ip proxy_read_ip(pprofc_str text) {
  struct proxy_ip ip = {false, false, {0}};
  char room[64];
  if (!text.size || text.size >= sizeof room || memchr(text.data, '\0', text.size)) return ip;
  memcpy(room, text.data, text.size);
  room[text.size] = '\0';
  if (inet_pton(AF_INET, room, ip.bytes + 12) == 1) {
    memset(ip.bytes + 10, 0xff, 2);
    ip.valid = ip.is_v4 = true;
  } else {
    ip.valid = inet_pton(AF_INET6, room, ip.bytes) == 1;
  }
  return ip;
}

/* True if the first `bits` bits of two addresses are equal. */
static bool proxy_same_net(const struct proxy_ip *a, const struct proxy_ip *b, unsigned bits) {
  if (memcmp(a->bytes, b->bytes, bits / 8) != 0) return false;
  unsigned rest = bits % 8;
  return !rest || (a->bytes[bits / 8] ^ b->bytes[bits / 8]) >> (8 - rest) == 0;
}

struct proxy_target {
  pprofc_str host, port; /* host name in lower case, and port */
  struct proxy_ip ip;
};

/* Splits "host:port". With several colons and no brackets, the text is an IPv6 address. */
static void proxy_split_port(pprofc_str text, pprofc_str *host, pprofc_str *port) {
  size_t bracket = str_find_last_char(text, ']');
  size_t colon = str_find_last_char(text, ':');
  *host = text;
  *port = STR("");
  bool bare_v6 = text.data[0] != '[' && str_find_char(text, ':') != colon;
  if (colon == text.size || bare_v6 || (bracket < text.size && colon < bracket)) return;
  *host = str_slice(text, 0, colon);
  *port = str_slice(text, colon + 1, text.size);
  if (host->size >= 2 && host->data[0] == '[') *host = str_slice(*host, 1, host->size - 1);
}

/* True if the target is in the network `entry`, such as "10.0.0.0/8". Sets *is_net to true if
 * `entry` is a network. */
static bool proxy_in_net(const struct proxy_target *target, pprofc_str entry, bool *is_net) {
  size_t slash = str_find_char(entry, '/');
  struct proxy_ip net = proxy_read_ip(str_slice(entry, 0, slash));
  uint64_t bits;
  *is_net = slash < entry.size && net.valid &&
            str_parse_uint(str_slice(entry, slash + 1, entry.size), 10, &bits) &&
            bits <= (net.is_v4 ? 32 : 128);
  if (!*is_net || !target->ip.valid || target->ip.is_v4 != net.is_v4) return false;
  return proxy_same_net(&target->ip, &net, (unsigned)bits + (net.is_v4 ? 96 : 0));
}

/* True if `name` matches the target. "example.com" matches this name and its subdomains.
 * ".example.com" matches only the subdomains. */
static bool proxy_in_domain(const struct proxy_target *target, pprofc_str name) {
  if (str_starts(name, STR("*."))) name = str_slice(name, 1, name.size);
  if (name.data[0] == '.') return str_ends(target->host, name);
  if (str_equal(target->host, name)) return true;
  return str_ends(target->host, name) && target->host.size > name.size &&
         target->host.data[target->host.size - name.size - 1] == '.';
}

static bool proxy_matches(const struct proxy_target *target, pprofc_str entry) {
  bool is_net;
  bool inside = proxy_in_net(target, entry, &is_net);
  if (is_net) return inside;
  pprofc_str host, port;
  proxy_split_port(entry, &host, &port);
  if (!host.size) return false;
  struct proxy_ip ip = proxy_read_ip(host);
  if (port.size && !str_equal(port, target->port)) return false;
  if (ip.valid) return target->ip.valid && proxy_same_net(&ip, &target->ip, 128);
  return !target->ip.valid && proxy_in_domain(target, host);
}

static pprofc_str proxy_lower(struct arena *arena, pprofc_str text) {
  pprofc_str copy = arena_str(arena, text);
  char *data = (char *)(uintptr_t)copy.data;
  for (size_t i = 0; data && i < copy.size; i++) data[i] = char_lower(data[i]);
  return copy;
}

/* True if the target is in `except`, the value of NO_PROXY. Its entries are separated by commas or
 * blanks. */
static bool proxy_is_excepted(const struct proxy_target *target, pprofc_str except) {
  while (except.size) {
    size_t end = 0;
    while (end < except.size && !strchr(", \t", except.data[end])) end++;
    pprofc_str entry = str_slice(except, 0, end);
    except = str_slice(except, end + 1, except.size);
    if (!entry.size) continue;
    if (str_equal(entry, STR("*")) || proxy_matches(target, entry)) return true;
  }
  return false;
}

static const char *proxy_variable(const char *upper, const char *lower) {
  const char *value = getenv(upper);
  if (!value || !*value) value = getenv(lower);
  return value ? value : "";
}

void proxy_from_environment(struct proxy_settings *settings, bool any) {
  const char *method = getenv("REQUEST_METHOD");
  *settings = (struct proxy_settings){.http = proxy_variable("HTTP_PROXY", "http_proxy"),
                                      .https = proxy_variable("HTTPS_PROXY", "https_proxy"),
                                      .except = proxy_variable("NO_PROXY", "no_proxy"),
                                      .cgi = method && *method};
  if (any && !*settings->https) settings->https = proxy_variable("ALL_PROXY", "all_proxy");
}

/* Returns the proxy's URL, with "http://" if necessary; "" for an invalid address, as in Go. */
static const char *proxy_address(struct arena *arena, const char *setting) {
  struct url url;
  if (url_parse(arena, str_of(setting), &url) == PPROFC_OK && url.scheme.size && url.host.size)
    return setting;
  const char *text = text_printf(arena, "http://%s", setting);
  if (!text) return NULL;
  return url_parse(arena, str_of(text), &url) == PPROFC_OK ? text : "";
}

static bool proxy_never(const struct proxy_target *target) {
  static const unsigned char one[16] = {[15] = 1}, v4[12] = {[10] = 0xff, [11] = 0xff};
  const unsigned char *ip = target->ip.bytes;
  if (!target->ip.valid) return str_equal(target->host, STR("localhost"));
  return memcmp(ip, v4, sizeof v4) == 0 ? ip[12] == 127 : memcmp(ip, one, sizeof one) == 0;
}

/* Sets *direct to true if the request must not use a proxy. */
static pprofc_status proxy_is_direct(struct arena *arena, const struct proxy_settings *settings,
                                     const struct url *url, bool *direct) {
  struct proxy_target target = {.host = proxy_lower(arena, url_host_name(url)),
                                .port = url_port(url)};
  pprofc_str except = proxy_lower(arena, str_of(settings->except));
  if (!target.host.data || !except.data) return PPROFC_E_NOMEM;
  bool secure = str_starts(url->scheme, STR("https"));
  if (!target.port.size) target.port = secure ? STR("443") : STR("80");
  target.ip = proxy_read_ip(target.host);
  *direct = proxy_never(&target) || proxy_is_excepted(&target, except);
  return PPROFC_OK;
}

pprofc_status proxy_for(struct arena *arena, const struct proxy_settings *settings,
                        const struct url *url, const char **proxy, pprofc_error *error) {
  bool secure = str_starts(url->scheme, STR("https")), direct = false;
  const char *setting = secure ? settings->https : settings->http;
  *proxy = "";
  if (!*setting || str_equal(url->scheme, STR("http+unix"))) return PPROFC_OK;
  if (settings->cgi && !secure)
    return error_set(error, PPROFC_E_INVALID,
                     "HTTP_PROXY is not used while REQUEST_METHOD is set, as in a CGI program");
  if (proxy_is_direct(arena, settings, url, &direct) != PPROFC_OK) return error_nomem(error);
  if (direct) return PPROFC_OK;
  *proxy = proxy_address(arena, setting);
  return *proxy ? PPROFC_OK : error_nomem(error);
}
