/* Reads a stream of profiles on standard input, each after its length (4 bytes, big-endian), as in
 * files of the OpenTelemetry Collector. */
#ifndef PPROFC_TOOLS_FRAMED_H
#define PPROFC_TOOLS_FRAMED_H

#include "core/buffer.h"
#include "pprofc/profile.h"

/* Maximum bytes of frames in memory at once, in addition to the frame that is being read. */
#define FRAMED_AT_ONCE ((size_t)64 << 20)

struct framed {
  struct arena arena; /* arena for the names of the frames */
  uint64_t most;      /* maximum size of a frame, in bytes */
  uint64_t offset;    /* position in the stream, in bytes */
  size_t count;       /* number of frames read */
  bool ended;
};

void framed_init(struct framed *framed, const pprofc_limits *limits);
void framed_free(struct framed *framed);

/* Reads the next frame into `frame`, which it initializes, and sets *name, which lives as long as
 * `framed`. *name is NULL at the end of the stream and after an error. A truncated frame is an
 * error. */
pprofc_status framed_next(struct framed *framed, struct buffer *frame, const char **name,
                          pprofc_error *error);

/* Reads the profile in a frame, in any supported format. */
pprofc_status framed_read(const struct buffer *frame, const char *name,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error);

#endif
