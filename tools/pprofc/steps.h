/* Declares the steps between the bytes of a source and the profile of a report. */
#ifndef PPROFC_TOOLS_STEPS_H
#define PPROFC_TOOLS_STEPS_H

#include "core/buffer.h"
#include "fetch/fetcher.h"
#include "open.h"
#include "options.h"
#include "pprofc/profile.h"
#include "symbolize/source_map.h"

/* ---- between reading and the report (finish.c, benchmarks.c) --- */

/* Sets the files of a source's mappings to binaries of this machine. */
pprofc_status finish_locate(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Symbolizes addresses, drops frames and adds the comment of -add_comment. Replaces *profile.
 * `fetcher` knows the servers that translate addresses. */
pprofc_status finish_profile(const struct fetcher *fetcher, pprofc_profile **profile,
                             pprofc_error *error);

/* Applies -benchmark to a profile, and replaces *profile by the result. `shown` is the name of the
 * source in messages. */
pprofc_status benchmarks_select(const struct command *command, const char *shown,
                                pprofc_profile **profile, pprofc_error *error);

/* Lists the benchmarks of a profile on standard error. Does nothing if there is only one, or if
 * -benchmark is set. */
void benchmarks_print(const struct command *command, const pprofc_profile *profile);

/* ---- sums of samples (folding.c) ---------------------- */

/* True if the report needs only sums of samples. Sets *sums to the data that the reader must keep.
 * The data includes labels if the program combines two profiles, because labels distinguish their
 * samples. */
bool folding_of(const struct command *command, struct open_sums *sums);

/* ---- streams of profiles (framed.c) ------------------- */

/* Maximum number of bytes of frames in memory. The current frame does not count. */
#define FRAMED_AT_ONCE ((size_t)64 << 20)

/* Reads profiles from standard input, in the format of the OpenTelemetry Collector's files. The
 * stream consists of frames. A frame is a length (4 bytes, big-endian) and a profile of this
 * length. */
struct framed {
  struct arena arena; /* memory for the names of frames */
  uint64_t most;      /* maximum size of a frame in bytes */
  uint64_t offset;    /* position in the stream, in bytes */
  size_t count;       /* number of frames read */
  bool ended;
};

void framed_init(struct framed *framed, const pprofc_limits *limits);
void framed_free(struct framed *framed);

/* Reads the next frame into `frame`. Sets *name to the frame's name; the name is valid as long as
 * `framed`. Sets *name to NULL at the end of the stream, or after an error such as a truncated
 * frame. */
pprofc_status framed_next(struct framed *framed, struct buffer *frame, const char **name,
                          pprofc_error *error);

pprofc_status framed_read(const struct buffer *frame, const char *name,
                          const pprofc_read_options *options, pprofc_profile **profile,
                          pprofc_error *error);

/* ---- source maps of JavaScript (source_maps.c) -------- */

struct source_map_list {
  struct source_map **items;
  size_t count, capacity;
};

pprofc_status source_maps_load(const struct command *command, struct source_map_list *list,
                               pprofc_error *error);
void source_maps_free(struct source_map_list *list);

/* Replaces the names of bundled JavaScript frames in *profile by the original names. Uses the
 * source maps `given`. If there are no such maps, uses the files next to the profile: PATH.map, and
 * SCRIPT.map for each script. Prints an error about an unreadable file, and skips it. `path` is
 * NULL if the profile is not a file. Sets *used to true if a frame changed. */
pprofc_status source_maps_use(const struct command *command, const struct source_map_list *given,
                              const char *path, pprofc_profile **profile, bool *used,
                              pprofc_error *error);

#endif
