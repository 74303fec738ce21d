/* Splits the input into messages on a thread, so that a message can cancel a running request. */
#ifndef PPROFC_RPC_INBOX_H
#define PPROFC_RPC_INBOX_H

#include "rpc/rpc.h"

#include <pthread.h>

/* Limits of the queue: number of bytes, and number of messages. While the queue is full, the thread
 * does not read. */
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
  void (*look)(void *context, pprofc_str message);
  void *context;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct inbox_message *first, **last;
  size_t count, bytes;
  bool ended, stopped; /* ended: the input ended; stopped: inbox_stop was called */
  char chunk[65536];
  size_t at, size; /* bytes of the chunk that still must be processed: offset and number */
};

bool inbox_start(struct inbox *inbox);

/* Waits some milliseconds. Returns true if no message arrives and the input goes on. */
bool inbox_is_quiet(struct inbox *inbox, long milliseconds);

/* Waits for the next message. Returns NULL at the end of the input. The caller frees the message
 * with inbox_free. */
struct inbox_message *inbox_next(struct inbox *inbox);
void inbox_free(struct inbox_message *message);

/* Drops the messages in the queue and ends the thread. */
void inbox_stop(struct inbox *inbox);

#endif
