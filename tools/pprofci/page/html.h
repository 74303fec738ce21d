/* Functions that append HTML shared by several parts of the page. */
#ifndef PPROFCI_PAGE_HTML_H
#define PPROFCI_PAGE_HTML_H

#include "page/model.h"

/* Appends text and escapes its markup. */
void html_text(struct buffer *out, pprofc_str text);
void html_words(struct buffer *out, const char *text);

/* Draws the change of a row as a bar to the right (more) or to the left (less), as large as
 * html_strip. Its length is the square root of the change, so that 1 % can be seen. */
void html_gauge(struct buffer *out, const struct gate_row *row);

/* Draws the rounds of both sides as dots on one scale: an SVG of 160 x 24. */
void html_strip(struct buffer *out, const struct run_samples *base, const struct run_samples *head,
                pprofc_str unit);

/* Appends the flame graph of a profile as an image of `height` pixels, cropped or padded.
 * Images cannot run scripts and their ids do not clash. It links to the flame graph page. */
void html_picture(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                  const char *name, pprofc_str picture, double height);

/* Returns the height of all frames in pixels; 0 if the picture is not a flame graph. */
double html_picture_height(pprofc_str picture);

/* Appends a function name without the folders of its package; the tooltip has the full name. */
void html_function(struct buffer *out, pprofc_str name);

/* Appends " parse.go:14", with the path instead of the name if the file is in this checkout. */
void html_place(struct buffer *out, pprofc_str file, int64_t line);

/* Returns "regexp.(*Regexp).doExecute" for "example.com/regexp.(*Regexp).doExecute". */
pprofc_str html_short_function(pprofc_str name);

/* Appends the address of the flame graph of a profile: "flame/NAME.html#search=FUNCTION", or in
 * report.html "#flame/NAME.html&search=FUNCTION" for the graph of the pair. `search` may be empty.
 */
void html_flame(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                const char *name, pprofc_str search);

/* Returns the artifact that the page shows for the pair: its difference or its only side. */
const char *html_shown(const struct run_pair *pair);

/* True if the checkout's function differs from those listed and is shown too. */
bool html_tells_own(const struct run_pair *pair);

/* Returns the function that grew most, the checkout's own first; "" if no function is known. */
pprofc_str html_culprit(const struct run_pair *pair);

/* True if the page has anything to report on the functions of the pair. */
bool html_has_because(const struct run_pair *pair);

/* Appends a list of the functions that grew and a note on its reliability. May append nothing. */
void html_because(struct buffer *out, const struct page_model *m, const struct run_pair *pair);

/* Appends links to the artifacts of a profile, in report.html to the flame graph alone. */
void html_links(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                const char *name);

#endif
