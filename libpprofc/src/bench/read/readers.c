/* Detects the formats of benchmark results. Reads the inputs of a command line. */
#include "bench/read/readers.h"
#include "core/file.h"

#include <sys/mman.h>

/* ---- files of other tools --------------------------- */

/* A kind of file without results, and advice for the user. The file begins with `start`, and its
 * first 4 KiB contain `inside`. */
struct foreign_file {
  const char *start, *inside, *advice;
};

static const struct foreign_file foreign_files[] = {
    {"", "\nRun on (",
     "this is the table of Google Benchmark; its JSON is read: --benchmark_format=json"},
    {"name,iterations,real_time,cpu_time", "",
     "this is the CSV of Google Benchmark; its JSON is read: --benchmark_format=json"},
    {"Benchmark 1: ", "Time (mean",
     "this is what hyperfine prints; its JSON is read: --export-json FILE"},
    {"", "- benchmark: ",
     "this is the table of pytest-benchmark; its JSON is read: --benchmark-json=FILE"},
    {"Benchmark ", " Mode  Cnt ", "this is the table of JMH; its JSON is read: -rf json -rff FILE"},
    {"", " time:   [", "this is what criterion prints; its folder is read: target/criterion"},
    {"\x89PNG", "", "this is an image; pass the results it was made from"},
    {"\x1f\x8b", "", "this is a gzip file: a profile is for pprofc, packed results for gunzip"},
    {"<!DOCTYPE", "", "this is an HTML page"},
    {"<html", "", "this is an HTML page"},
};

/* Returns advice about a file that has no results. The advice describes the file, and names the
 * file that the user should pass instead. Returns NULL if the file may have results. */
static const char *foreign_advice(pprofc_str data) {
  pprofc_str head = str_slice(data, 0, data.size < 4096 ? data.size : 4096);
  for (size_t i = 0; i < COUNT(foreign_files); i++) {
    const struct foreign_file *file = &foreign_files[i];
    if (!str_starts(head, str_of(file->start))) continue;
    if (str_find(head, str_of(file->inside)) < head.size) return file->advice;
  }
  return NULL;
}

/* Readers in the order of detection. The last reader is for benchmark text, and accepts everything.
 */
static const struct bench_reader *const bench_readers[] = {
    &bench_reader_codspeed,  &bench_reader_test2json, &bench_reader_gbench,
    &bench_reader_hyperfine, &bench_reader_pytest,    &bench_reader_jmh,
    &bench_reader_criterion, &bench_reader_csv,       &bench_reader_text,
};
static const size_t bench_reader_count = COUNT(bench_readers);

/* Maximum size of an input in bytes, equal to pprofc_limits.input_bytes. */
#define MAX_BYTES ((size_t)2 << 30)

bool json_has_words(pprofc_str data, char first, const char *const *words) {
  if (!data.size || data.data[0] != first) return false;
  for (; *words; words++)
    if (str_find(data, str_of(*words)) == data.size) return false;
  return true;
}

static bool reader_matches(const struct bench_reader *reader, pprofc_str data) {
  return reader->matches ? reader->matches(data)
                         : json_has_words(data, reader->first, reader->words);
}

static const struct bench_reader *recognise(pprofc_str data) {
  if (str_starts(data, STR("\xEF\xBB\xBF"))) data = str_slice(data, 3, data.size);
  while (data.size && memchr(" \t\r\n", data.data[0], 4)) data = str_slice(data, 1, data.size);
  size_t i = data.size ? 0 : bench_reader_count - 1;
  while (!reader_matches(bench_readers[i], data)) i++;
  return bench_readers[i];
}

pprofc_status bench_read_map(pprofc_bench *set, const char *label, const char *path,
                             const struct bench_map *map, bool mapped, pprofc_error *error) {
  struct bench_sink sink;
  sink_open(&sink, set, str_of(label), str_of(path));
  struct bench_source source = {&sink, {map->data, map->size}, path, mapped};
  pprofc_status status = PPROFC_OK;
  const struct bench_reader *reader = recognise(source.data);
  if (sink.status == PPROFC_OK) set->inputs[sink.input].alone = reader->one_process;
  const char *advice = foreign_advice(source.data);
  if (advice)
    sink_message(&sink, 1, "%s", advice);
  else if (sink.status == PPROFC_OK)
    status =
        reader->toolkit ? json_read_source(&source, reader, error) : reader->read(&source, error);
  pprofc_error late;
  pprofc_status closed = sink_close(&sink, &late);
  if (status == PPROFC_OK && closed != PPROFC_OK) {
    if (error) *error = late;
    error_prefix(error, "%s: ", path);
    status = closed;
  }
  return status;
}

