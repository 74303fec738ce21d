/* Computes the costs of lines by file, and finds the functions that they belong to. */
#ifndef PPROFC_LSP_COSTS_H
#define PPROFC_LSP_COSTS_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "options.h"

#include "pprofc/graph.h"
#include "verdict/print/print.h"

/* The cost of a line, or of a function. */
struct cost {
  pprofc_str function, file;
  int64_t line;                     /* number of the line; 0 for a function */
  int64_t flat, cum;                /* values of a profile or of a difference without verdicts */
  const pprofc_verdict_row *judged; /* values of both sides with the verdict, or NULL */
  bool first;                       /* true for the first line of its function in the file */
};

struct costs {
  pprofc_profile *profile; /* profile that is shown; in a comparison the difference */
  pprofc_graph *functions; /* graph of the profile with a node for each function, and calls */
  pprofc_graph *lines;     /* graph of the profile by lines; NULL with verdicts */
  struct interner names;   /* names of the functions of the graph */
  uint32_t *nodes;         /* for each name, the first node of the graph with it */
  size_t node_count;       /* number of nodes of the graph */
  struct cost *items;      /* lines, largest first */
  size_t count, capacity;
  pprofc_report_options quiet;         /* options of the report without warnings */
  struct noise_report judged, by_line; /* verdicts on functions and on lines, or no verdicts */
  struct buffer header;                /* lines above the table of verdicts */
};

/* Reads the sources of the command. With -diff_base functions and lines are judged, as -top -noise
 * judges functions. The caller calls costs_free also after an error. */
pprofc_status costs_read(struct costs *costs, const struct command *command, pprofc_error *error);
void costs_free(struct costs *costs);

/* Returns the cost of a function; its field `function` is empty if the function has no cost. */
struct cost costs_function(const struct costs *costs, pprofc_str name);

/* Return the sort keys of lines: the magnitude of the own value, and of the total; of the changes
 * in a difference. */
double costs_own(const struct cost *cost);
double costs_total(const struct cost *cost);

/* Returns the file of the profile that has the most trailing parts in common with a path: at
 * least two, or all parts of its own name. Empty if no file has. */
pprofc_str costs_file(const struct costs *costs, pprofc_str path);

/* Appends "1.2s self, 3s total" and in a comparison the change: ", +0.5s ±0.1s" for a line,
 * "; grew: +0.5s ±0.1s" for a function. */
void costs_put(const struct costs *costs, struct buffer *to, const struct cost *cost);

/* Appends a name as Markdown that shows it unchanged. */
void costs_put_name(struct buffer *to, pprofc_str name);

/* Appends the heaviest callers and callees of a function as Markdown. */
void costs_put_calls(const struct costs *costs, struct buffer *to, pprofc_str function);

#endif
