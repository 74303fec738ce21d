/* Makes text safe for the log of a CI system. CI logs execute commands: "::error::..." at the start
 * of a line, and "##[group]...", "##vso[...]", "##teamcity[...]" anywhere. A name must not become a
 * command. */
#ifndef PPROFC_CORE_LOG_GUARD_H
#define PPROFC_CORE_LOG_GUARD_H

#include "core/buffer.h"
#include "core/output.h"

/* A filter between an output and its callback. It escapes commands: it writes the second ':' at the
 * start of a line as \x3a, and the '[' after "##" as \x5b. Other bytes stay unchanged. */
struct log_guard {
  pprofc_write_fn write;
  void *context;
  int colons;            /* number of colons at the start of the line; -1 after any other byte */
  int hashes;            /* number of '#' that were just read; stays 2 while letters follow "##" */
  unsigned char wide[4]; /* bytes of a character outside ASCII that may be white space */
  size_t wide_size;
};

void log_guard_init(struct log_guard *guard, pprofc_write_fn write, void *context);

/* Makes `out` write to `write`, and escapes commands of CI logs in its text. Marks of rows
 * (core/brief.h) pass through unchanged. */
void log_guard_output(struct output *out, struct log_guard *guard, pprofc_write_fn write,
                      void *context);

/* Writes the data, and escapes commands of CI logs in it. The function is a pprofc_write_fn whose
 * context is a struct log_guard. */
int log_guard_write(void *guard, const void *data, size_t size);

/* Appends text, and escapes commands of CI logs in it. `begins_line` is true if the text starts a
 * line. */
void escape_log(struct buffer *out, pprofc_str text, bool begins_line);

/* Appends s escaped like escape_line, and also escapes commands of CI logs. */
void escape_log_line(struct buffer *out, pprofc_str s, bool begins_line);

/* escape_line and escape_line_to_output write s as a line or as part of a line. They escape it like
 * escape_terminal, but keep tabs. */
void escape_line(struct buffer *out, pprofc_str s);
void escape_line_to_output(struct output *out, pprofc_str s);

/* Appends s as a line of a workflow command of GitHub Actions. Escapes commands inside s.
 * Characters that would end the text become %XX. If `property` is true, characters that would end a
 * property of the command also become %XX. */
void escape_command(struct buffer *out, pprofc_str s, bool property);

/* Copies s for a cell of a table. Escapes it like escape_log_line. The caller measures the copy, so
 * that the measured width is the printed width. The result's `data` is NULL when out of memory. */
pprofc_str escape_cell(pprofc_str s, bool begins_line, struct arena *arena);

/* Escapes s as escape_line does, and returns the result in an arena. Returns s itself if it needs
 * no escapes. The result's `data` is NULL when out of memory. */
pprofc_str escape_line_keep(pprofc_str s, struct arena *arena);

#endif
