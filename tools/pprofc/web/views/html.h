/* Formats texts for the views: values, changes, expressions. */
#ifndef PPROFC_WEB_VIEWS_HTML_H
#define PPROFC_WEB_VIEWS_HTML_H

#include "core/buffer.h"
#include "report/report.h"

/* The first function formats a mean of counts, which may have a fraction. The second formats a
 * value of a report. `text` is a buffer of UNIT_LABEL_MAX bytes. */
pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text);
pprofc_str html_value_text(const struct report *report, int64_t value, char *text);

/* Appends the change in percent of the base: "-93%". Appends "new" if the base is 0. Appends
 * nothing if base and head are equal. */
void html_relative(struct buffer *out, double base, double head);

/* Returns a CSS class for the share of a line in the total: "h0" to "h4". For a negative value,
 * adds the class "less". */
const char *html_heat(double part, double whole);

/* Appends a regular expression that matches only this name: `^name$`, with the name escaped. If
 * there is an earlier expression, first appends '|', as in pprof. */
void html_exact_expression(struct buffer *out, pprofc_str name);

#endif
