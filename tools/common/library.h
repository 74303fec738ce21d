/* Shared libraries that are loaded when they are first needed. libcurl and libmicrohttpd bring some
 * thirty others along: linked, they would add several milliseconds to the start of every report. */
#ifndef PPROFC_COMMON_LIBRARY_H
#define PPROFC_COMMON_LIBRARY_H

#include "pprofc/base.h"

/* A function of the library, and the pointer that gets its address. */
struct library_function {
  const char *name;
  void *pointer; /* to a function pointer of the right type */
};

/* Loads the library for the rest of the process and fills in the table. `package` is named in the
 * message when the library cannot be loaded: it is what the user installs. Errors:
 * PPROFC_E_UNSUPPORTED. May be called again. */
pprofc_status library_load(const char *soname, const char *package,
                           const struct library_function *functions, size_t count,
                           pprofc_error *error);

#endif
