/* Reads two revisions of sources in a git repository: their files and differences. */
#ifndef PPROFC_REPORT_SOURCE_REVISIONS_H
#define PPROFC_REPORT_SOURCE_REVISIONS_H

#include "profile/profile.h"
#include "report/source/lookup.h"

/* The sides of a unified diff without context. The hunks of a file define a listing of the file. It
 * contains the lines of base and of head. Deleted lines come before the lines that replace them.
 * The place of a line is its index in this listing. */

enum diff_side { DIFF_BASE, DIFF_HEAD, DIFF_SIDES };

/* Base lines [base_line, base_line + base_count) became head lines [head_line, head_line +
 * head_count). If base or head has no lines in the hunk, its line number is the number of the next
 * line. */
struct hunk {
  int64_t base_line, base_count, head_line, head_count;
  int64_t place; /* index of the hunk's first line in the listing of the file */
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

#define COMMIT_ID_MAX 65 /* size in bytes of a commit id: the hex digits of SHA-256 and a NUL */

struct revisions {
  struct arena arena;
  const char *top; /* folder of the repository */
  /* commit ids of base and head; "" means the working tree */
  char commits[DIFF_SIDES][COMMIT_ID_MAX];
  struct interner paths[DIFF_SIDES]; /* paths of the files in base, and in head */
  struct hunks hunks;
  struct source_file shown; /* file that revisions_text read last from a commit */
};

/* Opens the repository of the current folder. `refs` is "REF1..REF2", or "REF" to compare with the
 * working tree. The caller frees `revisions`, even after an error. Errors: PPROFC_E_INVALID
 * (unknown ref, no repository), PPROFC_E_UNSUPPORTED (no git), PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status revisions_open(struct revisions *revisions, const char *refs,
                             const pprofc_allocator *mem, pprofc_error *error);
/* Opens the repository of `folder`. Compares the commit `ref` with the working tree. If `ref` is
 * empty, compares the last commit of HEAD before the time `seconds` (since 1970) instead. */
pprofc_status revisions_open_at(struct revisions *revisions, const char *folder, const char *ref,
                                int64_t seconds, const pprofc_allocator *mem, pprofc_error *error);
void revisions_free(struct revisions *revisions);

/* Returns the path in the repository of a file that the profile calls `file`. This is the longest
 * suffix of `file` that is a path in base or in head (`side`). Returns "" if there is no such
 * suffix. */
pprofc_str revisions_place(const struct revisions *revisions, enum diff_side side, pprofc_str file);

/* Reads a file of base or head. If this side is the working tree, `lookup` reads the file.
 * (*file)->failure is "" or the reason why the file has no lines. *file is valid until the next
 * call. The lines are valid as long as `revisions` and `lookup`. */
pprofc_status revisions_text(struct revisions *revisions, struct source_lookup *lookup,
                             enum diff_side side, pprofc_str path, const struct source_file **file,
                             pprofc_error *error);

/* Adds up the costs of source lines in the base and head of a difference. A sample counts once for
 * each function in its stack, at the innermost line. The sum over the lines of a function is
 * therefore the total of the function. */

/* A line of a function in a file of the profile. */
struct line_cost {
  pprofc_str name, file;
  int64_t line, start_line;
  int64_t flat[DIFF_SIDES], cum[DIFF_SIDES];
  int64_t inner[DIFF_SIDES]; /* cum without the samples that a line nearer to the leaf owns
                                (line_costs_owns) */
  enum { OWNER_UNKNOWN, OWNER_NOT, OWNER_YES } owner[DIFF_SIDES];
};

struct line_costs {
  const pprofc_allocator *mem;
  struct line_cost *items; /* lines with their costs, sorted by name, file and line */
  size_t count, capacity;
};

/* True if the lines of the function `name` are added up. */
typedef bool (*line_costs_want)(void *context, pprofc_str name);

/* True if a line owns its samples in base or in head (`side`): the samples count for this line and
 * not for the lines that call it, for example because the line changed. The field `inner` of the
 * calling lines excludes these samples. */
typedef bool (*line_costs_owns)(void *context, enum diff_side side, const struct line_cost *line);

/* Choice of the lines to add up. If `want` is NULL, the lines of all functions are added up. If
 * `owns` is NULL, no line owns samples. */
struct line_costs_choice {
  line_costs_want want;
  line_costs_owns owns;
  void *context;
};

/* Adds up the samples of a difference by source line. In the profile, the values of base samples
 * are negative. Returns false when out of memory. The caller frees the result, even after an
 * error. */
bool line_costs_add_up(struct line_costs *costs, const pprofc_profile *profile, size_t type,
                       const struct line_costs_choice *choice, const pprofc_allocator *mem);
void line_costs_free(struct line_costs *costs);

#endif
