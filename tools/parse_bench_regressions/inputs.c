/* Finds and reads the inputs of the gate. */
#include "inputs.h"

#include "core/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)2 << 30)

void inputs_init(struct inputs *inputs, struct gate *gate) {
  *inputs = (struct inputs){.gate = gate};
  arena_init(&inputs->arena, gate->mem);
}

void inputs_free(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->file_count; i++) buffer_free(&inputs->files[i]);
  mem_free(inputs->gate->mem, inputs->files, inputs->file_capacity, sizeof *inputs->files);
  pprofc_bench_free(inputs->set);
  arena_free(&inputs->arena);
}

/* ---- files ------------------------------------------- */

static struct buffer *new_buffer(struct inputs *inputs) {
  if (!ARRAY_RESERVE(inputs->gate->mem, inputs->files, inputs->file_capacity,
                     inputs->file_count + 1))
    return NULL;
  struct buffer *buffer = &inputs->files[inputs->file_count++];
  buffer_init(buffer, inputs->gate->mem, FILE_MAX);
  return buffer;
}

static pprofc_status cannot_read(const char *path, pprofc_error *error) {
  char text[200];
  int number = errno;
  return error_set(error, PPROFC_E_IO, "cannot read '%s': %s", path,
                   error_errno_text(number, text, sizeof text));
}

static pprofc_status inputs_read_all(int fd, const char *path, struct buffer *buffer,
                                     pprofc_error *error) {
  char block[1 << 16];
  for (;;) {
    ssize_t n = read(fd, block, sizeof block);
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot_read(path, error);
    buffer_add(buffer, block, (size_t)n);
    if (buffer->failed && buffer->size + (size_t)n > FILE_MAX)
      return error_set(error, PPROFC_E_LIMIT, "cannot read '%s': more than 2 GiB", path);
    if (buffer->failed) return error_nomem(error);
  }
  return PPROFC_OK;
}

pprofc_status inputs_file(struct inputs *inputs, const char *path, pprofc_str *data,
                          pprofc_error *error) {
  struct buffer *buffer = new_buffer(inputs);
  if (!buffer) return error_nomem(error);
  bool standard = strcmp(path, "-") == 0;
  int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return cannot_read(path, error);
  pprofc_status status = inputs_read_all(fd, path, buffer, error);
  if (!standard) close(fd);
  if (status == PPROFC_OK) *data = buffer_str(buffer);
  return status;
}

static bool inputs_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* ---- folders ----------------------------------------- */

/* Paths in the order of their names. */
struct path_list {
  const char **paths;
  size_t count, capacity;
};

static int by_path(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool add_path(struct inputs *inputs, struct path_list *list, const char *folder,
                     const char *name) {
  const pprofc_allocator *mem = inputs->gate->mem;
  if (!ARRAY_RESERVE(mem, list->paths, list->capacity, list->count + 1)) return false;
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = arena_alloc(&inputs->arena, size);
  if (!path) return false;
  bool slash = *folder && folder[strlen(folder) - 1] == '/';
  snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
  list->paths[list->count++] = path;
  return true;
}

static pprofc_status list_folder(struct inputs *inputs, const char *folder, const char *pattern,
                                 struct path_list *list, pprofc_error *error) {
  DIR *dir = opendir(folder);
  if (!dir) {
    (void)cannot_read(folder, error);
    gate_problem(inputs->gate, "%s", error->message);
    return PPROFC_OK;
  }
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir(dir));) {
    bool hidden = entry->d_name[0] == '.';
    if (!hidden && str_glob(str_of(pattern), str_of(entry->d_name)))
      good = add_path(inputs, list, folder, entry->d_name);
  }
  closedir(dir);
  if (!good) return error_nomem(error);
  if (!list->count)
    gate_problem(inputs->gate, "no file '%s' in '%s'", pattern, folder);
  else
    qsort(list->paths, list->count, sizeof *list->paths, by_path);
  return PPROFC_OK;
}

static void free_list(struct inputs *inputs, struct path_list *list) {
  mem_free(inputs->gate->mem, list->paths, list->capacity, sizeof *list->paths);
}

/* A file that cannot be read is a problem; the others are read all the same. */
static pprofc_status note_problem(struct inputs *inputs, pprofc_status status,
                                  const pprofc_error *error) {
  if (status == PPROFC_OK || status == PPROFC_E_NOMEM) return status;
  gate_problem(inputs->gate, "%s", error->message);
  return PPROFC_OK;
}

/* ---- comparisons ------------------------------------- */

static pprofc_status read_table(struct inputs *inputs, const char *path, bool found,
                                pprofc_error *error) {
  pprofc_str data;
  pprofc_status status = inputs_file(inputs, path, &data, error);
  if (status != PPROFC_OK) return note_problem(inputs, status, error);
  inputs->gate->inputs++;
  ages_check(&inputs->ages, inputs->gate, path, found);
  return gate_read_tables(inputs->gate, str_of(path), data, error);
}

