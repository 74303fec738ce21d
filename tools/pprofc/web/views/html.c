/* Formats texts for the views: values, changes, expressions. */
#include "web/views/page.h"

#include "core/escape.h"
#include "unit/unit.h"
#include "verdict/amount.h"

#include <math.h>
#include <stdio.h>

pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text) {
  double whole = round(value);
  bool fraction = fabs(value - whole) > 1e-9 * fabs(value);
  bool counts = unit_label(1, from, STR("auto"), text).size == 1; /* Counts have no unit. */
  if (!fraction || !counts || fabs(value) >= 1000)
    return unit_label(number_from_double(whole), from, to, text);
  return (pprofc_str){text, (size_t)snprintf(text, UNIT_LABEL_MAX, "%.4g", value)};
}

pprofc_str html_value_text(const struct report *report, int64_t value, char *text) {
  double ratio = report->result.ratio;
  if (!(ratio > 0) || ratio == 1) return report_value(report, value, text);
  return html_mean_text((double)value * ratio, report->result.sample_unit, report->output_unit,
                        text);
}

void html_right(struct buffer *out, pprofc_str text, size_t width) {
  size_t length = utf8_length(text);
  if (length < width) buffer_add_fill(out, ' ', width - length);
  buffer_add_str(out, text);
}

void html_relative(struct buffer *out, double base, double head) {
  char text[AMOUNT_TEXT];
  if (base == head) return;
  buffer_add_str(out, base == 0 ? STR("new") : amount_percent(fabs(base), head - base, text));
}

const char *html_heat(double part, double whole) {
  static const char *const classes[2][5] = {{"h0", "h1", "h2", "h3", "h4"},
                                            {"h0", "h1 less", "h2 less", "h3 less", "h4 less"}};
  static const double steps[] = {0.0, 0.05, 0.2, 0.5};
  double share = whole != 0 ? fabs(part / whole) : 0;
  unsigned heat = 0;
  if (share > 0) heat = 1;
  for (unsigned i = 1; i < sizeof steps / sizeof *steps; i++)
    if (share >= steps[i]) heat = i + 1;
  return classes[part < 0][heat];
}

void html_exact_expression(struct buffer *out, pprofc_str name) {
  if (out->size) buffer_add_char(out, '|');
  buffer_add_char(out, '^');
  escape_regexp(out, name);
  buffer_add_char(out, '$');
}
