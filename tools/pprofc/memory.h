/* Default of -max_memory. */
#ifndef PPROFC_TOOLS_MEMORY_H
#define PPROFC_TOOLS_MEMORY_H

#include <stdint.h>

/* Returns half of the memory of the machine or the container, at most 16 GiB. */
uint64_t memory_default(void);

#endif
