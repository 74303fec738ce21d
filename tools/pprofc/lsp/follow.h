/* Follows the lines of a file that changed since its profile was recorded. */
#ifndef PPROFC_LSP_FOLLOW_H
#define PPROFC_LSP_FOLLOW_H

#include "core/buffer.h"
#include "report/source/revisions.h"

/* The changes of a file since the profile, in the order of its lines. */
struct follow {
  struct hunk *hunks;
  size_t count, capacity;
  struct buffer base; /* path of the file in the commit of the profile, "" if it is not known */
};

void follow_init(struct follow *follow);
void follow_free(struct follow *follow);

/* Reads the changes of the file at `path` from git: since the commit `ref`, or if it is "" since
 * `time`, in nanoseconds since 1970, if the file is newer. Without git, a repository or a commit
 * no line is known to have changed. */
void follow_read(struct follow *follow, const char *path, const char *ref, int64_t time);

/* Convert a line of the profile to the line of the current file, and back. Lines count from 0.
 * SIZE_MAX if the text of the line changed. */
size_t follow_line(const struct follow *follow, size_t line);
size_t follow_origin(const struct follow *follow, size_t line);

#endif
