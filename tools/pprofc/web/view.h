/* Declares the query of a request, and the input of a view: request, profiles and data of the
 * page. The input does not depend on HTTP. */
#ifndef PPROFC_WEB_VIEW_H
#define PPROFC_WEB_VIEW_H

#include "common/base.h"
#include "pprofc/report.h"
#include "pprofc/verdict.h"

/* ---- query (query.c) ------------------------------ */

struct web_parameter {
  const char *name;  /* name, from the table of known parameters */
  const char *value; /* value, not empty */
};

#define WEB_PARAMETERS_MAX 64

/* The known parameters that are not empty, each once, in a fixed order. Equivalent URLs therefore
 * have equal queries. */
struct web_query {
  struct web_parameter items[WEB_PARAMETERS_MAX];
  size_t count;
};

/* Decodes the query of a URL (the text after the '?'). Ignores empty, unknown, invalid and repeated
 * parameters, as in pprof. Values are in `arena`. Returns PPROFC_E_INVALID for a value with a NUL
 * byte or with invalid UTF-8. */
pprofc_status web_query_parse(pprofc_str text, struct arena *arena, struct web_query *query,
                              pprofc_error *error);

const char *web_query_get(const struct web_query *query, const char *name);

void web_query_remove(struct web_query *query, const char *name);

/* A new value for a parameter of a link. An empty value removes the parameter. */
struct web_change {
  const char *name;
  pprofc_str value;
};

/* Appends a relative link "VIEW?a=b&c=d" after applying the changes. Percent-encodes the values. */
void web_query_link(struct buffer *out, const struct web_query *query, const char *view,
                    const struct web_change *changes, size_t count);

/* Appends the query "a=b&c=d" after applying the changes. */
void web_query_write(struct buffer *out, const struct web_query *query,
                     const struct web_change *changes, size_t count);

/* Sets `options` from the query, which owns the texts. On PPROFC_E_INVALID, the error message is
 * the same as in pprof. */
pprofc_status web_query_options(const struct web_query *query, pprofc_report_options *options,
                                pprofc_error *error);

/* Appends options as a query such as "f=main&g=lines". Appends only options that a saved view
 * stores and that differ from their defaults. */
void web_query_of_options(struct buffer *out, const pprofc_report_options *options);

/* ---- the input of a view -------------------------- */

struct noise_options;

/* The profile that a view shows. Without a base, this is the head. */
enum web_side { WEB_HEAD, WEB_BASE, WEB_DIFF };

/* A saved view. */
struct web_item {
  const char *name;
  const char *query; /* query of the link to the view: "f=main&g=lines" */
  bool current;
};

/* A profile that can be head or base, with its current role. */
struct web_choice {
  const char *name;
  unsigned id;
  bool is_head, is_base;
  const pprofc_profile *profile;
};

/* The head or the base of the page. */
struct web_profile {
  const char *name; /* name; NULL if there is no base */
  size_t sources;   /* number of profiles that were added up; 0: unknown */
  /* runs whose sum is the profile; the views show the mean; run_count is 0 for one profile */
  const pprofc_verdict_run *runs;
  size_t run_count;
};

/* A recording of -every, or a sequence of failed attempts to record. */
struct web_recording {
  unsigned id;                   /* id of the profile; 0 after a failure */
  bool pinned;                   /* true if the server never drops the recording */
  int64_t time;                  /* end of the recording, or first failure; in seconds since 1970 */
  uint64_t bytes;                /* memory of the profile in bytes */
  unsigned failures;             /* number of consecutive failed attempts */
  const pprofc_profile *profile; /* profile; NULL after a failure */
  const int64_t *totals;         /* total of the profile for each sample type */
  char why[256];                 /* reason why the last attempt failed, in one line */
};

/* Recordings of -every, oldest first. */
struct web_recordings {
  const struct web_recording *items;
  size_t count;
  size_t most;         /* maximum number of recordings */
  uint64_t most_bytes; /* maximum memory of all recordings in bytes */
  unsigned newest;     /* id of the newest recording */
  unsigned head, base; /* ids of the profiles that the page shows; 0: no profile */
  uint64_t changes;    /* number of times that the list of recordings changed */
  int64_t every_ms;    /* interval of -every in milliseconds */
  int64_t
      next; /* after a failed attempt: time of the next attempt, in seconds since 1970; else 0 */
};

/* Data for the parts of the page around the report. The texts are valid as long as the request. */
struct web_info {
  const char *version;
  /* relative URLs of scripts, styles and icon; or NULL */
  const char *css, *js, *flame_css, *flame_js, *icon;
  /* command-line arguments that load the profiles on the page, for "Copy as command" */
  const char *const *arguments;
  size_t argument_count;
  bool subtracts; /* true if the page compares by -base: a picture has no verdicts */
  const struct web_item *saved;
  size_t saved_count;
  const struct web_choice *profiles;
  size_t profile_count;
  struct web_profile head, base;
  double divisors[3];                /* for each web_side, number by which its values are divided */
  bool by_time;                      /* true if the page shows values per second */
  const struct noise_options *noise; /* options of the verdicts; NULL: the defaults */
  const char *pending;               /* notice: "cpu.prof changed at 12:03" */
  const char *broken;                /* notice: "cpu.prof changed at 12:03: truncated ..." */
  uint64_t generation;
  const struct web_recordings *recordings; /* recordings; NULL without -every */
  bool safe;                               /* true: the program must not open source files */
  /* Draws a graph with graphviz. At most one graphviz per core runs at a time. Errors:
   * PPROFC_E_UNSUPPORTED without graphviz, PPROFC_E_LIMIT after 10 s, PPROFC_E_IO if graphviz
   * fails. */
  pprofc_status (*draw)(void *context, pprofc_str dot, struct buffer *svg, pprofc_error *error);
  void *draw_context;
};

struct web_view_input {
  const struct web_query *query;
  const pprofc_report_options *options; /* options of the command line, changed by the query */
  const pprofc_profile *profile;        /* displayed profile, in the memory of the request */
  const pprofc_profile *base, *head;    /* profiles of a comparison; base may be NULL */
  const pprofc_profile *scaled;         /* head with the total of the base (-normalize), or NULL */
  enum web_side side;
  const struct web_info *info;
};

#endif
