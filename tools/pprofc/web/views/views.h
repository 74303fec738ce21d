/* The pages of the web server: every view is a whole document that works without a script. */
#ifndef PPROFC_WEB_VIEWS_VIEWS_H
#define PPROFC_WEB_VIEWS_VIEWS_H

#include "web/view.h"

struct view_page;
typedef pprofc_status (*view_body_fn)(struct view_page *page, struct output *out,
                                      pprofc_error *error);

struct web_view {
  const char *path;  /* below /ui/ */
  const char *title; /* of its link */
  char key;
  view_body_fn body;  /* writes what is inside <main> */
  const char *about;  /* one sentence for the sheet of keys */
  const char *format; /* of the command line that prints the same, or NULL */
};

/* The view at a path, or NULL; the views in the order of their links, NULL past the last. */
const struct web_view *web_view_find(pprofc_str path);
const struct web_view *web_view_at(size_t index);

/* The view whose script asks for its data next, at FLAME_DATA, and what it changes in its own query
 * for that. */
#define FLAME_VIEW STR("flamegraph")
#define FLAME_DATA STR("flamedata")
const struct web_change *view_flame_data(size_t *count);

/* Writes the whole document. A failure means that nothing has been written: the caller then answers
 * with web_document_error. Threads: any number at once. */
pprofc_status web_document(const struct web_view *view, const struct web_view_input *input,
                           struct output *out, pprofc_error *error);

/* Writes a document that says why there is no view: bar and pills stay, so that the user can mend
 * the filter that is wrong. */
pprofc_status web_document_error(const struct web_view *view, const struct web_view_input *input,
                                 const char *message, struct output *out, pprofc_error *error);

#endif
