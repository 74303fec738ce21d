/* A flame graph that is built once and written often, in parts: for a server whose clients look
 * into a large tree. */
#ifndef PPROFC_REPORT_STACKS_FLAME_KEPT_H
#define PPROFC_REPORT_STACKS_FLAME_KEPT_H

#include "report/report.h"

struct flame_kept;

/* Builds the tree in the memory of the profile. The profile and the options (format "flame", all
 * fields set) must live as long, but for the verdicts: the graph has copies. */
pprofc_status flame_kept_open(const pprofc_profile *profile, const pprofc_report_options *options,
                              struct flame_kept **kept, pprofc_error *error);

/* Writes what the report writes for "data" (node 0) or "data:NODE". Takes memory and time from
 * `mem` only, so that many threads may write at once. */
pprofc_status flame_kept_write(const struct flame_kept *kept, uint32_t node,
                               const pprofc_allocator *mem, pprofc_write_fn write, void *context,
                               pprofc_error *error);
void flame_kept_close(struct flame_kept *kept);

#endif
