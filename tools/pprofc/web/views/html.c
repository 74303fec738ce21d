/* Writes HTML: escaped text and attribute values, and the values of reports. */
#include "web/views/html.h"

#include "core/escape.h"
#include "unit/unit.h"
#include "verdict/amount.h"

#include <math.h>
#include <stdio.h>

static const char *html_entity(int32_t c) {
  static const struct {
    int32_t c;
    const char *entity;
  } entities[] = {{'&', "&amp;"}, {'<', "&lt;"},   {'>', "&gt;"},
                  {'"', "&#34;"}, {'\'', "&#39;"}, {'`', "&#96;"}};
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (entities[i].c == c) return entities[i].entity;
  return NULL;
}

/* True if the byte needs no escape in HTML. */
static bool html_is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'' &&
         c != '`';
}

static void html_escape_one(struct output *out, pprofc_str bytes, int32_t c) {
  const char *entity = html_entity(c);
  if (entity)
    output_add_text(out, entity);
  else if (c == '\t' || escape_terminal_clean(bytes))
    output_add_str(out, bytes);
  else if (c >= 0xA0)
    output_printf(out, "\\u{%x}", (unsigned)c);
  else
    for (size_t i = 0; i < bytes.size; i++)
      output_printf(out, "\\x%02x", (unsigned char)bytes.data[i]);
}

void html_name(struct output *out, pprofc_str text) {
  for (size_t i = 0; i < text.size;) {
    size_t from = i;
    while (i < text.size && html_is_plain((unsigned char)text.data[i])) i++;
    output_add(out, text.data + from, i - from);
    if (i == text.size) return;
    from = i;
    int32_t c = utf8_next(text, &i);
    html_escape_one(out, str_slice(text, from, i), c);
  }
}

void html_put(struct output *out, const char *text) {
  html_name(out, str_of(text));
}

void html_attribute(struct output *out, const char *name, pprofc_str value) {
  output_printf(out, " %s=\"", name);
  html_name(out, value);
  output_add_char(out, '"');
}

/* ---- values ------------------------------------------ */

pprofc_str html_mean_text(double value, pprofc_str from, pprofc_str to, char *text) {
  double whole = round(value);
  bool fraction = fabs(value - whole) > 1e-9 * fabs(value);
  if (!fraction || unit_label(1, from, to, text).size > 1)
    return unit_label(number_from_double(whole), from, to, text);
  return (pprofc_str){text, (size_t)snprintf(text, UNIT_LABEL_MAX, "%.4g", value)};
}

pprofc_str html_value_text(const struct report *report, int64_t value, char *text) {
  double ratio = report->result.ratio;
  if (!(ratio > 0) || ratio == 1) return report_value(report, value, text);
  return html_mean_text((double)value * ratio, report->result.sample_unit, report->output_unit,
                        text);
}

void html_report_value(struct output *out, const struct report *report, int64_t value) {
  char text[UNIT_LABEL_MAX];
  html_name(out, html_value_text(report, value, text));
}

void html_share(struct output *out, int64_t value, int64_t total) {
  char text[32];
  output_add_str(out, unit_percentage_trimmed(value, total, text));
}

void html_relative(struct output *out, double base, double head) {
  char text[AMOUNT_TEXT];
  if (base == head) return;
  if (base == 0)
    output_add_text(out, "new");
  else
    html_name(out, amount_percent(fabs(base), head - base, text));
}

const char *html_sign(double change) {
  if (change == 0) return "";
  return change > 0 ? "<span class=sign aria-hidden=true>\xE2\x96\xB2</span> "
                    : "<span class=sign aria-hidden=true>\xE2\x96\xBC</span> ";
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

/* ---- expressions ------------------------------------- */

void html_exact_expression(struct buffer *out, pprofc_str name) {
  if (out->size) buffer_add_char(out, '|');
  buffer_add_char(out, '^');
  for (size_t i = 0; i < name.size; i++) {
    if (name.data[i] && strchr("\\.+*?()|[]{}^$", name.data[i])) buffer_add_char(out, '\\');
    buffer_add_char(out, name.data[i]);
  }
  buffer_add_char(out, '$');
}
