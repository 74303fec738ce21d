/* Reads files of `perf record`. perf knows their many versions, unwinds and symbolizes. Its
 * output is read as text of `perf script`, with the build ids of the files before it. */
#include "perf_data.h"

#include "core/budget.h"
#include "core/buffer.h"
#include "core/child.h"
#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* perf resolves the line of each address, which takes minutes for large programs. */
#define PERF_TIMEOUT_MS (10 * 60 * 1000u)

bool perf_data_is(pprofc_str begin) {
  /* the second one is of the other byte order */
  return str_starts(begin, STR("PERFILE2")) || str_starts(begin, STR("2ELIFREP"));
}

/* Runs perf or perf_to_profile; an exit status other than 0 is an error with its message. */
static pprofc_status perf_data_run(const char *const *argv, struct buffer *output,
                                   pprofc_error *error) {
  struct child child = {.argv = argv, .timeout_ms = PERF_TIMEOUT_MS};
  struct child_end end;
  pprofc_status status = child_run(&child, output, &end, error);
  if (status == PPROFC_OK && end.status)
    status = error_set(error, PPROFC_E_FORMAT, "%s ended with status %d: %s", argv[0], end.status,
                       end.said);
  return status;
}

/* Appends a path that cannot be taken for an option. */
static void perf_data_path(struct buffer *out, const char *path) {
  if (*path == '-') buffer_add_text(out, "./");
  buffer_add_text(out, path);
  buffer_add_char(out, '\0');
}

/* Inserts "# build id: HEX FILE" before the text for each file with a build id. If perf cannot
 * list them, inserts nothing. */
static void perf_data_add_ids(const char *path, struct buffer *text) {
  const char *const argv[] = {"perf", "buildid-list", "-f", "-i", path, NULL};
  struct buffer list;
  pprofc_error ignored;
  buffer_init(&list, text->mem, CHILD_OUTPUT_BYTES);
  pprofc_str rest, line;
  if (perf_data_run(argv, &list, &ignored) == PPROFC_OK) {
    rest = buffer_str(&list);
    while (str_next_line(&rest, &line)) {
      if (!line.size) continue;
      buffer_add_text(text, "# build id: ");
      buffer_add_str(text, line);
      buffer_add_char(text, '\n');
    }
  }
  buffer_free(&list);
}

static pprofc_status perf_data_script(const char *path, const pprofc_read_options *options,
                                      pprofc_profile **profile, pprofc_error *error) {
  const char *const argv[] = {"perf", "script", "-f", "--show-mmap-events", "-i", path,
                              "-F",   "+pid",   NULL};
  struct buffer text;
  uint64_t most = options->limits ? options->limits->inflated_bytes : 0;
  buffer_init(&text, options->allocator, most ? most : CHILD_OUTPUT_BYTES);
  perf_data_add_ids(path, &text);
  pprofc_status status = perf_data_run(argv, &text, error);
  if (status == PPROFC_OK)
    status = pprofc_profile_read_memory(text.data, text.size, options, profile, error);
  buffer_free(&text);
  return status;
}

/* Converts with perf_to_profile, which writes a file. */
static pprofc_status perf_data_convert(const char *path, const pprofc_read_options *options,
                                       pprofc_profile **profile, pprofc_error *error) {
  const char *folder = getenv("TMPDIR");
  char made[512];
  int size =
      snprintf(made, sizeof made, "%s/pprofc-perf-XXXXXX", folder && *folder ? folder : "/tmp");
  int fd = size > 0 && (size_t)size < sizeof made ? mkstemp(made) : -1;
  if (fd < 0) return error_set(error, PPROFC_E_IO, "cannot make a temporary file in '%s'", folder);
  close(fd);
  const char *const argv[] = {"perf_to_profile", "-i", path, "-o", made, "-f", NULL};
  struct buffer said;
  buffer_init(&said, options->allocator, CHILD_OUTPUT_BYTES);
  pprofc_status status = perf_data_run(argv, &said, error);
  if (status == PPROFC_OK) status = pprofc_profile_read_file(made, options, profile, error);
  buffer_free(&said);
  unlink(made);
  return status;
}

pprofc_status perf_data_read(const char *path, const char *shown,
                             const pprofc_read_options *options, pprofc_profile **profile,
                             pprofc_error *error) {
  struct buffer name;
  pprofc_status status;
  buffer_init(&name, options->allocator, SIZE_MAX);
  perf_data_path(&name, path);
  if (name.failed)
    status = error_nomem(error);
  else if (child_exists("perf"))
    status = perf_data_script(name.data, options, profile, error);
  else if (child_exists("perf_to_profile"))
    status = perf_data_convert(name.data, options, profile, error);
  else
    status =
        error_set(error, PPROFC_E_UNSUPPORTED,
                  "perf.data needs perf (Debian: linux-perf) or perf_to_profile in PATH; or run "
                  "perf script -F +pid --show-mmap-events on another machine and read its output");
  buffer_free(&name);
  if (status != PPROFC_OK) error_prefix(error, "cannot read '%s': ", shown);
  return status;
}
