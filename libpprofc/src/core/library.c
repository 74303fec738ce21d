/* Loads libraries with dlopen. Error messages name the package to install. */
#include "core/library.h"
#include "core/base.h"

#include <dlfcn.h>

/* Opens the first of names->files that exists in the folder. */
static void *library_open_in(const char *folder, const struct library_names *names) {
  char path[128];
  void *handle = NULL;
  for (size_t i = 0; !handle && i < 3 && names->files[i]; i++) {
    snprintf(path, sizeof path, "%s%s", folder, names->files[i]);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return handle;
}

static void *library_open(const struct library_names *names) {
  void *handle = NULL;
  const char *folder;
  for (size_t n = 0; !handle && (folder = library_folder(SYSTEM_HERE, n)); n++)
    handle = library_open_in(folder, names);
  return handle;
}

pprofc_status library_load(const struct library_names *names,
                           const struct library_function *functions, size_t count,
                           pprofc_error *error) {
  void *handle = library_open(names);
  if (!handle)
    return error_set(error, PPROFC_E_UNSUPPORTED, "cannot load %s; install the package %s",
                     names->files[0], names->package);
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(handle, functions[i].name);
    if (!address)
      return error_set(error, PPROFC_E_UNSUPPORTED, "%s has no function %s; install a newer %s",
                       names->files[0], functions[i].name, names->package);
    memcpy(functions[i].pointer, &address, sizeof address);
  }
  return PPROFC_OK;
}
