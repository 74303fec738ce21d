/* What a program prints about itself. */
#include "common/about.h"

#include "core/outfile.h"

#include <unistd.h>

pprofc_status about_print(const struct flag_table *table, const char *completion, bool manual,
                          pprofc_error *error) {
  int fd = STDOUT_FILENO;
  struct output out;
  pprofc_status status = PPROFC_OK;
  output_init(&out, fd_write, &fd);
  if (*completion)
    status = completion_print(table, str_of(completion), &out, error);
  else if (manual)
    manual_print_options(table, &out);
  else
    output_printf(&out, "%s %s\n", table->program, pprofc_version());
  return status == PPROFC_OK ? output_flush(&out, error) : status;
}
