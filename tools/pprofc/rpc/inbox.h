/* Splits a stream into messages, on a thread of its own, so that a cancellation arrives while a
 * request runs. */
#ifndef PPROFC_RPC_INBOX_H
#define PPROFC_RPC_INBOX_H

#include "rpc/rpc.h"

#include <pthread.h>

/* Maximum bytes and messages in the queue. The reader waits while it is full. */
#define INBOX_WAITING_BYTES ((size_t)16 << 20)
#define INBOX_WAITING       4096

struct inbox_message {
  struct inbox_message *next;
  size_t size, capacity;
  bool too_long;
  char data[];
};

struct inbox {
  int fd;
  enum rpc_framing framing;
  /* The reading thread calls this with each message. */
  void (*look)(void *context, pprofc_str message);
  void *context;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct inbox_message *first, **last;
  size_t count, bytes;
  bool ended, stopped; /* ended: true at the end of the input; stopped: true after inbox_stop */
  char chunk[65536];
  size_t at, size; /* offset and size of the unread bytes of the current chunk */
};

/* Starts reading. False if the thread cannot be started. */
bool inbox_start(struct inbox *inbox);

/* True if no message comes for some milliseconds and the input has not ended. */
bool inbox_is_quiet(struct inbox *inbox, long milliseconds);

/* Returns the next message, or NULL at the end. The caller frees it with inbox_free. */
struct inbox_message *inbox_next(struct inbox *inbox);
void inbox_free(struct inbox_message *message);

/* Drops queued messages and ends the thread. */
void inbox_stop(struct inbox *inbox);

#endif
