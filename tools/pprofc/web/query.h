/* Handles the parameters of a URL. Decodes the parameters of pprof and of this page, sets report
 * options, and writes links with changed parameters. */
#ifndef PPROFC_WEB_QUERY_H
#define PPROFC_WEB_QUERY_H

#include "core/buffer.h"
#include "core/output.h"
#include "pprofc/report.h"

struct web_parameter {
  const char *name;  /* name, from the table of known parameters */
  const char *value; /* value, not empty */
};

#define WEB_PARAMETERS_MAX 64

/* The known parameters that are not empty, each once, in the order of their table. Equivalent URLs
 * therefore have equal queries. */
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

/* Sets `options` from the query, which owns the texts. PPROFC_E_INVALID has pprof's message. */
pprofc_status web_query_options(const struct web_query *query, pprofc_report_options *options,
                                pprofc_error *error);

/* Appends options as a query such as "f=main&g=lines". Appends only options that a saved view
 * stores and that differ from their defaults. */
void web_query_of_options(struct buffer *out, const pprofc_report_options *options);

#endif
