/* How much memory the program may use without -max_memory. */
#ifndef PPROFC_TOOLS_MEMORY_H
#define PPROFC_TOOLS_MEMORY_H

#include <stdint.h>

/* Half of what the machine, or the container, has; 16 GiB at the most. */
uint64_t memory_default(void);

#endif
