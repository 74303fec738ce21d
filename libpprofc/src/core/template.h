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
 * a line, except between <pre> and the next tag, and a line break after a tag that prints no
 * value. */
#ifndef PPROFC_CORE_TEMPLATE_H
#define PPROFC_CORE_TEMPLATE_H

#include "core/buffer.h"
#include "core/output.h"

/* ---- values ----------------------------------------- */

/* Declares the named values that fill a template. Each value belongs to a row, and rows can be
 * nested. Names are not copied, so they must live as long as the fill. */

#define FILL_DEPTH 16 /* maximum nesting of rows */

enum fill_kind { FILL_TEXT, FILL_HTML, FILL_LIST, FILL_ROW };

/* A value, a list or a row. `next` links the values and lists of a row from new to old, and the
 * rows of a list from old to new. No link leads to fill.entries[0], the outermost row, so 0 means
 * "no entry". */
struct fill_entry {
  pprofc_str name;
  enum fill_kind kind;
  size_t next;       /* index of the next entry in the same row or list, or 0 */
  size_t first;      /* index of the first entry in a row or list, or 0 */
  size_t last;       /* index of the last row in a list, or 0 */
  size_t start, end; /* offsets of the value in fill.text; the next entry sets `end` */
};

struct fill {
  const pprofc_allocator *mem;
  struct buffer text; /* texts of all values */
  struct fill_entry *entries;
  size_t count, capacity;
  size_t rows[FILL_DEPTH], depth; /* rows[i]: index in `entries` of the open row i, outermost first;
                                     depth: number of open rows */
  bool failed;                    /* true if memory ran out */
  void (*escape)(struct buffer *out, pprofc_str text); /* escapes the values in texts and attributes
                                                          in place of the usual rules, or NULL */
};

struct fill fill_make(const pprofc_allocator *mem);
void fill_init(struct fill *fill, const pprofc_allocator *mem);
void fill_free(struct fill *fill);

/* Removes all values, and keeps the memory for the next values. */
void fill_clear(struct fill *fill);

/* Begins a value. The caller appends its text to the buffer before the next call of fill_*. */
struct buffer *fill_text(struct fill *fill, const char *name);

/* Begins a value that is HTML, or other text that {html:name} prints without escapes. */
struct buffer *fill_html(struct fill *fill, const char *name);

void fill_str(struct fill *fill, const char *name, pprofc_str text);
void fill_words(struct fill *fill, const char *name, const char *text);
void fill_number(struct fill *fill, const char *name, int64_t number);

/* Begins the next row of a list. Values that are set before fill_end belong to this row. */
void fill_begin(struct fill *fill, const char *name);
void fill_end(struct fill *fill);

/* Adds a row without values if `on` is true. The row makes the template print the section
 * `name`. */
void fill_flag(struct fill *fill, const char *name, bool on);

/* Adds values by a format such as "rows:{name:S count:i}". A word before ':' is a name. "{" begins
 * a row of the list, "}" ends the innermost row. A letter means the next argument, and names its
 * type: S pprofc_str, s const char * (NULL: ""), i int64_t, b bool (fill_flag), d double with 17
 * digits. A digit means a double with this number of decimals. The format must live as long as the
 * fill. */
void fill_pack(struct fill *fill, const char *format, ...);

/* ---- templates -------------------------------------- */

struct template_op;

/* A part of a template, split into texts and names. The text of the template must live as long. */
struct template {
  struct template_op *ops;
  size_t count, capacity;
  struct buffer text; /* the texts; failed: memory ran out, or the template has an error */
};

struct template template_compile(const pprofc_allocator *mem, pprofc_str text, const char *part);
void template_free(struct template *template);

/* Appends a compiled part with the values. The buffer fails if the part has an error. */
void template_run(struct buffer *out, const struct template *template, const struct fill *fill);

/* Appends a part of a template with the values. The buffer fails if the template has an error. */
void template_put(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill);

/* Writes a part of a template with the values, and frees the values. Returns false when memory runs
 * out. */
bool template_print(struct output *out, pprofc_str template, const char *part, struct fill *fill);

/* Appends untrusted text with escapes for HTML text or an attribute value. */
void template_escape(struct buffer *out, pprofc_str text);

#endif
