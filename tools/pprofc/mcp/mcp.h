/* Declares the parts of the server for coding agents: access to files, open profiles, tool calls
 * with their arguments and answers, and views. */
#ifndef PPROFC_MCP_MCP_H
#define PPROFC_MCP_MCP_H

#include "core/template.h"
#include "options.h"
#include "pprofc/graph.h"
#include "pprofc/report.h"
#include "profile/profile.h"
#include "report/report.h"
#include "rpc/rpc.h"

#include <pthread.h>

/* ---- files below the folders of the command line (files.c) */

#define FILES_FOLDERS 32

struct files {
  const char *names[FILES_FOLDERS]; /* names of the folders, as on the command line */
  char *paths[FILES_FOLDERS];       /* absolute paths of the folders, with all symlinks resolved */
  int fds[FILES_FOLDERS];
  size_t count;
};

/* Opens the folders, or the current folder if `count` is 0. */
pprofc_status files_open(struct files *files, const char *const *names, size_t count,
                         pprofc_error *error);
void files_close(struct files *files);

/* Opens a regular file for reading. `path` is relative to one of the folders of `files`, or an
 * absolute path below a folder. Rejects ".." and symlinks. Returns the descriptor, or -1 with an
 * error. */
int files_find(const struct files *files, pprofc_str path, struct stat *info, pprofc_error *error);

/* Appends the content of a file to `data`. The size limit of the buffer applies. */
pprofc_status files_read(const struct files *files, pprofc_str path, struct buffer *data,
                         pprofc_error *error);

typedef bool (*files_found_fn)(void *context, pprofc_str path, const struct stat *info);
/* Calls `found` for at most `most` files below the folder `path`, in the order of their names. The
 * path "" means all folders. Returns false when out of memory, or if `path` is not a folder. */
bool files_visit(const struct files *files, pprofc_str path, size_t most, files_found_fn found,
                 void *context);

/* ---- open profiles (profiles.c) ---------------------- */

#define PROFILES_OPEN 24
#define VIEWS_OPEN    24

/* A view is a profile or a difference after the filters of a call, with results computed from it.
 * Later calls use these results instead of reading the samples again. */
struct profile_view;

/* A profile, and the state of its file when the file was read. */
struct open_profile {
  char *path;
  struct stat info;
  pprofc_profile *profile;
  uint64_t last_call;  /* number of the last tool call that used the profile */
  bool added_up;       /* true if equal samples of a large profile were merged */
  char warnings[1024]; /* warnings about the profile, one line each */
};

struct profiles {
  const struct command *command; /* command line, which has the limits and the number of threads */
  const struct files *files;
  struct budget *budget; /* memory budget of all profiles and reports */
  struct open_profile items[PROFILES_OPEN];
  size_t count;
  struct profile_view *views[VIEWS_OPEN];
  size_t view_count;
  uint64_t calls; /* number of tool calls so far, which is the number of the current call */
};

/* Returns the profile of a file. Reads the file if it is not open or has changed. With `add_up`,
 * merges equal samples of a large profile. The result is valid until the next tool call. */
const struct open_profile *profiles_get(struct profiles *profiles, pprofc_str path, bool add_up,
                                        pprofc_error *error);

/* Closes the view or profile whose last use is longest ago. Returns false if the current call uses
 * all views and profiles. */
bool profiles_make_room(struct profiles *profiles);
void profiles_close_view(struct profiles *profiles, struct profile_view *view);
void profiles_free(struct profiles *profiles);

void view_free(struct profile_view *view);

/* ---- tool calls (call.c, tools.c, server.c) ---------- */

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
  /* arguments of the suggested next call, whose results the server computes in advance; or NULL */
  char *coming;
  bool initialized;
};

struct call {
  struct mcp *mcp;
  const struct node *arguments; /* JSON object with the arguments */
  struct arena *arena;
  struct budget *budget; /* memory budget of this call */
  size_t most;           /* maximum size of the answer in bytes */
  /* the two parts of the answer: lines that the tool writes, and the report below them */
  struct buffer head, text;
  struct buffer next[CALL_NEXT]; /* calls that the answer suggests as the next step */
  size_t next_count;
};

typedef pprofc_status (*tool_fn)(struct call *call, pprofc_error *error);

/* Returns the function that implements the tool `name`, or NULL. Sets *schema to the tool's entry
 * in the list of tools. */
tool_fn tool_find(struct call *call, const struct node *name, const struct node **schema);

/* Checks the arguments of a call against the schema of its tool. */
pprofc_status tool_check(const struct node *schema, const struct node *arguments,
                         pprofc_error *error);

/* Appends the section `part` of answers.template with the values of `fill`, on one line. */
void answer_put(struct buffer *out, const char *part, const struct fill *fill);

