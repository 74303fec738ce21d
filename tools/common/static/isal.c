/* Replaces isal_load in static programs, which cannot use dlopen and inflate with zlib. */
#include "codec/isal.h"

#ifdef HAVE_ISAL
bool isal_load(struct isal *isal) {
  (void)isal;
  return false;
}
#else
typedef int static_isal_is_not_here; /* a C file must not be empty */
#endif
