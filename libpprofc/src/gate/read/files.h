/* Reads files and folders for the gate, and reports unreadable inputs as problems. */
#ifndef PPROFC_GATE_READ_FILES_H
#define PPROFC_GATE_READ_FILES_H

#include "gate/gate.h"

/* Maximum size of a file, equal to pprofc_limits.input_bytes. */
#define GATE_FILE_MAX ((size_t)2 << 30)

/* Appends a file, or standard input for "-", to `data`. The limit of `data` must be GATE_FILE_MAX.
 * Errors: PPROFC_E_IO, PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status gate_read_whole(const char *path, struct buffer *data, pprofc_error *error);

bool gate_is_folder(const char *path);

/* Paths of files, sorted by name. The texts are in an arena. */
struct gate_paths {
  const char **items;
  size_t count, capacity;
};

/* Lists the files of a folder whose names match a glob. If the folder cannot be read or has no such
 * file, adds a problem to the gate. The only error is PPROFC_E_NOMEM. */
pprofc_status gate_list_folder(struct gate *gate, const char *folder, const char *pattern,
                               struct arena *arena, struct gate_paths *paths, pprofc_error *error);

/* Records an error of one input as a problem of the gate and returns PPROFC_OK, to continue with
 * the next input. Returns PPROFC_E_NOMEM unchanged. */
pprofc_status gate_note_problem(struct gate *gate, pprofc_status status, const pprofc_error *error);

/* Estimates how far benchmarks vary, from a folder of earlier runs with one file per run
 * (gate_learn_noise). */
pprofc_status gate_read_noise(struct gate *gate, const char *folder, pprofc_error *error);

#endif
