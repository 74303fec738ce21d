/* What a view gets, and nothing of HTTP: the question, the profiles, and what the page says beside
 * the report. */
#ifndef PPROFC_WEB_VIEW_H
#define PPROFC_WEB_VIEW_H

#include "core/buffer.h"
#include "core/output.h"
#include "pprofc/report.h"
#include "web/query.h"

/* Without a base there is only the head. */
enum web_side { WEB_HEAD, WEB_BASE, WEB_DIFF };

/* A saved view or a profile that can be chosen. */
struct web_item {
  const char *name;
  const char *query; /* what the parameters of its link are: "f=main&g=lines", "base=2" */
  bool current;
};

/* What the page says beside the report. Strings live as long as the request. */
struct web_info {
  const char *version;
  /* Relative addresses of assets, with their hashes; NULL: not there. */
  const char *css, *js, *flame_css, *flame_js, *icon;
  /* Of the command line: sources and flags that are no report options, for "copy as command". */
  const char *const *arguments;
  size_t argument_count;
  const char *command; /* the line that prints this view, quoted for a shell; NULL: there is none */
  const struct web_item *saved;
  size_t saved_count;
  const struct web_item *profiles; /* what can be a base; its query is "base=ID" */
  size_t profile_count;
  const struct web_item *heads; /* what can be shown; its query is "head=ID" */
  size_t head_count;
  const char *head_name, *base_name; /* base_name: NULL without a base */
  size_t head_sources, base_sources; /* that were added up; 0: not known */
  const char *pending; /* "cpu.prof changed at 12:03"; NULL: there is nothing to load */
  const char *broken;  /* "cpu.prof changed at 12:03: truncated gzip stream"; NULL: nothing is */
  uint64_t generation;
  const char *const *warnings; /* of loading */
  size_t warning_count;
  bool safe; /* no source file is opened */
  /* Has graphviz draw: at most 10 s, as many at once as there are cores. Errors:
   * PPROFC_E_UNSUPPORTED without graphviz, PPROFC_E_LIMIT when it takes too long, PPROFC_E_IO when
   * it fails. */
  pprofc_status (*draw)(void *context, pprofc_str dot, struct buffer *svg, pprofc_error *error);
  void *draw_context;
};

struct web_view_input {
  const struct web_query *query;
  const pprofc_report_options *options; /* of the command line and the query */
  const pprofc_profile *profile;        /* of the chosen side; uses the budget of this request */
  const pprofc_profile *base, *head;    /* NULL without a base */
  enum web_side side;
  const struct web_info *info;
};

#endif
