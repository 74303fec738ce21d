/* Profiles in which one kind of message, as short as it can be, fills almost all of the bytes: what
 * takes the most memory for its size. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "core/buffer.h"

/* Where the id of message i of n comes from. */
enum hostile_ids {
  IDS_NONE,
  IDS_UP,     /* 1, 2, 3 ...: nothing is stored to find them */
  IDS_DOWN,   /* n ... 3, 2, 1: a table finds them */
  IDS_FAR,    /* sparse: a hash table finds them */
  IDS_SAME,   /* bad, but known only in the end */
  IDS_LABELS, /* no id, but a label with another number in each */
  IDS_ODD,    /* no id; one good sample comes first */
  IDS_STACKS, /* no id, but location ids are sparse: stacks are written anew */
};

/* A message is its id, `head`, and `unit` so many times. */
struct hostile_kind {
  const char *name;
  unsigned field;
  enum hostile_ids ids;
  const char *head;
  const char *unit;
  unsigned char head_size, unit_size, units;
  unsigned short types; /* of samples */
  bool is_bad;          /* reading ends with PPROFC_E_FORMAT */
  unsigned bytes;       /* what docs/method/memory.md promises for one message beside the input */
};

extern const struct hostile_kind hostile_kinds[];
extern const size_t hostile_kind_count;

/* How many messages make a profile of about so many bytes. */
uint64_t hostile_count(const struct hostile_kind *kind, size_t bytes);

/* A profile of `count` such messages. */
void hostile_profile(const struct hostile_kind *kind, uint64_t count, struct buffer *out);

#endif
