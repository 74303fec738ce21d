/* Handles saved views in pprof's own settings file, which both programs share. */
#ifndef PPROFC_WEB_SETTINGS_H
#define PPROFC_WEB_SETTINGS_H

#include "web/view.h"

#define SETTINGS_NAME_BYTES 100
#define SETTINGS_MOST       1000 /* maximum number of saved views */
#define SETTINGS_FILE_BYTES ((size_t)16 << 20)

/* Returns $XDG_CONFIG_HOME/pprof/settings.json, or the file below ~/.config. Fails if neither
 * variable is set. */
pprofc_status settings_path(char *out, size_t size, pprofc_error *error);

/* Lists the saved views in file order, each with the query that opens it from `query`. Items
 * and texts live in `arena`. A missing or unreadable file has no views. False when out of
 * memory. */
bool settings_list(const char *path, const struct web_query *query, struct arena *arena,
                   const struct web_item **items, size_t *count);

/* Saves options under a name and replaces an older view of that name. Keeps all other content,
 * also unknown members. The file appears whole, with mode 0600, under a lock on its folder.
 * Never overwrites an unreadable file. Errors: PPROFC_E_INVALID for a bad name or too many
 * views, PPROFC_E_FORMAT for an unreadable file, PPROFC_E_IO. */
pprofc_status settings_save(const char *path, const char *name,
                            const pprofc_report_options *options, pprofc_error *error);

/* Deletes a view. PPROFC_E_INVALID if the name is unknown. */
pprofc_status settings_delete(const char *path, const char *name, pprofc_error *error);

/* Returns a number that changes with the file. */
uint64_t settings_stamp(const char *path);

#endif
