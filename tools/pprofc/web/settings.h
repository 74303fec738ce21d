/* Reads and writes saved views in pprof's settings file, which both programs share. */
#ifndef PPROFC_WEB_SETTINGS_H
#define PPROFC_WEB_SETTINGS_H

#include "web/view.h"

#define SETTINGS_NAME_BYTES 100
#define SETTINGS_MOST       1000 /* maximum number of saved views */
#define SETTINGS_FILE_BYTES ((size_t)16 << 20)

/* Writes the path of pprof/settings.json, which is in $XDG_CONFIG_HOME or in ~/.config. Fails if
 * both folders are unknown. */
pprofc_status settings_path(char *out, size_t size, pprofc_error *error);

/* Lists the saved views in the order of the file. The query of a saved view is the page's `query`
 * with the options of this view. The list and its texts are in `arena`. The list is empty if the
 * file is missing or unreadable. Returns false when out of memory. */
bool settings_list(const char *path, const struct web_query *query, struct arena *arena,
                   const struct web_item **items, size_t *count);

/* Saves a view. Replaces an older view of the same name, and keeps all other content, even unknown
 * members. Replaces the whole file, with mode 0600, and locks its folder meanwhile. A file that
 * cannot be parsed is never replaced. Errors: PPROFC_E_INVALID for an invalid name or too many
 * views, PPROFC_E_FORMAT for a file that cannot be parsed, PPROFC_E_IO. */
pprofc_status settings_save(const char *path, const char *name,
                            const pprofc_report_options *options, pprofc_error *error);

/* Deletes a view. Returns PPROFC_E_INVALID if no view has the name. */
pprofc_status settings_delete(const char *path, const char *name, pprofc_error *error);

/* Returns a number that changes when the file changes. */
uint64_t settings_stamp(const char *path);

#endif
