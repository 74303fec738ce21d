/* Wraps text into lines. */
#ifndef TOOLS_COMMON_FILL_H
#define TOOLS_COMMON_FILL_H

#include "core/output.h"

#define FILL_MIN 40
#define FILL_MAX 110 /* maximum length of a line in columns; longer lines are hard to read */

struct filler {
  struct output *out;
  size_t width, indent;
  size_t at; /* number of columns that the current line already has */
};

void fill_new_line(struct filler *filler);

/* Adds words. Breaks lines where necessary. */
void fill(struct filler *filler, const char *text);

/* Returns `width` limited to the range FILL_MIN to FILL_MAX. */
size_t fill_width(size_t width);

#endif
