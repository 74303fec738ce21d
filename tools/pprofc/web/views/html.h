/* Makes texts for the views: amounts, changes, expressions. */
#ifndef PPROFC_WEB_VIEWS_HTML_H
#define PPROFC_WEB_VIEWS_HTML_H

#include "core/buffer.h"
#include "report/report.h"

/* The first function formats a mean of counts, which may have a fraction. The second formats a
 * value of a report. `text` is a buffer of UNIT_LABEL_MAX bytes. */
pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text);
pprofc_str html_value_text(const struct report *report, int64_t value, char *text);

/* Appends the change in percent of the base: "-93%". Appends "new" if the base is 0, nothing if
 * base and head are equal. */
void html_relative(struct buffer *out, double base, double head);

/* Returns the CSS class for the share of a line in the whole: "h0" to "h4". A negative part also
 * has the class "less". */
const char *html_heat(double part, double whole);

/* Appends an expression that matches only this name: `^name$`, with the name escaped. After an
 * earlier expression appends '|' first, as in pprof. */
void html_exact_expression(struct buffer *out, pprofc_str name);

#endif
