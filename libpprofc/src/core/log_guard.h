/* Makes text safe for the log of a CI system. These logs execute commands: "::error::..." at the
 * start of a line and "##[group]...", "##vso[...]", "##teamcity[...]" anywhere. A name must not
 * become a command. */
#ifndef PPROFC_CORE_LOG_GUARD_H
#define PPROFC_CORE_LOG_GUARD_H

#include "core/buffer.h"
#include "core/output.h"

/* A filter between an output and its callback. The filter breaks commands: it writes the second ':'
 * at the start of a line as \x3a and the '[' after "##" as \x5b. Other bytes are unchanged. */
struct log_guard {
  pprofc_write_fn write;
  void *context;
  int colons; /* number of colons at the start of the line; negative if the line has another byte */
  int hashes; /* number of '#' just read; 2 also after "##" and letters */
  unsigned char wide[4]; /* bytes read so far of a character that may be white space */
  size_t wide_size;
};

void log_guard_init(struct log_guard *guard, pprofc_write_fn write, void *context);

/* Makes `out` write to `write` and break commands of CI logs in its text. Row marks of a report
 * that -budget shortens (core/brief.h) pass through unchanged. */
void log_guard_output(struct output *out, struct log_guard *guard, pprofc_write_fn write,
                      void *context);

/* Breaks commands in the data and writes the data. This is a pprofc_write_fn; the context is a
 * struct log_guard. */
int log_guard_write(void *guard, const void *data, size_t size);

/* Appends text and breaks the commands in it. `begins_line` is true if the text starts a line. */
void escape_log(struct buffer *out, pprofc_str text, bool begins_line);

/* escape_line and escape_line_to_output write s as a line or part of a line, escaped as by
 * escape_terminal; tabs stay. */
void escape_line(struct buffer *out, pprofc_str s);
void escape_line_to_output(struct output *out, pprofc_str s);

/* Appends s as one line of a workflow command of GitHub Actions. Breaks commands inside s.
 * Characters that would end the text become %XX. With `property`, characters that would end a
 * property of the command become %XX as well. */
void escape_command(struct buffer *out, pprofc_str s, bool property);

/* Copies s for a cell of a table, escapes it like a line and breaks the commands in it. The caller
 * measures the copy, so the measured width is the printed width. data is NULL when out of
 * memory. */
pprofc_str escape_cell(pprofc_str s, bool begins_line, struct arena *arena);

/* Returns an escaped line in an arena, or s if it needs no escapes. data is NULL when out of
 * memory. */
pprofc_str escape_line_keep(pprofc_str s, struct arena *arena);

#endif
