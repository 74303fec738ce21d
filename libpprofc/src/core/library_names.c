/* The file names of shared libraries on each operating system. Most names contain the number of the
 * library's binary interface. The place of this number in the name differs between systems. */
#include "core/library.h"

static const struct library_names names_of_libraries[SYSTEMS][LIBRARIES] = {
    /* Debian's file is libedit.so.2, and the file of other distributions is libedit.so.0. */
    [SYSTEM_LINUX] = {[LIBRARY_CURL] = {"libcurl4", {"libcurl.so.4"}},
                      [LIBRARY_EDIT] = {"libedit2", {"libedit.so.2", "libedit.so.0"}},
                      [LIBRARY_ISAL] = {"libisal2", {"libisal.so.2"}},
                      [LIBRARY_MICROHTTPD] = {"libmicrohttpd12", {"libmicrohttpd.so.12"}},
                      [LIBRARY_SQLITE] = {"libsqlite3-0", {"libsqlite3.so.0"}}},
    /* FreeBSD and NetBSD contain libedit, and NetBSD contains SQLite. If a library has two files,
     * the first is part of the system, and the second is from a package. */
    [SYSTEM_FREEBSD] = {[LIBRARY_CURL] = {"curl", {"libcurl.so.4"}},
                        [LIBRARY_EDIT] = {"libedit", {"libedit.so.8", "libedit.so.0"}},
                        [LIBRARY_ISAL] = {"isa-l", {"libisal.so.2"}},
                        [LIBRARY_MICROHTTPD] = {"libmicrohttpd", {"libmicrohttpd.so.12"}},
                        [LIBRARY_SQLITE] = {"sqlite3", {"libsqlite3.so.0"}}},
    [SYSTEM_NETBSD] = {[LIBRARY_CURL] = {"curl", {"libcurl.so.4"}},
                       [LIBRARY_EDIT] = {"editline", {"libedit.so.3", "libedit.so.0"}},
                       [LIBRARY_ISAL] = {"isa-l", {"libisal.so.2"}},
                       [LIBRARY_MICROHTTPD] = {"libmicrohttpd", {"libmicrohttpd.so.12"}},
                       [LIBRARY_SQLITE] = {"sqlite3", {"libsqlite3.so.1", "libsqlite3.so.0"}}},
    /* OpenBSD has its own version numbers. Its linker takes the newest file for a name without
     * version. */
    [SYSTEM_OPENBSD] = {[LIBRARY_CURL] = {"curl", {"libcurl.so"}},
                        [LIBRARY_EDIT] = {"libedit", {"libedit.so"}},
                        [LIBRARY_ISAL] = {"isa-l", {"libisal.so"}},
                        [LIBRARY_MICROHTTPD] = {"libmicrohttpd", {"libmicrohttpd.so"}},
                        [LIBRARY_SQLITE] = {"sqlite3", {"libsqlite3.so"}}},
    /* libcurl, libedit and SQLite are parts of macOS. */
    [SYSTEM_MACOS] = {[LIBRARY_CURL] = {"curl", {"libcurl.4.dylib"}},
                      [LIBRARY_EDIT] = {"libedit", {"libedit.3.dylib", "libedit.0.dylib"}},
                      [LIBRARY_ISAL] = {"isa-l", {"libisal.2.dylib"}},
                      [LIBRARY_MICROHTTPD] = {"libmicrohttpd", {"libmicrohttpd.12.dylib"}},
                      [LIBRARY_SQLITE] = {"sqlite", {"libsqlite3.dylib", "libsqlite3.0.dylib"}}},
    /* File names in MSYS2. Programs for Windows do not load libraries yet. */
    [SYSTEM_WINDOWS] = {[LIBRARY_CURL] = {"curl", {"libcurl-4.dll"}},
                        [LIBRARY_EDIT] = {"libedit", {"libedit-0.dll"}},
                        [LIBRARY_ISAL] = {"isa-l", {"libisal-2.dll"}},
                        [LIBRARY_MICROHTTPD] = {"libmicrohttpd", {"libmicrohttpd-12.dll"}},
                        [LIBRARY_SQLITE] = {"sqlite3", {"libsqlite3-0.dll"}}},
};

/* The linker of macOS does not search the folders of Homebrew and MacPorts. For a name without
 * folder, the linker of macOS may search the working directory, where a stranger can put a file.
 * NetBSD's linker does not search the folder of packages. */
static const char *const folders_of_libraries[SYSTEMS][5] = {
    [SYSTEM_LINUX] = {""},
    [SYSTEM_FREEBSD] = {"", "/usr/local/lib/"},
    [SYSTEM_NETBSD] = {"", "/usr/pkg/lib/"},
    [SYSTEM_OPENBSD] = {"", "/usr/local/lib/"},
    [SYSTEM_MACOS] = {"/usr/lib/", "/opt/homebrew/lib/", "/usr/local/lib/", "/opt/local/lib/"},
    [SYSTEM_WINDOWS] = {""},
};

const struct library_names *library_names(enum library library, enum system system) {
  return &names_of_libraries[system][library];
}

const char *library_folder(enum system system, size_t n) {
  return folders_of_libraries[system][n];
}
