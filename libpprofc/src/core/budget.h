/* A budget of memory: an allocator on top of another one that refuses to have more than so
 * many bytes allocated at a time. Profiles made with it count against it, and so does everything
 * that is made from them. */
#ifndef PPROFC_CORE_BUDGET_H
#define PPROFC_CORE_BUDGET_H

#include "pprofc/base.h"

struct budget;

/* A budget of `bytes` on top of `mem`, which is copied. The caller is its first holder; regions
 * that use it hold it, too. NULL when out of memory. */
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

/* Whether so many more bytes may be allocated. The answer no counts as an attempt to pass the
 * budget. */
bool budget_allows(const pprofc_allocator *mem, uint64_t bytes);

/* Whether more was ever asked for than the budget has. */
bool budget_passed(const pprofc_allocator *mem);

/* For the end of every public function: turns a PPROFC_E_NOMEM that came from a budget into
 * PPROFC_E_LIMIT, with a message. Other statuses come back as they are. `mem` may be NULL. */
pprofc_status budget_status(const pprofc_allocator *mem, pprofc_status status, pprofc_error *error);

#endif
