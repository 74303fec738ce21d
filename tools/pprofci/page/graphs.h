/* Shows interactive flame graphs in a page. A link to "#flame/NAME.html" opens a graph in the
 * element whose attribute data-shows has this address. report.html and the pages of trends and
 * leaks contain their graphs. index.html loads each graph from the file that the element's
 * attribute data-file names. */
#ifndef PPROFCI_PAGE_GRAPHS_H
#define PPROFCI_PAGE_GRAPHS_H

#include "core/template.h"

/* A script of a page, and the SHA-256 of the script. */
struct page_script {
  const unsigned char *text;
  const size_t *size;
  const char *sha256;
};

/* Adds a script to the page, and its hash to the content security policy. */
void graphs_put_script(struct fill *f, const struct page_script *script);

/* Adds a row to the template list "graphs": the address and a packed flame graph (run/graph.h).
 * Adds nothing and returns false if the graph is empty or does not fit. */
bool graphs_put(struct fill *f, pprofc_str address, pprofc_str packed);

/* Appends the style of the graphs to the page's style. */
void graphs_put_style(struct buffer *style);

/* Adds the scripts, and the element in which a graph opens. If `beside` is true, the page loads the
 * viewer and each opened graph from files next to the page. */
void graphs_put_scripts(struct fill *f, bool beside);

#endif
