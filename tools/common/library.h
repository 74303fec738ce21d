/* Loads shared libraries at their first use. libcurl and libmicrohttpd load about thirty other
 * libraries: linked, they would add several milliseconds to the start of every report. */
#ifndef PPROFC_COMMON_LIBRARY_H
#define PPROFC_COMMON_LIBRARY_H

#include "pprofc/base.h"

/* A function of the library, and the pointer that receives its address. */
struct library_function {
  const char *name;
  void *pointer; /* address of a function pointer of the right type, which receives the address */
};

/* Loads the library until the process ends, and fills in the table. `package` is the package
 * to install, for the error message. Errors: PPROFC_E_UNSUPPORTED. May be called repeatedly. */
pprofc_status library_load(const char *soname, const char *package,
                           const struct library_function *functions, size_t count,
                           pprofc_error *error);

#endif
