/* Declares functions on texts: names of files, lines of program output, cleaning of text. */
#ifndef PPROFCI_RUN_TEXT_H
#define PPROFCI_RUN_TEXT_H

#include "core/buffer.h"
#include "core/json_write.h"
#include "core/map.h"
#include "memory.h"

/* True for a number of iterations such as "1000x". `count` may be NULL. */
bool text_is_iterations(pprofc_str text, double *count);

/* Returns the last line that has a letter or digit, or else the first line that is not empty, or an
 * empty text. */
pprofc_str text_last_line(pprofc_str text);

/* Formats a text in the arena. */
char *text_printf(struct arena *arena, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Copies a text and appends a NUL. */
char *text_keep(struct arena *arena, pprofc_str text);

/* Returns a copy for a URL (escape_url). `also` lists bytes that stay unchanged. */
const char *text_url(struct arena *arena, pprofc_str text, const char *also);

/* Replaces the texts by copies in the arena. */
void text_keep_all(struct arena *arena, pprofc_str *const *texts, size_t count);

/* True if the text is not empty and contains only characters in `characters`. */
bool text_is_of(pprofc_str text, const char *characters);
#define TEXT_HEX   "0123456789abcdef"
#define TEXT_WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* Removes slashes at the end of a path, but keeps a slash at its beginning. */
void text_trim_slashes(char *path);

/* Returns a path that no program takes for an option: "-x" becomes "./-x". */
const char *text_path(struct arena *arena, const char *path);

/* Appends text. Replaces control characters by '_', including those that change the text
 * direction. */
void text_plain(struct buffer *out, pprofc_str text);

/* Returns a copy in which '_' replaces all characters except letters, digits and those in
 * `others`. */
const char *text_word(struct arena *arena, pprofc_str text, const char *others);

/* Adds the words of a text: names, numbers, and other runs of letters, digits, '_' and '$'. */
void text_add_words(struct interner *words, pprofc_str text);

/* Returns the number of words of a text that `known` does not have. */
size_t text_count_new_words(const struct interner *known, pprofc_str text);

/* Appends text of HTML or XML, with its entities decoded. */
void text_unescape(struct buffer *out, pprofc_str text);

/* A JSON text that is written to a buffer. */
struct json_text {
  struct buffer text;
  struct output *out;
  struct json_writer json;
};

void json_text_begin(struct json_text *text);

/* Ends the text and copies it into the arena. */
pprofc_str json_text_end(struct json_text *text, struct arena *arena);
void json_text_member(struct json_text *text, const char *key, pprofc_str value);

#endif
