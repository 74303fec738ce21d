/* Prints numbers with a fixed number of decimals like printf("%.*f"), but faster. */
#ifndef PPROFC_CORE_FIXED_H
#define PPROFC_CORE_FIXED_H

#include <stddef.h>

#define FIXED_MAX 32 /* size of the output buffer in bytes, including the NUL */

/* Writes the number and a NUL. Returns the length without the NUL. Returns 0 if the caller must use
 * printf: the number is not finite, is too large, or needs more than nine decimals. */
size_t fixed_print(char out[FIXED_MAX], double value, int decimals);

#endif
