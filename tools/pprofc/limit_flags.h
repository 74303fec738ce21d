/* Computes the default of -max_memory. Replaces limits in messages by flags. */
#ifndef PPROFC_TOOLS_LIMIT_FLAGS_H
#define PPROFC_TOOLS_LIMIT_FLAGS_H

#include "pprofc/base.h"

/* Replaces "(raise the limit memory_bytes)" in a message by "(raise with -max_memory)". Leaves
 * other messages unchanged. */
void limit_flags_name(pprofc_error *error);

/* Returns half of the memory of the machine or container, at most 16 GiB. */
uint64_t memory_default(void);

#endif
