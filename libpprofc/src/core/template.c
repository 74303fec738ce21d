/* Fills HTML templates. Compiles a part of a template to a list of ops (texts, values, sections),
 * in which each value knows its position in the HTML. Runs the ops with values. */
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

void fill_clear(struct fill *fill) {
  buffer_clear(&fill->text);
  fill->count = 0;
  fill->depth = 1;
  fill_add_entry(fill, STR(""), FILL_ROW);
}

void fill_init(struct fill *fill, const pprofc_allocator *mem) {
  *fill = (struct fill){.mem = mem, .text = buffer_make(mem, SIZE_MAX / 2)};
  fill_clear(fill);
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

static struct buffer *fill_value(struct fill *fill, pprofc_str name, enum fill_kind kind) {
  fill_add_to_row(fill, name, kind);
  return &fill->text;
}

struct buffer *fill_text(struct fill *fill, const char *name) {
  return fill_value(fill, str_of(name), FILL_TEXT);
}

struct buffer *fill_html(struct fill *fill, const char *name) {
  return fill_value(fill, str_of(name), FILL_HTML);
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

static void fill_pack_text(struct buffer *out, char kind, va_list *args) {
  const char *text = kind == 's' ? va_arg(*args, const char *) : NULL;
  if (text) buffer_add_text(out, text);
  if (kind == 'S') buffer_add_str(out, va_arg(*args, pprofc_str));
  if (kind == 'i') buffer_printf(out, "%lld", (long long)va_arg(*args, int64_t));
  if (kind == 'd') buffer_add_double(out, va_arg(*args, double), -1);
  if (char_is_digit(kind)) buffer_add_double(out, va_arg(*args, double), kind - '0');
}

/* Adds the next argument of fill_pack. */
static void fill_pack_value(struct fill *fill, pprofc_str name, char kind, va_list *args) {
  if (kind == '{')
    fill_begin_row(fill, name);
  else if (kind != 'b')
    fill_pack_text(fill_value(fill, name, FILL_TEXT), kind, args);
  else if (va_arg(*args, int)) {
    fill_begin_row(fill, name);
    fill_end(fill);
  }
}

void fill_pack(struct fill *fill, const char *format, ...) {
  va_list args;
  va_start(args, format);
  while (*format) {
    size_t size = 0; /* strcspn makes a table of all bytes in each call */
    while (format[size] > ' ' && format[size] != ':' && format[size] != '}') size++;
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

/* Kind of HTML in which a value will be written: text, tag, attribute value or script. */
enum html_place { PLACE_TEXT, PLACE_TAG, PLACE_VALUE, PLACE_SCRIPT };

struct html_state {
  enum html_place place;
  bool in_script;  /* true between "<script" and the end of the script */
  bool in_lines;   /* true between "<pre" and the next tag, where a value may have line breaks */
  bool is_address; /* true in the value of an attribute href, src or action */
  bool begun;      /* true if the attribute value already has text */
};

static bool takes_address(pprofc_str before) {
  return str_ends(before, STR(" href=")) || str_ends(before, STR(" src=")) ||
         str_ends(before, STR("action="));
}

/* Updates the state for the byte text.data[at] of the template. */
static void html_state_step(struct html_state *state, pprofc_str text, size_t at) {
  char c = text.data[at];
  bool quote = c == '"';
  switch (state->place) {
  case PLACE_TEXT:
  case PLACE_SCRIPT:
    if (c != '<') return;
    state->in_script = str_starts(str_slice(text, at, text.size), STR("<script"));
    state->in_lines = str_starts(str_slice(text, at, text.size), STR("<pre"));
    state->place = PLACE_TAG;
    return;
  case PLACE_TAG:
    if (c == '>') state->place = state->in_script ? PLACE_SCRIPT : PLACE_TEXT;
    if (!quote) return;
    state->is_address = takes_address(str_slice(text, 0, at));
    state->begun = false;
    state->place = PLACE_VALUE;
    return;
  default:
    state->begun = true;
    if (quote) state->place = PLACE_TAG;
  }
}

/* ---- compiling --------------------------------------- */

#define TEMPLATE_DEPTH 32 /* maximum nesting of sections and template parts */

/* OP_SECTION and OP_UNLESS begin a section. OP_NEXT ends a row of the section, and OP_REPEAT ends
 * the text between two rows. */
enum op_kind {
  OP_TEXT,
  OP_VALUE,
  OP_ATTRIBUTE,
  OP_HTML,
  OP_SECTION,
  OP_UNLESS,
  OP_NEXT,
  OP_REPEAT
};

struct template_op {
  enum op_kind kind;
  struct html_state state; /* state after the op's text, or at the op's value */
  pprofc_str name;         /* name of the value or section */
  size_t start, end;       /* offsets of the op's text in template.text */
  size_t other;            /* begin of a section, OP_NEXT: index of its OP_REPEAT;
                              OP_REPEAT: index of the begin of the section */
};

struct compiling {
  struct template *made;
  pprofc_str template;
  size_t depth; /* number of sections and parts around the text that is being compiled */
  struct html_state state;
};

static struct template_op *add_op(struct compiling *c, enum op_kind kind, pprofc_str name) {
  struct template *t = c->made;
  if (!ARRAY_RESERVE(t->text.mem, t->ops, t->capacity, t->count + 1)) t->text.failed = true;
  if (t->text.failed) return NULL;
  struct template_op *op = &t->ops[t->count++];
  *op = (struct template_op){
      .kind = kind, .state = c->state, .name = name, .start = t->text.size, .end = t->text.size};
  return op;
}

/* Adds text of the template, without the blanks at the start of a line that is not preformatted. */
static void add_literal(struct compiling *c, pprofc_str text) {
  struct template *t = c->made;
  struct template_op *op = t->count ? &t->ops[t->count - 1] : NULL;
  if (!text.size) return;
  if (!op || op->kind != OP_TEXT) op = add_op(c, OP_TEXT, STR(""));
  for (size_t i = 0; i < text.size; i++) {
    html_state_step(&c->state, text, i);
    buffer_add_char(&t->text, text.data[i]);
    bool ends_line = text.data[i] == '\n' && !c->state.in_lines;
    while (ends_line && i + 1 < text.size && text.data[i + 1] == ' ') i++;
  }
  if (!op) return;
  op->state = c->state;
  op->end = t->text.size;
}

/* Moves the text up to the closing tag of the section `name` from *rest to *inner. *rest must be
 * just after the opening tag. Sets *between to the text to print between rows. */
static bool take_section(pprofc_str *rest, pprofc_str name, pprofc_str *inner,
                         pprofc_str *between) {
  char end[80];
  size_t size = (size_t)snprintf(end, sizeof end, "{/%.*s", STR_ARG(name)), at = 0;
  do {
    at += str_find(str_slice(*rest, at, rest->size), str_of(end));
    if (size >= sizeof end || at >= rest->size) return false;
    at += size;
  } while (at >= rest->size || !strchr("}:", rest->data[at]));
  size_t close = at + str_find_char(str_slice(*rest, at, rest->size), '}');
  if (close >= rest->size) return false;
  *inner = str_slice(*rest, 0, at - size);
  *between = str_slice(*rest, at + (rest->data[at] == ':'), close);
  *rest = str_slice(*rest, close + 1, rest->size);
  return true;
}

/* Returns the text after a tag that prints no value, without the line break at its start and the
 * blanks after the line break. */
static pprofc_str skip_line_break(pprofc_str text) {
  size_t at = text.size && text.data[0] == '\n';
  while (at && at < text.size && text.data[at] == ' ') at++;
  return str_slice(text, at, text.size);
}

static bool compile_text(struct compiling *c, pprofc_str text);

/* Compiles a section. Returns false if the section ends in another kind of HTML than it began. */
static bool compile_section(struct compiling *c, enum op_kind kind, pprofc_str name,
                            pprofc_str text, pprofc_str between) {
  struct template *t = c->made;
  enum html_place place = c->state.place;
  size_t begin = t->count;
  if (!add_op(c, kind, name) || !compile_text(c, text)) return false;
  size_t next = t->count;
  if (!add_op(c, OP_NEXT, STR(""))) return false;
  add_literal(c, between);
  if (!add_op(c, OP_REPEAT, STR(""))) return false;
  t->ops[next].other = t->ops[begin].other = t->count - 1;
  t->ops[t->count - 1].other = begin;
  return c->state.place == place;
}

static bool compile_part(struct compiling *c, pprofc_str name) {
  char begin[80];
  pprofc_str part, between;
  size_t size = (size_t)snprintf(begin, sizeof begin, "{=%.*s}", STR_ARG(name));
  size_t at = str_find(c->template, str_of(begin));
  pprofc_str rest = str_slice(c->template, at + size, c->template.size);
  return at < c->template.size && take_section(&rest, name, &part, &between) &&
         compile_text(c, skip_line_break(part));
}

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

/* Compiles a tag. *rest is the text after the tag. The function removes the text of a section. */
static bool compile_tag(struct compiling *c, pprofc_str tag, pprofc_str *rest) {
  char mark = tag.data[0];
  pprofc_str name = str_slice(tag, 1, tag.size), text, between;
  if (str_starts(tag, STR("attr:"))) return add_op(c, OP_ATTRIBUTE, str_slice(tag, 5, tag.size));
  if (str_starts(tag, STR("html:"))) return add_op(c, OP_HTML, str_slice(tag, 5, tag.size));
  if (!strchr("#^=>", mark)) return add_op(c, OP_VALUE, tag);
  if (mark != '>' && !take_section(rest, name, &text, &between)) return false;
  *rest = skip_line_break(*rest);
  if (mark == '>') return compile_part(c, name);
  enum op_kind kind = mark == '#' ? OP_SECTION : OP_UNLESS;
  return mark == '=' || compile_section(c, kind, name, skip_line_break(text), between);
}

/* Compiles a text with tags. Returns false for an error in the template. */
static bool compile_text(struct compiling *c, pprofc_str text) {
  bool good = ++c->depth <= TEMPLATE_DEPTH;
  while (good && text.size) {
    size_t at = 0, size = 0;
    while (at < text.size && !size) {
      at += str_find_char(str_slice(text, at, text.size), '{');
      if (at < text.size) size = tag_size(str_slice(text, at, text.size));
      at += at < text.size && !size;
    }
    pprofc_str rest = str_slice(text, at + size, text.size);
    add_literal(c, str_slice(text, 0, at));
    good = !size || compile_tag(c, str_slice(text, at + 1, at + size - 1), &rest);
    text = rest;
  }
  c->depth--;
  return good && !c->made->text.failed;
}

struct template template_compile(const pprofc_allocator *mem, pprofc_str text, const char *part) {
  struct template made = {.text = buffer_make(mem, SIZE_MAX / 2)};
  struct compiling c = {.made = &made, .template = text};
  if (!compile_part(&c, str_of(part))) made.text.failed = true;
  return made;
}

void template_free(struct template *template) {
  ARRAY_FREE(template->text.mem, template->ops, template->capacity);
  buffer_free(&template->text);
}

/* ---- values ------------------------------------------ */

struct printing {
  const struct fill *fill;
  struct buffer *out;
  size_t rows[TEMPLATE_DEPTH]; /* rows[i]: index in fill.entries of the row of the open section i,
                                  outermost first */
  bool each[TEMPLATE_DEPTH];   /* true if the section is repeated for each row of a list */
  size_t depth;
  bool begun; /* html_state.begun at the next value */
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

/* True for an address that a link may have: http, https, or without a scheme. */
static bool may_link(pprofc_str address) {
  size_t scheme = 0;
  while (scheme < address.size && !strchr(":/?#", address.data[scheme])) scheme++;
  if (scheme == address.size || address.data[scheme] != ':') return true;
  pprofc_str name = str_slice(address, 0, scheme);
  return str_equal(name, STR("https")) || str_equal(name, STR("http"));
}

/* Prints an untrusted value. Shows line breaks as \x0a, except between <pre> and the next tag. */
static void put_text_value(struct printing *p, const struct html_state *state, pprofc_str text) {
  bool lines = state->place == PLACE_TEXT && state->in_lines;
  pprofc_str line;
  if (p->fill->escape) {
    p->fill->escape(p->out, text);
    return;
  }
  for (bool first = true; str_next(&text, '\n', &line); first = false) {
    if (!first) buffer_add_text(p->out, lines ? "\n" : "\\x0a");
    template_escape(p->out, line);
  }
}

static void put_escaped(struct printing *p, const struct html_state *state, pprofc_str text) {
  bool is_address = state->place == PLACE_VALUE && state->is_address, begins = !p->begun;
  p->begun = p->begun || text.size;
  if (state->place == PLACE_TAG) return;
  if (state->place == PLACE_SCRIPT)
    escape_json(p->out, text);
  else if (is_address && !begins)
    escape_url(p->out, text, "");
  else if (is_address && !may_link(text))
    buffer_add_char(p->out, '#');
  else
    put_text_value(p, state, text);
}

/* Finds a name in the rows of the open sections, from the innermost to the outermost. Returns the
 * index of its entry, or 0. */
static size_t look_up(const struct printing *p, pprofc_str name) {
  size_t found = 0;
  for (size_t i = p->depth; i > 0 && !found; i--)
    if (i == p->depth || p->rows[i - 1] != p->rows[i])
      found = fill_find(p->fill, p->rows[i - 1], name);
  return found;
}

static void put_attribute(struct printing *p, const struct template_op *op) {
  pprofc_str text = fill_get(p->fill, look_up(p, op->name));
  if (!text.size || op->state.place != PLACE_TAG) return;
  buffer_printf(p->out, " %.*s=\"", STR_ARG(op->name));
  put_text_value(p, &op->state, text);
  buffer_add_char(p->out, '"');
}

static void put_html(struct printing *p, pprofc_str name) {
  size_t entry = look_up(p, name);
  p->begun = true;
  if (p->fill->entries[entry].kind == FILL_HTML) buffer_add_str(p->out, fill_get(p->fill, entry));
}

/* ---- printing ---------------------------------------- */

/* Opens a section. Returns false if the section is not printed. */
static bool open_section(struct printing *p, const struct template_op *op) {
  size_t entry = look_up(p, op->name), row = p->rows[p->depth - 1];
  bool is_list = p->fill->entries[entry].kind == FILL_LIST;
  if ((is_list || fill_get(p->fill, entry).size) == (op->kind == OP_UNLESS)) return false;
  p->each[p->depth] = is_list;
  p->rows[p->depth++] = is_list ? p->fill->entries[entry].first : row;
  return true;
}

/* Moves to the next row of the innermost section. Without a next row, closes the section and
 * returns false. */
static bool next_row(struct printing *p) {
  size_t *row = &p->rows[p->depth - 1];
  size_t after = p->each[p->depth - 1] ? p->fill->entries[*row].next : 0;
  if (after)
    *row = after;
  else
    p->depth--;
  return after;
}

/* Runs an op. Returns the index of the next op. */
static size_t run_op(struct printing *p, const struct template *t, size_t at) {
  const struct template_op *op = &t->ops[at];
  switch (op->kind) {
  case OP_TEXT:
    p->begun = op->state.begun;
    buffer_add(p->out, t->text.data + op->start, op->end - op->start);
    break;
  case OP_VALUE:
    put_escaped(p, &op->state, fill_get(p->fill, look_up(p, op->name)));
    break;
  case OP_ATTRIBUTE:
    put_attribute(p, op);
    break;
  case OP_HTML:
    put_html(p, op->name);
    break;
  case OP_SECTION:
  case OP_UNLESS:
    if (!open_section(p, op)) at = op->other;
    break;
  case OP_NEXT:
    if (!next_row(p)) at = op->other;
    break;
  default:
    at = op->other;
  }
  return at + 1;
}

void template_run(struct buffer *out, const struct template *template, const struct fill *fill) {
  struct printing p = {.fill = fill, .out = out, .depth = 1};
  out->failed |= fill->failed || fill->text.failed || template->text.failed;
  for (size_t i = 0; i < template->count && !out->failed;) i = run_op(&p, template, i);
}

void template_put(struct buffer *out, pprofc_str template, const char *part,
                  const struct fill *fill) {
  struct template compiled = template_compile(fill->mem, template, part);
  template_run(out, &compiled, fill);
  template_free(&compiled);
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
