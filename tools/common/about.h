/* Prints the help of a program, a completion script, the options of its manual page, or its
 * version. */
#ifndef TOOLS_COMMON_ABOUT_H
#define TOOLS_COMMON_ABOUT_H

#include "common/flags.h"
#include "core/output.h"

/* Standard output, with the error code of the first failed write. */
struct about_output {
  struct output out;
  int failed; /* errno of the first failure, or 0 */
};

void about_begin(struct about_output *about);

/* Flushes the output. Returns PPROFC_E_IO if a write to standard output failed. */
pprofc_status about_end(struct about_output *about, pprofc_error *error);

/* Prints the help on standard output. */
pprofc_status about_help(const struct flag_table *table, pprofc_error *error);

/* Prints the completion script for the shell `completion`. If `completion` is "", prints the
 * options of the manual page (with `manual`), or the program's name and version. */
pprofc_status about_print(const struct flag_table *table, const char *completion, bool manual,
                          pprofc_error *error);

#endif
