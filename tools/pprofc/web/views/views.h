/* Declares the pages of the web server. Every view is a complete document that works without a
 * script. */
#ifndef PPROFC_WEB_VIEWS_VIEWS_H
#define PPROFC_WEB_VIEWS_VIEWS_H

#include "web/view.h"

struct view_page;
typedef pprofc_status (*view_body_fn)(struct view_page *page, struct buffer *out,
                                      pprofc_error *error);

struct web_view {
  const char *path;  /* path of the view below /ui/ */
  const char *title; /* text of the link to the view */
  char key;
  view_body_fn body;  /* function that writes the content of <main> */
  const char *about;  /* explanation in the list of keys, one sentence */
  const char *format; /* name of the command-line format with the same data, or NULL */
};

/* Finds the view at a path, or NULL. web_view_at returns the views in the order of their
 * links, and NULL after the last. */
const struct web_view *web_view_find(pprofc_str path);
const struct web_view *web_view_at(size_t index);

/* Path of the view whose script requests its data from FLAME_DATA. view_flame_data returns the
 * changes of the query for that request. */
#define FLAME_VIEW STR("flamegraph")
#define FLAME_DATA STR("flamedata")
const struct web_change *view_flame_data(size_t *count);

/* Writes the whole document, or with a message a document with the error in place of the view: bar
 * and pills stay, so that the user can correct an invalid filter. After an error nothing is
 * written, and the caller requests the document with its message. Thread-safe. */
pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           const char *message, struct output *out, pprofc_error *error);

#endif
