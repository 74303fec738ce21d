/* Loads libraries with dlopen. Error messages name the package to install. */
#include "common/library.h"

#include "core/error.h"

#include <dlfcn.h>
#include <string.h>

pprofc_status library_load(const char *soname, const char *package,
                           const struct library_function *functions, size_t count,
                           pprofc_error *error) {
  void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return error_set(error, PPROFC_E_UNSUPPORTED, "cannot load %s; install the package %s", soname,
                     package);
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(handle, functions[i].name);
    if (!address)
      return error_set(error, PPROFC_E_UNSUPPORTED, "%s has no function %s; install a newer %s",
                       soname, functions[i].name, package);
    memcpy(functions[i].pointer, &address, sizeof address);
  }
  return PPROFC_OK;
}
