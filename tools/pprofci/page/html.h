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

/* The flame graph of a profile of a pair as an image of `height` pixels, which cuts it or leaves
 * room below: nothing in it runs, and no ids clash. It leads to the flame graph page. */
void html_picture(struct buffer *out, const struct run_pair *pair, const char *name,
                  pprofc_str picture, double height);

/* The height of all of its frames; 0 for no flame graph. */
double html_picture_height(pprofc_str picture);

/* A function without the folders of its package; the tooltip has all of it. */
void html_function(struct buffer *out, pprofc_str name);

/* " parse.go:14", or the path where the file is one of this checkout. */
void html_place(struct buffer *out, pprofc_str file, int64_t line);

/* "regexp.(*Regexp).doExecute" of "example.com/regexp.(*Regexp).doExecute". */
pprofc_str html_short_function(pprofc_str name);

/* "flame/NAME.html#search=FUNCTION" and the like: an address of an artifact. `search` may be empty.
 */
void html_address(struct buffer *out, const struct run_pair *pair, const char *folder,
                  const char *name, const char *ending, pprofc_str search);

/* Appends a table of the pair: the text of NAME_top.txt; nothing when it cannot be read. */
void html_read_table(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                     const char *name);

/* What is shown of the pair: its difference, or the side that is there. */
const char *html_shown(const struct run_pair *pair);

/* Whether the function of the checkout is told beside those that grew by themselves: it is another
 * one. */
bool html_tells_own(const struct run_pair *pair);

/* Whether there is anything to say about the functions of the pair. */
bool html_has_because(const struct run_pair *pair);

/* The functions that grew, as a list, and what that is worth; nothing when there is nothing. */
void html_because(struct buffer *out, const struct run_pair *pair);

/* Links to the artifacts of a profile. */
void html_links(struct buffer *out, const struct run_pair *pair, const char *name);

#endif
