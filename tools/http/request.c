/* Sends single requests through the client. */
#include "http/request.h"

#include <time.h>

#define REPLY_MAX ((size_t)64 << 20)

void request_reply_init(struct reply *reply) {
  reply_init(reply, &mem_default, REPLY_MAX);
}

pprofc_status request_open(struct client **client, pprofc_error *error) {
  const struct client_options options = {
      .mem = &mem_default, .tls = {"", "", ""}, .any_proxy = true, .program = "pprofci"};
  *client = client_open(&options);
  if (!*client) return error_nomem(error);
  pprofc_status status = client_status(*client, error);
  if (status == PPROFC_OK) return PPROFC_OK;
  client_close(*client);
  *client = NULL;
  return status;
}

pprofc_status request_send(struct client *client, const char *method, const char *url,
                           const char *const *headers, pprofc_str body, int64_t seconds,
                           struct reply *reply, pprofc_error *error) {
  struct arena arena;
  struct url place;
  const struct request request = {method, headers, reply->body.ceiling};
  arena_init(&arena, &mem_default);
  pprofc_status status = url_parse(&arena, str_of(url), &place);
  if (status == PPROFC_E_FORMAT)
    status = error_set(error, PPROFC_E_INVALID, "the address is malformed");
  else if (status != PPROFC_OK)
    status = error_nomem(error);
  if (status == PPROFC_OK) {
    struct exchange exchange = {.url = &place,
                                .request = &request,
                                .body = body,
                                .limit_ms = seconds * 1000,
                                .arena = &arena};
    client_run(client, &exchange, 1);
    reply_free(reply);
    *reply = exchange.reply;
    status = exchange.status;
    if (status != PPROFC_OK && error) *error = exchange.error;
  }
  arena_free(&arena);
  return status;
}

bool retry_helps(int code) {
  static const int codes[] = {408, 425, 429, 500, 502, 503, 504};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (code == codes[i]) return true;
  return false;
}

bool retry_wait(struct retry *retry, int64_t wait_ms) {
  int64_t wait = wait_ms < 0 ? retry->first_ms << retry->tries : wait_ms;
  if (++retry->tries >= retry->most || wait > retry->left_ms) return false;
  retry->left_ms -= wait;
  struct timespec left = {(time_t)(wait / 1000), (long)(wait % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0) continue;
  return true;
}
