/* Declares a tool call by a coding agent: its arguments and its answer, which has a size limit. */
#ifndef PPROFC_MCP_CALL_H
#define PPROFC_MCP_CALL_H

#include "common/brief_flag.h"
#include "core/template.h"
#include "mcp/profiles.h"
#include "rpc/rpc.h"

#include "pprofc/graph.h"
#include "pprofc/report.h"
#include <pthread.h>

#define CALL_BUDGET       4000 /* maximum length of an answer in bytes */
#define CALL_BUDGET_LEAST 1000
#define CALL_BUDGET_MOST  100000
#define CALL_NEXT_MOST    600 /* maximum length in bytes of the suggested next calls in an answer */
#define CALL_NEXT         4
#define CALL_TIME         120000 /* time limit of a call in milliseconds */

struct mcp {
  const struct command *command;
  struct files files;
  struct profiles profiles;
  struct budget *budget;  /* memory budget of the server, which includes all its calls */
  pthread_mutex_t lock;   /* lock for the field `running` */
  struct budget *running; /* budget of the current call; NULL between calls */
  char *coming;           /* arguments of the suggested call not yet computed; or NULL */
  bool initialized;
};

struct call {
  struct mcp *mcp;
  const struct node *arguments; /* JSON object with the arguments */
  struct arena *arena;
  struct budget *budget;         /* memory budget of this call */
  size_t most;                   /* maximum size of the answer in bytes */
  struct buffer head, text;      /* the answer: lines that the tool writes, then the report */
  struct buffer next[CALL_NEXT]; /* calls that the answer suggests as the next step */
  size_t next_count;
};

typedef pprofc_status (*tool_fn)(struct call *call, pprofc_error *error);

/* Returns a tool's function, or NULL. Sets *schema to its entry in the list of tools. */
tool_fn tool_find(struct call *call, const struct node *name, const struct node **schema);

/* Checks the arguments of a call against the schema of its tool. */
pprofc_status tool_check(const struct node *schema, const struct node *arguments,
                         pprofc_error *error);

/* Appends the section `part` of answers.template, filled by `fill`, on one line. */
void answer_put(struct buffer *out, const char *part, const struct fill *fill);

pprofc_status tool_open(struct call *call, pprofc_error *error);
pprofc_status tool_top(struct call *call, pprofc_error *error);
pprofc_status tool_compare(struct call *call, pprofc_error *error);
pprofc_status tool_callers(struct call *call, pprofc_error *error);
pprofc_status tool_source(struct call *call, pprofc_error *error);
pprofc_status tool_benchmarks(struct call *call, pprofc_error *error);
pprofc_status tool_history(struct call *call, pprofc_error *error);

/* Sets the call's budget, which a cancellation stops. NULL after the call. */
void mcp_set_running(struct mcp *mcp, struct budget *budget);

/* Copies a text argument to the arena, NUL-terminated. Returns "" if the argument is absent, or
 * NULL when out of memory. */
const char *call_text(struct call *call, const char *name);

/* Stores an argument, a text or an array of texts, in `items`. Returns their number. */
size_t call_texts(struct call *call, const char *name, const struct node *items[], size_t most);

int64_t call_number(struct call *call, const char *name, int64_t other);

/* Adds a suggested next call to the answer. The arguments are names and values in turn, and end
 * with NULL. */
void call_next(struct call *call, const char *tool, ...);

/* Suggests a tool that shows a function, with the profiles of this call. */
void call_next_function(struct call *call, const char *tool, pprofc_str function);

/* Returns how many bytes of the answer are free for a report. */
size_t call_room(const struct call *call);

/* Appends a report. Shortens the report to `room` bytes. */
pprofc_status call_report(struct call *call, const struct brief *kind, size_t room,
                          brief_render_fn render, const void *context, pprofc_error *error);

/* Appends text from a profile. Escapes control characters and shortens long text. */
void call_put_name(struct buffer *to, pprofc_str name);

/* Adds the files that an argument names to `paths`. The argument has paths of files and folders.
 * `most` is the capacity of `paths`. `what` is the word for the files in errors, such as
 * "profiles". */
pprofc_status call_files(struct call *call, const char *name, const char *what, const char **paths,
                         size_t *count, size_t most, pprofc_error *error);

/* Reads a file of benchmark results into `data`, which the caller frees. */
pprofc_status call_read(struct call *call, pprofc_str path, struct buffer *data,
                        pprofc_error *error);

/* Opens a profile and copies it for this call, sharing data. The caller releases the copy. */
pprofc_status call_profile(struct call *call, pprofc_str path, pprofc_profile **profile,
                           pprofc_error *error);

/* Finds a function by name, handle or part of its name. *name is in the call's memory. */
pprofc_status call_function(struct call *call, const pprofc_profile *profile, pprofc_str *name,
                            pprofc_error *error);

/* Fills in the report options with the filters of the arguments. */
void call_options(struct call *call, pprofc_report_options *options);

/* Builds a graph of source lines, which the caller frees with pprofc_graph_free. */
pprofc_status lines_graph(const pprofc_profile *profile, const pprofc_report_options *options,
                          pprofc_graph **graph, pprofc_error *error);

/* Returns a function's line with the largest self value of the sign `sign`, or NULL. */
const pprofc_graph_node *lines_hottest(const pprofc_graph *graph, pprofc_str function, double sign);

#endif
