/* Parses limits, computes the default of -max_memory, and names flags in messages. */
#ifndef PPROFC_TOOLS_LIMIT_FLAGS_H
#define PPROFC_TOOLS_LIMIT_FLAGS_H

#include "common/flags.h"
#include "pprofc/base.h"

/* Replaces "(raise the limit memory_bytes)" in a message by "(raise with -max_memory)". Leaves
 * other messages unchanged. */
void limit_flags_name(pprofc_error *error);

/* Store the value of a flag in its field. The value is a number with an optional suffix k, M or G
 * (powers of 1024). */
const char *limit_store_u64(void *options, const struct flag *flag, const char *text);
const char *limit_store_u32(void *options, const struct flag *flag, const char *text);

/* Returns half of the memory of the machine or container, at most 16 GiB. */
uint64_t memory_default(void);

#endif
