/* Messages of a program: text on standard error, and what may go to a
 * terminal at all. */
#ifndef TOOLS_COMMON_TERMINAL_H
#define TOOLS_COMMON_TERMINAL_H

#include "core/error.h"
#include "core/str.h"

/* True when the descriptor is a terminal. */
bool terminal_is(int fd);

/* Cells in a line of the terminal `fd`; 80 when it is none or does not tell. */
size_t terminal_width(int fd);

/* Prints a message of one line on standard error, red when that is a terminal (unless NO_COLOR is
 * set), with a newline at its end. Bytes that could drive a terminal, newlines among them, are made
 * visible, and what a CI system would take for a command is broken. */
void message_error(const char *format, ...) PPROFC_PRINTF(1, 2);

/* A message whose newlines are its own: every line of it by itself. */
void message_error_lines(pprofc_str text);

/* The same without colour, for what is no trouble. */
void message_note(const char *format, ...) PPROFC_PRINTF(1, 2);

/* PPROFC_E_INVALID when standard output is a terminal and what is to be written is not text. `what`
 * is its name in the message, "a gzip-compressed profile". */
pprofc_status terminal_check_binary(int fd, const char *what, pprofc_error *error);

#endif
