/* Quotes text like %q of Go, and checks which characters a text has. */
#ifndef TOOLS_COMMON_QUOTE_H
#define TOOLS_COMMON_QUOTE_H

#include "core/str.h"

/* Size in bytes of a buffer for quoted text. A longer text is truncated and ends with ..." */
#define QUOTE_MAX 800

void quote_go(pprofc_str s, char out[QUOTE_MAX]);

/* Characters besides letters and digits that need no quotes in a shell. */
#define SHELL_PLAIN "_./-=:,@%+"

/* True if the text has only ASCII letters, digits and characters in `others`. */
bool text_only_has(pprofc_str text, const char *others);

#endif
