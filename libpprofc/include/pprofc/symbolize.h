/* Names for the addresses of a profile, from the binaries on this machine. */
#ifndef PPROFC_SYMBOLIZE_H
#define PPROFC_SYMBOLIZE_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How addresses get names. Strings are borrowed for the length of the call; NULL and "" are the
 * same. */
typedef struct pprofc_symbolize_options {
  size_t struct_size; /* set by pprofc_symbolize_options_init */
  const char *mode;   /* as -symbolize of pprofc: "local", "fastlocal", "none", "force",
                         "demangle=full" ..., several with ':' between; "": local */
  const char
      *tools; /* as -tools of pprofc: where nm, addr2line and llvm-symbolizer are; "": PATH */
  const char *search_path; /* folders with binaries, ':' between, as PPROF_BINARY_PATH; "": binaries
                              are only where the profile says */
  const char *executable;  /* the binary of the first mapping; "": the one that the profile names */
  const char *build_id;    /* of the first mapping, for a profile that has none */

  /* Told of each warning ("Some binary filenames not available ..."), one line without newline, on
   * the thread of the caller. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context;
} pprofc_symbolize_options;

PPROFC_API void pprofc_symbolize_options_init(pprofc_symbolize_options *options);

/* Finds the binaries of the mappings, fills in the functions and lines of locations that have none,
 * and demangles the names of C++ and Rust functions, as pprof does before a report. `options` may
 * be NULL. On success *symbolized is a new profile, to be given back with pprofc_profile_release;
 * `profile` stays as it is. An address that gets no name is no error: `warn` is told why.
 *
 * The function starts programs (addr2line, llvm-symbolizer, nm), as the reports "disasm" and
 * "weblist" do, gives them PATH, HOME and TMPDIR of the environment and nothing else of it, and
 * waits for them: the process must not reap children that it did not start. Any number of threads
 * may call it at once, for one profile too. Errors: PPROFC_E_NOMEM, PPROFC_E_LIMIT,
 * PPROFC_E_INVALID (options of size 0), PPROFC_E_IO. */
PPROFC_API pprofc_status pprofc_symbolize(const pprofc_profile *profile,
                                          const pprofc_symbolize_options *options,
                                          pprofc_profile **symbolized, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
