/* Packs the interactive flame graph of a pair of profiles, for script files and report.html. */
#ifndef PPROFCI_RUN_GRAPH_H
#define PPROFCI_RUN_GRAPH_H

#include "pprofc/report.h"
#include "run/run.h"

#define GRAPH_VIEWER "flame/viewer.js" /* file of the viewer in the page's folder */
#define GRAPHS_MOST  ((size_t)9000000) /* maximum bytes of a page without scripts and HTML tags */

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

/* Writes the viewer's script into the stage if a pair of profiles has a graph. */
void graph_write_viewer(struct ci_run *run);

#endif
