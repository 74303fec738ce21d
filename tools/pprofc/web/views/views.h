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
  const char *format; /* command-line format with the data of the view, or NULL */
  /* true if the view shows only some functions: the selected function, or if there is no selection,
   * the functions that match the parameter `f` */
  bool of_functions;
};

/* web_view_find returns the view at a path, web_view_at the view with an index in the order of the
 * bar. Both return NULL if there is no such view. */
const struct web_view *web_view_find(pprofc_str path);
const struct web_view *web_view_at(size_t index);

/* Paths of the flame graph, and of the data that its script requests. view_flame_data returns the
 * changes from the page's query to the data's query. */
#define FLAME_VIEW STR("flamegraph")
#define FLAME_DATA STR("flamedata")
const struct web_change *view_flame_data(size_t *count);

/* Writes the page of a view. If `message` is not NULL, the page shows this error message instead of
 * the view. The user can then correct the filters. After an error, writes nothing, and the caller
 * may call again with the error as `message`. Thread-safe. */
pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           const char *message, struct output *out, pprofc_error *error);

/* Appends the page for an unknown address. */
void web_unknown_page(struct buffer *out);

/* Writes only the strip of recordings, a row of bars that every page has with -every. */
pprofc_status web_strip(const struct web_view *view, const struct web_view_input *input,
                        struct output *out, pprofc_error *error);

#endif
