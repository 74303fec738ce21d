/* Adds functions from formats whose names are already demangled. */
#ifndef PPROFC_IMPORT_NAMES_H
#define PPROFC_IMPORT_NAMES_H

#include "profile/builder.h"

/* Returns the string index of the system name for a function `name`, whose string index is `text`.
 * The result is `text`, or 0 if reports must show the name unchanged. */
uint32_t import_system_name(pprofc_str name, uint32_t text);

/* Adds a function and returns its index. `file` is a string index of the builder. */
uint32_t import_function(pprofc_builder *builder, pprofc_str name, uint32_t file);

/* Adds the location of a cost centre of GHC's profiler and returns it. `place` is a file with a
 * line and a column, like "Main.hs:12:1-20" and "Main.hs:(12,1)-(14,9)", or "<built-in>". */
uint32_t import_cost_centre(pprofc_builder *builder, pprofc_str module, pprofc_str label,
                            pprofc_str place);

/* True if the name of a file ends with ".so", or has ".so." or ".so_" and a digit anywhere. */
bool import_is_library(pprofc_str file);

#endif
