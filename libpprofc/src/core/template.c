/* Fills HTML templates: looks names up, and escapes each value by its position in the HTML. */
#include "core/template.h"
#include "core/base.h"

/* ---- values ----------------------------------------- */

static size_t fill_add_entry(struct fill *fill, pprofc_str name, enum fill_kind kind) {
  if (fill->count) fill->entries[fill->count - 1].end = fill->text.size;
  if (!ARRAY_RESERVE(fill->mem, fill->entries, fill->capacity, fill->count + 1)) {
    fill->failed = true;
    return 0;
  }
  fill->entries[fill->count] =
      (struct fill_entry){.name = name, .kind = kind, .start = fill->text.size};
  return fill->count++;
}

/* Adds a value or a list to the innermost open row. Returns 0 when out of memory. */
static size_t fill_add_to_row(struct fill *fill, pprofc_str name, enum fill_kind kind) {
  size_t entry = fill_add_entry(fill, name, kind);
  if (!entry) return 0;
  struct fill_entry *row = &fill->entries[fill->rows[fill->depth - 1]];
  fill->entries[entry].next = row->first;
  row->first = entry;
  return entry;
}

void fill_init(struct fill *fill, const pprofc_allocator *mem) {
  *fill = (struct fill){.mem = mem, .text = buffer_make(mem, SIZE_MAX / 2), .depth = 1};
  fill_add_entry(fill, STR(""), FILL_ROW);
}

struct fill fill_make(const pprofc_allocator *mem) {
  struct fill fill;
  fill_init(&fill, mem);
  return fill;
}

void fill_free(struct fill *fill) {
  ARRAY_FREE(fill->mem, fill->entries, fill->capacity);
  buffer_free(&fill->text);
}

struct buffer *fill_text(struct fill *fill, const char *name) {
  fill_add_to_row(fill, str_of(name), FILL_TEXT);
  return &fill->text;
}

struct buffer *fill_html(struct fill *fill, const char *name) {
  fill_add_to_row(fill, str_of(name), FILL_HTML);
  return &fill->text;
}

void fill_str(struct fill *fill, const char *name, pprofc_str text) {
  buffer_add_str(fill_text(fill, name), text);
}

void fill_words(struct fill *fill, const char *name, const char *text) {
  fill_str(fill, name, str_of(text));
}

void fill_number(struct fill *fill, const char *name, int64_t number) {
  buffer_printf(fill_text(fill, name), "%lld", (long long)number);
}

/* Returns the index in fill.entries of the value or list `name` in a row, or 0. */
static size_t fill_find(const struct fill *fill, size_t row, pprofc_str name) {
  size_t entry = fill->entries[row].first;
  while (entry && !str_equal(fill->entries[entry].name, name)) entry = fill->entries[entry].next;
  return entry;
}

static void fill_begin_row(struct fill *fill, pprofc_str name) {
  fill->failed |= fill->depth == FILL_DEPTH;
  if (fill->failed) return;
  size_t list = fill_find(fill, fill->rows[fill->depth - 1], name);
  if (!list || fill->entries[list].kind != FILL_LIST) list = fill_add_to_row(fill, name, FILL_LIST);
  size_t row = fill_add_entry(fill, name, FILL_ROW);
  if (fill->failed) return;
  if (fill->entries[list].last)
    fill->entries[fill->entries[list].last].next = row;
  else
    fill->entries[list].first = row;
  fill->entries[list].last = row;
  fill->rows[fill->depth++] = row;
}

void fill_begin(struct fill *fill, const char *name) {
  fill_begin_row(fill, str_of(name));
}

void fill_end(struct fill *fill) {
  if (fill->depth > 1) fill->depth--;
}

void fill_flag(struct fill *fill, const char *name, bool on) {
  if (!on) return;
  fill_begin(fill, name);
  fill_end(fill);
}

