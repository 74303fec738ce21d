/* The views of the page: one document each. */
#ifndef PPROFC_WEB_VIEWS_H
#define PPROFC_WEB_VIEWS_H

#include "profile/profile.h"
#include "web/view.h"

struct web_view;

/* The view at an address below /ui/ ("top"), or NULL. */
const struct web_view *web_view_find(pprofc_str path);

/* Writes the whole document. A failure before the first byte is one of the question: the server
 * answers with web_document_error. */
pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           struct output *out, pprofc_error *error);

/* Writes the document that says why there is no report. */
pprofc_status web_document_error(const struct web_view *view, const struct web_view_input *input,
                                 const char *message, struct output *out, pprofc_error *error);

#endif
