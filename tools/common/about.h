/* Prints help, completion script, options of the manual page, or version. */
#ifndef TOOLS_COMMON_ABOUT_H
#define TOOLS_COMMON_ABOUT_H

#include "common/flags.h"
#include "core/output.h"

/* Standard output, and the errno of its first failed write. */
struct about_output {
  struct output out;
  int failed; /* errno of the first failed write, or 0 */
};

void about_begin(struct about_output *about);

/* Flushes the output. Returns PPROFC_E_IO if any write to standard output failed. */
pprofc_status about_end(struct about_output *about, pprofc_error *error);

pprofc_status about_help(const struct flag_table *table, pprofc_error *error);

/* If `completion` is not "", prints the completion script for this shell. Otherwise prints the
 * options of the manual page (with `manual`), or else the name and version of the program. */
pprofc_status about_print(const struct flag_table *table, const char *completion, bool manual,
                          pprofc_error *error);

#endif
