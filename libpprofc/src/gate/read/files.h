/* Files and folders that the gate reads. */
#ifndef PPROFC_GATE_READ_FILES_H
#define PPROFC_GATE_READ_FILES_H

#include "gate/gate.h"

/* A file has no more bytes than pprofc_limits.input_bytes allows. */
#define GATE_FILE_MOST ((size_t)2 << 30)

/* Appends a file, or standard input for "-", to `data`, whose ceiling is GATE_FILE_MOST. Errors:
 * PPROFC_E_IO, PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status gate_read_whole(const char *path, struct buffer *data, pprofc_error *error);

bool gate_is_folder(const char *path);

/* Paths in the order of their names. The arena has them. */
struct gate_paths {
  const char **items;
  size_t count, capacity;
};

/* Lists the files of a folder whose names match a glob. A folder that cannot be read or that has
 * none is a problem of the gate; the only error is PPROFC_E_NOMEM. */
pprofc_status gate_list_folder(struct gate *gate, const char *folder, const char *pattern,
                               struct arena *arena, struct gate_paths *paths, pprofc_error *error);

/* What stops the reading of one input is a problem of the gate, and the next one is read. Out of
 * memory stays an error. */
pprofc_status gate_note_problem(struct gate *gate, pprofc_status status, const pprofc_error *error);

/* Learns how far benchmarks swing from a folder of earlier runs, a file each (gate_learn_noise). */
pprofc_status gate_read_noise(struct gate *gate, const char *folder, pprofc_error *error);

#endif
