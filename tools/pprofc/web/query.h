/* The parameters of an address: pprof's and ours, decoded; report options made of them; links with
 * some of them changed. */
#ifndef PPROFC_WEB_QUERY_H
#define PPROFC_WEB_QUERY_H

#include "core/buffer.h"
#include "core/output.h"
#include "pprofc/report.h"

struct web_parameter {
  const char *name;  /* of the table of known parameters */
  const char *value; /* not empty */
};

#define WEB_PARAMETERS_MAX 64

/* Known parameters that are not empty, each once, in one order whatever that of the address was:
 * equal questions have equal queries. */
struct web_query {
  struct web_parameter items[WEB_PARAMETERS_MAX];
  size_t count;
};

/* Decodes what is behind the question mark. As in pprof the first of repeated parameters
 * counts, an empty one is absent, unknown ones and what cannot be decoded are ignored. Values live
 * in `arena`. Errors: PPROFC_E_INVALID for a value with a NUL byte or that is no UTF-8. */
pprofc_status web_query_parse(pprofc_str text, struct arena *arena, struct web_query *query,
                              pprofc_error *error);

/* The value of a parameter, "" when absent. */
const char *web_query_get(const struct web_query *query, const char *name);

/* All parameters, for hidden fields of forms. */
size_t web_query_count(const struct web_query *query);
void web_query_at(const struct web_query *query, size_t index, const char **name,
                  const char **value);

/* One parameter of a link that differs from the query; an empty value removes it. */
struct web_change {
  const char *name;
  pprofc_str value;
};

/* Writes "VIEW?a=b&amp;c=d", relative, percent-encoded, for an attribute of HTML. */
void web_query_link(struct output *out, const struct web_query *query, const char *view,
                    const struct web_change *changes, size_t count);

/* The same for a header or a comparison: "a=b&c=d". */
void web_query_write(struct buffer *out, const struct web_query *query,
                     const struct web_change *changes, size_t count);

/* Percent-encodes all but letters, digits and -_.~ */
void web_query_encode(struct buffer *out, pprofc_str text);

/* Sets what the parameters say in `options`, whose strings point into the query. Errors:
 * PPROFC_E_INVALID, worded as pprof does. */
pprofc_status web_query_options(const struct web_query *query, pprofc_report_options *options,
                                pprofc_error *error);

#endif