static pprofc_status read_folder(struct inputs *inputs, const char *folder, pprofc_error *error) {
  struct path_list list = {NULL, 0, 0};
  pprofc_status status = list_folder(inputs, folder, "bench_*.diff", &list, error);
  for (size_t i = 0; i < list.count && status == PPROFC_OK; i++)
    status = read_table(inputs, list.paths[i], true, error);
  ages_compare(&inputs->ages, inputs->gate);
  free_list(inputs, &list);
  return status;
}

/* True for two files of results, neither of which holds comparisons. */
static bool are_two_runs(struct inputs *inputs, const char *const *paths, size_t count) {
  if (count != 2 || inputs_is_folder(paths[0]) || inputs_is_folder(paths[1])) return false;
  if (strcmp(paths[0], "-") == 0 || strcmp(paths[1], "-") == 0) return false;
  for (size_t i = 0; i < 2; i++) {
    pprofc_str data;
    pprofc_error ignored;
    if (inputs_file(inputs, paths[i], &data, &ignored) != PPROFC_OK) return false;
    bool results = str_find(data, STR("Benchmark")) < data.size ||
                   str_find_char(data, '{') < data.size || str_starts(data, STR("name,unit"));
    if (gate_is_comparison(data) || !results) return false;
  }
  return true;
}

pprofc_status inputs_tables(struct inputs *inputs, const char *const *paths, size_t count,
                            pprofc_error *error) {
  if (are_two_runs(inputs, paths, count)) return inputs_raw(inputs, paths[0], paths[1], error);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && status == PPROFC_OK; i++)
    status = inputs_is_folder(paths[i]) ? read_folder(inputs, paths[i], error)
                                        : read_table(inputs, paths[i], false, error);
  return status;
}

/* ---- runs -------------------------------------------- */

static pprofc_status inputs_read_run(struct inputs *inputs, pprofc_bench *set, const char *label,
                                     const char *path, pprofc_error *error) {
  pprofc_str data;
  pprofc_status status;
  inputs->gate->inputs++;
  if (inputs_is_folder(path)) {
    size_t size = strlen(label) + strlen(path) + 2;
    char *input = arena_alloc(&inputs->arena, size);
    if (!input) return error_nomem(error);
    snprintf(input, size, "%s=%s", label, path);
    const char *const list[] = {input};
    return note_problem(inputs, pprofc_bench_read_inputs(set, list, 1, error), error);
  }
  status = inputs_file(inputs, path, &data, error);
  if (status == PPROFC_OK) {
    (void)gate_scan_failures(inputs->gate, str_of(path), data);
    status = pprofc_bench_read(set, label, path, data.data, data.size, error);
  }
  return note_problem(inputs, status, error);
}

/* Checks the age of one input, which may have been found in a folder. */
static pprofc_status check_input(struct inputs *inputs, pprofc_str path, pprofc_error *error) {
  char *copy = arena_alloc(&inputs->arena, path.size + 1);
  if (!copy) return error_nomem(error);
  memcpy(copy, path.data, path.size);
  copy[path.size] = '\0';
  ages_check(&inputs->ages, inputs->gate, copy, false);
  return PPROFC_OK;
}

pprofc_status inputs_raw(struct inputs *inputs, const char *base, const char *head,
                         pprofc_error *error) {
  inputs->set = pprofc_bench_new(inputs->gate->mem);
  if (!inputs->set) return error_nomem(error);
  pprofc_status status = inputs_read_run(inputs, inputs->set, "base", base, error);
  if (status == PPROFC_OK) status = inputs_read_run(inputs, inputs->set, "head", head, error);
  for (size_t i = 0; i < pprofc_bench_inputs(inputs->set) && status == PPROFC_OK; i++)
    status = check_input(inputs, pprofc_bench_input_path(inputs->set, i), error);
  return status == PPROFC_OK ? gate_read_raw(inputs->gate, inputs->set, error) : status;
}

pprofc_status inputs_noise(struct inputs *inputs, const char *folder, pprofc_error *error) {
  struct path_list list = {NULL, 0, 0};
  pprofc_bench *set = pprofc_bench_new(inputs->gate->mem);
  if (!set) return error_nomem(error);
  pprofc_status status = list_folder(inputs, folder, "*", &list, error);
  for (size_t i = 0; i < list.count && status == PPROFC_OK; i++)
    if (!inputs_is_folder(list.paths[i]))
      status = inputs_read_run(inputs, set, "", list.paths[i], error);
  if (status == PPROFC_OK && list.count) status = gate_learn_noise(inputs->gate, set, error);
  pprofc_bench_free(set);
  free_list(inputs, &list);
  return status;
}
