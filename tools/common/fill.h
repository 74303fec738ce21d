/* Text that is filled into lines. */
#ifndef TOOLS_COMMON_FILL_H
#define TOOLS_COMMON_FILL_H

#include "core/output.h"

#define FILL_LEAST 40
#define FILL_MOST  110 /* longer lines are hard to read */

struct filler {
  struct output *out;
  size_t width, indent;
  size_t at; /* cells used of this line */
};

/* Begins a line with the indent. */
void fill_new_line(struct filler *filler);

/* Adds words, with line breaks where they are needed. */
void fill(struct filler *filler, const char *text);

/* A width that can be read: not less than FILL_LEAST, not more than FILL_MOST. */
size_t fill_width(size_t width);

#endif
