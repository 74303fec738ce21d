/* Allocates the memory of the library: checked allocation through the caller's allocator, and
 * arenas. No other file calls malloc, calloc, realloc, strdup or free. */
#ifndef PPROFC_CORE_MEM_H
#define PPROFC_CORE_MEM_H

#include "pprofc/base.h"

/* Default allocator: malloc, realloc, free. */
extern const pprofc_allocator mem_default;

/* Returns `a`, or mem_default if `a` is NULL. */
const pprofc_allocator *mem_or_default(const pprofc_allocator *a);

/* Allocates `count` objects of `size` bytes. Returns NULL when out of memory or if the product
 * overflows. A count of 0 also gives a block. */
void *mem_array(const pprofc_allocator *a, size_t count, size_t size);
void *mem_zero_array(const pprofc_allocator *a, size_t count, size_t size);
void *mem_resize(const pprofc_allocator *a, void *block, size_t old_count, size_t new_count,
                 size_t size);
void mem_free(const pprofc_allocator *a, void *block, size_t count, size_t size);

/* Gives the pages that are completely in [from, to) back to the system. Afterwards, the caller must
 * not read their bytes. */
void mem_discard(const void *from, const void *to);

/* An arena, which frees all its memory at once. Blocks of 256 KiB and more are allocated
 * separately, so that freeing the arena returns them to the system. */
struct arena {
  const pprofc_allocator *mem; /* allocator of the blocks; it must outlive the arena */
  struct arena_block *blocks;
  char *next, *end;
  size_t shared; /* size in bytes of all blocks for small objects */
};

/* Returns an empty arena. arena_init does the same with an existing variable. */
static inline struct arena arena_make(const pprofc_allocator *mem) {
  return (struct arena){.mem = mem};
}

void arena_init(struct arena *arena, const pprofc_allocator *mem);
void arena_free(struct arena *arena);

/* Allocates memory aligned for any type, or returns NULL. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_array(struct arena *arena, size_t count, size_t size);
void *arena_zero_array(struct arena *arena, size_t count, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);

/* Returns a copy of `count` items with room for `more` items after them. */
void *arena_extend(struct arena *arena, const void *items, size_t count, size_t more, size_t size);

/* Enlarges a buffer whose final size is unknown, without a copy if possible. `block` is NULL or the
 * last result of arena_grow. The block may move. Returns NULL when out of memory, and then `block`
 * is unchanged. */
void *arena_grow(struct arena *arena, void *block, size_t old_size, size_t new_size);

/* Resizes an array that belongs to no arena until arena_take moves it into an arena. arena_take
 * shortens the array to the used items. It copies an array below 64 KiB, and keeps the block of a
 * larger array. `a` is the arena's allocator. `capacity` is the `new_capacity` of the last call, or
 * 0 if `items` is NULL. Returns NULL when out of memory, and then the array is unchanged. */
void *loose_resize(const pprofc_allocator *a, void *items, size_t capacity, size_t new_capacity,
                   size_t size);
void loose_free(const pprofc_allocator *a, void *items, size_t capacity, size_t size);
void *arena_take(struct arena *arena, void *items, size_t capacity, size_t used, size_t size);

/* Informs the system that a block will be filled soon in any order, so that the system uses huge
 * pages. */
void mem_will_fill(void *block, size_t size);
/* Gets the pages of a block from the system, so that another thread can write to the block without
 * page faults. Keeps the content. */
void mem_will_write(void *block, size_t size);

/* Copies a string, and adds a NUL after it. The result's `data` is NULL when out of memory. */
pprofc_str arena_str(struct arena *arena, pprofc_str s);

/* A reference-counted arena for the columns of a profile (arrays with an element for each record).
 * Profiles that share columns all retain the region of these columns. The region copies the
 * allocator, and retains its budget. */
struct region {
  pprofc_allocator mem;
  struct arena arena;
  int references;
  struct region_parent *parents; /* retained regions, whose columns this region shares */
  struct region *next_dead;      /* next region in the list that region_release frees */
};

struct region *region_new(const pprofc_allocator *mem);
struct region *region_retain(struct region *region);
void region_release(struct region *region);
/* Keeps the region `parent` alive as long as `region` lives. Returns false when out of memory. */
bool region_adopt(struct region *region, struct region *parent);

/* The next four functions reuse or free a column that the only owner of `region` no longer needs.
 * The column may also belong to a region that only `region` retains. The functions do not find
 * columns below 64 KiB, because small columns share a block, which lives as long as its region. */

/* Frees a column of `size` bytes. */
void region_drop(struct region *region, const void *column, size_t size);

/* Returns the column if the caller may write to it, or NULL if another owner may read it. `lender`
 * is NULL, or a parent of `region` that the caller also retains. The caller does not count as
 * another owner of this parent. */
void *region_own(struct region *region, const struct region *lender, const void *column,
                 size_t size);

/* Gives the whole pages in [from, to) back to the system if both addresses are in the same block.
 * Afterwards, the caller must not read the bytes of these pages. Returns false if another owner may
 * read them. `lender` has the same meaning as for region_own. */
bool region_discard(struct region *region, const struct region *lender, const void *from,
                    const void *to);

/* Moves a column to another region and enlarges it. Does not copy it if the system can move it.
 * Returns NULL and changes nothing when out of memory. */
void *region_move(struct region *to, struct region *from, const void *column, size_t old_size,
                  size_t new_size);

#endif
