/* Makes texts of the views: values of reports, changes, expressions. */
#ifndef PPROFC_WEB_VIEWS_HTML_H
#define PPROFC_WEB_VIEWS_HTML_H

#include "core/buffer.h"
#include "report/report.h"

/* Format a number, and a value of a report; a mean of counts may have a fraction. `text` holds
 * UNIT_LABEL_MAX bytes. */
pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text);
pprofc_str html_value_text(const struct report *report, int64_t value, char *text);

/* Appends the change from base to head in percent of the base: "-93%"; "new" if the base is 0,
 * nothing if there is no change. */
void html_relative(struct buffer *out, double base, double head);

/* Returns the CSS class of a line by its share of the whole: "h0" to "h4", with "less" for a
 * saving. */
const char *html_heat(double part, double whole);

/* Appends `^name$` with the name escaped for a regular expression. Several names are joined by
 * |, as in pprof. */
void html_exact_expression(struct buffer *out, pprofc_str name);

#endif
