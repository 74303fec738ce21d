/* Quoting text the way Go's %q does, for messages that are compared with Go's. */
#ifndef TOOLS_COMMON_QUOTE_H
#define TOOLS_COMMON_QUOTE_H

#include "core/str.h"

/* Room for a quoted text; a longer one is cut and ends with ..." */
#define QUOTE_MAX 800

void quote_go(pprofc_str s, char out[QUOTE_MAX]);

#endif
