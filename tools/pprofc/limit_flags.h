/* Replaces limits in messages of the library by the flags that raise them. */
#ifndef PPROFC_TOOLS_LIMIT_FLAGS_H
#define PPROFC_TOOLS_LIMIT_FLAGS_H

#include "pprofc/base.h"

/* Replaces "(raise the limit memory_bytes)" in the message by "(raise with -max_memory)". A
 * message without a limit is unchanged. */
void limit_flags_name(pprofc_error *error);

#endif
