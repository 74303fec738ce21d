/* Formats, copies and checks texts. */
#include "run/files.h"

#include <ctype.h>

/* True for a byte of a name or number. All bytes outside of ASCII belong to names. */
static bool is_word_byte(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

bool text_is_iterations(pprofc_str text, double *count) {
  uint64_t number;
  if (!str_ends(text, STR("x")) || text.data[0] == '0') return false;
  if (!str_parse_uint(str_slice(text, 0, text.size - 1), 10, &number)) return false;
  if (count) *count = (double)number;
  return true;
}

/* True if the text has a letter or digit of ASCII. */
static bool has_words(pprofc_str text) {
  size_t at = 0;
  while (at < text.size && !char_is_word(text.data[at])) at++;
  return at < text.size;
}

pprofc_str text_last_line(pprofc_str text) {
  pprofc_str line, last = STR("");
  while (str_next_line(&text, &line))
    if (str_trim(line).size && (!last.size || has_words(line))) last = str_trim(line);
  return last;
}

char *text_keep(struct arena *arena, pprofc_str text) {
  return (char *)arena_str(arena, text).data;
}

const char *text_shown(struct arena *arena, pprofc_str text) {
  return text_keep(arena, escape_line_keep(text, arena));
}

const char *text_url(struct arena *arena, pprofc_str text, const char *also) {
  struct buffer url = ci_buffer();
  escape_url(&url, text, also);
  return buffer_take(&url, arena).data;
}

void text_keep_all(struct arena *arena, pprofc_str *const *texts, size_t count) {
  for (size_t i = 0; i < count; i++) *texts[i] = arena_str(arena, *texts[i]);
}

bool text_is_of(pprofc_str text, const char *characters) {
  for (size_t i = 0; i < text.size; i++)
    if (!text.data[i] || !strchr(characters, text.data[i])) return false;
  return text.size > 0;
}

void text_trim_slashes(char *path) {
  for (size_t size = strlen(path); size > 1 && path[size - 1] == '/'; size--) path[size - 1] = '\0';
}

const char *text_path(struct arena *arena, const char *path) {
  return path[0] == '-' ? text_printf(arena, "./%s", path) : path;
}

void text_plain(struct buffer *out, pprofc_str text) {
  for (size_t i = 0; i < text.size;) {
    size_t start = i;
    (void)utf8_next(text, &i);
    pprofc_str one = str_slice(text, start, i);
    if (escape_terminal_clean(one))
      buffer_add_str(out, one);
    else
      buffer_add_fill(out, '_', one.size);
  }
}

const char *text_word(struct arena *arena, pprofc_str text, const char *others) {
  char *word = text_keep(arena, text);
  for (size_t i = 0; i < text.size; i++)
    if (!char_is_letter(word[i]) && !char_is_digit(word[i]) &&
        (!word[i] || !strchr(others, word[i])))
      word[i] = '_';
  return word;
}

void text_unescape(struct buffer *out, pprofc_str text) {
  static const struct {
    const char *entity;
    char c;
  } entities[] = {{"&amp;", '&'}, {"&lt;", '<'},  {"&gt;", '>'},  {"&quot;", '"'}, {"&apos;", '\''},
                  {"&#34;", '"'}, {"&#35;", '#'}, {"&#38;", '&'}, {"&#39;", '\''}};
  while (text.size) {
    size_t i = 0, count = sizeof entities / sizeof *entities;
    while (i < count && !str_starts(text, str_of(entities[i].entity))) i++;
    buffer_add_char(out, i < count ? entities[i].c : *text.data);
    text = str_slice(text, i < count ? strlen(entities[i].entity) : 1, text.size);
  }
}

/* Removes the next word from the text. Returns false if the text has no more words. */
static bool text_next_word(pprofc_str *text, pprofc_str *word) {
  size_t from = 0;
  while (from < text->size && !is_word_byte(text->data[from])) from++;
  size_t end = from;
  while (end < text->size && is_word_byte(text->data[end])) end++;
  *word = str_slice(*text, from, end);
  *text = str_slice(*text, end, text->size);
  return word->size > 0;
}

void text_add_words(struct interner *words, pprofc_str text) {
  pprofc_str word;
  while (text_next_word(&text, &word)) (void)interner_add(words, word);
}

size_t text_count_new_words(const struct interner *known, pprofc_str text) {
  size_t count = 0;
  pprofc_str word;
  while (text_next_word(&text, &word)) count += interner_find(known, word) == MAP_NONE;
  return count;
}

void json_text_begin(struct json_text *text) {
  buffer_init(&text->text, &ci_mem, SIZE_MAX / 2);
  text->out = mem_array(&ci_mem, 1, sizeof *text->out);
  output_init(text->out, buffer_write, &text->text);
  json_init(&text->json, text->out, &ci_mem);
}

pprofc_str json_text_end(struct json_text *text, struct arena *arena) {
  (void)json_finish(&text->json);
  (void)output_flush(text->out, NULL);
  mem_free(&ci_mem, text->out, 1, sizeof *text->out);
  return buffer_take(&text->text, arena);
}

void json_text_member(struct json_text *text, const char *key, pprofc_str value) {
  json_string(json_key(&text->json, key), value);
}
