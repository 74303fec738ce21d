/* What a program prints about itself instead of doing its work: its help, a completion script, its
 * manual's options, its version. */
#ifndef TOOLS_COMMON_ABOUT_H
#define TOOLS_COMMON_ABOUT_H

#include "common/flags.h"
#include "core/output.h"

/* Standard output, which remembers why it took no more. */
struct about_output {
  struct output out;
  int failed; /* errno of the first failure, or 0 */
};

void about_begin(struct about_output *about);

/* Sends what is buffered; PPROFC_E_IO, with the reason, when standard output refused anything. */
pprofc_status about_end(struct about_output *about, pprofc_error *error);

/* Prints the help on standard output. */
pprofc_status about_help(const struct flag_table *table, pprofc_error *error);

/* Prints on standard output the completion for a shell (unless that is ""), else with `manual` the
 * options of the manual page, else program and version. */
pprofc_status about_print(const struct flag_table *table, const char *completion, bool manual,
                          pprofc_error *error);

#endif
