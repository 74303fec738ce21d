/* Writing HTML: text and attribute values made safe, and the values of reports. */
#ifndef PPROFC_WEB_VIEWS_HTML_H
#define PPROFC_WEB_VIEWS_HTML_H

#include "core/buffer.h"
#include "core/output.h"
#include "report/report.h"

/* Writes text of a profile as HTML text or as a quoted attribute value. Control bytes, direction
 * marks and invalid UTF-8 are made visible as the command line does. */
void html_name(struct output *out, pprofc_str text);

/* The same for a C string. */
void html_put(struct output *out, const char *text);

/* A value in the unit of the report. */
void html_report_value(struct output *out, const struct report *report, int64_t value);

/* The same with "+" in front of what is above 0. */
void html_report_change(struct output *out, const struct report *report, int64_t value);

/* "12.34%", or "0" where there is no total. */
void html_share(struct output *out, int64_t value, int64_t total);

/* The change from base to head in percent of the base: "-93.05%"; "from 0" without a base, "" when
 * nothing changed. */
void html_relative(struct output *out, int64_t base, int64_t head);

/* How warm a line is, 0 to 4, for the part that it has of a whole. */
unsigned html_heat(double part, double whole);

/* Writes ` name="value"`. */
void html_attribute(struct output *out, const char *name, pprofc_str value);

/* Writes text as a value in the query of an address, percent-encoded. */
void html_encode(struct output *out, pprofc_str text);

/* Appends `^name$` with all that means something in an expression escaped. Names are joined by | as
 * pprof's page does. */
void html_exact_expression(struct buffer *out, pprofc_str name);

#endif
