/* Replaces the shell and the servers on Windows by error messages. */
#include "actions.h"
#include "common/terminal.h"

#define EXIT_FAILED 2

static int absent_fail(const char *what, const char *instead) {
  message_error("pprofc: Windows has no %s; %s", what, instead);
  return EXIT_FAILED;
}

int shell_run(const struct command *command) {
  (void)command;
  return absent_fail("interactive shell", "type a format, for example -top");
}

int web_run(struct command *command) {
  (void)command;
  return absent_fail("-http", "-flame writes a page to open in a browser");
}

int mcp_run(const struct command *command) {
  (void)command;
  return absent_fail("-mcp", "run it in WSL");
}

pprofc_status lsp_run(const struct command *command, int in, int out, pprofc_error *error) {
  (void)command, (void)in, (void)out;
  return error_set(error, PPROFC_E_UNSUPPORTED, "Windows has no -lsp; run it in WSL");
}

pprofc_status quickfix_print(const struct command *command, pprofc_write_fn write, void *context,
                             pprofc_error *error) {
  (void)command, (void)write, (void)context;
  return error_set(error, PPROFC_E_UNSUPPORTED, "Windows has no -quickfix; run it in WSL");
}
