/* Function names from formats whose names are already demangled. */
#ifndef PPROFC_IMPORT_NAMES_H
#define PPROFC_IMPORT_NAMES_H

#include "profile/builder.h"

/* Returns the system name for a name whose string is `text`: `text`, or 0 if reports must show
 * the name unchanged. */
uint32_t import_system_name(pprofc_str name, uint32_t text);

/* Adds a function by its name. `file` is a string of the builder. */
uint32_t import_function(pprofc_builder *builder, pprofc_str name, uint32_t file);

#endif
