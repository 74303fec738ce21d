/* Reads profiles of a run as `pprofc -symbolize=none` does, and packs their flame graphs for
 * pages. */
#ifndef PPROFCI_RUN_PROFILES_H
#define PPROFCI_RUN_PROFILES_H

#include "pprofc/report.h"
#include "run/run.h"

/* One or more files whose profiles are added up. */
struct profile_files {
  const char *const *paths;
  size_t count;
};

/* A profile, or the difference of two profiles. */
struct profile_source {
  /* files of base and head of a difference; if base.count is 0, only `head` is used */
  struct profile_files base, head;
};

/* Prints a warning about a profile. Ignores `context`. */
void source_warn(void *context, const char *message);

/* Reads one file, without a base. */
pprofc_status source_read(const char *path, const pprofc_allocator *mem, pprofc_profile **profile,
                          pprofc_error *error);

/* Reads the profile source->head and subtracts source->base. All memory counts towards the budget
 * `mem`. */
pprofc_status source_open(const struct profile_source *source, const pprofc_allocator *mem,
                          pprofc_profile **profile, pprofc_error *error);
pprofc_status source_check(const char *path, pprofc_error *error);

/* True if an unreadable file is probably not a profile. This holds if the file is empty or has an
 * unknown format, and its name does not end like the name of a profile. `ending` is an additional
 * ending of such names, or "". */
bool source_may_be_other(const char *path, const char *ending, const pprofc_error *error);

/* True if a file has a sample type with this name. Returns false if the file is unreadable. */
bool source_has_type(const char *path, const char *type);

/* Returns false if the selected values add up to 0. Returns true for an unreadable file, which a
 * later step reports. */
bool source_has_samples(const char *path, const pprofc_report_options *options);

/* Returns the number of instructions in a profile, or 0 if the profile is unreadable. */
int64_t source_instructions(const char *path);

/* ---- flame graphs --------------------------------- */

#define GRAPH_VIEWER "flame/viewer.js" /* file of the viewer in the page's folder */
#define GRAPHS_MOST  ((size_t)9000000) /* maximum bytes of the texts and graphs in a page */

/* Sets *packed to the graph's data (flame_data of flame/flame.h) in base64. Sets *packed to "" if
 * the data exceeds 64 MB. The text is in the arena. */
pprofc_status graph_pack(const pprofc_profile *profile, const pprofc_report_options *options,
                         struct arena *arena, pprofc_str *packed, pprofc_error *error);

/* Writes the graph to the file flame/NAME.js in the stage (the temporary folder of new artifacts).
 * Keeps the graph in `pair` if it fits into report.html. */
void graph_set(struct ci_run *run, struct run_pair *pair, const char *name, pprofc_str packed);

/* Reads the graph of a pair of profiles from the artifacts of another run. Leaves the pair without
 * a graph if the file is missing or is not a graph. */
void graph_read(struct ci_run *run, struct run_pair *pair, const char *name);

/* Writes the viewer's script into the temporary folder if a pair of profiles has a graph. */
void graph_write_viewer(struct ci_run *run);

#endif
