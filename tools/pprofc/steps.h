/* Declares the steps that turn the profiles of the command line into the profile of a report. */
#ifndef PPROFC_TOOLS_STEPS_H
#define PPROFC_TOOLS_STEPS_H

#include "fetch/fetcher.h"
#include "open.h"
#include "pprofc/profile.h"
#include "symbolize/symbolize.h"

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

/* Does the same for the runs whose functions -noise judges. The reader keeps each sample, because
 * the noise of a sum depends on its samples and on their order. */
bool folding_of_runs(const struct command *command, struct open_sums *sums);

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

/* ---- sources (sources.c) -------------------------- */

/* Reads all sources and bases. Merges and subtracts them, drops frames and adds comments. Prints an
 * error about an unreadable source. Continues without this source if another source is readable. */
pprofc_status sources_fetch(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error);

/* Head and base as two profiles, to show them next to each other. */
struct sources {
  pprofc_profile *head, *base; /* profiles of a comparison; base is NULL if there is no base */
  pprofc_profile *combined;    /* profile that sources_fetch would return */
};

/* Reads the sources like sources_fetch. With `apart`, also sets head and base as separate profiles.
 * Symbolizes every profile that it sets. */
pprofc_status sources_get(const struct command *command, bool apart, struct sources *sources,
                          pprofc_error *error);

struct source_run {
  const char *source;
  const char *folder;      /* folder of the source, or NULL */
  bool is_base;            /* true if the source is a run of the base */
  pprofc_profile *profile; /* profile; NULL if the source is not a profile or was not read */
};

/* Reads all sources in parallel, and prepares each of them for a report. Messages and errors are in
 * the order of the sources. The caller releases the profiles, even after an error. `needs`
 * describes the data that the caller needs; NULL means all data. */
pprofc_status sources_read_runs(const struct command *command, const struct open_sums *needs,
                                struct source_run *runs, size_t count, pprofc_error *error);

/* Prepares a profile for a report as pprof does: symbolizes it, drops frames and adds the comment.
 * Contacts no server. Replaces *profile. */
pprofc_status sources_finish(const struct command *command, pprofc_profile **profile,
                             pprofc_error *error);

/* Removes file names that are URLs from mappings without a build ID, because a URL names the server
 * and not a file. As in pprof, any name with a scheme is a URL, even "C:\prog.exe". */
pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error);

/* Sets the file of each mapping that has no file and no build ID. The file becomes the URL of the
 * profile, so that a merge keeps programs of different servers apart. `url` has no password.
 * Replaces *profile. */
pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error);

#endif
