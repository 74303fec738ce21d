/* Loads ISA-L, a library for inflating, at its first use. */
#include "codec/isal.h"

#ifdef HAVE_ISAL
#include <dlfcn.h>
#include <string.h>

static bool isal_find(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  if (!address) return false;
  memcpy(function, &address, sizeof address);
  return true;
}

bool isal_load(struct isal *isal) {
  void *library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
  return library && isal_find(library, "isal_inflate_init", &isal->init) &&
         isal_find(library, "isal_inflate_reset", &isal->reset) &&
         isal_find(library, "isal_inflate", &isal->inflate);
}
#else
typedef int isal_is_not_here; /* ISO C requires a declaration in each file. */
#endif
