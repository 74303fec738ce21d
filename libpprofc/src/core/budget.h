/* A budget of memory and time. It is an allocator on top of another allocator, and limits how many
 * bytes are allocated at any time. The limit includes the profiles made with the budget, and
 * everything made from these profiles.
 *
 * A deadline or budget_cancel stops a budget. After that, allocations fail, long loops end
 * (budget_poll), and budget_status reports the reason. Several callers can share one profile but
 * use separate budgets: profile_lend makes a profile with the caller's budget. */
#ifndef PPROFC_CORE_BUDGET_H
#define PPROFC_CORE_BUDGET_H

#include "pprofc/base.h"

struct budget;

/* Creates a budget of `bytes` on top of the allocator `mem`, which is copied. The caller has the
 * first reference. Each region (core/mem.h) that uses the budget has another reference. If `mem`
 * belongs to another budget, allocations count towards both budgets, and stopping the other budget
 * stops the new budget. Returns NULL when out of memory. */
struct budget *budget_new(const pprofc_allocator *mem, uint64_t bytes);
struct budget *budget_retain(struct budget *budget);
void budget_release(struct budget *budget);

/* Returns the counting allocator, which lives as long as the budget. */
const pprofc_allocator *budget_allocator(const struct budget *budget);

/* Returns the budget that an allocator belongs to, or NULL. */
struct budget *budget_of(const pprofc_allocator *mem);

/* Changes the size of a budget. Later allocations use the new size. */
void budget_resize_to(struct budget *budget, uint64_t bytes);

/* Returns how many more bytes can be allocated through `mem`. Returns UINT64_MAX if `mem` has
 * no budget. */
uint64_t budget_left(const pprofc_allocator *mem);

/* Returns the size of the budget in bytes, or UINT64_MAX if `mem` has no budget. */
uint64_t budget_bytes(const pprofc_allocator *mem);

/* Returns the number of bytes that are now allocated through the budget. Returns 0 if `mem` has
 * no budget. */
uint64_t budget_used(const pprofc_allocator *mem);

/* True if `bytes` more bytes can be allocated. If not, budget_passed is true from now on. */
bool budget_allows(const pprofc_allocator *mem, uint64_t bytes);

/* True if the budget has ever refused an allocation, or budget_allows has returned false. */
bool budget_passed(const pprofc_allocator *mem);

/* ---- stopping ---------------------------------------- */

/* Stops everything that runs with the budget. A signal handler and any thread may call this
 * function. */
void budget_cancel(struct budget *budget);

/* Makes every check of the budget call `progress`. Once `progress` returns false, the budget stops
 * and does not call `progress` again. If `progress` is NULL, removes the earlier function, and
 * clears a stop by that function. No other thread may use the budget during this call. */
void budget_watch(struct budget *budget, pprofc_progress_fn progress, void *context);

/* budget_begin begins a step of `total` units of work. budget_advance adds completed units, and
 * returns false if the budget is stopped. The progress function gets both numbers. */
void budget_begin(const pprofc_allocator *mem, uint64_t total);
bool budget_advance(const pprofc_allocator *mem, uint64_t units);

/* Clears a cancellation. The interactive shell needs this to run another command after an
 * interrupt. */
void budget_resume(struct budget *budget);

/* Sets a deadline that stops the budget `milliseconds` from now. Replaces an earlier deadline,
 * unless it has passed already. Other threads may use the budget during the call. */
void budget_set_time(struct budget *budget, uint32_t milliseconds);

/* True if the budget of `mem` was cancelled or its deadline has passed. Returns false if `mem` has
 * no budget. */
bool budget_stopped(const pprofc_allocator *mem);

/* Returns budget_stopped in every 4096th iteration `i` of a loop, and otherwise false. For loops
 * that do not allocate. */
static inline bool budget_poll(const pprofc_allocator *mem, size_t i) {
  return (i & 4095) == 4095 && budget_stopped(mem);
}

/* Converts the status that a public function is about to return. PPROFC_E_NOMEM from a budget
 * becomes PPROFC_E_LIMIT. After the budget was stopped, any failure becomes PPROFC_E_CANCELLED.
 * Both changes set a message. Other statuses stay unchanged. `mem` may be NULL. */
pprofc_status budget_status(const pprofc_allocator *mem, pprofc_status status, pprofc_error *error);

#endif
