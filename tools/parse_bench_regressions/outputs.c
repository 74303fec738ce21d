/* Files of -out: a verdict of an earlier run must not look like one of this run, which may fail. */
#include "outputs.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The value of -out at argv[i], in any spelling of the flag; NULL when it is another argument. */
static const char *value_of_out(int argc, char *const *argv, int i) {
  const char *name = argv[i];
  if (*name++ != '-') return NULL;
  name += *name == '-';
  if (strncmp(name, "out", 3) != 0) return NULL;
  if (name[3] == '=') return name + 4;
  return !name[3] && i + 1 < argc ? argv[i + 1] : NULL;
}

static bool same_file(const char *path, const struct stat *file) {
  struct stat other;
  return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* True when another argument, as a whole or behind its =, is the file. */
static bool is_input(int argc, char *const *argv, const struct stat *file) {
  for (int i = 1; i < argc; i++) {
    const char *equals = strchr(argv[i], '=');
    bool flag = argv[i][0] == '-';
    if (value_of_out(argc, argv, i)) {
      i += !equals;
      continue;
    }
    if (same_file(argv[i], file) || (flag && equals && same_file(equals + 1, file))) return true;
  }
  return false;
}

void outputs_remove(int argc, char *const *argv) {
  for (int i = 1; i < argc; i++) {
    const char *value = value_of_out(argc, argv, i);
    const char *equals = value ? strchr(value, '=') : NULL;
    struct stat file;
    if (!equals || stat(equals + 1, &file) != 0 || !S_ISREG(file.st_mode)) continue;
    if (!is_input(argc, argv, &file)) (void)unlink(equals + 1);
  }
}
