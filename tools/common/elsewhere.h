/* Suggests what to type instead of a flag or command that belongs to another program. */
#ifndef TOOLS_COMMON_ELSEWHERE_H
#define TOOLS_COMMON_ELSEWHERE_H

#include "core/error.h"

/* Returns the words to type instead of `argument`, such as "-output=FILE" for "-o". Returns NULL if
 * no known program has this flag or command. */
const char *elsewhere_find(const char *program, const char *argument);

/* Adds " (type WORDS)" to the error about `argument`, if elsewhere_find returns words. */
bool elsewhere_add(const char *program, const char *argument, pprofc_error *error);

#endif
