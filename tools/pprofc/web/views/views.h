/* The pages of the web server. Every view is a complete document that works without a script. */
#ifndef PPROFC_WEB_VIEWS_VIEWS_H
#define PPROFC_WEB_VIEWS_VIEWS_H

#include "web/view.h"

struct view_page;
typedef pprofc_status (*view_body_fn)(struct view_page *page, struct output *out,
                                      pprofc_error *error);

struct web_view {
  const char *path;  /* path below /ui/ */
  const char *title; /* text of its link */
  char key;
  view_body_fn body;  /* writes the content of <main> */
  const char *about;  /* one sentence for the list of keys */
  const char *format; /* format of the command line that prints the same data, or NULL */
};

/* Finds the view at a path, or NULL. web_view_at returns the views in the order of their
 * links, and NULL after the last. */
const struct web_view *web_view_find(pprofc_str path);
const struct web_view *web_view_at(size_t index);

/* The view whose script then requests its data from FLAME_DATA. view_flame_data returns the
 * changes of the query for that request. */
#define FLAME_VIEW STR("flamegraph")
#define FLAME_DATA STR("flamedata")
const struct web_change *view_flame_data(size_t *count);

/* Writes the whole document. After an error nothing is written, and the caller answers with
 * web_document_error. Thread-safe. */
pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           struct output *out, pprofc_error *error);

/* Writes a document with the error in place of the view. Bar and pills stay, so that the user
 * can correct an invalid filter. */
pprofc_status web_document_error(const struct web_view *view, const struct web_view_input *input,
                                 const char *message, struct output *out, pprofc_error *error);

#endif
