/* Replaces isal_load in static programs, which decompress with zlib. */
#include "codec/isal.h"

#ifdef HAVE_ISAL
bool isal_load(struct isal *isal) {
  (void)isal;
  return false;
}
#else
typedef int static_isal_is_not_here; /* ISO C does not allow an empty file. */
#endif
