/* Writes messages to standard error, and checks if a descriptor is a terminal. */
#ifndef TOOLS_COMMON_TERMINAL_H
#define TOOLS_COMMON_TERMINAL_H

#include "core/error.h"
#include "core/str.h"

bool terminal_is(int fd);

/* Returns the width of the terminal `fd` in columns, or 80 if it is unknown. */
size_t terminal_width(int fd);

/* Prints a one-line message to standard error. The message is red on a terminal, unless NO_COLOR is
 * set. Escapes newlines and other bytes that control a terminal or start a command in a CI log. */
void message_error(const char *format, ...) PPROFC_PRINTF(1, 2);

/* Prints a message of several lines. Treats each line like message_error. */
void message_error_lines(pprofc_str text);

/* Prints a message that is not an error, without colour. */
void message_note(const char *format, ...) PPROFC_PRINTF(1, 2);

#endif
