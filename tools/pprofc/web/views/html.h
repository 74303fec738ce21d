/* Formats texts for the views: values, changes, expressions. */
#ifndef PPROFC_WEB_VIEWS_HTML_H
#define PPROFC_WEB_VIEWS_HTML_H

#include "core/buffer.h"
#include "report/report.h"

/* Format a mean of counts, and a value of a report. `text` has UNIT_LABEL_MAX bytes. */
pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text);
pprofc_str html_value_text(const struct report *report, int64_t value, char *text);

/* Appends the text, right-aligned in `width` columns. */
void html_right(struct buffer *out, pprofc_str text, size_t width);

/* Appends the change from base: "-93%", "new" if it is 0, nothing if equal to head. */
void html_relative(struct buffer *out, double base, double head);

/* Returns a line's CSS class by its share of the total: "h0" to "h4", negative with "less". */
const char *html_heat(double part, double whole);

/* Appends the expression `^name$`, as in pprof after a '|' if there is an earlier one. */
void html_exact_expression(struct buffer *out, pprofc_str name);

#endif
