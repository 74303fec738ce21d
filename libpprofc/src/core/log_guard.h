/* Text for the log of a CI system. Such logs obey some lines: "::error::..." at the start of a line
 * and "##[group]...", "##vso[...]", "##teamcity[...]" anywhere are commands. A name must not become
 * one. */
#ifndef PPROFC_CORE_LOG_GUARD_H
#define PPROFC_CORE_LOG_GUARD_H

#include "core/buffer.h"
#include "core/output.h"

/* A filter between an output and its callback that breaks commands: the second ':' at the start of
 * a line becomes \x3a, the '[' behind "##" \x5b. All else passes as it is. */
struct log_guard {
  pprofc_write_fn write;
  void *context;
  int colons;            /* at the start of the line; negative behind anything else */
  int hashes;            /* 2: "##" and perhaps letters come before */
  unsigned char wide[4]; /* a character that may be a blank */
  size_t wide_size;
};

void log_guard_init(struct log_guard *guard, pprofc_write_fn write, void *context);

/* A pprofc_write_fn; the context is the guard. */
int log_guard_write(void *guard, const void *data, size_t size);

/* Appends text, commands broken. `begins_line`: it is the start of a line. */
void escape_log(struct buffer *out, pprofc_str text, bool begins_line);

/* Appends s as one line or part of one: as escape_terminal, but for tabs, which stay. */
void escape_line(struct buffer *out, pprofc_str s);
void escape_line_to_output(struct output *out, pprofc_str s);

/* A copy for a cell of a table: the same with commands broken, so that what is measured is what is
 * printed. data is NULL when out of memory. */
pprofc_str escape_cell(pprofc_str s, bool begins_line, struct arena *arena);

/* A line in an arena; s itself where it is clean. data is NULL when out of memory. */
pprofc_str escape_line_keep(pprofc_str s, struct arena *arena);

#endif
