/* Declares the parts of the server for editors: costs of lines, changed files, and the page with
 * the flame graph. */
#ifndef PPROFC_LSP_LSP_H
#define PPROFC_LSP_LSP_H

#include "options.h"
#include "pprofc/graph.h"
#include "report/source/revisions.h"
#include "verdict/print/print.h"

/* ---- costs of source lines (costs.c) ----------------- */

struct cost {
  pprofc_str function, file;
  int64_t line;                     /* line number from 1; 0 for a function */
  int64_t flat, cum;                /* self and total, if there are no verdicts */
  const pprofc_verdict_row *judged; /* verdict with the values of base and head, or NULL */
  bool first;                       /* true if this is the function's first line in the file */
};

struct costs {
  pprofc_profile *profile; /* the profile; in a comparison, the difference */
  pprofc_graph *functions; /* graph whose nodes are functions and whose edges are calls */
  pprofc_graph *lines;     /* graph with lines as nodes; NULL if there are verdicts */
  struct interner names;   /* names of the functions in the graph */
  uint32_t *nodes;         /* for each id in `names`, the first node with this name */
  size_t node_count;       /* number of nodes in the graph */
  struct cost *items;      /* costs of lines, largest first */
  size_t count, capacity;
  pprofc_report_options quiet;         /* report options that suppress warnings */
  struct noise_report judged, by_line; /* verdicts on functions and on lines, or empty */
  struct buffer header;                /* text above the table of verdicts */
};

/* Reads the sources, and computes the costs of their lines. With -diff_base, also computes the
 * verdicts of -noise. The caller calls costs_free. */
pprofc_status costs_read(struct costs *costs, const struct command *command, pprofc_error *error);
void costs_free(struct costs *costs);

/* Returns the cost of a function. In the result, `function` is empty if the function has no cost.
 */
struct cost costs_function(const struct costs *costs, pprofc_str name);

/* Both functions return a sort key for a line. costs_own returns the absolute self value or, with a
 * verdict, the absolute change. costs_total returns the absolute total or, with a verdict, the
 * larger total of base and head. */
double costs_own(const struct cost *cost);
double costs_total(const struct cost *cost);

/* Returns the file name in the profile that has the most components in common with the end of
 * `path`. At least two must be equal, or one if the name has no folder. Otherwise returns "". */
pprofc_str costs_file(const struct costs *costs, pprofc_str path);

/* Appends "1.2s self, 3s total". In a comparison, adds the change: ", +0.5s ±0.1s" for a line, and
 * "; grew: +0.5s ±0.1s" for a function. */
void costs_put(const struct costs *costs, struct buffer *to, const struct cost *cost);

/* Appends a name, escaped for Markdown. */
void costs_put_name(struct buffer *to, pprofc_str name);

/* Appends the callers and callees with the largest values, as Markdown. */
void costs_put_calls(const struct costs *costs, struct buffer *to, pprofc_str function);

/* ---- changed files (follow.c) ------------------------ */

/* Changes of a file since the profile was recorded, sorted by line. */
struct follow {
  struct hunk *hunks;
  size_t count, capacity;
  struct buffer base; /* path that the file had in the profile's commit; "" if unknown */
};

void follow_init(struct follow *follow);
void follow_free(struct follow *follow);

/* Reads the changes of `path` since the commit `ref` from git. If `ref` is "", reads the changes
 * since `time` (nanoseconds since 1970), but only if the file is newer than `time`. Without git or
 * a commit, every line counts as unchanged. */
void follow_read(struct follow *follow, const char *path, const char *ref, int64_t time);

/* Converts a line number in the profile to a line number in the current file. With `back`, converts
 * in the other direction. Numbers start at 0. Returns SIZE_MAX if the line's text changed. */
size_t follow_line(const struct follow *follow, size_t line, bool back);

/* ---- the page with the flame graph (page.c) ---------- */

struct lsp_page {
  char folder[4000]; /* folder that only this user can read; "" until the first page */
  char path[4096];
};

/* Appends the page's URL with a function selected: "file:///.../flame.html#sel=main.hot". The first
 * call writes the page, which only this user can read. A later call writes the page again if it was
 * deleted. */
pprofc_status page_address(struct lsp_page *page, const struct command *command,
                           const struct costs *costs, pprofc_str function, struct buffer *address,
                           pprofc_error *error);

void page_remove(struct lsp_page *page);

#endif
