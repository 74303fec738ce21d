/* Loads shared libraries at their first use. A report without HTTP needs neither libcurl nor
 * libmicrohttpd. Both load about thirty other libraries, which takes several milliseconds. */
#ifndef PPROFC_COMMON_LIBRARY_H
#define PPROFC_COMMON_LIBRARY_H

#include "pprofc/base.h"

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
 * process ends. The function may be called again. The error message names `package` as the package
 * to install. Errors: PPROFC_E_UNSUPPORTED. */
pprofc_status library_load(const char *soname, const char *package,
                           const struct library_function *functions, size_t count,
                           pprofc_error *error);

#endif
