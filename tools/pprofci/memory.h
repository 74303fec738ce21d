/* Allocates memory for pprofci. When memory runs out, pprofci ends. */
#ifndef PPROFCI_MEMORY_H
#define PPROFCI_MEMORY_H

#include "core/buffer.h"

/* Allocator that never returns NULL. When memory runs out, it prints "pprofci: out of memory",
 * removes temporary files, and ends the program with status 1. So arenas, arrays, buffers and
 * tables with this allocator need no checks, except a buffer with a small maximum size. Profiles
 * use mem_default instead, so that a message about a profile that is too large names its file. */
extern const pprofc_allocator ci_mem;

/* These functions return an empty buffer or arena that allocates memory with ci_mem. */
struct buffer ci_buffer(void);
struct arena ci_arena(void);

/* Sets the function that removes temporary files and stops child processes when memory runs out or
 * an error ends the command (ci_need); NULL: no function. */
void memory_set_cleanup(void (*clean)(void *context), void *context);

/* Calls the function set by memory_set_cleanup. First frees the memory that was reserved for it. */
void memory_clean(void);

#endif
