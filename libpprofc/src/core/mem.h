/* Memory of the library: checked allocation through the caller's allocator, and arenas on top of
 * it. No other file calls malloc, calloc, realloc, strdup or free. */
#ifndef PPROFC_CORE_MEM_H
#define PPROFC_CORE_MEM_H

#include "pprofc/base.h"

/* The allocator to use when the caller gave none: malloc, realloc, free. */
extern const pprofc_allocator mem_default;

/* `a`, or mem_default for NULL. */
const pprofc_allocator *mem_or_default(const pprofc_allocator *a);

/* Room for count objects of `size` bytes; NULL when out of memory or when the product overflows. A
 * count of 0 gives a block too. */
void *mem_array(const pprofc_allocator *a, size_t count, size_t size);
void *mem_zero_array(const pprofc_allocator *a, size_t count, size_t size);
void *mem_resize(const pprofc_allocator *a, void *block, size_t old_count, size_t new_count,
                 size_t size);
void mem_free(const pprofc_allocator *a, void *block, size_t count, size_t size);

/* Gives the pages inside [from, to) of one block back to the system: their bytes are not read
 * again. */
void mem_discard(const void *from, const void *to);

/* An arena hands out memory that is freed all at once. Blocks of 256 KiB and more are allocated
 * one by one, so that giving the arena back returns them to the system. */
struct arena {
  const pprofc_allocator *mem; /* must outlive the arena */
  struct arena_block *blocks;
  char *next, *end;
  size_t shared; /* bytes of blocks for small objects */
};

void arena_init(struct arena *arena, const pprofc_allocator *mem);
void arena_free(struct arena *arena);

/* Memory aligned for any type, or NULL. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_array(struct arena *arena, size_t count, size_t size);
void *arena_zero_array(struct arena *arena, size_t count, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);

/* Makes `block` (NULL, or what arena_grow gave last) larger, in place where the system can: for one
 * buffer whose size is not known in advance. The block may move; NULL leaves it as it was. */
void *arena_grow(struct arena *arena, void *block, size_t old_size, size_t new_size);

/* An array that grows outside of any arena, until one takes it over: arena_take cuts it to the
 * items in use; one of 64 KiB or more goes to the arena as it is, a smaller one is copied. After
 * NULL nothing has changed. `capacity` is what loose_resize was asked for last, 0 for NULL; the
 * allocator is that of the arena. */
void *loose_resize(const pprofc_allocator *a, void *items, size_t capacity, size_t new_capacity,
                   size_t size);
void loose_free(const pprofc_allocator *a, void *items, size_t capacity, size_t size);
void *arena_take(struct arena *arena, void *items, size_t capacity, size_t used, size_t size);

/* Tells the system that all of a block will be written soon, in any order: huge pages are cheaper
 * then. */
void mem_will_fill(void *block, size_t size);

/* Copies a string and puts a NUL behind it, which is not counted. data is NULL when out of memory.
 */
pprofc_str arena_str(struct arena *arena, pprofc_str s);

/* A counted arena: what a profile's columns live in. Columns that several profiles share live in a
 * region that each of them retains. The allocator is copied into it; a budget behind it is held. */
struct region {
  pprofc_allocator mem;
  struct arena arena;
  int references;
  struct region_parent *parents; /* regions that columns of this one point into, retained */
  struct region *next_dead;      /* while region_release works through a chain */
};

struct region *region_new(const pprofc_allocator *mem);
struct region *region_retain(struct region *region);
void region_release(struct region *region);
/* Keeps `parent` alive as long as `region`; false when out of memory. */
bool region_adopt(struct region *region, struct region *parent);

/* Four functions for the only holder of a region that has no more use for one of its columns. They
 * find a column in the region and in regions that only this one retains. Columns of less than
 * 64 KiB share a block with others; they are not found and live as long as their region. */

/* Frees a column of `size` bytes. */
void region_drop(struct region *region, const void *column, size_t size);

/* The column, to be written in place; NULL when another holder may read it. `lender` is NULL, or a
 * region that its only holder lends to this edit: that holder is not counted. */
void *region_own(struct region *region, const struct region *lender, const void *column,
                 size_t size);

/* Gives the pages inside [from, to) back to the system where both are in one block: their bytes are
 * not read again. False when another holder may read them. */
bool region_discard(struct region *region, const struct region *lender, const void *from,
                    const void *to);

/* Moves a column to another region and makes it larger, without a copy where the system can. After
 * NULL nothing has changed. */
void *region_move(struct region *to, struct region *from, const void *column, size_t old_size,
                  size_t new_size);

#endif
