/* Tests libraries that the programs load at their first use. */
#include "core/library.h"
#include "unit.h"

#include <string.h>

static const struct library_names no_such = {"a-package", {"libpprofc-no-such.so.9"}};

TEST(test_a_missing_library_is_named) {
  pprofc_error error;
  CU_ASSERT_EQUAL(library_load(&no_such, NULL, 0, &error), PPROFC_E_UNSUPPORTED);
  CU_ASSERT_STRING_EQUAL(error.message,
                         "cannot load libpprofc-no-such.so.9; install the package a-package");
}

TEST(test_functions_are_found_in_the_first_file_that_exists) {
  pprofc_error error;
  const struct library_names names = {"libc6", {"libpprofc-no-such.so.9", "libm.so.6"}};
  double (*cosine)(double) = NULL;
  void (*none)(void) = NULL;
  const struct library_function good[] = {{"cos", &cosine}};
  const struct library_function bad[] = {{"cos", &cosine}, {"pprofc_no_such_function", &none}};
  CU_ASSERT_EQUAL(library_load(&names, good, 1, &error), PPROFC_OK);
  CU_ASSERT_PTR_NOT_NULL_FATAL(cosine);
  CU_ASSERT_EQUAL(cosine(0), 1);
  CU_ASSERT_EQUAL(library_load(&names, bad, 2, &error), PPROFC_E_UNSUPPORTED);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "has no function pprofc_no_such_function"));
}

/* Writes the file name without "lib" and the name of the library, and with # for a number. */
static void form_of(const char *file, const char *name, char form[32]) {
  size_t size = 0;
  const char *rest = file + strlen("lib") + strlen(name);
  if (strlen(file) < 3 + strlen(name) || memcmp(file + 3, name, strlen(name)) != 0) rest = file;
  for (; *rest && size < 31; rest++) {
    bool digit = *rest >= '0' && *rest <= '9';
    if (!digit || !size || form[size - 1] != '#') form[size++] = digit ? '#' : *rest;
  }
  form[size] = '\0';
}

TEST(test_file_names_have_the_form_of_the_system) {
  static const char *const names[LIBRARIES] = {[LIBRARY_CURL] = "curl",
                                               [LIBRARY_EDIT] = "edit",
                                               [LIBRARY_ISAL] = "isal",
                                               [LIBRARY_MICROHTTPD] = "microhttpd",
                                               [LIBRARY_SQLITE] = "sqlite3"};
  static const char *const forms[SYSTEMS] = {
      [SYSTEM_LINUX] = ".so.#", [SYSTEM_FREEBSD] = ".so.#",  [SYSTEM_NETBSD] = ".so.#",
      [SYSTEM_OPENBSD] = ".so", [SYSTEM_MACOS] = ".#.dylib", [SYSTEM_WINDOWS] = "-#.dll"};
  char form[32];
  for (enum system system = 0; system < SYSTEMS; system++)
    for (enum library library = 0; library < LIBRARIES; library++) {
      const struct library_names *of = library_names(library, system);
      CU_ASSERT_PTR_NOT_NULL_FATAL(of->package);
      CU_ASSERT_PTR_NOT_NULL_FATAL(of->files[0]);
      for (size_t i = 0; i < 3 && of->files[i]; i++) {
        form_of(of->files[i], names[library], form);
        /* SQLite of macOS has no number. */
        bool bare = strcmp(of->files[i], "libsqlite3.dylib") == 0;
        CU_ASSERT_STRING_EQUAL(form, bare ? ".dylib" : forms[system]);
      }
    }
}

/* A few names in full, among them all names of Debian. */
TEST(test_file_names_are_those_of_the_system) {
  static const struct {
    enum system system;
    enum library library;
    const char *file;
  } cases[] = {{SYSTEM_LINUX, LIBRARY_CURL, "libcurl.so.4"},
               {SYSTEM_LINUX, LIBRARY_EDIT, "libedit.so.2"},
               {SYSTEM_LINUX, LIBRARY_ISAL, "libisal.so.2"},
               {SYSTEM_LINUX, LIBRARY_MICROHTTPD, "libmicrohttpd.so.12"},
               {SYSTEM_LINUX, LIBRARY_SQLITE, "libsqlite3.so.0"},
               {SYSTEM_FREEBSD, LIBRARY_EDIT, "libedit.so.8"},
               {SYSTEM_NETBSD, LIBRARY_SQLITE, "libsqlite3.so.1"},
               {SYSTEM_OPENBSD, LIBRARY_CURL, "libcurl.so"},
               {SYSTEM_MACOS, LIBRARY_CURL, "libcurl.4.dylib"},
               {SYSTEM_MACOS, LIBRARY_MICROHTTPD, "libmicrohttpd.12.dylib"},
               {SYSTEM_WINDOWS, LIBRARY_CURL, "libcurl-4.dll"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CU_ASSERT_STRING_EQUAL(library_names(cases[i].library, cases[i].system)->files[0],
                           cases[i].file);
}

/* macOS searches a name without folder in the working directory, so it gets only whole paths. */
TEST(test_folders_are_absolute) {
  for (enum system system = 0; system < SYSTEMS; system++) {
    size_t n = 0;
    for (const char *folder; (folder = library_folder(system, n)); n++) {
      bool absolute = folder[0] == '/' && folder[strlen(folder) - 1] == '/';
      CU_ASSERT_TRUE(absolute || (n == 0 && !*folder && system != SYSTEM_MACOS));
    }
    CU_ASSERT_TRUE(n > 0);
  }
}

/* The names for this system are the names of the installed libraries. The build found their
 * headers, so a name that does not load is wrong. */
TEST(test_installed_libraries_load) {
  static const enum library built[] = {
#ifdef HAVE_ISAL
      LIBRARY_ISAL,
#endif
#ifdef HAVE_LIBCURL
      LIBRARY_CURL,
#endif
#ifdef HAVE_LIBEDIT
      LIBRARY_EDIT,
#endif
#ifdef HAVE_LIBMICROHTTPD
      LIBRARY_MICROHTTPD,
#endif
#ifdef HAVE_SQLITE3
      LIBRARY_SQLITE,
#endif
      LIBRARIES};
  pprofc_error error;
  for (size_t i = 0; built[i] != LIBRARIES; i++)
    CU_ASSERT_EQUAL(library_load(library_names(built[i], SYSTEM_HERE), NULL, 0, &error), PPROFC_OK);
}
