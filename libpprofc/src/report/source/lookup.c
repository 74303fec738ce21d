/* Finds and reads the source files of a profile. */
#include "report/source/lookup.h"
#include "core/file.h"
#include "graph/graph.h"

#include <dirent.h>

/* Maximum length in bytes of a line. At a longer line, pprof stops reading the file, because the
 * line fills pprof's buffer of 64 KiB. */
#define LONGEST_LINE ((size_t)65535)

/* ---- permitted files --------------------------------- */

static bool is_below(pprofc_str path, pprofc_str folder) {
  return folder.size && str_starts(path, folder) &&
         (path.size == folder.size || path.data[folder.size] == '/');
}

/* Returns the reason why the file at a resolved path must not be opened, or NULL if it may be
 * opened. Hidden files and files in hidden folders must not be opened. The search path may name a
 * hidden folder, but hidden files and folders in it stay closed. */
static const char *closed_reason(const struct source_lookup *lookup, pprofc_str path) {
  /* No file in a system folder is opened. These folders contain no sources, but may contain
   * secrets. Also, reading some of their files has side effects. */
  if (STR_ANY(is_below, path, "/proc", "/sys", "/dev", "/etc", "/run", "/var/run"))
    return "files of the system are not shown";
  size_t from = 0;
  for (size_t i = 0; i < lookup->root_count; i++)
    if (is_below(path, lookup->roots[i]) && lookup->roots[i].size > from)
      from = lookup->roots[i].size;
  pprofc_str rest = str_slice(path, from, path.size);
  return str_find(rest, STR("/.")) < rest.size ? "hidden files are not shown" : NULL;
}

static bool lookup_fail(struct buffer *failure, const char *path, const char *reason) {
  buffer_clear(failure);
  buffer_printf(failure, "open %s: %s", path, reason);
  return false;
}

static bool lookup_fail_errno(struct buffer *failure, const char *path, int number) {
  return lookup_fail(failure, path, ERRNO_TEXT(number));
}

/* Reads an open file. Sets `failure` and returns false if it is not a regular file, is too large or
 * is not a text. */
static bool lookup_read_text(int fd, const char *path, struct buffer *text,
                             struct buffer *failure) {
  struct stat info;
  if (fstat(fd, &info) != 0) return lookup_fail_errno(failure, path, errno);
  if (!S_ISREG(info.st_mode)) return lookup_fail(failure, path, "not a regular file");
  if ((uint64_t)info.st_size > SOURCE_FILE_BYTES)
    return lookup_fail(failure, path, "larger than 64 MiB");
  int number = fd_read_all(fd, text);
  if (number) return lookup_fail_errno(failure, path, number);
  if (text->failed) return lookup_fail(failure, path, "out of memory");
  if (text->size && memchr(text->data, '\0', text->size))
    return lookup_fail(failure, path, "not a text");
  return true;
}

/* Reads the file at `path`, which is shorter than PATH_MAX. Sets *exists to true if there is such a
 * file, even if it must not be opened. */
static bool lookup_read_path(const struct source_lookup *lookup, const char *path,
                             struct buffer *text, bool *exists, struct buffer *failure) {
  char real[PATH_MAX];
  *exists = false;
  /* realpath resolves all links before the check. open follows no link after the check. */
  if (!realpath(path, real)) return lookup_fail_errno(failure, path, errno);
  *exists = true;
  const char *reason = closed_reason(lookup, str_of(real));
  if (reason) return lookup_fail(failure, path, reason);
  int fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0) return lookup_fail_errno(failure, path, errno);
  bool done = lookup_read_text(fd, path, text, failure);
  close(fd);
  return done;
}

/* ---- search for a file ------------------------------- */

/* Writes the cleaned path folder/name to `out`, or the cleaned `name` if `folder` is "". Returns
 * false if the path does not fit. */
static bool lookup_join(pprofc_str folder, pprofc_str name, char out[PATH_MAX]) {
  char joined[PATH_MAX];
  size_t size = folder.size + name.size + (folder.size ? 1 : 0);
  if (size + 2 >= PATH_MAX || memchr(name.data, '\0', name.size)) return false;
  if (folder.size) {
    memcpy(joined, folder.data, folder.size);
    joined[folder.size] = '/';
  }
  memcpy(joined + size - name.size, name.data, name.size);
  pprofc_str clean = str_path_clean((pprofc_str){joined, size}, out);
  if (clean.data != out) memmove(out, clean.data, clean.size);
  out[clean.size] = '\0';
  return true;
}

/* Reads the file folder/name. If it does not exist, tries `name` in the parents of the folder,
 * nearest first. Returns false if no file was read. Sets *exists to true if a tried file exists. */
