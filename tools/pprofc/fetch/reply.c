/* Parses the head of a reply, and makes the message about a body without a profile. */
#include "fetch/reply.h"

#include <stdio.h>
#include <strings.h>

#define LOCATION_MAX ((size_t)64 << 10)
#define SAID_MAX     700 /* bytes of an error's body that a message shows */

void reply_init(struct reply *reply, const pprofc_allocator *mem, size_t most) {
  *reply = (struct reply){.code = 0};
  buffer_init(&reply->location, &mem_default, LOCATION_MAX);
  buffer_init(&reply->body, mem, most);
}

void reply_free(struct reply *reply) {
  buffer_free(&reply->location);
  buffer_free(&reply->body);
  region_release(reply->inflated.region);
  reply->inflated = (struct input){NULL, NULL, 0, 0};
}

/* ---- the head ---------------------------------------- */

static bool reply_same_word(pprofc_str a, const char *b) {
  return a.size == strlen(b) && strncasecmp(a.data, b, a.size) == 0;
}

static void reply_take_location(struct reply *reply, pprofc_str value) {
  if (reply->has_location) return;
  reply->has_location = true;
  buffer_add_str(&reply->location, value);
}

static void reply_take_type(struct reply *reply, pprofc_str value) {
  if (!reply->has_type) reply->plain_text = str_find(value, STR("text/plain")) < value.size;
  reply->has_type = true;
}

static void reply_take_encoding(struct reply *reply, pprofc_str value) {
  reply->gzipped = reply_same_word(value, "gzip");
}

static void reply_take_go_pprof(struct reply *reply, pprofc_str value) {
  reply->from_go_pprof = value.size > 0;
}

static const struct {
  const char *name;
  void (*take)(struct reply *reply, pprofc_str value);
} reply_headers[] = {{"Location", reply_take_location},
                     {"Content-Type", reply_take_type},
                     {"Content-Encoding", reply_take_encoding},
                     {"X-Go-Pprof", reply_take_go_pprof}};

/* Parses a status line, "HTTP/1.1 404 Not Found". */
static void reply_status_line(struct reply *reply, pprofc_str line) {
  pprofc_str rest = str_trim(str_slice(line, str_find_char(line, ' '), line.size));
  int64_t code = 0;
  bool known = str_parse_int(str_slice(rest, 0, str_find_char(rest, ' ')), 10, &code);
  reply->code = known && code >= 100 && code <= 999 ? (int)code : 0;
  snprintf(reply->status, sizeof reply->status, "%.*s", STR_ARG(rest));
  reply->from_go_pprof = reply->plain_text = reply->gzipped = false;
  reply->has_location = reply->has_type = false;
  buffer_clear(&reply->location);
}

void reply_header(struct reply *reply, pprofc_str line) {
  if (str_starts(line, STR("HTTP/"))) {
    reply_status_line(reply, line);
    return;
  }
  size_t colon = str_find_char(line, ':');
  pprofc_str name = str_slice(line, 0, colon);
  pprofc_str value = str_trim(str_slice(line, colon + 1, line.size));
  for (size_t i = 0; i < sizeof reply_headers / sizeof *reply_headers; i++)
    if (reply_same_word(name, reply_headers[i].name)) reply_headers[i].take(reply, value);
}

bool reply_is_redirect(const struct reply *reply) {
  static const int codes[] = {301, 302, 303, 307, 308};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (reply->code == codes[i]) return reply->location.size > 0 && !reply->location.failed;
  return false;
}

/* ---- the body ---------------------------------------- */

pprofc_status reply_unpack(struct reply *reply, const pprofc_allocator *mem,
                           const pprofc_limits *limits, pprofc_error *error) {
  pprofc_str body = buffer_str(&reply->body);
  if (!reply->gzipped || !body.size || reply->inflated.region) return PPROFC_OK;
  if (!str_starts(body, STR("\x1f\x8b")))
    return error_set(error, PPROFC_E_FORMAT, "decompressing the reply: it is not in gzip format");
  pprofc_status status =
      input_read_memory(body.data, body.size, mem, limits, &reply->inflated, error);
  if (status == PPROFC_E_FORMAT) error_prefix(error, "decompressing the reply: ");
  return status;
}

pprofc_str reply_content(const struct reply *reply) {
  if (!reply->inflated.region) return buffer_str(&reply->body);
  return (pprofc_str){(const char *)reply->inflated.data, reply->inflated.size};
}

pprofc_status reply_error(const struct reply *reply, pprofc_error *error) {
  pprofc_str said = str_trim(reply_content(reply));
  if (!reply->from_go_pprof || !reply->plain_text || !said.size)
    return error_set(error, PPROFC_E_IO, "server response: %s", reply->status);
  const char *more = said.size > SAID_MAX ? "..." : "";
  said = str_slice(said, 0, SAID_MAX);
  return error_set(error, PPROFC_E_IO, "server response: %s - %.*s%s", reply->status, STR_ARG(said),
                   more);
}
