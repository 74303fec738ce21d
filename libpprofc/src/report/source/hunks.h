/* Hunks of a unified diff without context.
 *
 * The hunks of a file define a listing of the file. It contains the lines of base and of head.
 * Deleted lines come before the lines that replace them. The place of a line is its index in this
 * listing. */
#ifndef PPROFC_REPORT_SOURCE_HUNKS_H
#define PPROFC_REPORT_SOURCE_HUNKS_H

#include "core/base.h"

enum diff_side { DIFF_BASE, DIFF_HEAD, DIFF_SIDES };

/* Base lines [base_line, base_line + base_count) became head lines [head_line, head_line +
 * head_count). If base or head has no lines in the hunk, its line number is the number of the next
 * line. */
struct hunk {
  int64_t base_line, base_count, head_line, head_count;
  int64_t place; /* place of the hunk's first line in the listing of the file */
  size_t text; /* index in `texts` of the hunk's first line; the deleted lines come before the added
                  lines */
};

struct changed_file {
  pprofc_str base, head; /* paths in the repository; "" if base or head has no such file */
  size_t first, count;   /* hunks of the file, in order: index of the first, and their number */
};

/* A path in base or in head, and the index of its file in `files`. */
struct changed_path {
  pprofc_str path;
  size_t file;
};

struct hunks {
  struct arena *arena;
  struct changed_file *files;
  size_t file_count, file_capacity;
  struct changed_path *paths[DIFF_SIDES]; /* paths of the files in base, and in head, each sorted */
  struct hunk *hunks;
  size_t count, capacity;
  pprofc_str *texts; /* lines of the hunks; they point into the diff */
  size_t text_count, text_capacity;
};

/* Reads the output of `git diff -U0`. The diff and the arena must outlive the hunks. Ignores text
 * outside the diff. Returns false when out of memory. */
bool hunks_read(struct hunks *hunks, pprofc_str diff, struct arena *arena);

/* Returns the changed file that has this path in base or in head (`side`). Returns NULL if the diff
 * does not contain the file. */
const struct changed_file *hunks_file(const struct hunks *hunks, enum diff_side side,
                                      pprofc_str path);

/* Returns the place of a line of base, or of head, in the listing of the whole file. The listing
 * contains deleted and added lines. `file` is NULL if the file did not change. */
int64_t hunks_place_of_base(const struct hunks *hunks, const struct changed_file *file,
                            int64_t line);
int64_t hunks_place_of_head(const struct hunks *hunks, const struct changed_file *file,
                            int64_t line);

/* A line of the listing, for printing. */
struct diff_line {
  char mark;          /* mark of the line: ' ', '-' or '+' */
  int64_t base, head; /* line numbers in base and in head; 0: base or head lacks the line */
  pprofc_str text;    /* text of a changed line */
  size_t hunk;        /* for a changed line: index of its hunk */
};

struct diff_line hunks_line(const struct hunks *hunks, const struct changed_file *file,
                            int64_t place);

/* Returns the number of hunks that change a line in [from, to] of base or head (`side`), or add
 * lines between two of these lines. Stores the index of the first of these hunks in *first. */
size_t hunks_touch(const struct hunks *hunks, const struct changed_file *file, enum diff_side side,
                   int64_t from, int64_t to, size_t *first);

#endif