pprofc_status pprofc_bench_read(pprofc_bench *set, const char *label, const char *path,
                                const void *data, size_t size, pprofc_error *error) {
  return bench_read_map(set, label, path, &(struct bench_map){data, size}, false, error);
}

/* ---- files ------------------------------------------- */

#define MIN_MAPPED ((off_t)8 << 20)

bool bench_map_file(int fd, struct bench_map *map) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < MIN_MAPPED ||
      info.st_size > (off_t)MAX_BYTES || lseek(fd, 0, SEEK_CUR) != 0)
    return false;
  void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  *map = (struct bench_map){data, (size_t)info.st_size};
  return data != MAP_FAILED;
}

void bench_unmap(struct bench_map *map) {
  munmap((void *)(uintptr_t)map->data, map->size);
}

static pprofc_status fail_read(const char *path, int number, pprofc_error *error) {
  const char *why = number == EISDIR ? "is a directory" : ERRNO_TEXT(number);
  return error_set(error, PPROFC_E_IO, "%s:0: read %s: %s", path, path, why);
}

static pprofc_status read_all_of_input(int fd, const char *path, struct buffer *out,
                                       pprofc_error *error) {
  int number = fd_read_all(fd, out);
  if (number) return fail_read(path, number, error);
  if (!out->failed) return PPROFC_OK;
  if (out->size + 64 * 1024 > out->ceiling)
    return error_set(error, PPROFC_E_LIMIT, "%s: larger than the limit of 2 GiB", path);
  return error_nomem(error);
}

static pprofc_status read_input_file(pprofc_bench *set, const char *label, const char *path,
                                     pprofc_error *error) {
  bool standard = strcmp(path, "-") == 0;
  int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return error_set(error, PPROFC_E_IO, "open %s: %s", path, ERRNO_TEXT(errno));
  struct bench_map map;
  if (bench_map_file(fd, &map)) {
    pprofc_status read = bench_read_map(set, label, path, &map, true, error);
    bench_unmap(&map);
    if (!standard) close(fd);
    return read;
  }
  struct buffer data = buffer_make(&set->mem, MAX_BYTES);
  pprofc_status status = read_all_of_input(fd, path, &data, error);
  if (!standard) close(fd);
  if (status == PPROFC_OK)
    status = pprofc_bench_read(set, label, path, data.data, data.size, error);
  buffer_free(&data);
  return status;
}

pprofc_status bench_read_path(pprofc_bench *set, const char *label, const char *path,
                              pprofc_error *error) {
  if (!file_is_folder(path)) return read_input_file(set, label, path, error);
  struct criterion_tree tree;
  struct arena arena = arena_make(&set->mem);
  pprofc_status status = criterion_tree_find(&arena, path, &tree, error);
  if (status == PPROFC_OK && !tree.count) status = read_input_file(set, label, path, error);
  for (size_t i = 0; i < tree.count && status == PPROFC_OK; i++)
    status = read_input_file(set, label, tree.paths[i], error);
  arena_free(&arena);
  return status;
}

/* ---- command line inputs ----------------------------- */

static size_t occurrences(const char *const *inputs, size_t end, const char *path) {
  size_t count = 0;
  for (size_t i = 0; i < end; i++) count += strcmp(inputs[i], path) == 0;
  return count;
}

pprofc_status pprofc_bench_read_inputs(pprofc_bench *set, const char *const *inputs, size_t count,
                                       pprofc_error *error) {
  struct buffer label = buffer_make(&set->mem, (size_t)1 << 20);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    const char *equals = strchr(inputs[i], '='), *path = inputs[i];
    buffer_clear(&label);
    if (equals) {
      buffer_add(&label, path, (size_t)(equals - path));
      path = equals + 1;
    } else {
      buffer_add_text(&label, path);
      if (occurrences(inputs, count, path) > 1)
        buffer_printf(&label, "#%zu", occurrences(inputs, i, path));
    }
    buffer_add_char(&label, '\0');
    status = label.failed ? error_nomem(error) : bench_read_path(set, label.data, path, error);
  }
  buffer_free(&label);
  return status;
}
