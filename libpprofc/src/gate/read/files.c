/* Reads files and folders for the gate, and reports unreadable inputs as problems. */
#include "bench/read/readers.h"
#include "core/file.h"
#include "gate/read/read.h"

#include <dirent.h>

/* ---- files ------------------------------------------- */

pprofc_status gate_read_whole(const char *path, struct buffer *data, pprofc_error *error) {
  return strcmp(path, "-") == 0
             ? file_read_status(path, fd_read_all(STDIN_FILENO, data), data, error)
             : file_read(path, data, error);
}

pprofc_status gate_note_problem(struct gate *gate, pprofc_status status,
                                const pprofc_error *error) {
  if (status == PPROFC_OK || status == PPROFC_E_NOMEM) return status;
  gate_problem(gate, "%s", error->message);
  return PPROFC_OK;
}

/* ---- folders ----------------------------------------- */

static bool files_add_path(struct arena *arena, struct gate_paths *paths, const char *folder,
                           const char *name) {
  if (!ARRAY_RESERVE_IN(arena, paths->items, paths->capacity, paths->count + 1)) return false;
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = arena_alloc(arena, size);
  if (!path) return false;
  bool slash = *folder && folder[strlen(folder) - 1] == '/';
  snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
  paths->items[paths->count++] = path;
  return true;
}

pprofc_status gate_list_folder(struct gate *gate, const char *folder, const char *pattern,
                               struct arena *arena, struct gate_paths *paths, pprofc_error *error) {
  pprofc_error why;
  DIR *dir = opendir(folder);
  *paths = (struct gate_paths){NULL, 0, 0};
  if (!dir) return gate_note_problem(gate, file_read_status(folder, errno, NULL, &why), &why);
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir(dir));) {
    bool hidden = entry->d_name[0] == '.';
    if (!hidden && str_glob(str_of(pattern), str_of(entry->d_name)))
      good = files_add_path(arena, paths, folder, entry->d_name);
  }
  closedir(dir);
  if (!good) return error_nomem(error);
  if (paths->count)
    qsort(paths->items, paths->count, sizeof *paths->items, text_order);
  else
    gate_problem(gate, "no file '%s' in '%s'", pattern, folder);
  return PPROFC_OK;
}

/* ---- results ----------------------------------------- */

pprofc_status gate_read_run(struct gate *gate, pprofc_bench *set, const char *label,
                            const char *path, pprofc_error *error) {
  if (file_is_folder(path)) return bench_read_path(set, label, path, error);
  struct buffer data = buffer_make(gate->mem, GATE_FILE_MAX);
  struct bench_map map;
  int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  int number = fd < 0 ? errno : 0;
  bool mapped = fd >= 0 && bench_map_file(fd, &map);
  if (!number && !mapped) number = fd_read_all(fd, &data);
  if (fd > STDIN_FILENO) close(fd);
  if (!mapped) map = (struct bench_map){data.data, data.size};
  pprofc_status status = file_read_status(path, number, &data, error);
  if (status == PPROFC_OK) {
    (void)gate_scan_failures(gate, str_of(path), (pprofc_str){map.data, map.size});
    status = bench_read_map(set, label, path, &map, mapped, error);
  }
  if (mapped) bench_unmap(&map);
  buffer_free(&data);
  return status;
}

/* ---- earlier runs ------------------------------------ */

/* True if `pprofci store` wrote the folder. */
static bool files_is_store(const char *folder) {
  char path[4096];
  struct stat status;
  int size = snprintf(path, sizeof path, "%s/" RECORD_MARK, folder);
  return size > 0 && (size_t)size < sizeof path && stat(path, &status) == 0;
}

pprofc_status gate_read_noise(struct gate *gate, const char *folder, pprofc_error *error) {
  struct gate_paths paths;
  pprofc_error why;
  if (files_is_store(folder)) return gate_read_history(gate, folder, error);
  pprofc_bench *set = pprofc_bench_new(gate->mem);
  if (!set) return error_nomem(error);
  struct arena arena = arena_make(gate->mem);
  pprofc_status status = gate_list_folder(gate, folder, "*", &arena, &paths, &why);
  for (size_t i = 0; i < paths.count && status == PPROFC_OK; i++)
    if (!file_is_folder(paths.items[i])) {
      gate->inputs++;
      status = gate_read_run(gate, set, "", paths.items[i], &why);
      status = gate_note_problem(gate, status, &why);
    }
  if (status == PPROFC_OK && paths.count) status = gate_learn_noise(gate, set, &why);
  arena_free(&arena);
  pprofc_bench_free(set);
  return status == PPROFC_OK ? PPROFC_OK : error_nomem(error);
}