pprofc_status tool_open(struct call *call, pprofc_error *error);
pprofc_status tool_top(struct call *call, pprofc_error *error);
pprofc_status tool_compare(struct call *call, pprofc_error *error);
pprofc_status tool_callers(struct call *call, pprofc_error *error);
pprofc_status tool_source(struct call *call, pprofc_error *error);
pprofc_status tool_benchmarks(struct call *call, pprofc_error *error);
pprofc_status tool_history(struct call *call, pprofc_error *error);

/* Stores the budget of the current call, so that a cancellation can stop the call. `budget` is NULL
 * after the call. */
void mcp_set_running(struct mcp *mcp, struct budget *budget);

/* Copies a text argument to the arena, NUL-terminated. Returns "" if the argument is absent, or
 * NULL when out of memory. */
const char *call_text(struct call *call, const char *name);

/* Stores an argument, which is a text or an array of texts, in `items`. Returns the number of
 * texts. */
size_t call_texts(struct call *call, const char *name, const struct node *items[], size_t most);

int64_t call_number(struct call *call, const char *name, int64_t other);

/* Adds a suggested next call to the answer. The arguments alternate between names and values. The
 * last one is NULL. */
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

/* Adds files to `paths`, which has room for `most` files. The argument `name` lists these files,
 * and folders that contain them. `what` is the word for the files in errors, such as "profiles". */
pprofc_status call_files(struct call *call, const char *name, const char *what, const char **paths,
                         size_t *count, size_t most, pprofc_error *error);

/* Reads a file of benchmark results into `data`, which the caller frees. */
pprofc_status call_read(struct call *call, pprofc_str path, struct buffer *data,
                        pprofc_error *error);

/* Opens a profile and makes a copy for this call. The copy shares its data with the open profile.
 * The caller releases the copy. */
pprofc_status call_profile(struct call *call, pprofc_str path, pprofc_profile **profile,
                           pprofc_error *error);

/* Finds a function by its name, by part of its name, or by the handle that answers show for a long
 * name. Allocates *name in the call's memory. */
pprofc_status call_function(struct call *call, const pprofc_profile *profile, pprofc_str *name,
                            pprofc_error *error);

/* Sets report options from the filters in the call's arguments. */
void call_options(struct call *call, pprofc_report_options *options);

/* Builds a graph of source lines, which the caller frees with pprofc_graph_free. */
pprofc_status lines_graph(const pprofc_profile *profile, const pprofc_report_options *options,
                          pprofc_graph **graph, pprofc_error *error);

/* Returns the line of a function with the largest self value, or NULL. Considers only values that
 * have the same sign as `sign`. */
const pprofc_graph_node *lines_hottest(const pprofc_graph *graph, pprofc_str function, double sign);

/* ---- views (views.c) --------------------------------- */

struct paths;

/* Maximum number of -top reports of a view, each with a different granularity. */
#define VIEW_TOPS 4

struct profile_view {
  pprofc_str key;
  const pprofc_profile *of[2]; /* profiles of base and head; NULL if absent */
  uint64_t last_call;          /* number of the last tool call that used the view */
  bool is_full;                /* true if memory does not suffice for all results of the view */
  struct budget *budget;
  struct arena arena; /* memory for the texts of the view */
  pprofc_profile *profile;
  pprofc_report_options options;
  struct view_top {
    const char *granularity;
    struct kept_report *report;
  } tops[VIEW_TOPS];
  size_t top_count;
  struct kept_report *peek;
  pprofc_graph *lines;
  struct paths *paths;
};

/* Appends the function's stacks with the largest values, one per line. */
void paths_put(const struct paths *paths, pprofc_str function, struct buffer *to);

/* Finds or creates the view (filtered profile and its results) for the arguments "profile", "base",
 * "sample_type", "focus" and "ignore". The view is valid until the next tool call. */
pprofc_status view_of_call(struct call *call, struct profile_view **view, pprofc_error *error);

/* Computes the next missing result of the view that was used last. Returns false if all results
 * exist or if memory does not suffice. */
bool view_warm(struct call *call);

/* These functions set `top`, `peek`, `lines` or `paths` to a result of a view. The first call
 * computes the result, and later calls return the same result. */
pprofc_status profile_top(struct call *call, struct profile_view *view, const char *granularity,
                          struct kept_report **top, pprofc_error *error);
pprofc_status profile_peek(struct call *call, struct profile_view *view, struct kept_report **peek,
                           pprofc_error *error);
pprofc_status view_lines(struct call *call, struct profile_view *view, const pprofc_graph **lines,
                         pprofc_error *error);
pprofc_status view_paths(struct call *call, struct profile_view *view, const struct paths **paths,
                         pprofc_error *error);

#endif
