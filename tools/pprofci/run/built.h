/* Compares how the programs of base and head were built and measured. */
#ifndef PPROFCI_RUN_BUILT_H
#define PPROFCI_RUN_BUILT_H

#include "core/json_write.h"
#include "run/run.h"
#include "symbolize/built.h"

/* Appends to `out` the properties in which the programs differ (compiler, flags, libraries,
 * processor), then the names of the equal properties. */
void built_compare(const struct ci_run *run, const struct built sides[SIDES], struct buffer *out);

/* Writes the JSON member "built" of a pair of profiles: how the programs of base and head were
 * built. */
void built_write(struct json_writer *json, const struct built sides[SIDES]);

/* Writes the JSON member "surroundings" if this run measured base and head. It contains the kernel,
 * the processors, and the environment variables that change how programs run. */
void surroundings_write(struct json_writer *json, const struct ci_run *run);

#endif