/* Adds the next argument of fill_pack. */
static void fill_pack_value(struct fill *fill, pprofc_str name, char kind, va_list *args) {
  bool on = kind == '{' || (kind == 'b' && va_arg(*args, int));
  if (on) fill_begin_row(fill, name);
  if (on && kind == 'b') fill_end(fill);
  if (kind == '{' || kind == 'b') return;
  fill_add_to_row(fill, name, FILL_TEXT);
  const char *text = kind == 's' ? va_arg(*args, const char *) : NULL;
  if (text) buffer_add_text(&fill->text, text);
  if (kind == 'S') buffer_add_str(&fill->text, va_arg(*args, pprofc_str));
  if (kind == 'i') buffer_printf(&fill->text, "%lld", (long long)va_arg(*args, int64_t));
}

void fill_pack(struct fill *fill, const char *format, ...) {
  va_list args;
  va_start(args, format);
  while (*format) {
    size_t size = strcspn(format, ": }");
    if (format[size] == ':')
      fill_pack_value(fill, (pprofc_str){format, size}, format[size + 1], &args);
    if (*format == '}') fill_end(fill);
    format += format[size] == ':' ? size + 2 : 1;
  }
  va_end(args);
}

/* Returns the text of a value, or "" for a list or a row. */
static pprofc_str fill_get(const struct fill *fill, size_t entry) {
  const struct fill_entry *e = &fill->entries[entry];
  if (e->kind >= FILL_LIST) return STR("");
  return str_slice(buffer_str(&fill->text), e->start,
                   entry + 1 == fill->count ? fill->text.size : e->end);
}

/* ---- positions in the HTML --------------------------- */

/* Kind of HTML in which the next value will be written: text, tag, attribute value or script. */
enum html_place { PLACE_TEXT, PLACE_TAG, PLACE_VALUE, PLACE_SCRIPT };

#define TEMPLATE_DEPTH 32 /* maximum nesting of sections and template parts */

struct section {
  pprofc_str text, between; /* text of the section, and text to print between rows */
  size_t at;                /* offset in `text` of the part that is not printed yet */
  size_t row;               /* index of the current row in fill.entries */
  bool each;                /* true if the section is repeated for each row of a list */
};

struct printing {
  const struct fill *fill;
  pprofc_str template;
  struct buffer *out;
  struct section sections[TEMPLATE_DEPTH];
  size_t depth;
  enum html_place place;
  bool in_script;  /* true between "<script" and the end of the script */
  bool in_lines;   /* true between "<pre" and the next tag, where a value may have line breaks */
  bool is_address; /* true in the value of an attribute href, src or action */
  bool begun;      /* true if the attribute value already has text */
};

void template_escape(struct buffer *out, pprofc_str text) {
  if (escape_terminal_clean(text)) {
    escape_xml(out, text);
    return;
  }
  struct buffer plain = buffer_make(out->mem, SIZE_MAX / 2);
  escape_terminal(&plain, text, true);
  escape_xml(out, buffer_str(&plain));
  out->failed |= plain.failed;
  buffer_free(&plain);
}

static bool takes_address(pprofc_str before) {
  return str_ends(before, STR(" href=")) || str_ends(before, STR(" src=")) ||
         str_ends(before, STR("action="));
}

static enum html_place html_place_after(struct printing *p, pprofc_str text, size_t at) {
  char c = text.data[at];
  bool quote = c == '"';
  switch (p->place) {
  case PLACE_TEXT:
  case PLACE_SCRIPT:
    if (c != '<') return p->place;
    p->in_script = str_starts(str_slice(text, at, text.size), STR("<script"));
    p->in_lines = str_starts(str_slice(text, at, text.size), STR("<pre"));
    return PLACE_TAG;
  case PLACE_TAG:
    if (c == '>') return p->in_script ? PLACE_SCRIPT : PLACE_TEXT;
    p->is_address = quote && takes_address(str_slice(text, 0, at));
    p->begun = false;
    return quote ? PLACE_VALUE : PLACE_TAG;
  default:
    p->begun = true;
    return quote ? PLACE_TAG : PLACE_VALUE;
  }
}

/* Prints text of the template, without the blanks at the start of a line. */
static void put_literal(struct printing *p, pprofc_str text) {
  for (size_t i = 0, from = 0; i < text.size; i++) {
    p->place = html_place_after(p, text, i);
    bool ends_line = text.data[i] == '\n';
    if (!ends_line && i + 1 < text.size) continue;
    buffer_add(p->out, text.data + from, i + 1 - from);
    while (ends_line && i + 1 < text.size && text.data[i + 1] == ' ') i++;
    from = i + 1;
  }
}

