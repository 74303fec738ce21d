/* Reads a stream of profiles from standard input, in the format of the OpenTelemetry Collector's
 * files. Each profile follows its length (4 bytes, big-endian). A length and its profile together
 * are a frame of the stream. */
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

/* Reads the next frame into `frame`, which the function initializes. Sets *name to the name of the
 * frame. The name is valid as long as `framed`. *name is NULL at the end of the stream and after an
 * error. A truncated frame is an error. */
pprofc_status framed_next(struct framed *framed, struct buffer *frame, const char **name,
                          pprofc_error *error);

/* Reads the profile in a frame. The profile may have any supported format. */
pprofc_status framed_read(const struct buffer *frame, const char *name,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error);

#endif
