/* Finds flags and commands of other programs, each with the words to type here. */
#ifndef TOOLS_COMMON_ELSEWHERE_H
#define TOOLS_COMMON_ELSEWHERE_H

#include "core/error.h"

/* Returns the words to type instead of `argument`, such as "-output=FILE" for "-o". NULL if
 * `argument` is not a word of another program. */
const char *elsewhere_find(const char *program, const char *argument);

/* Adds " (type WORDS)" to the error about `argument`. Returns false if there are no words. */
bool elsewhere_add(const char *program, const char *argument, pprofc_error *error);

#endif
