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

/* Options of a program that print a text about the program. */
struct about {
  const char *completion; /* shell whose completion script is printed, or "" */
  bool manual, version;
};

/* The flags of `struct about`, which is the field `about` of the options. */
#define ABOUT_FLAGS(group)                                                                         \
  FLAG(STRING, group, "completion", about.completion, "SHELL", NULL,                               \
       "Print completion for bash, zsh or fish"),                                                  \
      SWITCH(group, "version", about.version, "Print the version"), {                              \
    "manual", FLAG_BOOL, FIELD(about.manual), group, NULL, "", NULL, NULL, 0, true, NULL           \
  }

/* Prints the help, completion script, options of the manual page, or version, if the flags request
 * one of them. Sets *status. Returns false if the flags request nothing. `about` may be NULL if
 * `help` is true. */
bool about_print(const struct flag_table *table, bool help, const struct about *about,
                 pprofc_status *status, pprofc_error *error);

#endif
