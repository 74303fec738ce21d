/* Copies texts to the heap. */
#ifndef PPROFC_TOOLS_TEXT_H
#define PPROFC_TOOLS_TEXT_H

#include "core/mem.h"
#include "core/str.h"

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

#endif
