/* Declares the actions of the program besides a report. main.c chooses one of them. */
#ifndef PPROFC_TOOLS_ACTIONS_H
#define PPROFC_TOOLS_ACTIONS_H

#include "options.h"

struct viewer_file;

/* -version: prints the libraries of this build, and the programs that pprofc can run. */
void version_print(struct output *out);

/* -formats: prints the file formats that pprofc reads, as Markdown for docs/FORMATS.md or in lines
 * of `width` columns. */
void formats_print(struct output *out, bool markdown, size_t width);

/* -simulate: runs command->program under callgrind, whose counts are the same on every machine. The
 * profile becomes the only source. The caller removes `file`. */
pprofc_status simulate_run(struct command *command, struct viewer_file *file, pprofc_error *error);

/* Fetches the CPU, heap, goroutine, mutex and block profiles of each source in parallel. Writes
 * them into the folder command->collect, which appears only when it is complete. If a profile
 * cannot be fetched, the folder gets no profile of its server. The function then writes the other
 * servers' profiles, and returns an error. */
pprofc_status collect_run(const struct command *command, pprofc_error *error);

/* Runs the interactive shell, which reads the profile once. Lines come from a terminal, a pipe or a
 * file given to the command `source`. A line requests a report or sets an option. Reports go to
 * standard output, messages to standard error. Returns the exit status. */
int shell_run(const struct command *command);

/* Serves the profiles of the command line until SIGINT or SIGTERM. Returns the exit status. */
int web_run(struct command *command);

/* -mcp: serves a coding agent by the Model Context Protocol. mcp_run uses standard input and
 * output, and mcp_serve uses `in` and `out`. Both return the exit status. */
int mcp_run(const struct command *command);
int mcp_serve(const struct command *command, int in, int out, pprofc_error *error);

/* Serves an editor by the Language Server Protocol. Reads from the descriptor `in` and writes to
 * `out`. */
pprofc_status lsp_run(const struct command *command, int in, int out, pprofc_error *error);

/* -quickfix: prints the lines with the largest values, each as "file:line:column: text". */
pprofc_status quickfix_print(const struct command *command, pprofc_write_fn write, void *context,
                             pprofc_error *error);

#endif
