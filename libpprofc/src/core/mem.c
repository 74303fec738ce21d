/* Implements checked allocation, arenas and reference-counted arenas. */
#include "core/base.h"

#include <stdalign.h>
#include <sys/mman.h>

static void *default_alloc(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void *default_resize(void *context, void *block, size_t old_size, size_t new_size) {
  (void)context;
  (void)old_size;
  return realloc(block, new_size);
}

static void default_release(void *context, void *block, size_t size) {
  (void)context;
  (void)size;
  free(block);
}

const pprofc_allocator mem_default = {default_alloc, default_resize, default_release, NULL};

const pprofc_allocator *mem_or_default(const pprofc_allocator *a) {
  return a ? a : &mem_default;
}

/* Returns count * size, or 1 if the product is 0. Returns 0 if the product overflows. */
static size_t product(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) return 0;
  return bytes ? bytes : 1;
}

void *mem_array(const pprofc_allocator *a, size_t count, size_t size) {
  size_t bytes = product(count, size);
  return bytes ? a->alloc(a->context, bytes) : NULL;
}

void *mem_zero_array(const pprofc_allocator *a, size_t count, size_t size) {
  void *block = mem_array(a, count, size);
  if (block) memset(block, 0, count * size);
  return block;
}

void *mem_resize(const pprofc_allocator *a, void *block, size_t old_count, size_t new_count,
                 size_t size) {
  size_t bytes = product(new_count, size);
  if (!bytes) return NULL;
  if (!block) return a->alloc(a->context, bytes);
  return a->resize(a->context, block, product(old_count, size), bytes);
}

void mem_free(const pprofc_allocator *a, void *block, size_t count, size_t size) {
  if (block) a->release(a->context, block, product(count, size));
}

#define HUGE_PAGE  ((uintptr_t)2 << 20)
#define HUGE_BLOCK (2 * HUGE_PAGE)

