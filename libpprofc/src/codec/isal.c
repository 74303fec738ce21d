/* Loads ISA-L, a library for inflating, at its first use. */
#include "codec/isal.h"

#ifdef HAVE_ISAL
#include "core/library.h"

bool isal_load(struct isal *isal) {
  const struct library_function functions[] = {{"isal_inflate_init", &isal->init},
                                               {"isal_inflate_reset", &isal->reset},
                                               {"isal_inflate", &isal->inflate}};
  pprofc_error error;
  return library_load(library_names(LIBRARY_ISAL, SYSTEM_HERE), functions,
                      sizeof functions / sizeof *functions, &error) == PPROFC_OK;
}
#else
typedef int isal_is_not_here; /* ISO C requires a declaration in each file. */
#endif
