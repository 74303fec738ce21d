/* Writes parts of manifest.json, and reads the parts that `pprofci merge` joins. */
#ifndef PPROFCI_RUN_COMPARISONS_H
#define PPROFCI_RUN_COMPARISONS_H

#include "core/json_tree.h"
#include "core/json_write.h"
#include "run/run.h"

/* Writes the JSON members "comparisons" and "own" of a pair of profiles. */
void comparisons_write(struct json_writer *json, const struct run_pair *pair);

/* Reads the JSON members that comparisons_write writes. A missing member stays empty. */
void comparisons_read(struct ci_run *run, const struct node *from, struct run_pair *pair);

/* comparisons_write_fired writes the profiled functions that -fail-on found in a run.
 * comparisons_read_fired reads them. `job` is the name of the run. */
void comparisons_write_fired(struct json_writer *json, const struct ci_run *run);
void comparisons_read_fired(struct ci_run *run, const struct node *root, const char *job);

/* Writes the JSON member "built" of a pair of profiles: how both programs were built. */
void built_write(struct json_writer *json, const struct built sides[SIDES]);

/* Writes the JSON member "surroundings" if this run measured base and head. The member contains the
 * kernel, the processors, and the environment variables that change how programs run. */
void surroundings_write(struct json_writer *json, const struct ci_run *run);

/* same_write writes the packages whose test binary is the same in base and head into a manifest.
 * same_read reads these packages. `job` is the name of the run. */
void same_write(struct json_writer *json, const struct ci_run *run);
void same_read(struct ci_run *run, const struct node *root, const char *job);

#endif
