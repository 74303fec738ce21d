/* Giving names to addresses: finding the binaries of a profile, asking the tools, demangling. */
#ifndef PPROFC_SYMBOLIZE_SYMBOLIZE_H
#define PPROFC_SYMBOLIZE_SYMBOLIZE_H

#include "core/error.h"
#include "profile/profile.h"

struct symbolize_options {
  const char *mode;  /* -symbolize: "none", "local", "fastlocal:force", "demangle=full" ...; "" for
                        the default */
  const char *tools; /* -tools or PPROF_TOOLS */
  const char *search_path; /* PPROF_BINARY_PATH, ':' between folders */
  const char *executable;  /* binary named on the command line, or NULL */
  const char *build_id;    /* -buildid, or NULL */
  bool skip_unused;        /* do not symbolize locations that no sample uses */
  void (*warn)(void *context, const char *message);
  void *warn_context;
};

/* Replaces the file names of mappings by binaries that are there (7): the executable for mapping 0,
 * then what is found on the search path; a profile without mappings gets one. */
pprofc_status symbolize_locate(const pprofc_profile *source,
                               const struct symbolize_options *options, pprofc_profile **out,
                               pprofc_error *error);

/* Fills in functions and lines of locations that have none, and demangles function names (8). What
 * cannot be done is told through `warn`; only memory and unusable options are errors. */
pprofc_status symbolize_profile(const pprofc_profile *source,
                                const struct symbolize_options *options, pprofc_profile **out,
                                pprofc_error *error);

#endif
