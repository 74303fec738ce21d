/* Writes files completely or not at all. */
#include "common/save.h"

#include "common/signals.h"
#include "core/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

pprofc_status save_file(const char *path, save_fn *write, const void *context,
                        pprofc_error *error) {
  struct outfile file;
  pprofc_status status = outfile_open(&file, path, error);
  if (status != PPROFC_OK) return status;
  signals_remove(file.straight ? NULL : file.temporary);
  status = outfile_end(&file, write(context, outfile_write, &file, error), error);
  signals_remove(NULL);
  return status;
}

struct save_print {
  save_print_fn *print;
  const void *context;
};

static pprofc_status save_print(const void *context, pprofc_write_fn write, void *to,
                                pprofc_error *error) {
  const struct save_print *printed = context;
  struct output out;
  output_init(&out, write, to);
  pprofc_status status = printed->print(printed->context, &out, error);
  pprofc_status flushed = output_flush(&out, status == PPROFC_OK ? error : NULL);
  return status == PPROFC_OK ? flushed : status;
}

pprofc_status save_printed(const char *path, save_print_fn *print, const void *context,
                           pprofc_error *error) {
  return save_file(path, save_print, &(struct save_print){print, context}, error);
}

static pprofc_status save_bytes(const void *context, pprofc_write_fn write, void *to,
                                pprofc_error *error) {
  const pprofc_str *text = context;
  if (write(to, text->data, text->size) == 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot write");
}

pprofc_status save_text(const char *path, pprofc_str text, pprofc_error *error) {
  return save_file(path, save_bytes, &text, error);
}

pprofc_status save_append(const char *path, pprofc_str text, pprofc_error *error) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  bool good = fd >= 0 && fd_write(&fd, text.data, text.size) == 0;
  int number = errno;
  if (fd >= 0 && close(fd) != 0) good = false;
  if (good) return PPROFC_OK;
  return error_set(error, PPROFC_E_IO, "cannot write '%s': %s", path, ERRNO_TEXT(number));
}
