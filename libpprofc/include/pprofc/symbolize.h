/* Adds names to the addresses of a profile, from binaries on this machine.
 *
 * Any number of threads may symbolize at once, also the same profile. */
#ifndef PPROFC_SYMBOLIZE_H
#define PPROFC_SYMBOLIZE_H

#include "pprofc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Settings of the symbolizer. The caller owns the strings during the call. NULL equals "". */
typedef struct pprofc_symbolize_options {
  size_t struct_size; /* set by pprofc_symbolize_options_init */
  const char *mode;   /* mode, written as for -symbolize: "local", "fastlocal", "none", "force",
                         "demangle=full" ..., several joined by ':'; "" for local */
  const char *tools;  /* folders of nm, addr2line and llvm-symbolizer, written as for -tools; "" for
                         PATH */
  const char *search_path; /* folders of binaries joined by ':', as in PPROF_BINARY_PATH; "": only
                              the paths in the profile */
  const char *executable;  /* binary of the first mapping; "": the binary that the profile names */
  const char *build_id;    /* build id of the first mapping, if the profile has no build id */

  /* Receives each warning ("Some binary filenames not available ...") as one line without
   * newline, on the caller's thread. May be NULL. */
  void (*warn)(void *warn_context, const char *message);
  void *warn_context; /* first argument of `warn` */
} pprofc_symbolize_options;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_symbolize_options_init(pprofc_symbolize_options *options);

/* Adds functions and lines to the locations that lack them, from the binaries of the mappings.
 * Demangles C++ and Rust names, as pprof does before a report. `options` may be NULL. *symbolized
 * is a new profile, which the caller releases; `profile` does not change. An address without a name
 * gives a warning, not an error.
 *
 * Like the reports "disasm" and "weblist", the function starts addr2line, llvm-symbolizer and nm,
 * and waits for them. The environment of these programs has only PATH, HOME and TMPDIR. Meanwhile,
 * the process must not wait for children (waitpid) that it did not start itself. Errors:
 * PPROFC_E_NOMEM, PPROFC_E_LIMIT, PPROFC_E_INVALID (options of size 0), PPROFC_E_IO. */
PPROFC_API pprofc_status pprofc_symbolize(const pprofc_profile *profile,
                                          const pprofc_symbolize_options *options,
                                          pprofc_profile **symbolized, pprofc_error *error);

#ifdef __cplusplus
}
#endif
#endif
