/* Shows interactive flame graphs in a page. A link to "#flame/NAME.html" opens a graph in the
 * element whose data-shows has this address. The graph is in the page, or in the file of data-file.
 */
#ifndef PPROFCI_PAGE_GRAPHS_H
#define PPROFCI_PAGE_GRAPHS_H

#include "core/fill.h"

/* A script of a page, and the SHA-256 of the script. */
struct page_script {
  const unsigned char *text;
  const size_t *size;
  const char *sha256;
};

/* Adds a script to the page, and its hash to the content security policy. */
void graphs_put_script(struct fill *f, const struct page_script *script);

/* Adds a packed graph (run/graph.h) to the list "graphs", unless it is empty or too large. */
bool graphs_put(struct fill *f, pprofc_str address, pprofc_str packed);

/* Appends the style of the graphs to the page's style. */
void graphs_put_style(struct buffer *style);

/* Adds the element that shows the open graph, and the scripts. With `beside`, the page loads the
 * viewer and each opened graph from files next to it. */
void graphs_put_scripts(struct fill *f, bool beside);

#endif
