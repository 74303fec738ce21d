/* Reads profiles from standard input, in the format of the OpenTelemetry Collector's files: the
 * length (4 bytes, big-endian) before each profile. Both together are a frame. */
#ifndef PPROFC_TOOLS_FRAMED_H
#define PPROFC_TOOLS_FRAMED_H

#include "core/buffer.h"
#include "pprofc/profile.h"

/* Maximum number of bytes of frames in memory. The current frame does not count. */
#define FRAMED_AT_ONCE ((size_t)64 << 20)

struct framed {
  struct arena arena; /* memory for the names of frames */
  uint64_t most;      /* maximum size of a frame in bytes */
  uint64_t offset;    /* position in the stream, in bytes */
  size_t count;       /* number of frames read */
  bool ended;
};

void framed_init(struct framed *framed, const pprofc_limits *limits);
void framed_free(struct framed *framed);

/* Reads the next frame into `frame`. Sets *name to its name, valid as long as `framed`, or to NULL
 * at the end of the stream or after an error, such as a truncated frame. */
pprofc_status framed_next(struct framed *framed, struct buffer *frame, const char **name,
                          pprofc_error *error);

pprofc_status framed_read(const struct buffer *frame, const char *name,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error);

#endif
