/* Names of functions in files that were written for people. */
#ifndef PPROFC_IMPORT_NAMES_H
#define PPROFC_IMPORT_NAMES_H

#include "profile/builder.h"

/* Whether a name is to be shown as it is: it is no C++ of which templates and parameters may be
 * left out, as "<module>", "block in <main>" and "work.<locals>.<lambda> (calls.py:11)". */
bool import_name_is_whole(pprofc_str name);

/* The system name of such a function, a string of the builder: none where the name stays as it is.
 * `text` is the name. */
uint32_t import_system_name(pprofc_str name, uint32_t text);

/* A function by its name, in a file (a string of the builder). */
uint32_t import_function(pprofc_builder *builder, pprofc_str name, uint32_t file);

#endif
