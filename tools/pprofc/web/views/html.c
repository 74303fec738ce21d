/* Writing HTML: text and attribute values made safe, and the values of reports. */
#include "web/views/html.h"

#include "core/escape.h"
#include "unit/unit.h"

#include <math.h>

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

/* Whether a byte means nothing in HTML, by itself. */
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

void html_encode(struct output *out, pprofc_str text) {
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (plain || c == '-' || c == '_' || c == '.' || c == '~')
      output_add_char(out, (char)c);
    else
      output_printf(out, "%%%02X", c);
  }
}

/* ---- values ------------------------------------------ */

void html_report_value(struct output *out, const struct report *report, int64_t value) {
  char text[UNIT_LABEL_MAX];
  html_name(out, report_value(report, value, text));
}

void html_report_change(struct output *out, const struct report *report, int64_t value) {
  if (value > 0) output_add_char(out, '+');
  html_report_value(out, report, value);
}

void html_share(struct output *out, int64_t value, int64_t total) {
  char text[32];
  output_add_str(out, unit_percentage_trimmed(value, total, text));
}

void html_relative(struct output *out, int64_t base, int64_t head) {
  if (base == head) return;
  if (!base) {
    output_add_text(out, "from 0");
    return;
  }
  double change = ((double)head - (double)base) / fabs((double)base) * 100;
  output_printf(out, fabs(change) < 1000 ? "%+.2f%%" : "%+.0f%%", change);
}

unsigned html_heat(double part, double whole) {
  static const double steps[] = {0.0, 0.05, 0.2, 0.5};
  double share = whole != 0 ? fabs(part / whole) : 0;
  unsigned heat = 0;
  if (share > 0) heat = 1;
  for (unsigned i = 1; i < sizeof steps / sizeof *steps; i++)
    if (share >= steps[i]) heat = i + 1;
  return heat;
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
