/* Quotes text like %q of Go, for messages that tests compare with Go's. */
#ifndef TOOLS_COMMON_QUOTE_H
#define TOOLS_COMMON_QUOTE_H

#include "core/str.h"

/* Size of a buffer for quoted text. A longer text is truncated and ends with ..." */
#define QUOTE_MAX 800

void quote_go(pprofc_str s, char out[QUOTE_MAX]);

#endif
