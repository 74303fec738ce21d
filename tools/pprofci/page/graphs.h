/* Embeds interactive flame graphs in a page, which then needs no other file. A link to
 * "#flame/NAME.html" opens the graph of that name on top of the page. */
#ifndef PPROFCI_PAGE_GRAPHS_H
#define PPROFCI_PAGE_GRAPHS_H

#include "core/fill.h"

#define GRAPHS_MOST ((size_t)9000000) /* maximum bytes of a page without its scripts and tags */

/* A script of a page, and its SHA-256. */
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

/* Appends the style of the graphs to the page's style, or adds their scripts. */
void graphs_put_style(struct buffer *style);
void graphs_put_scripts(struct fill *f);

#endif
