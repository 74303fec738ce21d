/* Declares the views of the web server. Each view is a complete page and works without a script. */
#ifndef PPROFC_WEB_VIEWS_VIEWS_H
#define PPROFC_WEB_VIEWS_VIEWS_H

#include "web/view.h"

struct view_page;
typedef pprofc_status (*view_body_fn)(struct view_page *page, struct buffer *out,
                                      pprofc_error *error);

struct web_view {
  const char *path;  /* path below /ui/ */
  const char *title; /* text of links to the view */
  char key;
  view_body_fn body;  /* function that writes the content of <main> */
  const char *about;  /* one sentence about the view, for the list of keyboard shortcuts */
  const char *format; /* command-line format with the same data, or NULL */
};

/* Return the view at a path, or the view with an index in the order of the bar. Return NULL if
 * there is no such view. */
const struct web_view *web_view_find(pprofc_str path);
const struct web_view *web_view_at(size_t index);

/* Paths of the flame graph and of its data, which the script requests. view_flame_data returns the
 * changes of the page's query that give the query of that request. */
#define FLAME_VIEW STR("flamegraph")
#define FLAME_DATA STR("flamedata")
const struct web_change *view_flame_data(size_t *count);

/* Writes the page of a view. With `message`, writes the page with this error instead of the view;
 * bar and filters remain, for correcting an invalid filter. After an error, writes nothing; the
 * caller then calls the function again with the error message. Thread-safe. */
pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           const char *message, struct output *out, pprofc_error *error);

/* Writes only the strip of recordings. With -every, each page contains this strip. */
pprofc_status web_strip(const struct web_view *view, const struct web_view_input *input,
                        struct output *out, pprofc_error *error);

#endif
