/* Reads files of `perf record` and logs of `node --prof` by running perf and node. Only these
 * programs know all versions of their file formats. The programs also unwind stacks and find
 * symbols. */
#include "recordings.h"

#include "core/child.h"
#include "fetch/fetcher.h"
#include "symbolize/elf_file.h"

/* Number of bytes at the start of a file that identify a recording. */
#define SOURCE_BEGIN 16

void sources_find_executable(struct command *command) {
  if (command->source_count < 2 || !file_is_regular(command->sources[0]) ||
      !elf_is_object(command->sources[0], &mem_default))
    return;
  command->executable = command->sources[0];
  command->sources++;
  command->source_count--;
  if (!command->diff_time_range.to) return;
  command->bases.count--;
  memmove(command->bases.items, command->sources,
          command->source_count * sizeof *command->bases.items);
  command->diff_base = command->sources[0];
}

/* Fails with pprof's error if the file does not exist. If the source has a scheme such as
 * "https://", the error is about the URL instead. */
static pprofc_status file_source_check(const struct file_source *file, pprofc_error *error) {
  struct stat info;
  if (strcmp(file->path, "-") == 0 || stat(file->path, &info) == 0) return PPROFC_OK;
  int missing = errno;
  if (address_has_scheme(str_of(file->source)) && !str_starts(str_of(file->source), STR("file:")))
    return error_set(error, PPROFC_E_INVALID,
                     "cannot fetch '%s': malformed host, port or escape in the address",
                     file->shown);
  return error_set(error, PPROFC_E_IO, "%s: stat %s: %s", file->shown, file->shown,
                   ERRNO_TEXT(missing));
}

pprofc_status file_source_read(const struct file_source *file, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error) {
  char bytes[SOURCE_BEGIN];
  pprofc_status status = file_source_check(file, error);
  if (status == PPROFC_OK) {
    size_t size = file_begin(file->path, bytes, sizeof bytes);
    const struct recording *kind = recording_find((pprofc_str){bytes, size});
    if (kind) return recording_read(kind, file->path, file->shown, options, sums, profile, error);
    status = open_file(file->path, options, sums, profile, error);
  }
  if (status != PPROFC_OK) hint_source(file->path, error);
  return status;
}

/* Time limit of perf and node in milliseconds. Both need minutes for large programs, because they
 * look up the symbol of each address. */
#define RECORDING_TIMEOUT_MS (10 * 60 * 1000u)

/* Runs a program and stores its output. On failure, the error contains the message of the program.
 */
static pprofc_status recording_run(const char *const *argv, struct buffer *output,
                                   pprofc_error *error) {
  struct child child = {.argv = argv, .timeout_ms = RECORDING_TIMEOUT_MS};
  struct child_end end;
  pprofc_status status = child_run(&child, output, &end, error);
  if (status == PPROFC_OK && end.status)
    status = error_set(error, PPROFC_E_FORMAT, "%s ended with status %d: %s", argv[0], end.status,
                       end.said);
  return status;
}

/* Initializes the buffer for the text of a recording. The size limit comes from the options. */
static void recording_text_init(struct buffer *text, const pprofc_read_options *options) {
  uint64_t most = options->limits ? options->limits->inflated_bytes : 0;
  if (!most) most = CHILD_OUTPUT_BYTES;
  buffer_init(text, options->allocator, most < SIZE_MAX ? (size_t)most : SIZE_MAX);
}

/* Appends a line "# build id: HEX FILE" for each binary in the recording that has a build ID.
 * Appends nothing if perf cannot list build IDs. */
