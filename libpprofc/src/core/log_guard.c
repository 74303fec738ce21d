/* Escapes commands in text for the log of a CI system, so that the system does not run these
 * commands. */
#include "core/base.h"

/* ---- commands ---------------------------------------- */

void log_guard_init(struct log_guard *guard, pprofc_write_fn write, void *context) {
  *guard = (struct log_guard){.write = write, .context = context};
}

void log_guard_output(struct output *out, struct log_guard *guard, pprofc_write_fn write,
                      void *context) {
  output_init(out, write, context);
  struct brief *brief = out->brief;
  log_guard_init(guard, write, context);
  output_init(out, log_guard_write, guard);
  out->brief = brief;
}

/* True for white space outside ASCII. CI systems ignore this white space before a command. */
static bool is_wide_blank(int32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/* Returns the length in bytes of a character outside ASCII that begins with `lead`. */
static size_t log_guard_length(unsigned char lead) {
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

/* Collects a byte of a character outside ASCII at the start of a line, in order to find out if the
 * character is white space. */
static void take_wide(struct log_guard *g, unsigned char c) {
  size_t position = 0;
  g->wide[g->wide_size++] = c;
  if (g->wide_size < log_guard_length(g->wide[0])) return;
  int32_t code = utf8_next((pprofc_str){(const char *)g->wide, g->wide_size}, &position);
  if (!is_wide_blank(code)) g->colons = -1;
  g->wide_size = 0;
}

static bool is_log_blank(unsigned char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* True if c is the second colon at the start of a line. */
static bool ends_colons(struct log_guard *g, unsigned char c) {
  if (g->colons < 0) return false;
  if (g->colons == 0 && c >= 0x80) {
    take_wide(g, c);
    return false;
  }
  bool second = c == ':' && g->colons == 1, broken = g->wide_size > 0;
  if (c == ':' && !second && !broken)
    g->colons = 1;
  else if (!is_log_blank(c) || g->colons || broken)
    g->colons = -1;
  return second;
}

/* True if c is the bracket after "##" or "##word". */
static bool ends_hashes(struct log_guard *g, unsigned char c) {
  bool letter = char_is_letter((char)c);
  bool bracket = c == '[' && g->hashes == 2;
  if (c == '#')
    g->hashes += g->hashes < 2;
  else if (!letter || g->hashes < 2)
    g->hashes = 0;
  return bracket;
}

/* True if c, the next byte, would complete the start of a command. */
static bool log_guard_stops(struct log_guard *g, unsigned char c) {
  if (c == '\n' || c == '\r') {
    g->colons = 0;
    g->hashes = 0;
    g->wide_size = 0;
    return false;
  }
  bool colons = ends_colons(g, c), hashes = ends_hashes(g, c);
  return colons || hashes;
}

/* A run of bytes without ':' and '#'. A command of a CI log begins with "::" or "##", so no command
 * begins inside the run. `end` is the end of the run. `line` is the position after the last line
 * break of the run, or 0. `colon` and `hash` are the positions of the next ':' and the next '#'.
 * The struct keeps both, because a search for ':' at every '#' would take quadratic time. */
struct log_run {
  size_t end, line, colon, hash;
};

static size_t log_run_find(pprofc_str text, size_t from, char c) {
  return from + str_find_char(str_from(text, from), c);
}

static void log_run_next(struct log_run *run, pprofc_str text, size_t from) {
  if (run->colon < from) run->colon = log_run_find(text, from, ':');
  if (run->hash < from) run->hash = log_run_find(text, from, '#');
  run->end = run->colon < run->hash ? run->colon : run->hash;
  run->line = 0;
  for (size_t at = run->end; at > from && !run->line; at--)
    if (text.data[at - 1] == '\n' || text.data[at - 1] == '\r') run->line = at;
}

/* Returns the position of the next byte that log_guard_stops must check. */
static size_t log_guard_skip(const struct log_guard *g, const struct log_run *run, size_t at) {
  if (at < run->line && g->hashes < 2) return run->line - 1;
  return at < run->end && g->colons < 0 && !g->hashes ? run->end : at;
}

int log_guard_write(void *guard, const void *data, size_t size) {
  struct log_guard *g = guard;
  const unsigned char *bytes = data;
  const pprofc_str text = {data, size};
  struct log_run run = {.colon = log_run_find(text, 0, ':'), .hash = log_run_find(text, 0, '#')};
  size_t from = 0;
  for (size_t i = 0; i < size; i++) {
    if (i >= run.end) log_run_next(&run, text, i);
    i = log_guard_skip(g, &run, i);
    if (i == size || !log_guard_stops(g, bytes[i])) continue;
    const char *shown = bytes[i] == ':' ? "\\x3a" : "\\x5b";
    if (i > from && g->write(g->context, bytes + from, i - from) != 0) return -1;
    if (g->write(g->context, shown, 4) != 0) return -1;
    from = i + 1;
  }
  return from < size ? g->write(g->context, bytes + from, size - from) : 0;
}

void escape_log(struct buffer *out, pprofc_str text, bool begins_line) {
  struct log_guard guard;
  log_guard_init(&guard, buffer_write, out);
  if (!begins_line) guard.colons = -1;
  /* Ignore the result, because the buffer stores any error. */
  (void)log_guard_write(&guard, text.data, text.size);
}

/* ---- lines ------------------------------------------- */

void escape_line(struct buffer *out, pprofc_str s) {
  while (s.size) {
    size_t tab = str_find_char(s, '\t');
    escape_terminal(out, str_slice(s, 0, tab), false);
    if (tab == s.size) return;
    buffer_add_char(out, '\t');
    s = str_from(s, tab + 1);
  }
}

void escape_log_line(struct buffer *out, pprofc_str s, bool begins_line) {
  struct buffer line = buffer_make(out->mem, SIZE_MAX / 2);
  escape_line(&line, s);
  escape_log(out, buffer_str(&line), begins_line);
  out->failed |= line.failed;
  buffer_free(&line);
}

void escape_command(struct buffer *out, pprofc_str s, bool property) {
  struct buffer line = buffer_make(out->mem, SIZE_MAX / 2);
  escape_log_line(&line, s, false);
  for (size_t i = 0; i < line.size; i++) {
    unsigned char c = (unsigned char)line.data[i];
    bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special)
      buffer_printf(out, "%%%02X", c);
    else
      buffer_add_char(out, (char)c);
  }
  out->failed |= line.failed;
  buffer_free(&line);
}

/* Returns the offset of the first character at or after `from` that escape_line would change, or
 * s.size. */
static size_t line_find_unsafe(pprofc_str s, size_t from) {
  while (from < s.size) {
    size_t next = from;
    unsigned char byte = (unsigned char)s.data[from];
    bool plain = (byte >= 0x20 && byte < 0x7F) || byte == '\t';
    if (!plain) utf8_next(s, &next);
    if (!plain && !escape_terminal_clean(str_slice(s, from, next))) return from;
    from = plain ? from + 1 : next;
  }
  return s.size;
}

void escape_line_to_output(struct output *out, pprofc_str s) {
  for (size_t at = 0; at < s.size;) {
    size_t unsafe = line_find_unsafe(s, at);
    output_add(out, s.data + at, unsafe - at);
    at = unsafe;
    if (at == s.size) return;
    int32_t c = utf8_next(s, &at);
    if (c >= 0xA0) output_printf(out, "\\u{%x}", (unsigned)c);
    for (size_t i = unsafe; c < 0xA0 && i < at; i++)
      output_printf(out, "\\x%02x", (unsigned char)s.data[i]);
  }
}

pprofc_str escape_line_keep(pprofc_str s, struct arena *arena) {
  if (!s.size || escape_terminal_clean(s)) return s.data ? s : STR("");
  struct buffer clean = buffer_make(arena->mem, SIZE_MAX / 2);
  escape_line(&clean, s);
  return buffer_take(&clean, arena);
}

/* True if a quick check shows that s can be printed unchanged. If false, a full check is needed. */
static bool is_plain_cell(pprofc_str s, bool begins_line) {
  bool word = s.size && ((s.data[0] >= '0' && s.data[0] <= '9') || (s.data[0] | 32) >= 'a');
  return escape_terminal_clean(s) && str_find_char(s, '#') == s.size &&
         (!begins_line || !s.size || (word && (s.data[0] | 32) <= 'z'));
}

pprofc_str escape_cell(pprofc_str s, bool begins_line, struct arena *arena) {
  if (is_plain_cell(s, begins_line)) return arena_str(arena, s);
  struct buffer line = buffer_make(arena->mem, SIZE_MAX / 2);
  escape_log_line(&line, s, begins_line);
  return buffer_take(&line, arena);
}
