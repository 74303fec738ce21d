/* Implements the thread that splits the input into messages. */
#include "rpc/inbox.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

void inbox_free(struct inbox_message *message) {
  if (message) mem_free(&mem_default, message, 1, sizeof *message + message->capacity);
}

static bool inbox_is_stopped(struct inbox *r) {
  pthread_mutex_lock(&r->lock);
  bool stopped = r->stopped;
  pthread_mutex_unlock(&r->lock);
  return stopped;
}

static bool inbox_fill(struct inbox *r) {
  for (;;) {
    struct pollfd ready = {.fd = r->fd, .events = POLLIN};
    if (inbox_is_stopped(r)) return false;
    int count = poll(&ready, 1, 200);
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    ssize_t size = read(r->fd, r->chunk, sizeof r->chunk);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    r->at = 0;
    r->size = size > 0 ? (size_t)size : 0;
    return size > 0;
  }
}

/* Appends up to `most` bytes to `to`. With `line`, stops at a newline and drops it. Bytes beyond
 * RPC_MESSAGE_MAX are dropped and set *too_long. Returns false at the end of the input. */
static bool inbox_take(struct inbox *r, struct buffer *to, size_t most, bool line, bool *too_long) {
  while (most) {
    if (r->at == r->size && !inbox_fill(r)) return false;
    pprofc_str rest = {r->chunk + r->at, r->size - r->at};
    if (rest.size > most) rest.size = most;
    size_t end = line ? str_find_char(rest, '\n') : rest.size;
    bool found = end < rest.size;
    if (to->size + end > RPC_MESSAGE_MAX)
      *too_long = true;
    else
      buffer_add(to, rest.data, end);
    r->at += end + found;
    most -= end;
    if (found) return true;
  }
  return true;
}

/* Reads a message's headers. Returns the body's length, or SIZE_MAX at the end. */
static size_t inbox_headers(struct inbox *r, struct buffer *line) {
  size_t length = 0;
  bool too_long = false;
  for (;;) {
    buffer_clear(line);
    if (!inbox_take(r, line, SIZE_MAX, true, &too_long)) return SIZE_MAX;
    pprofc_str text = str_trim(buffer_str(line));
    if (!text.size) return length;
    size_t colon = str_find_char(text, ':');
    uint64_t number;
    pprofc_str value = str_trim(str_slice(text, colon + 1, text.size));
    if (str_equal(str_slice(text, 0, colon), STR("Content-Length")) &&
        str_parse_uint(value, 10, &number) && number < SIZE_MAX / 2)
      length = (size_t)number;
  }
}

static bool inbox_message(struct inbox *r, struct buffer *text, bool *too_long) {
  *too_long = false;
  buffer_clear(text);
  if (r->framing == RPC_LINES)
    return inbox_take(r, text, SIZE_MAX, true, too_long) || text->size || *too_long;
  size_t length = inbox_headers(r, text);
  buffer_clear(text);
  if (length == SIZE_MAX) return false;
  return inbox_take(r, text, length, false, too_long);
}

/* Waits until the queue has space, and appends a message. Returns false when out of memory. */
static bool inbox_put(struct inbox *r, pprofc_str text, bool too_long) {
  struct inbox_message *m = mem_array(&mem_default, 1, sizeof *m + text.size);
  if (!m) return false;
  *m = (struct inbox_message){.size = text.size, .capacity = text.size, .too_long = too_long};
  if (text.size) memcpy(m->data, text.data, text.size);
  pthread_mutex_lock(&r->lock);
  while (!r->stopped && r->count && (r->count >= INBOX_WAITING || r->bytes >= INBOX_WAITING_BYTES))
    pthread_cond_wait(&r->changed, &r->lock);
  *r->last = m;
  r->last = &m->next;
  r->count++;
  r->bytes += m->size;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  return true;
}

static void *inbox_main(void *context) {
  struct inbox *r = context;
  struct buffer text;
  bool too_long, good = true;
  buffer_init(&text, &mem_default, RPC_MESSAGE_MAX + sizeof r->chunk);
  while (good && inbox_message(r, &text, &too_long)) {
    pprofc_str whole = str_trim(buffer_str(&text));
    if (text.failed || too_long) whole.size = 0;
    if (!whole.size && !too_long && !text.failed) continue;
    if (whole.size) r->look(r->context, whole);
    good = inbox_put(r, whole, too_long || text.failed);
    text.failed = false;
  }
  buffer_free(&text);
  pthread_mutex_lock(&r->lock);
  r->ended = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  return NULL;
}

bool inbox_start(struct inbox *r) {
  r->last = &r->first;
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->changed, NULL);
  return pthread_create(&r->thread, NULL, inbox_main, r) == 0;
}

bool inbox_is_quiet(struct inbox *r, long milliseconds) {
  struct timespec end;
  int passed = 0;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += milliseconds * 1000000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  pthread_mutex_lock(&r->lock);
  while (!r->first && !r->ended && !passed)
    passed = pthread_cond_timedwait(&r->changed, &r->lock, &end);
  bool quiet = !r->first && !r->ended;
  pthread_mutex_unlock(&r->lock);
  return quiet;
}

struct inbox_message *inbox_next(struct inbox *r) {
  pthread_mutex_lock(&r->lock);
  while (!r->first && !r->ended) pthread_cond_wait(&r->changed, &r->lock);
  struct inbox_message *m = r->first;
  if (m) {
    r->first = m->next;
    if (!r->first) r->last = &r->first;
    r->count--;
    r->bytes -= m->size;
    pthread_cond_broadcast(&r->changed);
  }
  pthread_mutex_unlock(&r->lock);
  return m;
}

void inbox_stop(struct inbox *r) {
  struct inbox_message *m;
  pthread_mutex_lock(&r->lock);
  r->stopped = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  pthread_join(r->thread, NULL);
  while ((m = inbox_next(r))) inbox_free(m);
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
}
