/* Parses durations in Go's format, such as "1m30s". */
#ifndef PPROFC_TOOLS_DURATION_H
#define PPROFC_TOOLS_DURATION_H

#include "core/str.h"

/* True for a Go duration such as "500ms" or "1m30s". *nanoseconds may be NULL. */
bool text_is_duration(pprofc_str text, double *nanoseconds);

#endif
