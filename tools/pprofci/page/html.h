/* Pieces of HTML that the parts of the page share. All append. */
#ifndef PPROFCI_PAGE_HTML_H
#define PPROFCI_PAGE_HTML_H

#include "page/model.h"

/* Text in place of markup. */
void html_text(struct buffer *out, pprofc_str text);
void html_words(struct buffer *out, const char *text);

/* The rounds of both sides as dots on one scale: an SVG of 160 x 24. */
void html_strip(struct buffer *out, const struct run_samples *base, const struct run_samples *head,
                pprofc_str unit);

/* The flame graph of a pair as an image of at most `height` pixels (0: all of it): nothing in it
 * runs, and no ids clash. */
void html_picture(struct buffer *out, const struct run_pair *pair, unsigned height);

/* "flame/NAME.html#search=FUNCTION" and the like: an address of an artifact. `search` may be NULL.
 */
void html_address(struct buffer *out, const struct run_pair *pair, const char *folder,
                  const char *name, const char *ending, const char *search);

/* Appends a table of the pair: the text of NAME_top.txt; nothing when it cannot be read. */
void html_read_table(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                     const char *name);

/* What is shown of the pair: its difference, or the side that is there. */
const char *html_shown(const struct run_pair *pair);

/* Whether the function of the checkout is told beside those that grew by themselves: it is another
 * one. */
bool html_tells_own(const struct run_pair *pair);

/* The functions that grew, as a list; nothing when there are none. */
void html_because(struct buffer *out, const struct run_pair *pair);

/* Links to the artifacts of a profile. */
void html_links(struct buffer *out, const struct run_pair *pair, const char *name);

/* The first lines of the table of a profile, folded away. */
void html_table(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                const char *title, const char *name, bool open);

#endif
