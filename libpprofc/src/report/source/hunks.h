/* Hunks of a unified diff without context. They order the lines of base and head in a common
 * listing: deleted lines precede their replacements. The place of a line is its index there. */
#ifndef PPROFC_REPORT_SOURCE_HUNKS_H
#define PPROFC_REPORT_SOURCE_HUNKS_H

#include "core/map.h"

enum diff_side { DIFF_BASE, DIFF_HEAD, DIFF_SIDES };

/* Base lines [base_line, base_line + base_count) became head lines [head_line, head_line +
 * head_count). Without lines on a side, its number is the next line's. */
struct hunk {
  int64_t base_line, base_count, head_line, head_count;
  int64_t place; /* index of the first line in the file's listing of all revisions */
  size_t text;   /* index in `texts` of the first line: deleted, then added */
};

/* A file with changes. */
struct changed_file {
  pprofc_str base, head; /* paths in the repository; "" if base or head has no such file */
  size_t first, count;   /* hunks of the file, in order: index of the first, and number */
};

/* A path in base or in head, and its file. */
struct changed_path {
  pprofc_str path;
  size_t file;
};

struct hunks {
  struct arena *arena;
  struct changed_file *files;
  size_t file_count, file_capacity;
  struct changed_path *paths[DIFF_SIDES]; /* sorted paths of base and of head */
  struct hunk *hunks;
  size_t count, capacity;
  pprofc_str *texts; /* lines of the hunks; they point into the diff */
  size_t text_count, text_capacity;
};

/* Reads `git diff -U0`, ignoring text outside the diff. Diff and arena must outlive the hunks.
 * Returns false when out of memory. */
bool hunks_read(struct hunks *hunks, pprofc_str diff, struct arena *arena);

/* Returns the file with the path in base or in head, or NULL if it did not change. */
const struct changed_file *hunks_file(const struct hunks *hunks, enum diff_side side,
                                      pprofc_str path);

/* Return the index of a line of base, or of head, in the file's listing, which has deleted and
 * added lines. `file` NULL: unchanged. */
int64_t hunks_place_of_base(const struct hunks *hunks, const struct changed_file *file,
                            int64_t line);
int64_t hunks_place_of_head(const struct hunks *hunks, const struct changed_file *file,
                            int64_t line);

/* A line of the listing, for printing. */
struct diff_line {
  char mark;          /* mark of the line: ' ', '-' or '+' */
  int64_t base, head; /* line numbers in base and in head; 0: it does not have the line */
  pprofc_str text;    /* text of a changed line */
  size_t hunk;        /* for a changed line: index of its hunk */
};

struct diff_line hunks_line(const struct hunks *hunks, const struct changed_file *file,
                            int64_t place);

/* Counts hunks that change lines [from, to] of a side, or a gap there; *first: the first hunk. */
size_t hunks_touch(const struct hunks *hunks, const struct changed_file *file, enum diff_side side,
                   int64_t from, int64_t to, size_t *first);

#endif
