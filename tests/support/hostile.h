/* Creates profiles in which one type of message fills almost all bytes. Each message is as short as
 * possible, so the profile needs the most memory for its size. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "core/buffer.h"

/* Order of the ids of the n messages. */
enum hostile_ids {
  IDS_NONE,
  IDS_UP,     /* 1, 2, 3 ...: the reader needs no table to find a message by its id */
  IDS_DOWN,   /* n ... 3, 2, 1: the reader uses a table */
  IDS_FAR,    /* sparse ids: the reader uses a hash table */
  IDS_SAME,   /* equal ids: the reader finds this error only at the end */
  IDS_LABELS, /* no id, but a label with another number in each message */
  IDS_ODD,    /* no id; a valid sample precedes the messages */
  IDS_STACKS, /* no id, but sparse location ids; the reader then rewrites the stacks */
};

/* A message consists of its id, `head`, and repetitions of `unit`. */
struct hostile_kind {
  const char *name;
  unsigned field;
  enum hostile_ids ids;
  const char *head;
  const char *unit;
  unsigned char head_size, unit_size, units;
  unsigned short types; /* number of sample types */
  bool is_bad;          /* true if reading ends with PPROFC_E_FORMAT */
  unsigned bytes;       /* maximum bytes of memory for one message besides the input, from
                           docs/method/memory.md */
};

extern const struct hostile_kind hostile_kinds[];
extern const size_t hostile_kind_count;

/* Returns the number of messages for a profile of about `bytes` bytes. */
uint64_t hostile_count(const struct hostile_kind *kind, size_t bytes);

/* Writes a profile of `count` messages of the type `kind`. */
void hostile_profile(const struct hostile_kind *kind, uint64_t count, struct buffer *out);

#endif
