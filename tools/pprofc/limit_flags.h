/* Finds the default of -max_memory, and names flags in messages about limits. */
#ifndef PPROFC_TOOLS_LIMIT_FLAGS_H
#define PPROFC_TOOLS_LIMIT_FLAGS_H

#include "pprofc/base.h"

/* Replaces "(raise the limit memory_bytes)" in the message by "(raise with -max_memory)". A
 * message without a limit is unchanged. */
void limit_flags_name(pprofc_error *error);

/* Returns half of the memory of the machine or the container, at most 16 GiB. */
uint64_t memory_default(void);

#endif
