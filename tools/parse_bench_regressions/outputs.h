/* Files of -out: the report of an earlier run goes away before anything can fail, and a symlink
 * stays one. */
#ifndef PARSE_BENCH_REGRESSIONS_OUTPUTS_H
#define PARSE_BENCH_REGRESSIONS_OUTPUTS_H

#include "core/error.h"
#include "core/str.h"

/* Removes the files that -out names anywhere on a command line, right or wrong. A symlink stays,
 * the file that it names is removed. A file that the line also names as an input stays, and so do
 * devices, pipes and the file that standard output or standard error goes to. */
void outputs_remove(int argc, char *const *argv);

/* Writes a file whole or not at all. Through a symlink, its target is written. */
pprofc_status outputs_write(const char *path, pprofc_str text, pprofc_error *error);

#endif
