/* A stream of profiles on standard input: each behind its length, 4 bytes, big-endian, as the files
 * of OpenTelemetry's collector have them. */
#ifndef PPROFC_TOOLS_FRAMED_H
#define PPROFC_TOOLS_FRAMED_H

#include "core/buffer.h"
#include "pprofc/profile.h"

/* Bytes of frames that are in memory at once, beside the one that is being read. */
#define FRAMED_AT_ONCE ((size_t)64 << 20)

struct framed {
  struct arena arena; /* of names */
  uint64_t most;      /* bytes of a frame */
  uint64_t offset;    /* in the stream */
  size_t count;       /* frames that were there */
  bool ended;
};

void framed_init(struct framed *framed, const pprofc_limits *limits);
void framed_free(struct framed *framed);

/* Reads the next frame into `frame`, which it initializes, and gives it a name that lives as long
 * as `framed`; *name is NULL at the end of the stream and after an error. A stream that ends inside
 * a frame is an error. */
pprofc_status framed_next(struct framed *framed, struct buffer *frame, const char **name,
                          pprofc_error *error);

/* Reads the profile of a frame, of any known format. */
pprofc_status framed_read(const struct buffer *frame, const char *name,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error);

#endif
