/* Limits memory and time of library calls by an allocator that counts bytes and checks a
 * deadline. */
#include "core/base.h"
#include "core/system.h"

enum budget_stop { BUDGET_RUNS, BUDGET_CANCELLED, BUDGET_LATE, BUDGET_DECLINED };

struct budget {
  pprofc_allocator counted; /* allocator that the users of the budget get */
  pprofc_allocator mem;     /* allocator from which the budget takes its memory */
  struct budget *parent;    /* outer budget that this budget retains, or NULL */
  /* Size of the budget and number of bytes in use. Both are aligned to 8 bytes, because 32-bit
   * machines align uint64_t to 4 bytes, which makes atomic access slow. */
  _Alignas(8) uint64_t bytes, used;
  /* time in milliseconds of the monotonic clock; 0: no deadline */
  _Alignas(8) uint64_t deadline;
  _Alignas(8) uint64_t done, total; /* completed work and total work of the current step */
  pprofc_progress_fn progress;      /* function that stops the work by returning false, or NULL */
  void *progress_context;
  uint32_t milliseconds; /* time limit in milliseconds, for the error message */
  int references;
  int stop;     /* reason of the stop (enum budget_stop); signal handlers also set it */
  bool refused; /* true if this budget, and not `mem`, refused the last failed allocation */
  bool passed;  /* true if this budget has ever refused an allocation */
};

/* ---- stopping ---------------------------------------- */

static uint64_t budget_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

void budget_cancel(struct budget *budget) {
  __atomic_store_n(&budget->stop, BUDGET_CANCELLED, __ATOMIC_RELAXED);
}

void budget_resume(struct budget *budget) {
  __atomic_store_n(&budget->stop, BUDGET_RUNS, __ATOMIC_RELAXED);
}

void budget_set_time(struct budget *budget, uint32_t milliseconds) {
  __atomic_store_n(&budget->milliseconds, milliseconds, __ATOMIC_RELAXED);
  __atomic_store_n(&budget->deadline, budget_clock() + milliseconds, __ATOMIC_RELEASE);
}

void budget_watch(struct budget *budget, pprofc_progress_fn progress, void *context) {
  budget->progress = progress;
  budget->progress_context = context;
  if (!progress && budget->stop == BUDGET_DECLINED) budget->stop = BUDGET_RUNS;
}

void budget_begin(const pprofc_allocator *mem, uint64_t total) {
  for (struct budget *budget = budget_of(mem); budget; budget = budget->parent) {
    __atomic_store_n(&budget->done, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&budget->total, total, __ATOMIC_RELAXED);
  }
}

bool budget_advance(const pprofc_allocator *mem, uint64_t units) {
  for (struct budget *budget = budget_of(mem); budget; budget = budget->parent)
    __atomic_add_fetch(&budget->done, units, __ATOMIC_RELAXED);
  return !budget_stopped(mem);
}

/* True if the progress function stops the work. */
static bool budget_is_declined(const struct budget *budget) {
  uint64_t done = __atomic_load_n(&budget->done, __ATOMIC_RELAXED);
  uint64_t total = __atomic_load_n(&budget->total, __ATOMIC_RELAXED);
  return budget->progress && !budget->progress(budget->progress_context, done, total);
}

/* Returns the reason why the budget is stopped, or BUDGET_RUNS. Checks the deadline and calls the
 * progress function, and records the reason if one of them stops the budget. */
static enum budget_stop budget_reason(struct budget *budget) {
  int stop = __atomic_load_n(&budget->stop, __ATOMIC_RELAXED);
  uint64_t deadline = __atomic_load_n(&budget->deadline, __ATOMIC_ACQUIRE);
  if (stop) return (enum budget_stop)stop;
  if (deadline && budget_clock() >= deadline)
    stop = BUDGET_LATE;
  else if (budget_is_declined(budget))
    stop = BUDGET_DECLINED;
  if (stop) __atomic_store_n(&budget->stop, stop, __ATOMIC_RELAXED);
  return (enum budget_stop)stop;
}

/* Returns the stopped budget (this budget or an outer budget), or NULL. */
static const struct budget *budget_find_stopped(struct budget *budget) {
  while (budget && budget_reason(budget) == BUDGET_RUNS) budget = budget->parent;
  return budget;
}

bool budget_stopped(const pprofc_allocator *mem) {
  return budget_find_stopped(budget_of(mem)) != NULL;
}

/* ---- memory ------------------------------------------ */

/* Takes `size` bytes from the budget. Returns false if fewer bytes are left. A refused request
 * takes nothing, so it cannot make another thread's request fail. */
