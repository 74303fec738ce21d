/* Files of -out: the report of an earlier run is removed before anything can fail. Symlinks
 * stay. */
#ifndef PARSE_BENCH_REGRESSIONS_OUTPUTS_H
#define PARSE_BENCH_REGRESSIONS_OUTPUTS_H

#include "core/error.h"
#include "core/str.h"

/* Removes the files of every -out on the command line, even if the line is invalid. A symlink
 * stays, its target is removed. Files that are also inputs, devices, pipes, and the files of
 * standard output and standard error stay. */
void outputs_remove(int argc, char *const *argv);

/* Writes a file whole or not at all. If it is a symlink, the target is written. */
pprofc_status outputs_write(const char *path, pprofc_str text, pprofc_error *error);

#endif
