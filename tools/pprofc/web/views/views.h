/* Declares the views of the web server. A view is a complete page, which works without a script. */
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
  view_body_fn body;  /* writes the content of the element <main> */
  const char *about;  /* sentence about the view for the list of keyboard shortcuts */
  const char *format; /* command-line format with the same data, or NULL */
  bool of_functions;  /* shows only the selected functions, or else the ones that match `f` */
};

/* The first function returns the view at a path, the second the view with an index in the order of
 * the bar. Both return NULL if there is no such view. */
const struct web_view *web_view_find(pprofc_str path);
const struct web_view *web_view_at(size_t index);

/* Paths of the flame graph and of its data, which the script requests. view_flame_data returns
 * changes of the query: applied to the page's query, they give the query for the data. */
#define FLAME_VIEW STR("flamegraph")
#define FLAME_DATA STR("flamedata")
const struct web_change *view_flame_data(size_t *count);

/* Writes a view's page. With `message`, this error replaces the view, above it bar and filters to
 * correct. Writes nothing after an error: call again with it. Thread-safe. */
pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           const char *message, struct output *out, pprofc_error *error);

/* Writes only the strip of recordings. With -every, each page contains this strip. */
pprofc_status web_strip(const struct web_view *view, const struct web_view_input *input,
                        struct output *out, pprofc_error *error);

#endif
