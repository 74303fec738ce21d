/* Prints information about a program: its help, a completion script, its manual's options, its
 * version. */
#ifndef TOOLS_COMMON_ABOUT_H
#define TOOLS_COMMON_ABOUT_H

#include "common/flags.h"
#include "core/output.h"

/* Standard output, with the reason of the first failed write. */
struct about_output {
  struct output out;
  int failed; /* errno of the first failure, or 0 */
};

void about_begin(struct about_output *about);

/* Flushes the output. PPROFC_E_IO with the reason if a write to standard output failed. */
pprofc_status about_end(struct about_output *about, pprofc_error *error);

/* Prints the help on standard output. */
pprofc_status about_help(const struct flag_table *table, pprofc_error *error);

/* Prints the completion script for a shell on standard output. If `completion` is "", prints the
 * options of the manual page (with `manual`), or program and version. */
pprofc_status about_print(const struct flag_table *table, const char *completion, bool manual,
                          pprofc_error *error);

#endif
