/* Turns HOST:PORT into a listening socket. */
#include "web/address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pprofc_status address_wrong(const char *text, const char *why, pprofc_error *error) {
  return error_set(error, PPROFC_E_INVALID, "could not split http address: address %s: %s", text,
                   why);
}

static pprofc_status address_parse_port(pprofc_str port, unsigned *out, pprofc_error *error) {
  int64_t number = 0;
  if (port.size && !str_parse_int(port, 10, &number))
    return error_set(error, PPROFC_E_INVALID,
                     "invalid port number: strconv.Atoi: parsing \"%.*s\": invalid syntax",
                     STR_ARG(port));
  if (number < 0 || number > 65535)
    return error_set(error, PPROFC_E_INVALID, "invalid port number: %.*s", STR_ARG(port));
  *out = (unsigned)number;
  return PPROFC_OK;
}

pprofc_status web_address_parse(const char *text, struct http_address *address,
                                pprofc_error *error) {
  pprofc_str all = str_of(text);
  size_t colon = str_find_last_char(all, ':');
  if (colon == all.size) return address_wrong(text, "missing port in address", error);
  pprofc_str host = str_slice(all, 0, colon), port = str_slice(all, colon + 1, all.size);
  bool bracketed = host.size > 1 && host.data[0] == '[' && host.data[host.size - 1] == ']';
  if (bracketed) host = str_slice(host, 1, host.size - 1);
  if (!bracketed && str_find_char(host, ':') < host.size)
    return address_wrong(text, "too many colons in address", error);
  if (!host.size) host = STR("localhost");
  if (host.size >= sizeof address->host) return address_wrong(text, "the host is too long", error);
  *address = (struct http_address){.port = 0};
  memcpy(address->host, host.data, host.size);
  return address_parse_port(port, &address->port, error);
}

/* Records the kind of the bound address, and its port. */
static void address_look(struct http_address *address, const struct sockaddr_storage *bound) {
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  if (bound->ss_family == AF_INET) {
    memcpy(&four, bound, sizeof four);
    address->port = ntohs(four.sin_port);
    address->loopback = ntohl(four.sin_addr.s_addr) >> 24 == 127;
    address->any = four.sin_addr.s_addr == 0;
    return;
  }
  memcpy(&six, bound, sizeof six);
  address->port = ntohs(six.sin6_port);
  address->loopback = IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
  address->any = IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr);
}

/* Returns a socket that listens at one address, or -1. */
static int address_open(const struct addrinfo *info) {
  int on = 1;
  int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  int failed = errno;
  close(fd);
  errno = failed;
  return -1;
}

pprofc_status address_listen(struct http_address *address, int *listening, pprofc_error *error) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found;
  struct sockaddr_storage bound;
  socklen_t size = sizeof bound;
  char port[16];
  bool local = strcmp(address->host, "localhost") == 0;
  if (local) hints.ai_family = AF_INET;
  snprintf(port, sizeof port, "%u", address->port);
  int failed = getaddrinfo(local ? "127.0.0.1" : address->host, port, &hints, &found);
  if (failed)
    return error_set(error, PPROFC_E_IO, "listen tcp %s:%s: %s", address->host, port,
                     gai_strerror(failed));
  int fd = -1;
  for (const struct addrinfo *info = found; info && fd < 0; info = info->ai_next)
    fd = address_open(info);
  int why = errno;
  freeaddrinfo(found);
  if (fd < 0)
    return error_set(error, PPROFC_E_IO, "listen tcp %s:%s: bind: %s", address->host, port,
                     ERRNO_TEXT(why));
  if (getsockname(fd, (struct sockaddr *)&bound, &size) == 0) address_look(address, &bound);
  *listening = fd;
  return PPROFC_OK;
}

void address_write(const struct http_address *address, char *out, size_t size) {
  const char *format = strchr(address->host, ':') ? "[%s]:%u" : "%s:%u";
  snprintf(out, size, format, address->host, address->port);
}
