/* Saved views: pprof's own settings file, which both programs share. */
#ifndef PPROFC_WEB_SETTINGS_H
#define PPROFC_WEB_SETTINGS_H

#include "web/view.h"

#define SETTINGS_NAME_BYTES 100
#define SETTINGS_MOST       1000 /* saved views */
#define SETTINGS_FILE_BYTES ((size_t)16 << 20)

/* $XDG_CONFIG_HOME/pprof/settings.json, or below ~/.config. Fails when neither variable is set. */
pprofc_status settings_path(char *out, size_t size, pprofc_error *error);

/* The saved views in the order of the file, each with the query that leads there from `query`.
 * Items and texts live in `arena`. A file that is not there or cannot be read has none. False when
 * out of memory. */
bool settings_list(const char *path, const struct web_query *query, struct arena *arena,
                   const struct web_item **items, size_t *count);

/* Saves options under a name, in place of an older view of that name. What the file says beside it
 * stays, things that we do not know, too. The file appears whole, is readable by its owner only,
 * and a lock on its folder lets one program write at a time. A file that cannot be read is never
 * overwritten. Errors: PPROFC_E_INVALID for a bad name or too many, PPROFC_E_FORMAT for a file that
 * is no settings, PPROFC_E_IO. */
pprofc_status settings_save(const char *path, const char *name,
                            const pprofc_report_options *options, pprofc_error *error);

/* Deletes a view. PPROFC_E_INVALID when there is none of that name. */
pprofc_status settings_delete(const char *path, const char *name, pprofc_error *error);

/* A number that changes with the file. */
uint64_t settings_stamp(const char *path);

#endif