static void perf_add_ids(const char *path, struct buffer *text) {
  pprofc_error ignored;
  struct buffer list = buffer_make(text->mem, CHILD_OUTPUT_BYTES);
  pprofc_str rest, line;
  if (recording_run(TEXT_LIST("perf", "buildid-list", "-f", "-i", path), &list, &ignored) ==
      PPROFC_OK) {
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

static pprofc_status perf_script(const char *path, const pprofc_read_options *options,
                                 const struct open_sums *sums, pprofc_profile **profile,
                                 pprofc_error *error) {
  const char *const *argv =
      TEXT_LIST("perf", "script", "-f", "--show-mmap-events", "--show-task-events",
                "--show-lost-events", "-i", path, "-F", "+pid");
  struct buffer text;
  recording_text_init(&text, options);
  perf_add_ids(path, &text);
  pprofc_status status = recording_run(argv, &text, error);
  if (status == PPROFC_OK) status = open_text(buffer_str(&text), options, sums, profile, error);
  buffer_free(&text);
  return status;
}

/* Converts a recording to a profile file with perf_to_profile, and reads this file. */
static pprofc_status perf_convert(const char *path, const pprofc_read_options *options,
                                  const struct open_sums *sums, pprofc_profile **profile,
                                  pprofc_error *error) {
  const char *folder = getenv("TMPDIR");
  char made[512];
  if (!folder || !*folder) folder = "/tmp";
  int size = snprintf(made, sizeof made, "%s/pprofc-perf-XXXXXX", folder);
  int fd = size > 0 && (size_t)size < sizeof made ? mkstemp(made) : -1;
  if (fd < 0) return error_set(error, PPROFC_E_IO, "cannot make a temporary file in '%s'", folder);
  close(fd);
  const char *const argv[] = {"perf_to_profile", "-i", path, "-o", made, "-f", NULL};
  struct buffer said = buffer_make(options->allocator, CHILD_OUTPUT_BYTES);
  pprofc_status status = recording_run(argv, &said, error);
  if (status == PPROFC_OK) status = open_file(made, options, sums, profile, error);
  buffer_free(&said);
  unlink(made);
  return status;
}

/* True if perf or perf_to_profile is installed. Without them, the library itself reads perf.data
 * files, but does not unwind stacks. */
static bool perf_exists(void) {
  return child_exists("perf") || child_exists("perf_to_profile");
}

/* Reads a recording with `perf script`. Without perf, uses perf_to_profile as pprof does. */
static pprofc_status perf_read(const char *path, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error) {
  if (child_exists("perf")) return perf_script(path, options, sums, profile, error);
  return perf_convert(path, options, sums, profile, error);
}

/* Parses node's output: JSON, possibly after a message about another node version. */
static pprofc_status node_parse(const struct buffer *json, const pprofc_read_options *options,
                                const struct open_sums *sums, pprofc_profile **profile,
                                pprofc_error *error) {
  pprofc_str text = buffer_str(json);
  while (text.size && text.data[0] != '{') {
    pprofc_str line;
    str_next_line(&text, &line);
    if (line.size) message_error("node: %.*s", STR_ARG(line));
  }
  return open_text(text, options, sums, profile, error);
}

static pprofc_status node_read(const char *path, const pprofc_read_options *options,
                               const struct open_sums *sums, pprofc_profile **profile,
                               pprofc_error *error) {
  const char *const argv[] = {"node", "--prof-process", "--preprocess", path, NULL};
  struct buffer json;
  if (!child_exists("node"))
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "a log of node --prof needs node in PATH; or run node --prof-process "
                     "--preprocess LOG >FILE on another machine and read FILE");
  recording_text_init(&json, options);
  pprofc_status status = recording_run(argv, &json, error);
  if (status == PPROFC_OK) status = node_parse(&json, options, sums, profile, error);
  buffer_free(&json);
  return status;
}

static const struct recording {
  pprofc_str begin; /* first bytes of a file of this type */
  pprofc_status (*read)(const char *path, const pprofc_read_options *options,
                        const struct open_sums *sums, pprofc_profile **profile,
                        pprofc_error *error);
} recordings[] = {
    /* First bytes of a perf.data file, in both byte orders. */
    {{"PERFILE2", 8}, perf_read},
    {{"2ELIFREP", 8}, perf_read},
    {{"v8-version,", 11}, node_read},
};

const struct recording *recording_find(pprofc_str begin) {
  for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
    if (str_starts(begin, recordings[i].begin))
      return recordings[i].read != perf_read || perf_exists() ? &recordings[i] : NULL;
  return NULL;
}

pprofc_status recording_read(const struct recording *kind, const char *path, const char *shown,
                             const pprofc_read_options *options, const struct open_sums *sums,
                             pprofc_profile **profile, pprofc_error *error) {
  struct buffer name = buffer_make(options->allocator, SIZE_MAX / 2);
  /* perf and node would take a path that starts with '-' for an option. */
  if (*path == '-') buffer_add_text(&name, "./");
  buffer_add(&name, path, strlen(path) + 1);
  pprofc_status status =
      name.failed ? error_nomem(error) : kind->read(name.data, options, sums, profile, error);
  buffer_free(&name);
  if (status != PPROFC_OK) error_prefix(error, "cannot read '%s': ", shown);
  return status;
}
