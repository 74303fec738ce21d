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

bool about_print(const struct flag_table *table, bool help, const struct about *about,
                 pprofc_status *status, pprofc_error *error) {
  struct about_output to;
  about_begin(&to);
  *status = PPROFC_OK;
  if (help)
    help_print(table, &to.out, terminal_width(STDOUT_FILENO));
  else if (*about->completion)
    *status = completion_print(table, str_of(about->completion), &to.out, error);
  else if (about->manual)
    manual_print_options(table, &to.out);
  else if (about->version)
    output_printf(&to.out, "%s %s\n", table->program, pprofc_version());
  else
    return false;
  if (*status == PPROFC_OK) *status = about_end(&to, error);
  return true;
}