void mem_will_fill(void *block, size_t size) {
#ifdef MADV_HUGEPAGE
  if (size < HUGE_BLOCK) return;
  uintptr_t from = ((uintptr_t)block + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  uintptr_t to = ((uintptr_t)block + size) / HUGE_PAGE * HUGE_PAGE;
  /* Ignore errors, because the call is only a hint to the system. */
  madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
  (void)block, (void)size;
#endif
}

/* Calls madvise for the pages that are completely in the block. */
static void mem_advise(const void *from, const void *to, int advice) {
  long page = sysconf(_SC_PAGESIZE);
  if (page <= 0) return;
  uintptr_t size = (uintptr_t)page, first = ((uintptr_t)from + size - 1) / size * size;
  uintptr_t end = (uintptr_t)to / size * size;
  if (first < end) madvise((void *)first, end - first, advice);
}

void mem_will_write(void *block, size_t size) {
#ifdef MADV_POPULATE_WRITE
  mem_advise(block, (char *)block + size, MADV_POPULATE_WRITE);
#else
  (void)block, (void)size;
#endif
}

void mem_discard(const void *from, const void *to) {
  mem_advise(from, to, MADV_DONTNEED);
}

/* ---- arenas ------------------------------------------ */

#define BLOCK_SIZE ((size_t)64 * 1024)
#define STEP_MAX   ((size_t)16 << 20)
#define LARGE_SIZE THRESHOLD((size_t)256 * 1024)

struct arena_block {
  struct arena_block *next;
  size_t size; /* size of the data after the header, in bytes */
  alignas(max_align_t) char data[];
};

void arena_init(struct arena *arena, const pprofc_allocator *mem) {
  *arena = (struct arena){.mem = mem};
}

void arena_free(struct arena *arena) {
  while (arena->blocks) {
    struct arena_block *block = arena->blocks;
    arena->blocks = block->next;
    mem_free(arena->mem, block, 1, sizeof *block + block->size);
  }
  arena->next = arena->end = NULL;
  arena->shared = 0;
}

static void link_block(struct arena *arena, struct arena_block *block) {
  block->next = arena->blocks;
  arena->blocks = block;
}

static struct arena_block *add_block(struct arena *arena, size_t size) {
  if (size > PTRDIFF_MAX - sizeof(struct arena_block)) return NULL;
  struct arena_block *block = mem_array(arena->mem, 1, sizeof *block + size);
  if (!block) return NULL;
  block->size = size;
  link_block(arena, block);
  return block;
}

/* Returns the size of the next block for small objects: an eighth of the size of all earlier
 * blocks. An arena therefore wastes little memory, and a large arena has few blocks. */
static size_t next_block_size(const struct arena *arena) {
  size_t size = arena->shared / 8 / BLOCK_SIZE * BLOCK_SIZE;
  if (size < BLOCK_SIZE) return BLOCK_SIZE;
  return size < STEP_MAX ? size : STEP_MAX;
}

void *arena_alloc(struct arena *arena, size_t size) {
  const size_t align = alignof(max_align_t);
  if (size > PTRDIFF_MAX - align) return NULL;
  size = (size ? size + align - 1 : align) / align * align;
  /* Number of bytes that are skipped for alignment after a string. */
  size_t skip = (size_t)(-(uintptr_t)arena->next % align);
  if (size + skip <= (size_t)(arena->end - arena->next)) {
    void *result = arena->next + skip;
    arena->next += skip + size;
    return result;
  }
  if (size >= LARGE_SIZE / 4) {
    struct arena_block *block = add_block(arena, size);
    return block ? block->data : NULL;
  }
  size_t room = next_block_size(arena);
  struct arena_block *block = add_block(arena, room);
  if (!block) return NULL;
  mem_will_fill(block->data, room);
  arena->shared += room;
  arena->next = block->data + size;
  arena->end = block->data + room;
  return block->data;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
  size_t bytes = product(count, size);
  return bytes ? arena_alloc(arena, bytes) : NULL;
}

void *arena_zero_array(struct arena *arena, size_t count, size_t size) {
  void *block = arena_array(arena, count, size);
  if (block) memset(block, 0, count * size);
  return block;
}

void *arena_copy(struct arena *arena, const void *data, size_t size) {
  void *block = arena_alloc(arena, size ? size : 1);
  if (block && size) memcpy(block, data, size);
  return block;
}

void *arena_extend(struct arena *arena, const void *items, size_t count, size_t more, size_t size) {
  void *copy = arena_array(arena, count + more, size);
  if (copy && count) memcpy(copy, items, count * size);
  return copy;
}

/* ---- arrays that an arena takes over ------------------ */

static struct arena_block *loose_block(void *items) {
  return (struct arena_block *)(void *)((char *)items - offsetof(struct arena_block, data));
}

void *loose_resize(const pprofc_allocator *a, void *items, size_t capacity, size_t new_capacity,
                   size_t size) {
  struct arena_block *block = items ? loose_block(items) : NULL;
  size_t bytes = product(new_capacity, size);
  if (!bytes || bytes > PTRDIFF_MAX - sizeof *block) return NULL;
  block = mem_resize(a, block, sizeof *block + capacity * size, sizeof *block + bytes, 1);
  return block ? block->data : NULL;
}

void loose_free(const pprofc_allocator *a, void *items, size_t capacity, size_t size) {
  if (items) mem_free(a, loose_block(items), 1, sizeof(struct arena_block) + capacity * size);
}

void *arena_take(struct arena *arena, void *items, size_t capacity, size_t used, size_t size) {
  if (used * size < LARGE_SIZE / 4) {
    void *copy = arena_copy(arena, items, used * size);
    if (copy) loose_free(arena->mem, items, capacity, size);
    return copy;
  }
  items = loose_resize(arena->mem, items, capacity, used, size);
  if (!items) return NULL;
  struct arena_block *block = loose_block(items);
  block->size = used * size;
  link_block(arena, block);
  return items;
}

void *arena_grow(struct arena *arena, void *block, size_t old_size, size_t new_size) {
  struct arena_block *head = arena->blocks;
  bool shared =
      head && arena->end == head->data + head->size; /* true if the block is for small objects */
  if (!block || !head || shared || block != head->data || new_size < LARGE_SIZE) {
    void *copy = arena_alloc(arena, new_size);
    if (copy && old_size) memcpy(copy, block, old_size);
    return copy;
  }
  if (new_size > PTRDIFF_MAX - sizeof *head) return NULL;
  head = mem_resize(arena->mem, head, sizeof *head + head->size, sizeof *head + new_size, 1);
  if (!head) return NULL;
  head->size = new_size;
  arena->blocks = head;
  return head->data;
}

/* Allocates memory without alignment, for strings. */
static char *arena_text(struct arena *arena, size_t size) {
  if (size > (size_t)(arena->end - arena->next)) return arena_alloc(arena, size);
  char *text = arena->next;
  arena->next += size;
  return text;
}

pprofc_str arena_str(struct arena *arena, pprofc_str s) {
  char *copy = s.size < SIZE_MAX ? arena_text(arena, s.size + 1) : NULL;
  if (!copy) return (pprofc_str){NULL, 0};
  if (s.size) memcpy(copy, s.data, s.size);
  copy[s.size] = '\0';
  return (pprofc_str){copy, s.size};
}

/* ---- regions ----------------------------------------- */

struct region *region_new(const pprofc_allocator *mem) {
  mem = mem_or_default(mem);
  struct region *region = mem_zero_array(mem, 1, sizeof *region);
  if (!region) return NULL;
  region->mem = *mem;
  region->references = 1;
  budget_retain(budget_of(mem));
  arena_init(&region->arena, &region->mem);
  return region;
}

struct region *region_retain(struct region *region) {
  if (region) __atomic_add_fetch(&region->references, 1, __ATOMIC_RELAXED);
  return region;
}

struct region_parent {
  struct region_parent *next;
  struct region *region;
};

bool region_adopt(struct region *region, struct region *parent) {
  struct region_parent *link = arena_alloc(&region->arena, sizeof *link);
  if (!link) return false;
  *link = (struct region_parent){region->parents, region_retain(parent)};
  region->parents = link;
  return true;
}

void region_release(struct region *region) {
  /* After many edits of a profile, its regions form a long chain of parents. The function keeps a
   * list of the regions to free, because recursion would be too deep. */
  struct region *dead = NULL;
  if (region && __atomic_sub_fetch(&region->references, 1, __ATOMIC_ACQ_REL) == 0) dead = region;
  while (dead) {
    region = dead;
    dead = region->next_dead;
    for (struct region_parent *link = region->parents; link; link = link->next)
      if (__atomic_sub_fetch(&link->region->references, 1, __ATOMIC_ACQ_REL) == 0) {
        link->region->next_dead = dead;
        dead = link->region;
      }
    arena_free(&region->arena);
    pprofc_allocator mem = region->mem;
    mem_free(&mem, region, 1, sizeof *region);
    budget_release(budget_of(&mem));
  }
}

/* ---- columns that are freed early -------------------- */

#define EDITS_MAX 16

/* Returns the block that contains the data, or NULL. Sets *arena to the arena of the block.
 * Searches the arena of the region, and the arena of each parent that only this region retains. The
 * parent `lender` may have one more owner: the caller. */
static struct arena_block *find_block(struct region *region, const struct region *lender,
                                      const void *data, int depth, struct arena **arena) {
  struct arena_block *block = region->arena.blocks;
  *arena = &region->arena;
  while (block && (uintptr_t)data - (uintptr_t)block->data >= block->size) block = block->next;
  if (block) return block;
  for (struct region_parent *link = region->parents; link && depth < EDITS_MAX; link = link->next) {
    int holders = __atomic_load_n(&link->region->references, __ATOMIC_ACQUIRE);
    if (holders > (link->region == lender ? 2 : 1)) continue;
    block = find_block(link->region, lender, data, depth + 1, arena);
    if (block) return block;
  }
  return NULL;
}

/* Returns the block that contains only the `size` bytes at `data`. Returns NULL for other data,
 * such as a small column (an array of a profile), which shares its block with other columns. */
static struct arena_block *find_column(struct region *region, const struct region *lender,
                                       const void *data, size_t size, struct arena **arena) {
  if (size < LARGE_SIZE / 4) return NULL;
  struct arena_block *block = find_block(region, lender, data, 0, arena);
  return block && block->data == (const char *)data ? block : NULL;
}

/* Removes the block of a column from its arena. Returns NULL if the block also has other data. */
static struct arena_block *unlink_block(struct region *region, const void *data, size_t size,
                                        struct arena **arena) {
  struct arena_block *block = find_column(region, NULL, data, size, arena);
  if (!block) return NULL;
  struct arena_block **link = &(*arena)->blocks;
  while (*link != block) link = &(*link)->next;
  *link = block->next;
  return block;
}

void *region_own(struct region *region, const struct region *lender, const void *column,
                 size_t size) {
  struct arena *arena;
  bool own = region->references == 1 && find_column(region, lender, column, size, &arena);
  return own ? (void *)(uintptr_t)column : NULL;
}

bool region_discard(struct region *region, const struct region *lender, const void *from,
                    const void *to) {
  struct arena *arena;
  if (region->references != 1) return false;
  const struct arena_block *block = find_block(region, lender, from, 0, &arena);
  if (block && (uintptr_t)to <= (uintptr_t)block->data + block->size) mem_discard(from, to);
  return block != NULL;
}

void region_drop(struct region *region, const void *column, size_t size) {
  struct arena *arena;
  struct arena_block *block = unlink_block(region, column, size, &arena);
  if (block) mem_free(arena->mem, block, 1, sizeof *block + block->size);
}

void *region_move(struct region *to, struct region *from, const void *column, size_t old_size,
                  size_t new_size) {
  struct arena *arena;
  if (new_size > PTRDIFF_MAX - sizeof(struct arena_block)) return NULL;
  struct arena_block *block = unlink_block(from, column, old_size, &arena);
  if (!block) return NULL;
  struct arena_block *moved =
      mem_resize(arena->mem, block, sizeof *block + block->size, sizeof *block + new_size, 1);
  if (!moved) {
    link_block(arena, block);
    return NULL;
  }
  moved->size = new_size;
  link_block(&to->arena, moved);
  return moved->data;
}

/* ---- arrays ----------------------------------------- */

#define FIRST_CAPACITY 16

size_t array_capacity(size_t capacity, size_t count) {
  size_t wanted = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
  if (wanted < FIRST_CAPACITY) wanted = FIRST_CAPACITY;
  return wanted < count ? count : wanted;
}

/* Stores `grown`, the enlarged memory of an array. Returns false if `grown` is NULL. */
static bool array_set(void *items, size_t *capacity, void *grown, size_t wanted) {
  if (!grown) return false;
  memcpy(items, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}

bool array_grow(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                size_t ceiling, size_t size) {
  if (count > ceiling) return false;
  size_t wanted = array_capacity(*capacity, count);
  if (wanted > ceiling) wanted = ceiling;
  void *old;
  memcpy(&old, items, sizeof old);
  return array_set(items, capacity, mem_resize(mem, old, *capacity, wanted, size), wanted);
}

bool array_grow_in(struct arena *arena, void *items, size_t *capacity, size_t count, size_t size) {
  size_t wanted = array_capacity(*capacity, count);
  void *old;
  memcpy(&old, items, sizeof old);
  void *grown = arena_extend(arena, old, *capacity, wanted - *capacity, size);
  return array_set(items, capacity, grown, wanted);
}

bool array_grow_loose(const pprofc_allocator *mem, void *items, size_t *capacity, size_t count,
                      size_t size) {
  size_t wanted = array_capacity(*capacity, count);
  void *old;
  memcpy(&old, items, sizeof old);
  return array_set(items, capacity, loose_resize(mem, old, *capacity, wanted, size), wanted);
}

/* Arguments of the array_sort call that runs in this thread. qsort passes no context, and the
 * signature of qsort_r differs between systems. */
static _Thread_local struct {
  int (*compare)(const void *a, const void *b, const void *context);
  const void *context;
} array_sorting;

static int array_compare(const void *a, const void *b) {
  return array_sorting.compare(a, b, array_sorting.context);
}

void array_sort(void *items, size_t count, size_t size,
                int (*compare)(const void *a, const void *b, const void *context),
                const void *context) {
  array_sorting.compare = compare;
  array_sorting.context = context;
  if (count) qsort(items, count, size, array_compare);
}

static int ranked_order(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

void ranked_sort(struct ranked *items, size_t count) {
  if (count) qsort(items, count, sizeof *items, ranked_order);
}
