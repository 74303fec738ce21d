/* Adds names to the addresses of a profile: finds the binaries, queries the tools, demangles. */
#ifndef PPROFC_SYMBOLIZE_SYMBOLIZE_H
#define PPROFC_SYMBOLIZE_SYMBOLIZE_H

#include "core/buffer.h"
#include "core/error.h"
#include "profile/profile.h"

/* The server that the profile comes from, which can name addresses (docs/spec/pprof.md, 8.5). */
struct symbolize_server {
  void *context;
  /* True if a mapping has a server. Sets *start to the start address that the mapping has in the
   * server's profile. */
  bool (*find)(void *context, pprofc_str file, pprofc_str build_id, uint64_t *start);
  /* Sends "0x12ab+0x34cd" to the server that `find` found last. Appends lines of "0x12ab NAME" to
   * the reply. */
  pprofc_status (*ask)(void *context, pprofc_str addresses, struct buffer *reply,
                       pprofc_error *error);
};

struct symbolize_options {
  const char *mode;  /* value of -symbolize: "none", "fastlocal:force" ...; "" for the default */
  const char *tools; /* value of -tools or PPROF_TOOLS */
  const char *search_path;               /* value of PPROF_BINARY_PATH: folders joined by ':' */
  const char *executable;                /* path of the binary on the command line, or NULL */
  const char *build_id;                  /* value of -buildid, or NULL */
  const struct symbolize_server *server; /* server to query after the binaries, or NULL */
  bool skip_unused;                      /* true to skip locations that no sample uses */
  void (*warn)(void *context, const char *message);
  void *warn_context;
};

/* Calls options->warn unless it is NULL. */
void symbolize_warn(const struct symbolize_options *options, const char *format, ...)
    PPROFC_PRINTF(2, 3);

/* Replaces the file names of mappings by the paths of existing binaries (docs/spec/pprof.md, 7).
 * Mapping 0 gets the executable; other mappings get the file from the search path. A profile
 * without mappings gets a mapping. */
pprofc_status symbolize_locate(const pprofc_profile *source,
                               const struct symbolize_options *options, pprofc_profile **out,
                               pprofc_error *error);

/* Adds functions and lines to locations without them, and demangles function names
 * (docs/spec/pprof.md, 8). Failures become warnings. Only lack of memory and invalid options are
 * errors. */
pprofc_status symbolize_profile(const pprofc_profile *source,
                                const struct symbolize_options *options, pprofc_profile **out,
                                pprofc_error *error);

#endif