/* ---- values ------------------------------------------ */

/* True for an address that a link may have: http, https, or without a scheme. */
static bool may_link(pprofc_str address) {
  size_t scheme = 0;
  while (scheme < address.size && !strchr(":/?#", address.data[scheme])) scheme++;
  if (scheme == address.size || address.data[scheme] != ':') return true;
  pprofc_str name = str_slice(address, 0, scheme);
  return str_equal(name, STR("https")) || str_equal(name, STR("http"));
}

/* Prints an untrusted value. Shows line breaks as \x0a, except between <pre> and the next tag. */
static void put_text_value(struct printing *p, pprofc_str text) {
  bool lines = p->place == PLACE_TEXT && p->in_lines;
  pprofc_str line;
  for (bool first = true; str_next(&text, '\n', &line); first = false) {
    if (!first) buffer_add_text(p->out, lines ? "\n" : "\\x0a");
    template_escape(p->out, line);
  }
}

static void put_escaped(struct printing *p, pprofc_str text) {
  bool begins = p->place == PLACE_VALUE && !p->begun;
  p->begun = p->begun || text.size;
  if (p->place == PLACE_TAG) return;
  if (p->place == PLACE_SCRIPT)
    escape_json(p->out, text);
  else if (p->place == PLACE_VALUE && p->is_address && !begins)
    escape_url(p->out, text, "");
  else if (p->place == PLACE_VALUE && p->is_address && !may_link(text))
    buffer_add_char(p->out, '#');
  else
    put_text_value(p, text);
}

/* Finds a name in the rows of the open sections, from the innermost to the outermost. Returns the
 * index of its entry, or 0. */
static size_t look_up(const struct printing *p, pprofc_str name) {
  size_t found = 0;
  for (size_t i = p->depth; i > 0 && !found; i--)
    if (i == p->depth || p->sections[i - 1].row != p->sections[i].row)
      found = fill_find(p->fill, p->sections[i - 1].row, name);
  return found;
}

static void put_attribute(struct printing *p, pprofc_str name) {
  pprofc_str text = fill_get(p->fill, look_up(p, name));
  if (!text.size || p->place != PLACE_TAG) return;
  buffer_printf(p->out, " %.*s=\"", STR_ARG(name));
  put_text_value(p, text);
  buffer_add_char(p->out, '"');
}

static void put_html(struct printing *p, pprofc_str name) {
  size_t entry = look_up(p, name);
  p->begun = true;
  if (p->fill->entries[entry].kind == FILL_HTML) buffer_add_str(p->out, fill_get(p->fill, entry));
}

/* ---- sections ---------------------------------------- */

/* Moves the text up to the closing tag of the section `name` from `around` to `inner`. `around`
 * must be just after the opening tag. */
static bool take_section(struct section *around, pprofc_str name, struct section *inner) {
  char end[80];
  pprofc_str rest = str_slice(around->text, around->at, around->text.size);
  size_t size = (size_t)snprintf(end, sizeof end, "{/%.*s", STR_ARG(name)), at = 0, close;
  do {
    at += str_find(str_slice(rest, at, rest.size), str_of(end));
    if (size >= sizeof end || at >= rest.size) return false;
    at += size;
  } while (at >= rest.size || !strchr("}:", rest.data[at]));
  inner->text = str_slice(rest, 0, at - size);
  close = at + str_find_char(str_slice(rest, at, rest.size), '}');
  inner->between = str_slice(rest, at + (rest.data[at] == ':'), close);
  around->at += close + 1;
  return close < rest.size;
}

static bool push_section(struct printing *p, const struct section *section) {
  if (p->depth == TEMPLATE_DEPTH) return false;
  p->sections[p->depth++] = *section;
  return true;
}

/* Skips a line break after a tag that prints no value, and the blanks after the line break. */
static void skip_line_break(struct section *section) {
  pprofc_str text = section->text;
  if (section->at == text.size || text.data[section->at] != '\n') return;
  section->at++;
  while (section->at < text.size && text.data[section->at] == ' ') section->at++;
}

