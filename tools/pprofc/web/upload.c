/* Answers uploads of profiles, and requests that change or describe the state of the server. */
#include "core/escape.h"
#include "core/infile.h"
#include "web/routes.h"

/* Reads the body of an upload. The memory counts towards the budget. */
static pprofc_status upload_read(const struct web_question *q, struct buffer *data,
                                 pprofc_error *error) {
  int number = fd_read_all(q->body, data);
  if (data->failed) return error_nomem(error);
  return number ? error_set(error, PPROFC_E_IO, "cannot read the file") : PPROFC_OK;
}

struct web_reply *route_upload(struct web_question *q) {
  struct buffer data;
  pprofc_error error;
  unsigned id = 0;
  const pprofc_allocator *mem = budget_allocator(q->budget);
  buffer_init(&data, mem, (size_t)GUARD_UPLOAD_BYTES);
  pprofc_status status = q->body < 0
                             ? error_set(&error, PPROFC_E_INVALID, "the request has no file")
                             : upload_read(q, &data, &error);
  if (status == PPROFC_OK)
    status =
        state_drop(q->web->state, web_query_get(&q->query, "name"), buffer_str(&data), &id, &error);
  buffer_free(&data);
  if (status != PPROFC_OK) return route_failure(budget_status(mem, status, &error), &error);
  struct web_reply *reply = reply_new(200, REPLY_JSON);
  if (reply) buffer_printf(&reply->body, "{\"base\":\"%u\"}\n", id);
  return reply;
}

struct web_reply *route_reload(struct web_question *q) {
  pprofc_error error;
  pprofc_status status = state_reload(q->web->state, &error);
  if (status != PPROFC_OK) return route_failure(status, &error);
  jobs_forget_answers(q->web->jobs);
  return route_back(q);
}

static struct web_reply *upload_pin(struct web_question *q, bool pinned) {
  pprofc_error error;
  uint64_t id = 0;
  bool number = str_parse_uint(str_of(web_query_get(&q->query, "pin")), 10, &id);
  pprofc_status status =
      state_pin(q->web->state, number && id <= UINT32_MAX ? (unsigned)id : 0, pinned, &error);
  return status == PPROFC_OK ? route_back(q) : route_failure(status, &error);
}

struct web_reply *route_pin(struct web_question *q) {
  return upload_pin(q, true);
}

struct web_reply *route_unpin(struct web_question *q) {
  return upload_pin(q, false);
}

struct web_reply *route_status(struct web_question *q) {
  struct state_news news;
  struct web_reply *reply = reply_new(200, REPLY_JSON);
  if (!reply) return NULL;
  state_news(q->web->state, &news);
  buffer_printf(&reply->body, "{\"generation\":%llu,\"tries\":%llu,\"pending\":\"",
                (unsigned long long)news.generation, (unsigned long long)news.tries);
  escape_json(&reply->body, str_of(news.pending));
  buffer_add_text(&reply->body, "\",\"broken\":\"");
  escape_json(&reply->body, str_of(news.broken));
  buffer_add_text(&reply->body, "\"}\n");
  return reply;
}