static bool search_up(const struct source_lookup *lookup, pprofc_str folder, pprofc_str name,
                      struct buffer *text, bool *exists, struct buffer *failure) {
  char path[PATH_MAX], room[2][PATH_MAX];
  for (int turn = 0; folder.size + 2 < PATH_MAX; turn = !turn) {
    if (lookup_join(folder, name, path)) {
      bool read = lookup_read_path(lookup, path, text, exists, failure);
      if (*exists) return read;
    }
    pprofc_str parent = str_path_dir(folder, room[turn]);
    if (str_equal(parent, folder)) break;
    folder = parent;
  }
  return false;
}

/* Finds and reads the file that a profile calls `name`. If this fails, sets `failure` to the reason
 * and returns false. */
static bool find_and_read(const struct source_lookup *lookup, pprofc_str name, struct buffer *text,
                          struct buffer *failure) {
  char path[PATH_MAX], option[PATH_MAX];
  bool exists = false;
  size_t size = lookup->search_path.size < PATH_MAX ? lookup->search_path.size : PATH_MAX - 1;
  memcpy(option, lookup->search_path.data, size);
  option[size] = '\0';
  name = trim_source_path(name, lookup->trim_path, option);
  if (str_starts(name, STR("/"))) {
    if (lookup_join(STR(""), name, path))
      return lookup_read_path(lookup, path, text, &exists, failure);
    lookup_fail(failure, "", "file name too long");
    return false;
  }
  pprofc_str rest = lookup->search_path, folder;
  while (rest.size && str_next(&rest, ':', &folder))
    if (search_up(lookup, folder, name, text, &exists, failure))
      return true;
    else if (exists)
      return false;
  buffer_clear(failure);
  buffer_add_text(failure, "could not find file ");
  buffer_add_str(failure, name);
  buffer_add_text(failure, " on path ");
  buffer_add_str(failure, lookup->search_path);
  return false;
}

/* ---- lines ------------------------------------------- */

bool source_file_split(struct source_file *file, pprofc_str text, struct arena *arena) {
  size_t count = 1;
  for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
  file->lines = arena_array(arena, count, sizeof *file->lines);
  if (!file->lines) return false;
  for (size_t from = 0; from < text.size;) {
    const char *newline = memchr(text.data + from, '\n', text.size - from);
    size_t end = newline ? (size_t)(newline - text.data) : text.size;
    if (end - from > LONGEST_LINE) break;
    pprofc_str line = str_slice(text, from, end);
    if (line.size && line.data[line.size - 1] == '\r') line.size--;
    file->lines[file->line_count++] = line;
    from = end + 1;
  }
  return true;
}

static bool load(struct source_lookup *lookup, pprofc_str name, struct source_file *file) {
  struct buffer text, failure;
  buffer_init(&text, lookup->mem, (size_t)SOURCE_FILE_BYTES + 1);
  buffer_init(&failure, lookup->mem, 1 << 20);
  bool done;
  *file = (struct source_file){NULL, 0, STR("")};
  if (lookup->closed || lookup->bytes > SOURCE_TOTAL_BYTES) {
    file->failure = lookup->closed ? STR("source files are not opened (-safe)")
                                   : STR("more than 512 MiB of source");
    done = true;
  } else if (find_and_read(lookup, name, &text, &failure)) {
    lookup->bytes += text.size;
    pprofc_str copy = buffer_keep(&text, &lookup->arena);
    done = copy.data && source_file_split(file, copy, &lookup->arena);
  } else {
    file->failure = buffer_keep(&failure, &lookup->arena);
    done = file->failure.data && !failure.failed && !text.failed;
  }
  buffer_free(&text);
  buffer_free(&failure);
  return done;
}

/* ---- the lookup -------------------------------------- */

static bool lookup_find_roots(struct source_lookup *lookup) {
  char real[PATH_MAX];
  pprofc_str rest = lookup->search_path, folder;
  size_t count = 1;
  for (size_t i = 0; i < rest.size; i++) count += rest.data[i] == ':';
  lookup->roots = arena_array(&lookup->arena, count, sizeof *lookup->roots);
  if (!lookup->roots) return false;
  while (str_next(&rest, ':', &folder)) {
    pprofc_str path = arena_str(&lookup->arena, folder.size ? folder : STR("."));
    if (!path.data) return false;
    pprofc_str root = realpath(path.data, real) ? str_of(real) : STR("");
    root = arena_str(&lookup->arena, root);
    if (!root.data) return false;
    lookup->roots[lookup->root_count++] = root;
  }
  return true;
}

