/* Finds the current line numbers in a file that changed after its profile was recorded. */
#ifndef PPROFC_LSP_FOLLOW_H
#define PPROFC_LSP_FOLLOW_H

#include "core/buffer.h"
#include "report/source/revisions.h"

/* Changes of a file since the profile was recorded, sorted by line. */
struct follow {
  struct hunk *hunks;
  size_t count, capacity;
  struct buffer base; /* path of the file in the commit of the profile; "" if unknown */
};

void follow_init(struct follow *follow);
void follow_free(struct follow *follow);

/* Reads the changes of `path` from git, since the commit `ref`; if "", since `time` (nanoseconds
 * since 1970) if the file is newer. Without git or commit, all lines are equal. */
void follow_read(struct follow *follow, const char *path, const char *ref, int64_t time);

/* The first function converts a line number of the profile to a line number of the current file.
 * The second function converts back. Numbers start at 0. Both return SIZE_MAX if the text of the
 * line changed. */
size_t follow_line(const struct follow *follow, size_t line);
size_t follow_origin(const struct follow *follow, size_t line);

#endif
