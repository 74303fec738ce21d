/* Implements the flag -budget=BYTES, which cuts a report (core/brief.h). */
#ifndef TOOLS_COMMON_BRIEF_FLAG_H
#define TOOLS_COMMON_BRIEF_FLAG_H

#include "common/flags.h"
#include "core/brief.h"

/* Stores a value of the flag in a uint64_t; 0 means the whole report. */
const char *brief_store(void *options, const struct flag *flag, const char *text);

/* Size of a buffer for brief_command. */
#define BRIEF_COMMAND 128

/* Writes the command line with four times the budget; "" if it is too long or needs quotes. */
void brief_command(int argc, char *const *argv, uint64_t bytes, char out[BRIEF_COMMAND]);

/* Renders a report through a brief. */
typedef pprofc_status (*brief_render_fn)(const void *context, pprofc_write_fn write, void *to,
                                         pprofc_error *error);

/* Writes a report of at most `bytes` bytes; the whole report for 0. `brief` has the kind and its
 * options. `more` is the command that shows more, or "". */
pprofc_status brief_report(const struct brief *kind, uint64_t bytes, const char *more,
                           brief_render_fn render, const void *context, pprofc_write_fn write,
                           void *to, pprofc_error *error);

#endif
