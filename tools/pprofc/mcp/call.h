/* A call of a tool: arguments in, an answer of a few bytes out. */
#ifndef PPROFC_MCP_CALL_H
#define PPROFC_MCP_CALL_H

#include "common/brief_flag.h"
#include "mcp/profiles.h"
#include "rpc/rpc.h"

#include <pthread.h>

#define CALL_BUDGET       4000 /* bytes of an answer */
#define CALL_BUDGET_LEAST 1000
#define CALL_BUDGET_MOST  100000
#define CALL_NEXT_MOST    600 /* bytes for the next calls */
#define CALL_NEXT         4
#define CALL_TIME         120000 /* milliseconds of a call */

struct mcp {
  const struct command *command;
  struct files files;
  struct profiles profiles;
  struct budget *budget;  /* memory of everything */
  pthread_mutex_t lock;   /* of `running` */
  struct budget *running; /* memory and time of the call that runs, or NULL */
  bool initialized;
};

struct call {
  struct mcp *mcp;
  const struct node *arguments; /* an object */
  struct arena *arena;
  struct budget *budget;         /* of this call */
  size_t most;                   /* bytes of the answer */
  struct buffer head, text;      /* lines of this program, and the report */
  struct buffer next[CALL_NEXT]; /* calls that go on */
  size_t next_count;
};

/* Kinds of arguments. */
enum argument_kind { ARGUMENT_TEXT, ARGUMENT_TEXTS, ARGUMENT_NUMBER };

struct tool_argument {
  const char *name, *description;
  enum argument_kind kind;
  bool required;
};

#define TOOL_ARGUMENTS 10

struct mcp_tool {
  const char *name, *title, *description;
  pprofc_status (*run)(struct call *call, pprofc_error *error);
  struct tool_argument arguments[TOOL_ARGUMENTS]; /* ends with name NULL */
};

extern const struct mcp_tool tools[];
extern const size_t tool_count;

pprofc_status tool_open(struct call *call, pprofc_error *error);
pprofc_status tool_top(struct call *call, pprofc_error *error);
pprofc_status tool_compare(struct call *call, pprofc_error *error);
pprofc_status tool_callers(struct call *call, pprofc_error *error);
pprofc_status tool_source(struct call *call, pprofc_error *error);
pprofc_status tool_benchmarks(struct call *call, pprofc_error *error);
pprofc_status tool_history(struct call *call, pprofc_error *error);

/* Judges profiles in order of time: what grows without end. */
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

/* Adds a call that goes on: pairs of names and values, ended by NULL. */
void call_next(struct call *call, const char *tool, ...);

/* Returns the bytes that are left for a report. */
size_t call_room(const struct call *call);

/* Appends a report of at most that many bytes. */
pprofc_status call_report(struct call *call, const struct brief *kind, size_t room,
                          brief_render_fn render, const void *context, pprofc_error *error);

/* Appends text of a profile: control characters are escaped, long text is shortened. */
void call_put_name(struct buffer *to, pprofc_str name);

/* Opens a profile and lends it with the memory of the call. The caller releases it. */
pprofc_status call_profile(struct call *call, pprofc_str path, pprofc_profile **profile,
                           pprofc_error *error);

/* Finds a function by its name, its handle or a part of its name. */
pprofc_status call_function(struct call *call, const pprofc_profile *profile, pprofc_str *name,
                            pprofc_error *error);

/* Options of a report with the filters of the arguments. */
void call_options(struct call *call, pprofc_report_options *options);

#endif
