/* Implements pprofc -mcp, a tool server for coding agents that uses the Model Context Protocol. */
#ifndef PPROFC_MCP_MCP_H
#define PPROFC_MCP_MCP_H

#include "options.h"

/* Answers requests until standard input ends. Returns the exit status. */
int mcp_run(const struct command *command);

/* Answers the requests of `in` on `out` until `in` ends. Returns the exit status. */
int mcp_serve(const struct command *command, int in, int out, pprofc_error *error);

#endif
