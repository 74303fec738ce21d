/* Texts of a run: times of Go, names of files, lines of what programs said. */
#ifndef PPROFCI_RUN_TEXT_H
#define PPROFCI_RUN_TEXT_H

#include "core/buffer.h"

/* "1000x": a number of iterations. *count may be NULL. */
bool text_is_iterations(pprofc_str text, double *count);

/* "500ms", "1m30s": a time of Go; *nanoseconds may be NULL. */
bool text_is_duration(pprofc_str text, double *nanoseconds);

/* The last line with something in it, or an empty text. */
pprofc_str text_last_line(pprofc_str text);

/* A text of the arena from a format; NULL when out of memory. */
char *text_printf(struct arena *arena, const char *format, ...) PPROFC_PRINTF(2, 3);

/* A copy with a NUL behind it; NULL when out of memory. */
char *text_keep(struct arena *arena, pprofc_str text);

/* A path that no program takes for an option: "-x" is "./-x". NULL when out of memory. */
const char *text_path(struct arena *arena, const char *path);

/* Appends text with every byte of a character that a terminal would obey, or that turns text
 * around, as '_'. */
void text_plain(struct buffer *out, pprofc_str text);

/* Appends text with all bytes but letters, digits and those of `others` as '_'. */
void text_word(struct buffer *out, pprofc_str text, const char *others);

/* Appends a part of a URL: all but unreserved characters as %XX. */
void text_url(struct buffer *out, pprofc_str text);

#endif