static bool budget_take(struct budget *budget, uint64_t size) {
  if (budget_reason(budget) != BUDGET_RUNS) return false;
  uint64_t used = __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
  while (size <= budget->bytes - used)
    if (__atomic_compare_exchange_n(&budget->used, &used, used + size, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return true;
  __atomic_store_n(&budget->refused, true, __ATOMIC_RELAXED);
  __atomic_store_n(&budget->passed, true, __ATOMIC_RELAXED);
  return false;
}

static void budget_give(struct budget *budget, uint64_t size) {
  __atomic_sub_fetch(&budget->used, size, __ATOMIC_RELAXED);
}

/* Gives `size` bytes back to the budget after the underlying allocator failed. */
static void budget_failed(struct budget *budget, uint64_t size) {
  budget_give(budget, size);
  __atomic_store_n(&budget->refused, false, __ATOMIC_RELAXED);
}

static void *budget_alloc(void *context, size_t size) {
  struct budget *budget = context;
  if (!budget_take(budget, size)) return NULL;
  void *block = budget->mem.alloc(budget->mem.context, size);
  if (!block) budget_failed(budget, size);
  return block;
}

static void *budget_resize(void *context, void *block, size_t old_size, size_t new_size) {
  struct budget *budget = context;
  size_t more = new_size > old_size ? new_size - old_size : 0;
  if (more && !budget_take(budget, more)) return NULL;
  void *moved = budget->mem.resize(budget->mem.context, block, old_size, new_size);
  if (!moved)
    budget_failed(budget, more);
  else if (new_size < old_size)
    budget_give(budget, old_size - new_size);
  return moved;
}

static void budget_free(void *context, void *block, size_t size) {
  struct budget *budget = context;
  budget->mem.release(budget->mem.context, block, size);
  budget_give(budget, size);
}

struct budget *budget_new(const pprofc_allocator *mem, uint64_t bytes) {
  mem = mem_or_default(mem);
  struct budget *budget = mem_zero_array(mem, 1, sizeof *budget);
  if (!budget) return NULL;
  budget->counted = (pprofc_allocator){budget_alloc, budget_resize, budget_free, budget};
  budget->mem = *mem;
  budget->parent = budget_retain(budget_of(mem));
  budget->bytes = bytes;
  budget->references = 1;
  return budget;
}

struct budget *budget_retain(struct budget *budget) {
  if (budget) __atomic_add_fetch(&budget->references, 1, __ATOMIC_RELAXED);
  return budget;
}

void budget_release(struct budget *budget) {
  while (budget && __atomic_sub_fetch(&budget->references, 1, __ATOMIC_ACQ_REL) == 0) {
    pprofc_allocator mem = budget->mem;
    struct budget *parent = budget->parent;
    mem_free(&mem, budget, 1, sizeof *budget);
    budget = parent;
  }
}

void budget_resize_to(struct budget *budget, uint64_t bytes) {
  budget->bytes = bytes;
}

const pprofc_allocator *budget_allocator(const struct budget *budget) {
  return &budget->counted;
}

struct budget *budget_of(const pprofc_allocator *mem) {
  return mem && mem->alloc == budget_alloc ? mem->context : NULL;
}

uint64_t budget_bytes(const pprofc_allocator *mem) {
  const struct budget *budget = budget_of(mem);
  return budget ? budget->bytes : UINT64_MAX;
}

uint64_t budget_used(const pprofc_allocator *mem) {
  const struct budget *budget = budget_of(mem);
  return budget ? __atomic_load_n(&budget->used, __ATOMIC_RELAXED) : 0;
}

uint64_t budget_left(const pprofc_allocator *mem) {
  uint64_t least = UINT64_MAX;
  for (const struct budget *budget = budget_of(mem); budget; budget = budget->parent) {
    uint64_t left = budget->bytes - __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
    if (left < least) least = left;
  }
  return least;
}

bool budget_allows(const pprofc_allocator *mem, uint64_t bytes) {
  struct budget *budget = budget_of(mem);
  if (bytes <= budget_left(mem)) return true;
  if (budget) __atomic_store_n(&budget->passed, true, __ATOMIC_RELAXED);
  return false;
}

bool budget_passed(const pprofc_allocator *mem) {
  struct budget *budget = budget_of(mem);
  return budget && __atomic_load_n(&budget->passed, __ATOMIC_RELAXED);
}

static pprofc_status budget_set_stopped(const struct budget *budget, pprofc_error *error) {
  int stop = __atomic_load_n(&budget->stop, __ATOMIC_RELAXED);
  if (stop == BUDGET_DECLINED)
    return error_set(error, PPROFC_E_CANCELLED, "the caller cancelled the call");
  if (stop != BUDGET_LATE) return error_set(error, PPROFC_E_CANCELLED, "the report was cancelled");
  return error_set(error, PPROFC_E_CANCELLED, "the report took longer than %g s",
                   budget->milliseconds / 1000.0);
}

pprofc_status budget_status(const pprofc_allocator *mem, pprofc_status status,
                            pprofc_error *error) {
  struct budget *budget = budget_of(mem);
  if (status == PPROFC_OK || !budget) return status;
  const struct budget *stopped = budget_find_stopped(budget);
  if (stopped) return budget_set_stopped(stopped, error);
  if (status != PPROFC_E_NOMEM) return status;
  while (budget && !__atomic_load_n(&budget->refused, __ATOMIC_RELAXED)) budget = budget->parent;
  if (!budget) return status;
  return error_set(error, PPROFC_E_LIMIT,
                   "more than %llu bytes of memory are needed (raise the limit memory_bytes)",
                   (unsigned long long)budget->bytes);
}
