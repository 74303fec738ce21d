/* Parses and prints the times and ages of the history. */
#ifndef PPROFCI_STORE_TIMES_H
#define PPROFCI_STORE_TIMES_H

#include "core/buffer.h"

/* Parses "1700000000", "2026-11-20" or "2026-11-20T10:00:00Z" to seconds since 1970. */
bool times_parse(pprofc_str text, int64_t *seconds);

/* Parses "30d", "12w", "2y" or "all" (INT64_MAX) to seconds. */
bool times_parse_age(pprofc_str text, int64_t *seconds);

/* Appends a time in UTC, such as "2026-11-20 10:00". */
void times_put(struct buffer *out, int64_t seconds);

#endif
