/* Hunks of a unified diff without context. The hunks define a common order of the lines of base and
 * head: deleted lines precede the lines that replace them. The place of a line is its index in that
 * order, which is the order of the listing. */
#ifndef PPROFC_REPORT_SOURCE_HUNKS_H
#define PPROFC_REPORT_SOURCE_HUNKS_H

#include "core/map.h"

enum diff_side { DIFF_BASE, DIFF_HEAD, DIFF_SIDES };

/* Base lines [base_line, base_line + base_count) became head lines [head_line, head_line +
 * head_count). On a side without lines, the line number is the number of the next line. */
struct hunk {
  int64_t base_line, base_count, head_line, head_count;
  int64_t place; /* index of the hunk's first line in the listing of the whole file, where deleted
                    and added lines both count */
  size_t text;   /* first text of the hunk in `texts`: deleted lines, then added lines */
};

/* A file with changes. */
struct changed_file {
  pprofc_str base, head; /* paths in the repository; "" if a side has no such file */
  size_t first, count;   /* range of the file's hunks, in order */
};

/* A path of one side, and its file. */
struct changed_path {
  pprofc_str path;
  size_t file;
};

struct hunks {
  struct arena *arena;
  struct changed_file *files;
  size_t file_count, file_capacity;
  struct changed_path *paths[DIFF_SIDES]; /* paths of the base and paths of the head, each sorted */
  struct hunk *hunks;
  size_t count, capacity;
  pprofc_str *texts; /* lines of the hunks, as views of the diff */
  size_t text_count, text_capacity;
};

/* Reads the output of `git diff -U0`. `diff` and the arena must outlive the hunks. Ignores text
 * outside the diff. Returns false when out of memory. */
bool hunks_read(struct hunks *hunks, pprofc_str diff, struct arena *arena);

/* Returns the file with that path on a side, or NULL if the file did not change. */
const struct changed_file *hunks_file(const struct hunks *hunks, enum diff_side side,
                                      pprofc_str path);

/* Both functions return the index of a line of base or of head in the listing of the whole file.
 * The listing contains deleted and added lines. `file` is NULL if the file has no changes. */
int64_t hunks_place_of_base(const struct hunks *hunks, const struct changed_file *file,
                            int64_t line);
int64_t hunks_place_of_head(const struct hunks *hunks, const struct changed_file *file,
                            int64_t line);

/* One line of the listing, for printing. */
struct diff_line {
  char mark;          /* mark of the line: ' ', '-' or '+' */
  int64_t base, head; /* line numbers; 0 on a side that does not have the line */
  pprofc_str text;    /* text of a changed line */
  size_t hunk;        /* index of the hunk, for a changed line */
};

struct diff_line hunks_line(const struct hunks *hunks, const struct changed_file *file,
                            int64_t place);

/* True if lines [from, to] of head, or a gap between them, have a change. */
bool hunks_touch(const struct hunks *hunks, const struct changed_file *file, int64_t from,
                 int64_t to);

#endif
