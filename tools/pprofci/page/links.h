/* Links in the summary: they lead to files beside it, and a comment is somewhere else. */
#ifndef PPROFCI_PAGE_LINKS_H
#define PPROFCI_PAGE_LINKS_H

#include "core/buffer.h"

/* Begins a link to a file beside the summary, with `fragment` behind '#' where it is not empty. The
 * text follows, then links_end. */
void links_begin(struct buffer *out, const char *path, const char *fragment);
void links_end(struct buffer *out);

/* The beginning of the line of links to the page as a whole. */
#define LINKS_LINE "<a href=\"index.html\">Page</a>"

/* Appends a summary whose links begin with `site`, an address that ends with '/'. Where there is no
 * site (""), their texts stay and the line of links goes. No name of a benchmark or function
 * can look like a link: each '<' in one is an entity. */
void links_resolve(struct buffer *out, pprofc_str summary, pprofc_str site);

#endif
