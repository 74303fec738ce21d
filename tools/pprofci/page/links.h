/* Links in the summary. They lead to files in its folder, but a copy of it in a comment needs
 * other addresses. */
#ifndef PPROFCI_PAGE_LINKS_H
#define PPROFCI_PAGE_LINKS_H

#include "core/buffer.h"

/* Begins a link to a file in the summary's folder, with '#' and `fragment` if it is not empty.
 * The caller appends the text and calls links_end. */
void links_begin(struct buffer *out, const char *path, const char *fragment);
void links_end(struct buffer *out);

/* Beginning of the line with links to the whole page. */
#define LINKS_LINE "<a href=\"index.html\">Page</a>"

/* The place of the page. */
struct links_site {
  pprofc_str address; /* URL of the folder, ending with '/', or of report.html; "" if unknown */
  bool one_file;      /* true for report.html, which has the page and its flame graphs */
};

/* Appends the address of a file in the summary's folder, such as "flame/NAME.html#search=F". In
 * report.html it is "#flame/NAME.html&search=F". */
void links_put_address(struct buffer *out, pprofc_str path, const struct links_site *site);

/* Appends a summary with the addresses of its links. Without an address of the site only the texts
 * of links remain and the line of links is dropped. Names cannot look like links, because every '<'
 * in them is an entity. */
void links_resolve(struct buffer *out, pprofc_str summary, const struct links_site *site);

#endif
