/* Adds function names from formats whose names are already demangled. */
#ifndef PPROFC_IMPORT_NAMES_H
#define PPROFC_IMPORT_NAMES_H

#include "profile/builder.h"

/* Returns the string index for the system name of a function. `text` is the string index of `name`.
 * The result is `text`, or 0 if reports must show the name unchanged. */
uint32_t import_system_name(pprofc_str name, uint32_t text);

/* Adds a function and returns its index. `name` is its name; `file` is a string index of the
 * builder. */
uint32_t import_function(pprofc_builder *builder, pprofc_str name, uint32_t file);

/* Returns the location of a cost centre of GHC. "Main.hs:12:1-20" and "Main.hs:(12,1)-(14,9)" have
 * a file, a line and a column; "<built-in>" has no file. */
uint32_t import_cost_centre(pprofc_builder *builder, pprofc_str module, pprofc_str label,
                            pprofc_str place);

#endif
