/* Copies, quotes and checks texts. */
#ifndef PPROFC_TOOLS_TEXT_H
#define PPROFC_TOOLS_TEXT_H

#include "common/base.h"

/* Returns a NUL-terminated copy of a text, or NULL when out of memory. */
static inline char *text_copy(pprofc_str text) {
  char *copy = mem_array(&mem_default, text.size + 1, 1);
  if (!copy) return NULL;
  if (text.size) memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  return copy;
}

static inline void text_free(char *text) {
  if (text) mem_free(&mem_default, text, strlen(text) + 1, 1);
}

/* Formats a text. Returns NULL when out of memory. */
char *text_printf(struct arena *arena, const char *format, ...) PPROFC_PRINTF(2, 3);

/* An array of texts that ends with NULL, such as the arguments of a program. */
#define TEXT_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Size in bytes of a buffer for quoted text. A longer text is truncated and ends with ..." */
#define QUOTE_MAX 800

void quote_go(pprofc_str s, char out[QUOTE_MAX]);

/* Characters besides letters and digits that need no quotes in a shell. */
#define SHELL_PLAIN "_./-=:,@%+"

/* True if the text has only ASCII letters, digits and characters in `others`. */
bool text_only_has(pprofc_str text, const char *others);

/* True for a Go duration such as "500ms" or "1m30s". *nanoseconds may be NULL. */
bool text_is_duration(pprofc_str text, double *nanoseconds);

#endif
