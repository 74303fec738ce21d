/* Declares the input of a view, without HTTP: the question, the profiles, and the page around the
 * report. */
#ifndef PPROFC_WEB_VIEW_H
#define PPROFC_WEB_VIEW_H

#include "core/buffer.h"
#include "core/output.h"
#include "pprofc/report.h"
#include "pprofc/verdict.h"
#include "web/query.h"

struct noise_options;

/* Sides of a comparison; without a base only the head is set. */
enum web_side { WEB_HEAD, WEB_BASE, WEB_DIFF };

/* A saved view, or a profile that the user can choose. */
struct web_item {
  const char *name;
  const char *query; /* parameters of the item's link: "f=main&g=lines", "base=2" */
  bool current;
};

/* Data for the page around the report. Strings live as long as the request. */
struct web_info {
  const char *version;
  /* Relative addresses of assets with their hashes, or NULL. */
  const char *css, *js, *flame_css, *flame_js, *icon;
  /* Sources and source flags of the command line, for "copy as command". */
  const char *const *arguments;
  size_t argument_count;
  const char *command; /* shell command that prints this view; NULL if there is no such command */
  const struct web_item *saved;
  size_t saved_count;
  const struct web_item *profiles; /* profiles that can be the base; the query is "base=ID" */
  size_t profile_count;
  const struct web_item *heads; /* profiles that can be the head; the query is "head=ID" */
  size_t head_count;
  const char *head_name, *base_name; /* names of head and base; base_name is NULL without a base */
  size_t head_sources, base_sources; /* numbers of profiles that were added up; 0 if not known */
  /* Runs of a side whose profile is their sum; the views show means. 0 for a single run. */
  const pprofc_verdict_run *head_runs, *base_runs;
  size_t head_run_count, base_run_count;
  double divisors[3];                /* divisors of shown values, by side (enum web_side) */
  bool by_time;                      /* true if values are shown per second */
  const struct noise_options *noise; /* options of verdicts; NULL for the defaults */
  const char *pending;               /* notice of a new version, "cpu.prof changed at 12:03", or
                                        NULL */
  const char *broken; /* error of a new version, "cpu.prof changed at 12:03: truncated gzip
                         stream", or NULL */
  uint64_t generation;
  const char *const *warnings; /* warnings that loading gave */
  size_t warning_count;
  bool safe; /* true if source files must not be opened */
  /* Draws with graphviz: at most 10 s, one process a core. Errors: PPROFC_E_UNSUPPORTED
   * without graphviz, PPROFC_E_LIMIT after the time, PPROFC_E_IO if it fails. */
  pprofc_status (*draw)(void *context, pprofc_str dot, struct buffer *svg, pprofc_error *error);
  void *draw_context;
};

struct web_view_input {
  const struct web_query *query;
  const pprofc_report_options *options; /* options of the command line and the query */
  const pprofc_profile *profile; /* profile of the chosen side, with the budget of this request */
  const pprofc_profile *base, *head; /* profiles of the sides; NULL without a base */
  enum web_side side;
  const struct web_info *info;
};

#endif
