/* Finds the lines of functions in source files. */
#include "run/code.h"

#include "run/text.h"

#include <stdlib.h>

#define DEPTH_MOST 32 /* maximum depth of nested definitions */

/* Returns the number of columns of indentation; SIZE_MAX for an empty line. */
static size_t margin_of(pprofc_str line) {
  size_t columns = 0;
  for (size_t i = 0; i < line.size; i++) {
    if (line.data[i] != ' ' && line.data[i] != '\t') return columns;
    columns += line.data[i] == '\t' ? 8 : 1;
  }
  return SIZE_MAX;
}

int64_t defs_last_line(const struct source_file *file, int64_t first) {
  int64_t last = first, count = (int64_t)file->line_count;
  if (first < 1 || first > count) return first;
  size_t margin = margin_of(file->lines[first - 1]);
  for (int64_t number = first + 1; number <= count; number++) {
    pprofc_str line = file->lines[number - 1];
    size_t columns = margin_of(line);
    if (columns == SIZE_MAX) continue;
    if (columns <= margin) {
      char c = str_trim(line).data[0];
      if (c == '}') return number;
      /* A line that has the indentation of the function, and does not end a block, begins the next
       * function. */
      if (c != '{' && c != ')' && c != '#' && c != ':') return last;
    }
    last = number;
  }
  return last;
}

/* A definition whose end is not read yet. */
struct open_def {
  size_t margin, index; /* indentation; index of the definition */
  bool is_class;
};

struct python_reader {
  struct defs *defs;
  struct arena *arena;
  size_t capacity;
  struct open_def open[DEPTH_MOST];
  size_t depth;
  int64_t decorator; /* first line of the decorators above the current line; 0 without decorators */
  int64_t last;      /* last line that has code */
  size_t brackets;   /* number of open brackets */
  char quote;        /* quotation mark of an open string of several lines, or 0 */
  bool continues;    /* true if the line before ended with a backslash */
};

static bool is_triple(pprofc_str line, size_t at, char quote) {
  return at + 2 < line.size && line.data[at] == quote && line.data[at + 1] == quote &&
         line.data[at + 2] == quote;
}

/* Skips the rest of a string, from `at`. Returns the offset after its end. Keeps r->quote if a
 * string of several lines does not end on this line. */
static size_t skip_string(struct python_reader *r, pprofc_str line, size_t at, char quote) {
  for (; at < line.size; at++) {
    if (line.data[at] == '\\')
      at++;
    else if (r->quote && is_triple(line, at, quote))
      break;
    else if (!r->quote && line.data[at] == quote)
      return at + 1;
  }
  if (at >= line.size) return line.size;
  r->quote = 0;
  return at + 3;
}

/* Reads a line to keep track of open strings and open brackets. */
static void scan_python(struct python_reader *r, pprofc_str line) {
  size_t at = r->quote ? skip_string(r, line, 0, r->quote) : 0;
  while (at < line.size) {
    char c = line.data[at];
    if (c == '#') break;
    if (c == '"' || c == '\'') {
      bool triple = is_triple(line, at, c);
      if (triple) r->quote = c;
      at = skip_string(r, line, at + (triple ? 3 : 1), c);
      continue;
    }
    if (strchr("([{", c)) r->brackets++;
    if (r->brackets && strchr(")]}", c)) r->brackets--;
    at++;
  }
  r->continues = line.size && line.data[line.size - 1] == '\\';
}

/* Ends the open definitions that a line with this indentation is not part of. */
static void close_defs(struct python_reader *r, size_t margin) {
  for (; r->depth && r->open[r->depth - 1].margin >= margin; r->depth--)
    r->defs->items[r->open[r->depth - 1].index].last = r->last;
}

/* Removes a word and the blanks after it from the beginning of *text. */
static bool take_keyword(pprofc_str *text, pprofc_str word) {
  if (!str_starts(*text, word) || text->size == word.size) return false;
  pprofc_str rest = str_slice(*text, word.size, text->size);
  if (*rest.data != ' ' && *rest.data != '\t') return false;
  *text = str_trim(rest);
  return true;
}

/* Returns the name at the beginning of the text. */
static pprofc_str identifier_at(pprofc_str text) {
  size_t size = 0;
  while (size < text.size && !strchr("(:[ \t\\", text.data[size])) size++;
  return str_slice(text, 0, size);
}

static const char *qualified_name(const struct python_reader *r, pprofc_str name) {
  if (!r->depth) return text_printf(r->arena, "%.*s", STR_ARG(name));
  const struct open_def *outer = &r->open[r->depth - 1];
  return text_printf(r->arena, "%.*s%s.%.*s", STR_ARG(r->defs->items[outer->index].name),
                     outer->is_class ? "" : ".<locals>", STR_ARG(name));
}

/* Reads "def f(x):", "async def f(x):" or "class C:". Returns false when out of memory. */
static bool open_def(struct python_reader *r, pprofc_str text, int64_t number, size_t margin) {
  bool is_class = take_keyword(&text, STR("class"));
  if (!is_class) take_keyword(&text, STR("async"));
  if ((!is_class && !take_keyword(&text, STR("def"))) || r->depth == DEPTH_MOST) return true;
  const char *name = qualified_name(r, identifier_at(text));
  const struct def def = {str_of(name), r->decorator ? r->decorator : number, number};
  if (!name || !ARRAY_PUSH_IN(r->arena, r->defs->items, r->defs->count, r->capacity, def))
    return false;
  r->open[r->depth++] = (struct open_def){margin, r->defs->count - 1, is_class};
  return true;
}

/* Reads a line. Returns false when out of memory. */
static bool read_python_line(struct python_reader *r, pprofc_str line, int64_t number) {
  bool begins = !r->quote && !r->brackets && !r->continues, room = true;
  size_t margin = margin_of(line);
  pprofc_str text = str_trim(line);
  if (begins && (!text.size || *text.data == '#')) return true;
  if (begins) {
    close_defs(r, margin);
    if (*text.data == '@') {
      if (!r->decorator) r->decorator = number;
    } else {
      room = open_def(r, text, number, margin);
      r->decorator = 0;
    }
  }
  if (text.size) r->last = number;
  scan_python(r, line);
  return room;
}

static int def_order(const void *a, const void *b) {
  const struct def *x = a, *y = b;
  int order = str_compare(x->name, y->name);
  return order ? order : (x->first > y->first) - (x->first < y->first);
}

bool defs_read(struct defs *defs, const struct source_file *file, struct arena *arena) {
  struct python_reader r = {.defs = defs, .arena = arena};
  *defs = (struct defs){NULL, 0};
  for (size_t i = 0; i < file->line_count; i++)
    if (!read_python_line(&r, file->lines[i], (int64_t)i + 1)) return false;
  close_defs(&r, 0);
  if (defs->count) qsort(defs->items, defs->count, sizeof *defs->items, def_order);
  return true;
}

const struct def *defs_find(const struct defs *defs, pprofc_str name, size_t *count) {
  BISECT(first, defs->count, str_compare(defs->items[first].name, name) < 0);
  for (*count = 0; first + *count < defs->count; ++*count)
    if (!str_equal(defs->items[first + *count].name, name)) break;
  return *count ? defs->items + first : NULL;
}
