/* Allocates memory for pprofci. When memory runs out, pprofci ends. */
#ifndef PPROFCI_MEMORY_H
#define PPROFCI_MEMORY_H

#include "core/buffer.h"

/* Allocator that never returns NULL. When memory runs out, it prints "pprofci: out of memory",
 * removes temporary files, and ends the program with status 1. Therefore arenas, arrays, buffers
 * and tables of this allocator need no checks, unless a buffer has a small maximum size. Profiles
 * use mem_default instead, so that a message about a profile that is too large names its file. */
extern const pprofc_allocator ci_mem;

/* ci_buffer returns an empty buffer, and ci_arena an empty arena. Both allocate memory by
 * ci_mem. */
struct buffer ci_buffer(void);
struct arena ci_arena(void);

/* Sets the function that removes temporary files and stops child processes when memory runs out or
 * an error ends the command (ci_need); NULL: no function. */
void memory_set_cleanup(void (*clean)(void *context), void *context);

/* Calls the function of memory_set_cleanup, with memory that was kept for it. */
void memory_clean(void);

#endif