static bool open_section(struct printing *p, char mark, pprofc_str name) {
  struct section *around = &p->sections[p->depth - 1];
  struct section inner = {.row = around->row};
  if (!take_section(around, name, &inner)) return false;
  skip_line_break(around);
  skip_line_break(&inner);
  if (mark == '=') return true;
  size_t entry = look_up(p, name);
  bool is_list = p->fill->entries[entry].kind == FILL_LIST;
  if ((is_list || fill_get(p->fill, entry).size) == (mark == '^')) return true;
  if (is_list) inner.row = p->fill->entries[entry].first;
  inner.each = is_list;
  return push_section(p, &inner);
}

static bool open_part(struct printing *p, pprofc_str name) {
  char begin[80];
  struct section whole = {.text = p->template}, part = {.row = p->sections[p->depth - 1].row};
  int size = snprintf(begin, sizeof begin, "{=%.*s}", STR_ARG(name));
  whole.at = str_find(whole.text, str_of(begin)) + (size_t)size;
  skip_line_break(&p->sections[p->depth - 1]);
  if (whole.at > whole.text.size || !take_section(&whole, name, &part)) return false;
  skip_line_break(&part);
  return push_section(p, &part);
}

/* Begins the section again with the next row of a list. Without a next row, ends the section. */
static void close_section(struct printing *p) {
  struct section *section = &p->sections[p->depth - 1];
  size_t after = section->each ? p->fill->entries[section->row].next : 0;
  if (!after) {
    p->depth--;
    return;
  }
  put_literal(p, section->between);
  section->row = after;
  section->at = 0;
  skip_line_break(section);
}

/* ---- tags -------------------------------------------- */

static bool is_tag_byte(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (first && c && strchr("#^=>", c)) ||
         (!first && ((c >= '0' && c <= '9') || c == '_' || c == '-' || c == ':'));
}

/* Returns the size in bytes of the tag that begins the text, with its braces; 0 if no tag begins
 * there. */
static size_t tag_size(pprofc_str text) {
  size_t i = 1;
  while (i < text.size && is_tag_byte(text.data[i], i == 1)) i++;
  return i > 1 && i < text.size && text.data[i] == '}' ? i + 1 : 0;
}

static bool put_tag(struct printing *p, pprofc_str tag) {
  char mark = tag.data[0];
  if (mark == '>') return open_part(p, str_slice(tag, 1, tag.size));
  if (mark == '#' || mark == '^' || mark == '=')
    return open_section(p, mark, str_slice(tag, 1, tag.size));
  if (str_starts(tag, STR("attr:")))
    put_attribute(p, str_slice(tag, 5, tag.size));
  else if (str_starts(tag, STR("html:")))
    put_html(p, str_slice(tag, 5, tag.size));
  else
    put_escaped(p, fill_get(p->fill, look_up(p, tag)));
  return true;
}

/* Prints the innermost open section up to its next tag, then handles the tag. At the end of the
 * section, closes it. Returns false for an error in the template. */
static bool template_step(struct printing *p) {
  struct section *section = &p->sections[p->depth - 1];
  pprofc_str rest = str_slice(section->text, section->at, section->text.size);
  size_t at = 0, size = 0;
  while (at < rest.size && !size) {
    at += str_find_char(str_slice(rest, at, rest.size), '{');
    if (at < rest.size) size = tag_size(str_slice(rest, at, rest.size));
    at += at < rest.size && !size;
  }
  put_literal(p, str_slice(rest, 0, at));
  section->at += at + size;
  if (size) return put_tag(p, str_slice(rest, at + 1, at + size - 1));
  close_section(p);
  return true;
}

void template_put(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill) {
  struct printing p = {.fill = fill, .template = template, .out = out, .depth = 1};
  if (fill->failed || fill->text.failed || !open_part(&p, str_of(part))) out->failed = true;
  while (p.depth && !out->failed)
    if (!template_step(&p)) out->failed = true;
}

bool template_print(struct output *out, pprofc_str template, const char *part, struct fill *fill) {
  struct buffer text = buffer_make(fill->mem, SIZE_MAX / 2);
  template_put(&text, template, part, fill);
  output_add_str(out, buffer_str(&text));
  bool good = !text.failed;
  buffer_free(&text);
  fill_free(fill);
  return good;
}
