/* Implements the flag -budget=BYTES, which limits the size of a report (core/brief.h). */
#ifndef TOOLS_COMMON_BRIEF_FLAG_H
#define TOOLS_COMMON_BRIEF_FLAG_H

#include "common/flags.h"
#include "core/brief.h"

/* Parses the flag's value into the uint64_t at `options`. Returns NULL or an error message. */
const char *brief_store(void *options, const struct flag *flag, const char *text);

#define BRIEF_COMMAND 128

/* Formats this command line with a budget of four times `bytes`. The result is "" if an argument
 * needs quotes or the text is too long. */
void brief_command(int argc, char *const *argv, uint64_t bytes, char out[BRIEF_COMMAND]);

typedef pprofc_status (*brief_render_fn)(const void *context, pprofc_write_fn write, void *to,
                                         pprofc_error *error);

/* Writes a report of at most `bytes` bytes; 0: the whole report. `kind` gives the type of the
 * report and its options. `more` is a command for a longer report, or "". */
pprofc_status brief_report(const struct brief *kind, uint64_t bytes, const char *more,
                           brief_render_fn render, const void *context, pprofc_write_fn write,
                           void *to, pprofc_error *error);

#endif
