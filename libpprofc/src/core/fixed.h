/* Numbers with a fixed number of decimals, as printf("%.*f") prints them. */
#ifndef PPROFC_CORE_FIXED_H
#define PPROFC_CORE_FIXED_H

#include <stddef.h>

#define FIXED_MOST 32 /* bytes that are written, with the NUL */

/* Writes the number and a NUL; returns its length, or 0 when the number is left to printf: one that
 * is not finite or too large, or more than nine decimals. */
size_t fixed_print(char out[FIXED_MOST], double value, int decimals);

#endif
