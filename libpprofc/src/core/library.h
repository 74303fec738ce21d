/* Loads shared libraries at their first use. A report without HTTP needs neither libcurl nor
 * libmicrohttpd. Both load about thirty other libraries, which takes several milliseconds. */
#ifndef PPROFC_CORE_LIBRARY_H
#define PPROFC_CORE_LIBRARY_H

#include "core/system.h"
#include "pprofc/base.h"

/* The libraries that are loaded at their first use. */
enum library {
  LIBRARY_CURL,
  LIBRARY_EDIT,
  LIBRARY_ISAL,
  LIBRARY_MICROHTTPD,
  LIBRARY_SQLITE,
  LIBRARIES
};

/* The names of a library on an operating system. */
struct library_names {
  const char *package;  /* the package to install; on Linux the package of Debian */
  const char *files[3]; /* file names to try, the usual name first; NULL: no more names */
};

/* Returns the names of a library on an operating system. */
const struct library_names *library_names(enum library library, enum system system);

/* Returns the folder that library_load searches as number `n`, counted from 0. The folder ends with
 * '/', or is "" to let the dynamic linker search. Returns NULL after the last folder. */
const char *library_folder(enum system system, size_t n);

/* A function of a library, and the pointer that receives its address. */
struct library_function {
  const char *name;
  void *pointer; /* the function pointer to set, which has the function's type */
};

/* A program lists the functions that it needs in a macro: #define LIST(X) X(curl_, easy_init) ...
 * LIST(LIBRARY_FIELD) gives the fields of a struct, which hold the function pointers.
 * LIST(LIBRARY_ENTRY) gives the table for library_load; the variable `library` must point to this
 * struct. The build of static programs searches for the text X(PREFIX, NAME). */
#define LIBRARY_FIELD(prefix, name) __typeof__(prefix##name) *name;
#define LIBRARY_ENTRY(prefix, name) {#prefix #name, &library->name},

/* Loads a library, and sets the function pointers in the table. The library stays loaded until the
 * process ends. The function may be called again, and by any thread. The error message names the
 * package to install. Errors: PPROFC_E_UNSUPPORTED. */
pprofc_status library_load(const struct library_names *names,
                           const struct library_function *functions, size_t count,
                           pprofc_error *error);

#endif
