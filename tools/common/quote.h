/* Quotes text like %q of Go. Tests compare such messages with Go's. */
#ifndef TOOLS_COMMON_QUOTE_H
#define TOOLS_COMMON_QUOTE_H

#include "core/str.h"

/* Size in bytes of a buffer for quoted text. A longer text is truncated and ends with ..." */
#define QUOTE_MAX 800

void quote_go(pprofc_str s, char out[QUOTE_MAX]);

#endif
