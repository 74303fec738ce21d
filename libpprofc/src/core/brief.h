/* Cuts a report to a number of bytes. The most important rows stay whole, and one line names the
 * number of rows that were left out.
 *
 * The shortened report is called a brief. A report writes to it with the callback brief_write and
 * marks its rows with output_row. In a report without marks each line is a row, and earlier lines
 * are more important. */
#ifndef PPROFC_CORE_BRIEF_H
#define PPROFC_CORE_BRIEF_H

#include "core/buffer.h"
#include "core/error.h"

/* Minimum of the maximum size of a report, in bytes: room for the line about the omitted rows. */
#define BRIEF_LEAST 256

/* Rank of lines outside rows. A report drops these lines only after it has dropped all its rows. */
#define BRIEF_FIXED INT32_MAX

/* Kind of report. BRIEF_LINES: each line is a row. BRIEF_ROWS: text whose rows are marked.
 * BRIEF_JSON: JSON whose rows are marked. */
enum brief_kind { BRIEF_LINES, BRIEF_ROWS, BRIEF_JSON };

/* A row of the report, or a line outside rows. */
struct brief_piece {
  int rank;           /* rank of the row; rows of a higher rank are more important */
  double weight;      /* sort weight; among rows of equal rank the row with the larger magnitude is
                         more important, then the earlier row */
  long double amount; /* value of the row, for the sum of the rows that were left out */
  size_t index;       /* position of the row or line in the report */
  char *text;
  size_t size;
};

struct brief_list {
  struct brief_piece *items;
  size_t count, capacity;
  size_t bytes; /* sum of the sizes of the items' texts, in bytes */
};

/* Numbers of the rows and lines that were left out, and the sum of the rows' values. */
struct brief_left {
  size_t rows, lines; /* numbers of omitted rows and of omitted lines outside rows */
  size_t of_rank[3];  /* numbers of omitted rows of rank 0, of rank 1, and of rank 2 or more */
  long double amount;
};

/* Appends a description of the rows that were left out, such as "1.2s (3% of 40s)". */
typedef void (*brief_describe_fn)(const void *context, const struct brief_left *left,
                                  struct buffer *to);

/* Writes a line that states the number of rows, corrected for the omitted rows. Returns false if
 * the line needs no change. */
typedef bool (*brief_recount_fn)(const void *context, const struct brief_left *left,
                                 pprofc_str line, struct buffer *to);

struct brief {
  const pprofc_allocator *mem;
  enum brief_kind kind;
  size_t most;             /* maximum size of the report in bytes */
  const char *more;        /* command that shows more rows */
  struct brief_list rows;  /* rows kept so far, as a heap with the least important row first */
  struct brief_list fixed; /* lines outside rows, in the order of the report */
  size_t victim;           /* index in `fixed` of the next line to drop */
  size_t next;             /* index that the next row or line of the report gets */
  size_t note_at;          /* JSON report: index of the row or line that follows the note about
                              omitted rows */
  struct buffer open;      /* buffer for the text of the row or line that is being written */
  struct brief_piece open_piece;
  bool markdown; /* true for Markdown, where an empty line ends a table */
  /* With BRIEF_LINES: function that returns the rank of a line. NULL: all lines have the rank of
   * rows. */
  int (*rank_of)(pprofc_str line);
  size_t skip; /* number of rows to drop at the beginning, because an earlier report showed them */
  size_t seen; /* number of rows that have begun so far */
  bool has_floor;
  struct brief_piece floor; /* most important row that was left out */
  struct brief_left left;
  struct buffer note; /* text of the note about omitted rows */
  bool settled;
};

/* Begins a report. `most`, its maximum size in bytes, is at least BRIEF_LEAST. `more`, the command
 * that shows more rows, must outlive the brief. */
void brief_init(struct brief *brief, const pprofc_allocator *mem, enum brief_kind kind, size_t most,
                const char *more);
void brief_free(struct brief *brief);

/* Adds a part of the report to a brief. This is a pprofc_write_fn; its context is the brief. */
int brief_write(void *brief, const void *data, size_t size);

/* Begins a row, or a text outside rows if `rank` is BRIEF_FIXED. Returns false when out of
 * memory. */
bool brief_mark(struct brief *brief, int rank, double weight, long double amount);

/* Marks the position of the note about omitted rows in a JSON report. The position must follow a
 * member of an object. */
void brief_note_here(struct brief *brief);

/* Drops the least important rows and lines until the report fits. `describe` and `recount` may be
 * NULL. */
void brief_settle(struct brief *brief, brief_describe_fn describe, brief_recount_fn recount,
                  const void *context);

/* Writes the report, at most `most` bytes. Returns PPROFC_E_LIMIT if a JSON report without its rows
 * is still longer. */
pprofc_status brief_finish(struct brief *brief, pprofc_write_fn write, void *context,
                           pprofc_error *error);

/* Returns the maximum size in bytes of a name. The report shortens longer names. */
size_t brief_name_most(const struct brief *brief);

/* Appends text. Shortens a text of more than `most` bytes to its beginning, its end and a handle:
 * "first...last f:0123456789abcdef". */
void brief_shorten(struct buffer *out, pprofc_str text, size_t most);

/* Writes the handle of a name, a hash that identifies it: 18 bytes and a NUL. Equal names have
 * equal handles in every report. */
#define BRIEF_HANDLE 19
void brief_handle(pprofc_str name, char out[BRIEF_HANDLE]);

#endif