pprofc_status source_lookup_init(struct source_lookup *lookup, const pprofc_report_options *options,
                                 const pprofc_allocator *mem, pprofc_error *error) {
  char folder[PATH_MAX];
  const char *source_path = options->source_path;
  *lookup = (struct source_lookup){.mem = mem,
                                   .closed = options->safe,
                                   .trim_path = options->trim_path ? options->trim_path : ""};
  arena_init(&lookup->arena, mem);
  interner_init(&lookup->names, mem);
  if (!source_path || !*source_path) {
    if (!getcwd(folder, sizeof folder)) {
      return error_set(error, PPROFC_E_IO, "could not stat current dir: %s", ERRNO_TEXT(errno));
    }
    source_path = folder;
  }
  lookup->search_path = arena_str(&lookup->arena, str_of(source_path));
  return lookup->search_path.data && lookup_find_roots(lookup) ? PPROFC_OK : error_nomem(error);
}

void source_lookup_free(struct source_lookup *lookup) {
  mem_free(lookup->mem, lookup->files, lookup->capacity, sizeof *lookup->files);
  interner_free(&lookup->names);
  arena_free(&lookup->arena);
}

const struct source_file *source_lookup_file(struct source_lookup *lookup, pprofc_str name) {
  uint32_t index = interner_find(&lookup->names, name);
  if (index != MAP_NONE) return &lookup->files[index];
  if (!ARRAY_RESERVE(lookup->mem, lookup->files, lookup->capacity, lookup->names.count + 1))
    return NULL;
  struct source_file *file = &lookup->files[lookup->names.count];
  if (!load(lookup, name, file)) return NULL;
  return interner_copy(&lookup->names, &lookup->arena, name) == MAP_NONE ? NULL : file;
}

/* ---- suggestions ------------------------------------- */

/* Maximum number of subfolders that are tried in each search folder. */
#define SUGGEST_FOLDERS 64

static bool suggest_is_plain(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    bool letter = char_is_letter(c) || char_is_digit(c);
    if (!letter && (!c || !strchr("_./@+-", c))) return false;
  }
  return text.size > 0;
}

/* Returns the size of the prefix of `name` that must be dropped, so that the rest is a file in the
 * folder. Returns 0 if no prefix helps. Tries short prefixes first. */
static size_t suggest_prefix(const struct source_lookup *lookup, pprofc_str folder,
                             pprofc_str name) {
  char path[PATH_MAX], real[PATH_MAX];
  size_t last = name.size;
  while (last && name.data[last - 1] != '/') last--;
  for (size_t at = 1; at + 1 < last; at++) {
    if (name.data[at] != '/' || !lookup_join(folder, str_slice(name, at + 1, name.size), path))
      continue;
    bool found =
        realpath(path, real) && !closed_reason(lookup, str_of(real)) && file_is_regular(real);
    if (found) return at;
  }
  return 0;
}

static void suggest_below(const struct source_lookup *lookup, pprofc_str root, pprofc_str name,
                          struct buffer *flags) {
  char path[PATH_MAX];
  DIR *dir = opendir(root.data);
  const struct dirent *entry;
  struct stat info;
  for (size_t tried = 0; dir && tried < SUGGEST_FOLDERS && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.' || !lookup_join(root, str_of(entry->d_name), path) ||
        lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
      continue;
    tried++;
    size_t prefix = suggest_prefix(lookup, str_of(path), name);
    if (!prefix || !suggest_is_plain(str_of(path))) continue;
    buffer_printf(flags, "-source_path=%s -trim_path=%.*s", path, (int)prefix, name.data);
    break;
  }
  if (dir) closedir(dir);
}

void source_lookup_suggest(const struct source_lookup *lookup, pprofc_str name,
                           struct buffer *flags) {
  size_t before = flags->size;
  if (lookup->closed || !suggest_is_plain(name)) return;
  for (size_t i = 0; i < lookup->root_count && flags->size == before; i++) {
    pprofc_str root = lookup->roots[i];
    size_t prefix = root.size ? suggest_prefix(lookup, root, name) : 0;
    if (prefix)
      buffer_printf(flags, "-trim_path=%.*s", (int)prefix, name.data);
    else if (root.size)
      suggest_below(lookup, root, name, flags);
  }
}

bool source_lookup_line(struct source_lookup *lookup, pprofc_str name, int64_t number,
                        pprofc_str *line) {
  const struct source_file *file = source_lookup_file(lookup, name);
  if (!file || number < 1 || (uint64_t)number > file->line_count) return false;
  *line = file->lines[number - 1];
  return true;
}
