/* Reads files and folders for the gate, and reports unreadable inputs as problems. */
#ifndef PPROFC_GATE_READ_FILES_H
#define PPROFC_GATE_READ_FILES_H

#include "gate/gate.h"

/* Maximum size of a file, equal to pprofc_limits.input_bytes. */
#define GATE_FILE_MAX ((size_t)2 << 30)

/* Appends the content of a file to `data`, or standard input for "-". The limit of `data` must be
 * GATE_FILE_MAX. Errors: PPROFC_E_IO, PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status gate_read_whole(const char *path, struct buffer *data, pprofc_error *error);

bool gate_is_folder(const char *path);

/* Paths of files, sorted by name. An arena owns the texts. */
struct gate_paths {
  const char **items;
  size_t count, capacity;
};

/* Lists the files of a folder whose names match a glob. Adds a problem to the gate if the folder is
 * unreadable or has no such file. The only error is PPROFC_E_NOMEM. */
pprofc_status gate_list_folder(struct gate *gate, const char *folder, const char *pattern,
                               struct arena *arena, struct gate_paths *paths, pprofc_error *error);

/* Records an error of an input as a problem of the gate. Returns PPROFC_OK, so that the caller
 * continues with the next input. Returns PPROFC_E_NOMEM unchanged. */
pprofc_status gate_note_problem(struct gate *gate, pprofc_status status, const pprofc_error *error);

/* Estimates how much benchmarks vary, from a folder with a file for each earlier run
 * (gate_learn_noise). */
pprofc_status gate_read_noise(struct gate *gate, const char *folder, pprofc_error *error);

#endif
