/* A flame graph that is built once and written in parts. It serves clients that view a large
 * tree. */
#ifndef PPROFC_REPORT_STACKS_FLAME_KEPT_H
#define PPROFC_REPORT_STACKS_FLAME_KEPT_H

#include "report/report.h"

struct flame_kept;

/* Builds the tree. Allocates its memory with the profile's allocator. The profile and the options
 * must outlive the flame graph. The options must have the format "flame" and all fields set. The
 * flame graph copies the verdicts. */
pprofc_status flame_kept_open(const pprofc_profile *profile, const pprofc_report_options *options,
                              struct flame_kept **kept, pprofc_error *error);

/* Writes the output of the variant "data" for node 0, or of the variant "data:NODE" for another
 * node. Allocates only from `mem`, and obeys the time limit of `mem`, so several threads may call
 * this function at the same time. */
pprofc_status flame_kept_write(const struct flame_kept *kept, uint32_t node,
                               const pprofc_allocator *mem, pprofc_write_fn write, void *context,
                               pprofc_error *error);
void flame_kept_close(struct flame_kept *kept);

#endif
