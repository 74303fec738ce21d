/* Makes HTML pages from templates: a template file has the HTML, a `struct fill` has the values.
 *
 *   <a href="{address}"{attr:title}>{name}</a>
 *   {#rows}<td class="{class}">{cost}</td>{/rows}
 *
 *   {name}               a value, escaped by its place: text, attribute, address, JSON in a script;
 *                        its line breaks are shown as \x0a, except between <pre> and the next tag
 *   {attr:name}          ` name="value"` in a tag; nothing if the value is empty
 *   {html:name}          a value of fill_html, unchanged
 *   {#name}...{/name}    for each row of the list, or once if the value is not empty
 *   {/name:, }           the same, with ", " between the rows
 *   {^name}...{/name}    if the list or the value is empty
 *   {=name}...{/name}    a part of the template, which {>name} and template_put print
 *
 * A tag finds its name in the current row, else in the rows around it. A section, {#name} to
 * {/name}, may not contain a section of its own name. The template drops the blanks at the start of
 * a line, and a line break after a tag that prints no value. */
#ifndef PPROFC_CORE_TEMPLATE_H
#define PPROFC_CORE_TEMPLATE_H

#include "core/fill.h"
#include "core/output.h"

/* Appends a part of a template with the values. The buffer fails if the template has an error. */
void template_put(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill);

/* Writes a part of a template with the values, and frees the values. Returns false when memory runs
 * out. */
bool template_print(struct output *out, pprofc_str template, const char *part, struct fill *fill);

/* Appends untrusted text with escapes for HTML text or an attribute value. */
void template_escape(struct buffer *out, pprofc_str text);

#endif
