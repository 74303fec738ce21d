/* Parses status line and headers, and writes the error message for a reply without a profile. */
#include "http/reply.h"

#define TEXT_MAX ((size_t)64 << 10)
#define SAID_MAX 700 /* maximum number of bytes of a body that an error message shows */

void reply_init(struct reply *reply, const pprofc_allocator *mem, size_t most) {
  *reply = (struct reply){.retry_after = -1, .remaining = -1};
  buffer_init(&reply->location, &mem_default, TEXT_MAX);
  buffer_init(&reply->next, &mem_default, TEXT_MAX);
  buffer_init(&reply->etag, &mem_default, TEXT_MAX);
  buffer_init(&reply->body, mem, most);
}

void reply_free(struct reply *reply) {
  buffer_free(&reply->location);
  buffer_free(&reply->next);
  buffer_free(&reply->etag);
  buffer_free(&reply->body);
  region_release(reply->inflated.region);
  reply->inflated = (struct input){NULL, NULL, 0, 0};
}

static void reply_take_location(struct reply *reply, pprofc_str value) {
  if (reply->has_location) return;
  reply->has_location = true;
  buffer_add_str(&reply->location, value);
}

static void reply_take_type(struct reply *reply, pprofc_str value) {
  if (!reply->has_type) reply->plain_text = str_find(value, STR("text/plain")) < value.size;
  if (!reply->has_type) reply->is_json = str_find(value, STR("json")) < value.size;
  reply->has_type = true;
}

static void reply_take_encoding(struct reply *reply, pprofc_str value) {
  reply->gzipped = str_equal_any_case(value, STR("gzip"));
}

static void reply_take_go_pprof(struct reply *reply, pprofc_str value) {
  reply->from_go_pprof = value.size > 0;
}

static void reply_take_link(struct reply *reply, pprofc_str value) {
  pprofc_str one;
  while (str_next(&value, ',', &one)) {
    size_t open = str_find_char(one, '<'), close = str_find_char(one, '>');
    pprofc_str rest = str_slice(one, close, one.size);
    if (close <= open || str_find(rest, STR("rel=\"next\"")) == rest.size) continue;
    buffer_clear(&reply->next);
    buffer_add_str(&reply->next, str_slice(one, open + 1, close));
  }
}

static int64_t reply_date(const struct reply *reply, pprofc_str value) {
  char text[64];
  if (!reply->getdate || value.size >= sizeof text) return 0;
  memcpy(text, value.data, value.size);
  text[value.size] = '\0';
  time_t time = reply->getdate(text, NULL);
  return time > 0 ? (int64_t)time : 0;
}

static void reply_take_date(struct reply *reply, pprofc_str value) {
  reply->date = reply_date(reply, value);
}

static void reply_take_modified(struct reply *reply, pprofc_str value) {
  reply->modified = reply_date(reply, value);
}

static void reply_take_framing(struct reply *reply, pprofc_str value) {
  if (value.size) reply->framed = true;
}

/* Parses Retry-After. It is a number of seconds, or a date by the server's clock. */
static void reply_take_retry(struct reply *reply, pprofc_str value) {
  int64_t number = 0;
  bool fits = str_parse_int(value, 10, &number) && number <= INT32_MAX;
  if (fits) {
    reply->retry_after = number < 0 ? 0 : number;
    return;
  }
  /* A number that is too large to store exceeds every time limit. Its exact value does not matter.
   */
  if (value.size && char_is_digit(value.data[0])) {
    reply->retry_after = INT32_MAX;
    return;
  }
  number = reply_date(reply, value);
  if (number) reply->reset = number;
}

static void reply_take_reset(struct reply *reply, pprofc_str value) {
  int64_t number = 0;
  if (str_parse_int(value, 10, &number) && number > 0) reply->reset = number;
}

static void reply_take_remaining(struct reply *reply, pprofc_str value) {
  int64_t number = 0;
  if (str_parse_int(value, 10, &number) && number >= 0) reply->remaining = number;
}

static void reply_take_etag(struct reply *reply, pprofc_str value) {
  buffer_clear(&reply->etag);
  buffer_add_str(&reply->etag, value);
}

static const struct {
  const char *name; /* name of the header in lower case */
  void (*take)(struct reply *reply, pprofc_str value);
} reply_headers[] = {{"location", reply_take_location},
                     {"content-type", reply_take_type},
                     {"content-encoding", reply_take_encoding},
                     {"x-go-pprof", reply_take_go_pprof},
                     {"link", reply_take_link},
                     {"date", reply_take_date},
                     {"retry-after", reply_take_retry},
                     {"x-ratelimit-reset", reply_take_reset},
                     {"ratelimit-reset", reply_take_reset},
                     {"x-ratelimit-remaining", reply_take_remaining},
                     {"ratelimit-remaining", reply_take_remaining},
                     {"etag", reply_take_etag},
                     {"last-modified", reply_take_modified},
                     {"content-length", reply_take_framing},
                     {"transfer-encoding", reply_take_framing}};

/* Parses a status line, "HTTP/1.1 404 Not Found". */
static void reply_status_line(struct reply *reply, pprofc_str line) {
  pprofc_str rest = str_trim(str_slice(line, str_find_char(line, ' '), line.size));
  int64_t code = 0;
  bool known = str_parse_int(str_slice(rest, 0, str_find_char(rest, ' ')), 10, &code);
  reply->code = known && code >= 100 && code <= 999 ? (int)code : 0;
  snprintf(reply->status, sizeof reply->status, "%.*s", STR_ARG(rest));
  reply->from_go_pprof = reply->plain_text = reply->is_json = reply->gzipped = false;
  reply->has_location = reply->has_type = reply->ended = reply->framed = false;
  reply->date = reply->modified = reply->reset = 0;
  reply->retry_after = reply->remaining = -1;
  buffer_clear(&reply->location);
  buffer_clear(&reply->next);
  buffer_clear(&reply->etag);
}

void reply_header(struct reply *reply, pprofc_str line) {
  if (str_starts(line, STR("HTTP/"))) {
    reply_status_line(reply, line);
    return;
  }
  if (!str_trim(line).size) reply->ended = str_ends(line, STR("\n"));
  size_t colon = str_find_char(line, ':');
  pprofc_str name = str_slice(line, 0, colon);
  pprofc_str value = str_trim(str_slice(line, colon + 1, line.size));
  for (size_t i = 0; i < sizeof reply_headers / sizeof *reply_headers; i++)
    if (str_equal_any_case(name, str_of(reply_headers[i].name)))
      reply_headers[i].take(reply, value);
}

bool reply_is_redirect(const struct reply *reply) {
  static const int codes[] = {301, 302, 303, 307, 308};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (reply->code == codes[i]) return reply->location.size > 0 && !reply->location.failed;
  return false;
}

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
