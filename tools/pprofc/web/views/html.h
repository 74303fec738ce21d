/* Writes HTML: escaped text and attribute values, and the values of reports. */
#ifndef PPROFC_WEB_VIEWS_HTML_H
#define PPROFC_WEB_VIEWS_HTML_H

#include "core/buffer.h"
#include "core/output.h"
#include "report/report.h"

/* Writes text of a profile as HTML text or as a quoted attribute value. Control bytes,
 * direction marks and invalid UTF-8 are escaped as on the command line. */
void html_name(struct output *out, pprofc_str text);

/* Writes a C string in the same way. */
void html_put(struct output *out, const char *text);

/* Formats a number, and a value of a report; a mean of counts may have a fraction. `text` holds
 * UNIT_LABEL_MAX bytes. */
pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text);
pprofc_str html_value_text(const struct report *report, int64_t value, char *text);

/* Writes a value in the unit of the report. */
void html_report_value(struct output *out, const struct report *report, int64_t value);

/* Writes a share, "12.34%", or "0" if the total is 0. */
void html_share(struct output *out, int64_t value, int64_t total);

/* Writes the change from base to head in percent of the base: "-93%"; "new" if the base is 0,
 * nothing if there is no change. */
void html_relative(struct output *out, double base, double head);

/* Returns an arrow in the direction of a change, or "". */
const char *html_sign(double change);

/* Returns the CSS class of a line by its share of the whole: "h0" to "h4", with "less" for a
 * saving. */
const char *html_heat(double part, double whole);

/* Writes ` name="value"`. */
void html_attribute(struct output *out, const char *name, pprofc_str value);

/* Appends `^name$` with the name escaped for a regular expression. Several names are joined by
 * |, as in pprof. */
void html_exact_expression(struct buffer *out, pprofc_str name);

#endif
