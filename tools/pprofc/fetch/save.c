/* Saves copies of profiles under the same names as pprof. Replaces '/' in the names, so that every
 * copy is in the folder of copies. */
#include "fetch/fetcher.h"

#include "profile/profile.h"

#define PATH_ROOM 4096
/* Size of a buffer for a path in the folder of copies. The longest name of a temporary file
 * fits. */
#define TEMPORARY_ROOM (PATH_ROOM + 48)
/* Maximum length of a name in bytes. File systems allow 255 bytes, and ".0001.pb.gz" must also fit.
 */
#define SAVE_NAME_MAX 240
#define NUMBER_MAX    9999

/* Writes the value of an environment variable, followed by `below`, to `path`. Returns false if the
 * variable is not set, or the path is too long. */
static bool save_candidate(const char *variable, const char *below, char path[PATH_ROOM]) {
  const char *value = getenv(variable);
  if (!value || !*value) return false;
  int length = snprintf(path, PATH_ROOM, "%s%s", value, below);
  return length > 0 && length < PATH_ROOM;
}

static bool save_choose_folder(char path[PATH_ROOM]) {
  static const char *const places[][2] = {
      {"PPROF_TMPDIR", ""}, {"HOME", "/pprof"}, {"TMPDIR", ""}, {NULL, NULL}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    bool given = places[i][0] && save_candidate(places[i][0], places[i][1], path);
    if (places[i][0] && !given) continue;
    if (!places[i][0]) snprintf(path, PATH_ROOM, "/tmp");
    int failed = folder_make(path, 0755);
    if (!failed) return true;
    message_error("Could not use temp dir %s: mkdir %s: %s", path, path, ERRNO_TEXT(failed));
  }
  return false;
}

static void save_add_part(struct buffer *name, pprofc_str part) {
  for (size_t at = 0; at < part.size;) {
    size_t before = at;
    int32_t c = utf8_next(part, &at);
    pprofc_str bytes = str_slice(part, before, at);
    bool plain = c >= 0 && c != '/' && escape_terminal_clean(bytes);
    if (name->size + bytes.size + 1 > SAVE_NAME_MAX) break;
    buffer_add_str(name, plain ? bytes : STR("_"));
  }
  if (name->size < SAVE_NAME_MAX) buffer_add_char(name, '.');
}

/* Formats the start of a file name: "pprof.BINARY.TYPE.TYPE." */
static void save_make_name(const pprofc_profile *p, struct buffer *name) {
  buffer_add_text(name, "pprof.");
  pprofc_str file = p->mappings.count ? profile_string(p, p->mappings.items[0].file) : STR("");
  if (file.size) save_add_part(name, str_path_base(file));
  for (size_t i = 0; i < p->type_count; i++) save_add_part(name, profile_type(p, i));
}

/* Renames the temporary file to `start` followed by the first free number. Returns 0 or an errno.
 */
static int save_number(const char *temporary, const char *start, char path[PATH_ROOM + 32]) {
  for (int number = 1; number <= NUMBER_MAX; number++) {
    snprintf(path, PATH_ROOM + 32, "%s%03d.pb.gz", start, number);
    if (link(temporary, path) == 0) return 0;
    if (errno == EEXIST) continue;
    /* If the file system has no hard links, reserve the name with an empty file, and replace that
     * file. */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) return errno;
    close(fd);
    return rename(temporary, path) == 0 ? 0 : errno;
  }
  return EEXIST;
}

/* Creates an empty file with a unique name and default permissions. The kernel applies the umask.
 * Reading the umask here would change it for a moment in all threads. */
static int save_open_temporary(const char *folder, char path[TEMPORARY_ROOM]) {
  int fd = -1;
  for (int number = 0; fd < 0 && number < NUMBER_MAX; number++) {
    snprintf(path, TEMPORARY_ROOM, "%s/.pprofc.%ld-%d", folder, (long)getpid(), number);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) break;
  }
  return fd;
}

static void save_failed(const char *path, const char *why) {
  message_error("Could not save profile: cannot write '%s': %s", path, why);
}

static void save_write(const pprofc_profile *profile, const char *folder, const char *start) {
  char temporary[TEMPORARY_ROOM], path[PATH_ROOM + 32];
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  int fd = save_open_temporary(folder, temporary);
  if (fd < 0) {
    save_failed(start, ERRNO_TEXT(errno));
    return;
  }
  signals_remove(temporary);
  pprofc_status status = pprofc_profile_write(profile, fd_write, &fd, &error);
  int failed = status == PPROFC_E_IO ? errno : 0;
  if (close(fd) != 0 && !failed) failed = errno;
  if (status == PPROFC_OK && !failed) failed = save_number(temporary, start, path);
  unlink(temporary);
  signals_remove(NULL);
  if (status != PPROFC_OK && status != PPROFC_E_IO)
    save_failed(start, error.message);
  else if (failed)
    save_failed(start, ERRNO_TEXT(failed));
  else
    message_note("Saved profile in %s", path);
}

void save_copy(const pprofc_profile *profile) {
  char folder[PATH_ROOM], clean[PATH_ROOM + 2];
  if (!save_choose_folder(folder)) {
    message_error("Could not save profile: no folder");
    return;
  }
  pprofc_str path = str_path_clean(str_of(folder), clean);
  clean[path.size] = '\0';
  struct buffer name = buffer_make(&mem_default, SIZE_MAX / 2);
  save_make_name(profile, &name);
  buffer_add_char(&name, '\0');
  char start[PATH_ROOM];
  int length = name.failed ? -1 : snprintf(start, sizeof start, "%s/%s", clean, name.data);
  buffer_free(&name);
  if (length > 0 && (size_t)length < sizeof start)
    save_write(profile, clean, start);
  else
    save_failed(clean, "its name is too long");
}
