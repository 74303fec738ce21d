/* Implements replies with reference counts. */
#include "web/jobs.h"

#define MOST_BODY ((size_t)1 << 30)

struct web_reply *reply_new(unsigned status, const char *type) {
  struct web_reply *reply = mem_zero_array(&mem_default, 1, sizeof *reply);
  if (!reply) return NULL;
  reply->references = 1;
  reply->status = status;
  reply->type = type;
  buffer_init(&reply->body, &mem_default, MOST_BODY);
  return reply;
}

struct web_reply *reply_retain(struct web_reply *reply) {
  if (reply) __atomic_add_fetch(&reply->references, 1, __ATOMIC_RELAXED);
  return reply;
}

void reply_release(struct web_reply *reply) {
  if (!reply || __atomic_sub_fetch(&reply->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  for (size_t i = 0; i < reply->header_count; i++)
    mem_free(&mem_default, reply->headers[i].value, strlen(reply->headers[i].value) + 1, 1);
  buffer_free(&reply->body);
  mem_free(&mem_default, reply, 1, sizeof *reply);
}

struct web_reply *reply_text(unsigned status, const char *text) {
  struct web_reply *reply = reply_new(status, REPLY_TEXT);
  if (!reply) return NULL;
  escape_terminal(&reply->body, str_of(text), true);
  buffer_add_char(&reply->body, '\n');
  if (status == 503 && !reply_add_header(reply, "Retry-After", STR("5"))) reply->body.failed = true;
  if (!reply->body.failed) return reply;
  reply_release(reply);
  return NULL;
}

struct web_reply *reply_redirect(unsigned status, const char *path, pprofc_str query) {
  struct web_reply *reply = reply_new(status, REPLY_TEXT);
  if (!reply) return NULL;
  struct buffer address = buffer_make(&mem_default, (size_t)1 << 20);
  buffer_add_text(&address, path);
  if (query.size) buffer_add_char(&address, '?');
  buffer_add_str(&address, query);
  bool done = !address.failed && reply_add_header(reply, "Location", buffer_str(&address));
  buffer_free(&address);
  if (done) return reply;
  reply_release(reply);
  return NULL;
}

bool reply_add_header(struct web_reply *reply, const char *name, pprofc_str value) {
  if (reply->header_count == REPLY_HEADERS_MAX) return false;
  char *copy = mem_array(&mem_default, value.size + 1, 1);
  if (!copy) return false;
  for (size_t i = 0; i < value.size; i++) {
    unsigned char c = (unsigned char)value.data[i];
    copy[i] = c < ' ' || c == 0x7F ? ' ' : (char)c;
  }
  copy[value.size] = '\0';
  reply->headers[reply->header_count++] = (struct web_header){name, copy};
  return true;
}

size_t reply_size(const struct web_reply *reply) {
  return sizeof *reply + reply->body.capacity;
}

int reply_write(void *reply, const void *data, size_t size) {
  struct buffer *body = &((struct web_reply *)reply)->body;
  buffer_add(body, data, size);
  return body->failed;
}

unsigned reply_status_of(pprofc_status status) {
  switch (status) {
  case PPROFC_OK:
    return 200;
  case PPROFC_E_INVALID:
  case PPROFC_E_NO_MATCH:
  case PPROFC_E_FORMAT:
    return 400;
  case PPROFC_E_UNSUPPORTED:
    return 501;
  case PPROFC_E_NOMEM:
  case PPROFC_E_LIMIT:
  case PPROFC_E_CANCELLED:
    return 503;
  default:
    return 500;
  }
}
