/* Finds the current numbers of lines in a file that changed after its profile was recorded. */
#ifndef PPROFC_LSP_FOLLOW_H
#define PPROFC_LSP_FOLLOW_H

#include "core/buffer.h"
#include "report/source/revisions.h"

/* Changes of a file since the profile was recorded, in the order of lines. */
struct follow {
  struct hunk *hunks;
  size_t count, capacity;
  struct buffer base; /* path of the file in the commit of the profile; "" if not known */
};

void follow_init(struct follow *follow);
void follow_free(struct follow *follow);

/* Reads the changes of the file `path` from git. The changes start at the commit `ref`. If `ref` is
 * "", they start at `time` (nanoseconds since 1970), and only if the file is newer. Without git,
 * repository or commit, all lines count as unchanged. */
void follow_read(struct follow *follow, const char *path, const char *ref, int64_t time);

/* Convert a line number of the profile to a line number of the current file, and back. Numbers
 * start at 0. Return SIZE_MAX if the text of the line changed. */
size_t follow_line(const struct follow *follow, size_t line);
size_t follow_origin(const struct follow *follow, size_t line);

#endif
