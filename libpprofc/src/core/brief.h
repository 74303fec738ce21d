/* Shortens a report to a number of bytes. The most important rows stay whole. One line says how
 * many rows were omitted.
 *
 * The shortened report is called a brief. A report writes to it with the callback brief_write, and
 * marks its rows with output_row. In a report without marks, each line is a row, and earlier lines
 * are more important. */
#ifndef PPROFC_CORE_BRIEF_H
#define PPROFC_CORE_BRIEF_H

#include "core/buffer.h"
#include "core/error.h"

/* Smallest permitted value for the maximum size of a report, in bytes. A report of this size has
 * space for the line about the omitted rows. */
#define BRIEF_LEAST 256

/* Rank of lines outside of rows. The brief drops such a line only if these lines fill more than
 * half of the report, or if no rows are left to drop. */
#define BRIEF_FIXED INT32_MAX

/* Type of report. BRIEF_LINES: each line is a row. BRIEF_ROWS: text with marked rows. BRIEF_JSON:
 * JSON with marked rows. */
enum brief_kind { BRIEF_LINES, BRIEF_ROWS, BRIEF_JSON };

/* A row of the report, or a line outside of rows. */
struct brief_piece {
  int rank;           /* rank of the row; a higher rank is more important */
  double weight;      /* among rows of equal rank, a larger absolute value is more important */
  long double amount; /* value of the row, for the sum of the omitted rows */
  size_t at, size;    /* offset of the text in brief.text, and its size; 0 for an omitted piece */
};

/* The rows and lines that were omitted. */
struct brief_left {
  size_t rows, lines; /* number of omitted rows, and of omitted lines outside of rows */
  size_t of_rank[3];  /* number of omitted rows of rank 0, of rank 1, and of rank 2 or more */
  long double amount;
};

/* Appends a description of the omitted rows, such as "1.2s (3% of 40s)". */
typedef void (*brief_describe_fn)(const void *context, const struct brief_left *left,
                                  struct buffer *to);

/* Writes a copy of `line` in which the number of rows is corrected for the omitted rows. Returns
 * false if the line needs no change. */
typedef bool (*brief_recount_fn)(const void *context, const struct brief_left *left,
                                 pprofc_str line, struct buffer *to);

struct brief {
  const pprofc_allocator *mem;
  enum brief_kind kind;
  size_t most;                /* maximum size of the report in bytes */
  const char *more;           /* command that shows more rows */
  struct brief_piece *pieces; /* rows and lines outside of rows, in the order of the report */
  size_t count, capacity;
  struct buffer text;            /* texts of the pieces; then the text of `open` */
  struct brief_piece open;       /* row or line that is being written */
  size_t row_bytes, fixed_bytes; /* total sizes of the kept rows, and of the kept other lines */
  /* Pieces in the order in which they are dropped: `row_count` rows, then the other lines. The
   * first of these lines is never dropped. */
  struct brief_piece **order;
  size_t order_capacity, row_count, next_row, next_line;
  size_t note_at; /* for JSON: index in `pieces` of the first piece after the note about omitted
                     rows */
  bool markdown;  /* true for Markdown, in which an empty line ends a table */
  /* With BRIEF_LINES: returns the rank of a line. NULL: all lines are equally important. */
  int (*rank_of)(pprofc_str line);
  size_t skip; /* number of rows at the start to drop, because an earlier report showed them */
  size_t seen; /* number of rows added so far */
  struct brief_piece floor; /* row that was dropped last; all kept rows are more important */
  struct brief_left left;
  struct buffer note; /* text of the note about omitted rows */
  bool settled;
};

/* Begins a report. `most` is its maximum size in bytes, at least BRIEF_LEAST. `more` is the command
 * that shows more rows, and must outlive the brief. */
void brief_init(struct brief *brief, const pprofc_allocator *mem, enum brief_kind kind, size_t most,
                const char *more);
void brief_free(struct brief *brief);

/* Adds text to the report. The function is a pprofc_write_fn whose context is the brief. */
int brief_write(void *brief, const void *data, size_t size);

/* Begins a row. If `rank` is BRIEF_FIXED, begins a text outside of rows. Returns false when out of
 * memory. */
bool brief_mark(struct brief *brief, int rank, double weight, long double amount);

/* Marks the place in a JSON report for the note about the omitted rows. This place must be after a
 * member of an object. */
void brief_note_here(struct brief *brief);

/* Drops the least important rows and lines until the report fits. `describe` and `recount` may be
 * NULL. */
void brief_settle(struct brief *brief, brief_describe_fn describe, brief_recount_fn recount,
                  const void *context);

/* Writes the report, at most `most` bytes. Returns PPROFC_E_LIMIT if a JSON report is longer even
 * without its rows. */
pprofc_status brief_finish(struct brief *brief, pprofc_write_fn write, void *context,
                           pprofc_error *error);

/* Returns the maximum size of a name in bytes. The report shortens longer names. */
size_t brief_name_most(const struct brief *brief);

/* Appends text. If it has more than `most` bytes, appends only its beginning, its end and a handle:
 * "first...last f:0123456789abcdef". */
void brief_shorten(struct buffer *out, pprofc_str text, size_t most);

/* Appends the name of a function. If the name has more than `most` bytes, replaces template
 * arguments and parameters by "...": "list<...>::push(...)". If the result is still too long,
 * replaces its middle. */
void brief_function(struct buffer *out, pprofc_str name, size_t most);

/* Writes the handle of a name: a hash that identifies the name, as text of 18 bytes and a NUL.
 * Equal names have equal handles in every report. */
#define BRIEF_HANDLE 19
void brief_handle(pprofc_str name, char out[BRIEF_HANDLE]);

#endif
