/* A budget of memory and time: an allocator on top of another one that refuses to have more than so
 * many bytes allocated at a time. Profiles made with it count against it, and so does everything
 * that is made from them.
 *
 * A budget can also be stopped, by a deadline or by a caller that holds it. From then on
 * allocations fail, long loops end (budget_poll), and budget_status says why. So one profile can be
 * shared by many callers, each with memory and time of its own: profile_lend gives each of them a
 * profile with their budget. */
#ifndef PPROFC_CORE_BUDGET_H
#define PPROFC_CORE_BUDGET_H

#include "pprofc/base.h"

struct budget;

/* A budget of `bytes` on top of `mem`, which is copied. The caller is its first holder; regions
 * that use it hold it, too. When `mem` is the allocator of a budget, the new one is part of that:
 * what it has counts against both, and it is stopped when that one is. NULL when out of memory. */
struct budget *budget_new(const pprofc_allocator *mem, uint64_t bytes);
struct budget *budget_retain(struct budget *budget);
void budget_release(struct budget *budget);

/* The allocator that counts; it lives as long as the budget. */
const pprofc_allocator *budget_allocator(const struct budget *budget);

/* The budget behind an allocator, or NULL. */
struct budget *budget_of(const pprofc_allocator *mem);

/* What may still be allocated through `mem`; UINT64_MAX without a budget. */
uint64_t budget_left(const pprofc_allocator *mem);

/* The size of the budget; UINT64_MAX without one. */
uint64_t budget_bytes(const pprofc_allocator *mem);

/* What is allocated now through the budget; 0 without one. */
uint64_t budget_used(const pprofc_allocator *mem);

/* Whether so many more bytes may be allocated. The answer no counts as an attempt to pass the
 * budget. */
bool budget_allows(const pprofc_allocator *mem, uint64_t bytes);

/* Whether more was ever asked for than the budget has. */
bool budget_passed(const pprofc_allocator *mem);

/* ---- stopping ---------------------------------------- */

/* Stops everything that runs with the budget. May be called from a signal handler and from another
 * thread. */
void budget_cancel(struct budget *budget);

/* Lets what was cancelled go on: for the next command of a shell. */
void budget_resume(struct budget *budget);

/* The budget is stopped so many milliseconds from now. Called once, also while another thread uses
 * the budget. */
void budget_set_time(struct budget *budget, uint32_t milliseconds);

/* Whether the budget behind `mem` was cancelled or its time is over; false without a budget. */
bool budget_stopped(const pprofc_allocator *mem);

/* The same for turn `i` of a loop that allocates nothing: looks once every 4096 turns. */
static inline bool budget_poll(const pprofc_allocator *mem, size_t i) {
  return (i & 4095) == 4095 && budget_stopped(mem);
}

/* For the end of every public function: turns a PPROFC_E_NOMEM that came from a budget into
 * PPROFC_E_LIMIT, and any failure after the budget was stopped into PPROFC_E_CANCELLED, with a
 * message. Other statuses come back as they are. `mem` may be NULL. */
pprofc_status budget_status(const pprofc_allocator *mem, pprofc_status status, pprofc_error *error);

#endif
