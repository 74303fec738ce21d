/* Replaces isal_load in static programs. They cannot use dlopen, and decompress with zlib instead.
 */
#include "codec/isal.h"

#ifdef HAVE_ISAL
bool isal_load(struct isal *isal) {
  (void)isal;
  return false;
}
#else
typedef int static_isal_is_not_here; /* ISO C does not allow an empty file. */
#endif
