/* Prints the help, completion scripts, the options of the manual page, and the version. */
#include "common/about.h"

#include "common/terminal.h"
#include "core/outfile.h"

#include <errno.h>
#include <unistd.h>

static int about_write(void *context, const void *data, size_t size) {
  struct about_output *about = context;
  int fd = STDOUT_FILENO;
  if (fd_write(&fd, data, size) == 0) return 0;
  about->failed = errno;
  return -1;
}

void about_begin(struct about_output *about) {
  about->failed = 0;
  output_init(&about->out, about_write, about);
}

pprofc_status about_end(struct about_output *about, pprofc_error *error) {
  pprofc_status status = output_flush(&about->out, error);
  if (!about->failed) return status;
  return error_set(error, PPROFC_E_IO, "cannot write standard output: %s",
                   ERRNO_TEXT(about->failed));
}

pprofc_status about_help(const struct flag_table *table, pprofc_error *error) {
  struct about_output about;
  about_begin(&about);
  help_print(table, &about.out, terminal_width(STDOUT_FILENO));
  return about_end(&about, error);
}

pprofc_status about_print(const struct flag_table *table, const char *completion, bool manual,
                          pprofc_error *error) {
  struct about_output about;
  pprofc_status status = PPROFC_OK;
  about_begin(&about);
  if (*completion)
    status = completion_print(table, str_of(completion), &about.out, error);
  else if (manual)
    manual_print_options(table, &about.out);
  else
    output_printf(&about.out, "%s %s\n", table->program, pprofc_version());
  return status == PPROFC_OK ? about_end(&about, error) : status;
}
