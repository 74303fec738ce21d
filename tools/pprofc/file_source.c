/* Reads a file. Formats for perf and node are detected by their first bytes; the library reads
 * all others. */
#include "file_source.h"

#include "fetch/address.h"
#include "hints.h"
#include "perf_data.h"
#include "v8_prof_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of bytes that identify perf and V8 files. */
#define SOURCE_BEGIN 16

bool file_source_is_plain(const char *path) {
  struct stat info;
  return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Reports why a source cannot be read, in pprof's words, or with a hint. */
static pprofc_status file_source_check(const struct file_source *file, pprofc_error *error) {
  struct stat info;
  if (strcmp(file->path, "-") == 0 || stat(file->path, &info) == 0) return PPROFC_OK;
  int missing = errno;
  if (*file->source == '-' && !file->is_first)
    return error_set(error, PPROFC_E_INVALID,
                     "cannot read '%s': no such file (flags must precede the first profile)",
                     file->shown);
  if (address_has_scheme(str_of(file->source)) && !str_starts(str_of(file->source), STR("file:")))
    return error_set(error, PPROFC_E_INVALID,
                     "cannot fetch '%s': malformed host, port or escape in the address",
                     file->shown);
  return error_set(error, PPROFC_E_IO, "%s: stat %s: %s", file->shown, file->shown,
                   ERRNO_TEXT(missing));
}

/* Reads the first bytes and returns their number. Returns 0 for pipes and on errors, which the
 * caller detects later. */
static size_t file_source_begin(const char *path, char bytes[SOURCE_BEGIN]) {
  int fd = file_source_is_plain(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return 0;
  ssize_t got = read(fd, bytes, SOURCE_BEGIN);
  close(fd);
  return got > 0 ? (size_t)got : 0;
}

pprofc_status file_source_read(const struct file_source *file, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error) {
  char bytes[SOURCE_BEGIN];
  pprofc_status status = file_source_check(file, error);
  if (status == PPROFC_OK) {
    pprofc_str begin = {bytes, file_source_begin(file->path, bytes)};
    if (perf_data_is(begin))
      return perf_data_read(file->path, file->shown, options, profile, error);
    if (v8_prof_log_is(begin))
      return v8_prof_log_read(file->path, file->shown, options, profile, error);
    status = open_file(file->path, options, sums, profile, error);
  }
  if (status != PPROFC_OK) hint_source(file->path, error);
  return status;
}
