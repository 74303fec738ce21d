/* Creates, writes and finds files and folders of a run. */
#include "run/files.h"

#include "noise/noise.h"

bool files_make_folders(const char *path) {
  errno = folder_make(path, 0777);
  return errno == 0;
}

pprofc_status files_need_folder(const char *path, pprofc_error *error) {
  if (files_make_folders(path)) return PPROFC_OK;
  return error_file(error, "make the folder", path, errno);
}

pprofc_status files_need_parent(const char *path, pprofc_error *error) {
  char folder[PATH_MAX];
  pprofc_str parent = str_slice(str_of(path), 0, str_find_last_char(str_of(path), '/'));
  if (!parent.size || parent.size == strlen(path)) return PPROFC_OK;
  if (parent.size >= sizeof folder)
    return error_file(error, "make the folder of", path, ENAMETOOLONG);
  memcpy(folder, parent.data, parent.size);
  folder[parent.size] = '\0';
  return files_need_folder(folder, error);
}

void files_temporary(struct arena *arena, const char **path) {
  const char *folder = ci_variable("TMPDIR", "/tmp");
  char *made = text_printf(arena, "%s/pprofci.XXXXXX", folder);
  *path = NULL;
  if (!mkdtemp(made)) ci_fail("cannot make a folder in '%s': %s", folder, ERRNO_TEXT(errno));
  *path = made;
}

const char *files_here(struct ci_run *run) {
  char here[4096];
  if (!getcwd(here, sizeof here)) ci_fail("cannot find the current folder: %s", ERRNO_TEXT(errno));
  return text_keep(&run->arena, str_of(here));
}

/* Returns the path of a file in the stage (stage.c), and adds the file to run->files. */
static const char *stage_path(struct ci_run *run, bool of_benchdiff, const char *path) {
  (void)ARRAY_PUSH_IN(&run->arena, run->files, run->file_count, run->file_capacity,
                      (struct run_file){path, of_benchdiff});
  return text_printf(&run->arena, "%s/%s/%s", run->stage, of_benchdiff ? "benchdiff" : "ci", path);
}

void files_put(struct ci_run *run, bool of_benchdiff, const char *path, pprofc_str text) {
  ci_need(save_text(stage_path(run, of_benchdiff, path), text, &ci_error));
}

pprofc_status files_make(struct ci_run *run, const char *path, save_fn *write, const void *context,
                         pprofc_error *error) {
  return save_file(stage_path(run, false, path), write, context, error);
}

pprofc_status files_copy(const char *from, const char *to, pprofc_error *error) {
  struct buffer text = ci_buffer();
  pprofc_status status = file_read(from, &text, error);
  if (status == PPROFC_OK) status = save_text(to, buffer_str(&text), error);
  buffer_free(&text);
  return status;
}

void files_put_copy(struct ci_run *run, const char *from, const char *path) {
  ci_need(files_copy(from, stage_path(run, false, path), &ci_error));
}

const char *const *files_list(struct ci_run *run, const char *folder, files_order *order) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, order);
  if (count < 0) ci_fail("cannot read '%s': %s", folder, ERRNO_TEXT(errno));
  const char **names = arena_zero_array(&run->arena, (size_t)count + 1, sizeof *names);
  for (int i = 0; i < count; i++) {
    names[i] = text_keep(&run->arena, str_of(entries[i]->d_name));
    free(entries[i]);
  }
  free(entries);
  return names;
}

bool files_are_same(const char *a, const char *b) {
  struct stat one, other;
  if (!a || !b || stat(a, &one) != 0 || stat(b, &other) != 0) return false;
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

pprofc_str place_in_checkout(const char *file) {
  while (file && *file) {
    /* An absolute path is not in the checkout. */
    if (*file != '/' && file_is_regular(file)) return str_of(file);
    const char *slash = strchr(file, '/');
    file = slash ? slash + 1 : NULL;
  }
  return STR("");
}

/* Maximum depth of a searched folder. The folder of a capture has two levels. */
#define FOUND_LEVELS 4

static void found_add(struct arena *arena, struct found_files *files, struct found_file file) {
  (void)ARRAY_PUSH_IN(arena, files->items, files->count, files->capacity, file);
}

static int found_by_path(const void *a, const void *b) {
  return runs_order(((const struct found_file *)a)->path, ((const struct found_file *)b)->path);
}

/* True for a file or folder that is never a profile: a hidden file, a manifest, or a warm-up
 * folder. */
static bool found_is_aside(const char *name) {
  return name[0] == '.' || strcmp(name, "warmup") == 0 || strcmp(name, "manifest.json") == 0;
}

/* Adds a file to the list `files`, or a folder to the list `open` unless it is too deep. */
static void found_entry(struct arena *arena, struct found_files *open, struct found_files *files,
                        struct found_file folder, const char *name) {
  struct found_file found = {NULL, folder.side, folder.depth + 1};
  if (found_is_aside(name)) return;
  found.path = text_printf(arena, "%s/%s", folder.path, name);
  if (strcmp(name, "base") == 0) found.side = "base";
  if (strcmp(name, "head") == 0) found.side = "head";
  if (file_is_regular(found.path))
    found_add(arena, files, found);
  else if (found.depth <= FOUND_LEVELS && file_is_folder(found.path))
    found_add(arena, open, found);
}

static void found_open(struct arena *arena, struct found_files *open, struct found_files *files,
                       struct found_file folder) {
  DIR *dir = opendir(folder.path);
  if (!dir) ci_fail("cannot read '%s': %s", folder.path, ERRNO_TEXT(errno));
  for (const struct dirent *entry; (entry = readdir(dir));)
    found_entry(arena, open, files, folder, entry->d_name);
  closedir(dir);
}

void found_below(struct arena *arena, const char *folder, const char *side,
                 struct found_files *files) {
  struct found_files open = {NULL, 0, 0};
  *files = open;
  found_add(arena, &open, (struct found_file){folder, side, 0});
  for (size_t i = 0; i < open.count; i++) found_open(arena, &open, files, open.items[i]);
  if (files->count) qsort(files->items, files->count, sizeof *files->items, found_by_path);
}
