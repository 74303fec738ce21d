/* Costs of lines by file, and the functions that they belong to. */
#ifndef PPROFC_LSP_COSTS_H
#define PPROFC_LSP_COSTS_H

#include "core/buffer.h"
#include "core/error.h"

#include "pprofc/graph.h"

struct costs {
  pprofc_graph *lines;     /* a node for each line */
  pprofc_graph *functions; /* a node for each function, with calls */
  const pprofc_graph_node *nodes;
  size_t count;
};

pprofc_status costs_read(struct costs *costs, const pprofc_profile *profile,
                         const pprofc_report_options *options, pprofc_error *error);
void costs_free(struct costs *costs);

/* Returns the file of the profile that has the most trailing parts in common with a path: two at
 * least, or all of its own; empty without one. */
pprofc_str costs_file(const struct costs *costs, pprofc_str path);

/* Appends "1.2s self, 3s total". */
void costs_put(const struct costs *costs, struct buffer *to, int64_t flat, int64_t cum);

/* Appends a name as Markdown that shows it unchanged. */
void costs_put_name(struct buffer *to, pprofc_str name);

/* Appends the heaviest callers and callees of a function as Markdown. */
void costs_put_calls(const struct costs *costs, struct buffer *to, pprofc_str function);

#endif
