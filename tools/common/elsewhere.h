/* Suggests what to type instead of a flag or command that belongs to another program. */
#ifndef TOOLS_COMMON_ELSEWHERE_H
#define TOOLS_COMMON_ELSEWHERE_H

#include "core/error.h"

/* Returns the words to type for `argument`: "-output=FILE" for "-o". NULL: unknown. */
const char *elsewhere_find(const char *program, const char *argument);

/* Adds " (type WORDS)" to the error about `argument`, if elsewhere_find returns words. */
bool elsewhere_add(const char *program, const char *argument, pprofc_error *error);

#endif
