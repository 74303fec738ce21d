/* Implements pprofc -mcp: tools for coding agents, over the Model Context Protocol. */
#ifndef PPROFC_MCP_MCP_H
#define PPROFC_MCP_MCP_H

#include "options.h"

/* Answers requests on standard input until it ends. Returns the exit status. */
int mcp_run(const struct command *command);

/* Answers the requests of a descriptor. */
int mcp_serve(const struct command *command, int in, int out, pprofc_error *error);

#endif
