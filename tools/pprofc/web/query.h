/* Handles the parameters of an address: decodes pprof's and this page's own, sets report
 * options, and writes links with changes. */
#ifndef PPROFC_WEB_QUERY_H
#define PPROFC_WEB_QUERY_H

#include "core/buffer.h"
#include "core/output.h"
#include "pprofc/report.h"

struct web_parameter {
  const char *name;  /* name of the parameter, from the table of known parameters */
  const char *value; /* value of the parameter, not empty */
};

#define WEB_PARAMETERS_MAX 64

/* Known, non-empty parameters, each once, in table order, so that equal questions have equal
 * queries. */
struct web_query {
  struct web_parameter items[WEB_PARAMETERS_MAX];
  size_t count;
};

/* Decodes the part after the question mark. As in pprof the first of repeated parameters
 * counts; empty, unknown and undecodable ones are ignored. Values live in `arena`. Errors:
 * PPROFC_E_INVALID for a value with a NUL byte or invalid UTF-8. */
pprofc_status web_query_parse(pprofc_str text, struct arena *arena, struct web_query *query,
                              pprofc_error *error);

/* Returns the value of a parameter, "" if absent. */
const char *web_query_get(const struct web_query *query, const char *name);

/* Returns all parameters, for hidden fields of forms. */
size_t web_query_count(const struct web_query *query);
void web_query_at(const struct web_query *query, size_t index, const char **name,
                  const char **value);

/* A change of one parameter in a link; an empty value removes it. */
struct web_change {
  const char *name;
  pprofc_str value;
};

/* Appends a relative link "VIEW?a=b&c=d", percent-encoded. */
void web_query_link(struct buffer *out, const struct web_query *query, const char *view,
                    const struct web_change *changes, size_t count);

/* Writes the query "a=b&c=d" for a header or a comparison. */
void web_query_write(struct buffer *out, const struct web_query *query,
                     const struct web_change *changes, size_t count);

/* Sets the parameters in `options`, whose strings point into the query. Errors:
 * PPROFC_E_INVALID with pprof's words. */
pprofc_status web_query_options(const struct web_query *query, pprofc_report_options *options,
                                pprofc_error *error);

/* Appends the saved options that addresses support and that differ from their defaults:
 * "f=main&g=lines". */
void web_query_of_options(struct buffer *out, const pprofc_report_options *options);

#endif
