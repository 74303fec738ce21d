/* A call of a tool by an agent: its arguments, and an answer with a limited number of bytes. */
#ifndef PPROFC_MCP_CALL_H
#define PPROFC_MCP_CALL_H

#include "common/brief_flag.h"
#include "core/fill.h"
#include "mcp/profiles.h"
#include "rpc/rpc.h"

#include <pthread.h>

#define CALL_BUDGET       4000 /* maximum bytes of an answer */
#define CALL_BUDGET_LEAST 1000
#define CALL_BUDGET_MOST  100000
#define CALL_NEXT_MOST    600 /* maximum bytes of the suggested next calls */
#define CALL_NEXT         4
#define CALL_TIME         120000 /* time limit of a call in milliseconds */

struct mcp {
  const struct command *command;
  struct files files;
  struct profiles profiles;
  struct budget *budget;  /* budget for the memory of the server and all its calls */
  pthread_mutex_t lock;   /* lock that protects the field `running` */
  struct budget *running; /* budget of the call that runs, or NULL */
  char *coming;           /* arguments of the suggested next call, whose view is not made yet; or
                             NULL */
  bool initialized;
};

struct call {
  struct mcp *mcp;
  const struct node *arguments; /* arguments of the call, a JSON object */
  struct arena *arena;
  struct budget *budget;    /* budget of this call */
  size_t most;              /* maximum size of the answer in bytes */
  struct buffer head, text; /* head: lines of this program, which come first; text: the report */
  struct buffer next[CALL_NEXT]; /* suggested next calls, one text each */
  size_t next_count;
};

typedef pprofc_status (*tool_fn)(struct call *call, pprofc_error *error);

/* Returns the function of a tool, or NULL. *schema becomes its description in the list of tools,
 * in the memory of the call. */
tool_fn tool_find(struct call *call, const struct node *name, const struct node **schema);

/* Checks the arguments of a call. */
pprofc_status tool_check(const struct node *schema, const struct node *arguments,
                         pprofc_error *error);

/* Appends a part of answers.template, on one line. */
void answer_put(struct buffer *out, const char *part, const struct fill *fill);

pprofc_status tool_open(struct call *call, pprofc_error *error);
pprofc_status tool_top(struct call *call, pprofc_error *error);
pprofc_status tool_compare(struct call *call, pprofc_error *error);
pprofc_status tool_callers(struct call *call, pprofc_error *error);
pprofc_status tool_source(struct call *call, pprofc_error *error);
pprofc_status tool_benchmarks(struct call *call, pprofc_error *error);
pprofc_status tool_history(struct call *call, pprofc_error *error);

/* Finds what grows without end in profiles that are in order of time. */
pprofc_status history_leaks(struct call *call, const char *const *paths, size_t count,
                            pprofc_error *error);

/* Sets the budget that a cancellation stops. */
void mcp_set_running(struct mcp *mcp, struct budget *budget);

/* ---- arguments --------------------------------------- */

/* Returns a text argument as a C string in the arena; "" without it. NULL when out of memory. */
const char *call_text(struct call *call, const char *name);

/* Returns the items of an argument that is one text or an array of texts. */
size_t call_texts(struct call *call, const char *name, const struct node *items[], size_t most);

/* Returns a number argument, or `other` without it. */
int64_t call_number(struct call *call, const char *name, int64_t other);

/* ---- answers ----------------------------------------- */

/* Suggests a next call to the agent: pairs of names and values, ending with NULL. */
void call_next(struct call *call, const char *tool, ...);

/* Returns how many bytes of the answer a report may use. */
size_t call_room(const struct call *call);

/* Appends a report, cut to the unused bytes of the answer. */
pprofc_status call_report(struct call *call, const struct brief *kind, size_t room,
                          brief_render_fn render, const void *context, pprofc_error *error);

/* Appends text of a profile: control characters are escaped, long text is shortened. */
void call_put_name(struct buffer *to, pprofc_str name);

/* Adds the files of an argument to `paths`, which holds at most `most`: files, and the files of
 * folders. `what` names them in errors. */
pprofc_status call_files(struct call *call, const char *name, const char *what, const char **paths,
                         size_t *count, size_t most, pprofc_error *error);

/* Opens a profile and lends it with the memory of the call. The caller releases it. */
pprofc_status call_profile(struct call *call, pprofc_str path, pprofc_profile **profile,
                           pprofc_error *error);

/* Finds a function by its name, its handle or a part of its name. */
pprofc_status call_function(struct call *call, const pprofc_profile *profile, pprofc_str *name,
                            pprofc_error *error);

/* Sets report options from the filters in the arguments. */
void call_options(struct call *call, pprofc_report_options *options);

#endif
